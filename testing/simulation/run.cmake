# cmake -DPROGRAM=… -DMACHINE=… -DROUTINE=… -DTYPE=… -DN=… -DWHERE=… -DGPUS=… -DWORKERS=…
#       -DLEAST=seconds -DMOST=seconds -DCSV=file -P run.cmake
#
# Simulates one run and requires its time to be within the bounds.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${PROGRAM} bench ${ROUTINE} --n ${N} --precision ${TYPE} --where ${WHERE}
  --gpus ${GPUS} --gpu-workers ${WORKERS} --simulate ${MACHINE} --csv ${CSV}
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
message(STATUS "${output}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "exit code ${status}")
endif()
file(STRINGS ${CSV} lines)
list(GET lines 0 names)
list(GET lines 1 values)
string(REPLACE "," ";" names "${names}")
string(REPLACE "," ";" values "${values}")
list(FIND names seconds column)
list(GET values ${column} seconds)
if(seconds LESS LEAST OR seconds GREATER MOST)
  message(FATAL_ERROR "${seconds} s is not from ${LEAST} to ${MOST} s")
endif()
message(STATUS "${seconds} s is from ${LEAST} to ${MOST} s")
