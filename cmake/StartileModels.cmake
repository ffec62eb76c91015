# Unpacks perf_models/NAME.tar.xz to perf_models/NAME in the build folder, where the library and the tests find
# the models. docs/calibration.md has the command that packs a folder.

# Unpacks the archive, which has the folder NAME, in `parent`, unless its folder there is newer.
function(startile_unpack_models archive parent)
  cmake_path(GET archive STEM name)
  set(manifest ${parent}/${name}/manifest)
  if(EXISTS ${manifest} AND NOT ${archive} IS_NEWER_THAN ${manifest})
    return()
  endif()
  file(REMOVE_RECURSE ${parent}/${name})
  file(MAKE_DIRECTORY ${parent})
  # With damaged data, CMake 3.25 prints a message and succeeds, as file(ARCHIVE_EXTRACT) does.
  execute_process(COMMAND ${CMAKE_COMMAND} -E tar xf ${archive} --touch WORKING_DIRECTORY ${parent}
    RESULT_VARIABLE status ERROR_VARIABLE error)
  if(status OR error OR NOT EXISTS ${manifest})
    file(REMOVE_RECURSE ${parent}/${name})
    message(FATAL_ERROR "${archive}: damaged, or without the file ${name}/manifest\n${error}")
  endif()
endfunction()

# As a script, cmake -DARCHIVE=FILE -DPARENT=DIR -P StartileModels.cmake, unpacks one archive.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  cmake_minimum_required(VERSION 3.25)
  startile_unpack_models(${ARCHIVE} ${PARENT})
  return()
endif()

file(GLOB archives CONFIGURE_DEPENDS perf_models/*.tar.xz)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${archives})
foreach(archive IN LISTS archives)
  startile_unpack_models(${archive} ${PROJECT_BINARY_DIR}/perf_models)
endforeach()
