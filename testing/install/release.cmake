# cmake -DSOURCE=… -DWORK=… -P release.cmake
#
# Runs tools/release on a small repository: it refuses another version and a placeholder for the project's
# address, and makes the same bytes of the same commit.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${WORK})
set(repository ${WORK}/repository)
foreach(file tools/release tools/lib/common.sh include/startile_core.h CITATION.cff debian/changelog
             tools/packaging/conda/recipe.yaml)
  get_filename_component(folder ${file} DIRECTORY)
  file(COPY ${SOURCE}/${file} DESTINATION ${repository}/${folder})
endforeach()
file(READ ${repository}/debian/changelog text)
string(REPLACE "startile.i" "example.i" text "${text}")
file(WRITE ${repository}/debian/changelog "${text}")
file(STRINGS ${SOURCE}/include/startile_core.h version REGEX "^#define STARTILE_VERSION_[A-Z]* +[0-9]+")
list(TRANSFORM version REPLACE "^#define STARTILE_VERSION_[A-Z]* +([0-9]+).*" "\\1")
list(JOIN version "." version)
file(WRITE ${repository}/CHANGELOG.md "## [${version}] - 2000-01-01\n")

function(git)
  execute_process(COMMAND git -c user.name=test -c user.email=test@example.org -c commit.gpgsign=false ${ARGN}
                  WORKING_DIRECTORY ${repository} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# release(FOLDER ERROR): commits, and runs tools/release, which must end with an error that matches ERROR, or
# without one if ERROR is empty.
function(release folder error)
  git(add --all)
  git(commit --quiet --allow-empty --message test)
  execute_process(COMMAND ${repository}/tools/release ${folder}
                  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
  if((error AND (status EQUAL 0 OR NOT errors MATCHES "${error}")) OR (NOT error AND NOT status EQUAL 0))
    message(FATAL_ERROR "tools/release: ${status}, '${errors}' instead of '${error}'")
  endif()
endfunction()

git(init --quiet)
set(placeholder "startile.i")
string(APPEND placeholder "nvalid")
file(WRITE ${repository}/address "https://${placeholder}/\n")
release(${WORK}/refused "without the project's address: address\n")
file(REMOVE ${repository}/address)
release(${WORK}/first "")
execute_process(COMMAND ${repository}/tools/release ${WORK}/second OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(SHA256 ${WORK}/first/startile-${version}.tar.gz first)
file(SHA256 ${WORK}/second/startile-${version}.tar.gz second)
if(NOT first STREQUAL second)
  message(FATAL_ERROR "tools/release made two archives of one commit: ${first}, ${second}")
endif()
file(WRITE ${repository}/CITATION.cff "version: 99.0.0\n")
release(${WORK}/refused "CITATION.cff has no line for version ${version}")
if(EXISTS ${WORK}/refused)
  message(FATAL_ERROR "tools/release made a folder for a refused commit")
endif()
