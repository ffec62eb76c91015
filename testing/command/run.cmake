# cmake -DPROGRAM=… -DARGUMENTS="…" -DEXIT=code -DEXPECT=regex [-DROWS=regex@@regex…] [-DNEEDS=file]
#   -P run.cmake
#
# Runs the program and checks its exit code and its output on both streams: EXPECT, and each of ROWS in any order. Skips the test if the file NEEDS is missing.
cmake_minimum_required(VERSION 3.25)

if(NEEDS AND NOT EXISTS ${NEEDS})
  message(STATUS "skipped: no ${NEEDS}")
  return()
endif()
separate_arguments(ARGUMENTS UNIX_COMMAND "${ARGUMENTS}")
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} RESULT_VARIABLE status OUTPUT_VARIABLE output
                ERROR_VARIABLE output)
message(STATUS "${output}")
if(NOT status EQUAL EXIT)
  message(FATAL_ERROR "exit code ${status} instead of ${EXIT}")
endif()
if(NOT output MATCHES "${EXPECT}")
  message(FATAL_ERROR "the output does not match: ${EXPECT}")
endif()
string(REPLACE "@@" ";" ROWS "${ROWS}")
foreach(row IN LISTS ROWS)
  if(NOT output MATCHES "${row}")
    message(FATAL_ERROR "the output does not match: ${row}")
  endif()
endforeach()
