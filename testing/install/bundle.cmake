# cmake -DSOURCE=… -DBUILD=… -DWORK=… -DMOVED=library -P bundle.cmake
#
# Makes a bundle of the build, looks for the licenses of its programs and libraries, and runs its command without
# StarPU's prefix, which the library MOVED hides: standard error must be empty.
cmake_minimum_required(VERSION 3.25)

# The bundle has the real libraries of CUDA, not the stubs of tools/test.
unset(ENV{LD_LIBRARY_PATH})
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/home)
execute_process(COMMAND ${SOURCE}/tools/bundle --build ${BUILD} --without-tests ${WORK}/bundle
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "tools/bundle: ${status}\n${output}")
endif()

file(GLOB_RECURSE files RELATIVE ${WORK}/bundle ${WORK}/bundle/bin/* ${WORK}/bundle/lib/*)
if(NOT files)
  message(FATAL_ERROR "tools/bundle copied no libraries")
endif()
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  string(REGEX REPLACE "([.+])" "\\\\\\1" pattern "^${name}: ")
  file(STRINGS ${WORK}/bundle/licenses/files.txt texts REGEX "${pattern}")
  string(REPLACE "${name}: " "" texts "${texts}")
  separate_arguments(texts)
  foreach(text IN LISTS texts)
    file(STRINGS ${WORK}/bundle/licenses/${text} words REGEX "[Ww]arranty|WARRANT|[Cc]opyright" LIMIT_COUNT 1)
  endforeach()
  if(NOT texts OR NOT words)
    message(FATAL_ERROR "no license of ${file} in the bundle: '${texts}'")
  endif()
endforeach()
# A library whose license text is missing is an error.
file(WRITE ${WORK}/no_packages/dpkg-query "#!/bin/sh\nexit 1\n")
file(CHMOD ${WORK}/no_packages/dpkg-query PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=${WORK}/no_packages:$ENV{PATH} ${SOURCE}/tools/bundle
                --build ${BUILD} --without-tests ${WORK}/unlicensed
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(status EQUAL 0 OR NOT errors MATCHES "no license text of /")
  message(FATAL_ERROR "tools/bundle without licenses: ${status}, '${errors}'")
endif()

set(ENV{HOME} ${WORK}/home)
foreach(variable STARPU_HOME XDG_CACHE_HOME STARPU_SILENT STARPU_PERF_MODEL_DIR)
  unset(ENV{${variable}})
endforeach()
set(ENV{LD_PRELOAD} ${MOVED})
foreach(arguments info "solve --random 20")
  separate_arguments(words UNIX_COMMAND ${arguments})
  execute_process(COMMAND ${WORK}/bundle/startile ${words} RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  message(STATUS "${output}")
  if(NOT status EQUAL 0 OR NOT errors STREQUAL "")
    message(FATAL_ERROR "startile ${arguments}: ${status}, standard error: ${errors}")
  endif()
  if(output MATCHES "/proc/self")
    message(FATAL_ERROR "startile ${arguments} lists /proc/self, which holds no models")
  endif()
endforeach()
