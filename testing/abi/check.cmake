# cmake -DNM=… -DLIBRARY=… -DLIST=… [-DCUDA_LIST=…] [-DUPDATE=ON] -P check.cmake
#
# Compares the symbols that the shared library LIBRARY exports with the lines of the file LIST, and of
# CUDA_LIST if given. With UPDATE=ON writes LIST instead.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${NM} -D --defined-only --format=posix ${LIBRARY}
  OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" exported "${lines}")
list(TRANSFORM exported REPLACE " .*" "")
# gfortran's versions differ in the symbols that they generate for derived types.
list(FILTER exported EXCLUDE REGEX "_MOD___")
list(SORT exported)

set(cuda)
if(CUDA_LIST)
  file(STRINGS ${CUDA_LIST} cuda)
endif()
if(UPDATE)
  list(REMOVE_ITEM exported ${cuda})
  list(JOIN exported "\n" text)
  file(WRITE ${LIST} "${text}\n")
  return()
endif()

file(STRINGS ${LIST} listed)
list(APPEND listed ${cuda})
set(missing ${listed})
list(REMOVE_ITEM missing ${exported})
set(extra ${exported})
list(REMOVE_ITEM extra ${listed})
foreach(kind extra missing)
  if(${kind})
    list(JOIN ${kind} "\n  " names)
    message("${kind} symbols of ${LIBRARY}:\n  ${names}")
  endif()
endforeach()
if(extra OR missing)
  message(FATAL_ERROR "the exported symbols differ from ${LIST}; docs/packages.md says what to do")
endif()
list(LENGTH exported count)
message(STATUS "${count} symbols, as listed")
