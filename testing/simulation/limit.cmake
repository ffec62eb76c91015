# cmake -DPROGRAM=… -DMACHINE=… -DROUTINE=… -DTYPE=… -DN=… -DGPUS=… -DMIB=… -DMOST=… -DTIMES=… -DCSV=file
#       -P limit.cmake
#
# Simulates a run with little GPU memory; see the file `limits`.
cmake_minimum_required(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/simulate.cmake)
simulate(--resident host --gpu-mem ${MIB} --placement)
if(NOT seconds LESS_EQUAL MOST)
  message(FATAL_ERROR "${seconds} s, not at most ${MOST}")
endif()
if(NOT bytes_ratio LESS_EQUAL TIMES)
  message(FATAL_ERROR "${bytes_ratio} times the bytes by the formula, not at most ${TIMES}")
endif()
