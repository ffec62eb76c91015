# cmake -DSOURCE=… -DBUILD=… -DWORK=… -DMOVED=library -P bundle.cmake
#
# Makes a bundle of the build and runs its command without StarPU's prefix, which the library MOVED
# hides: standard error must be empty.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/home)
execute_process(COMMAND ${SOURCE}/tools/bundle --build ${BUILD} --without-tests ${WORK}/bundle
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "tools/bundle: ${status}\n${output}")
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
