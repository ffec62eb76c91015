# cmake -DPROGRAM=… -DMACHINE=… -DROUTINE=… -DTYPE=… -DN=… -DWHERE=… -DGPUS=… -DWORKERS=…
#       -DLEAST=seconds -DMOST=seconds -DCSV=file -P run.cmake
#
# Simulates one run and requires its time to be within the bounds.
cmake_minimum_required(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/simulate.cmake)
simulate(--where ${WHERE} --gpu-workers ${WORKERS})
if(NOT (seconds GREATER_EQUAL LEAST AND seconds LESS_EQUAL MOST))
  message(FATAL_ERROR "${seconds} s is not from ${LEAST} to ${MOST} s")
endif()
message(STATUS "${seconds} s is from ${LEAST} to ${MOST} s")
