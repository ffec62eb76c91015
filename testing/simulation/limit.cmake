# cmake -DPROGRAM=… -DMACHINE=… -DROUTINE=… -DTYPE=… -DN=… -DGPUS=… -DMIB=… -DMOST=… -DTIMES=… -DCSV=file
#       -P limit.cmake
#
# Simulates a run with little GPU memory; see the file `limits`.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${PROGRAM} bench ${ROUTINE} --n ${N} --precision ${TYPE} --resident host
  --gpus ${GPUS} --gpu-mem ${MIB} --simulate ${MACHINE} --placement --csv ${CSV}
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
foreach(name seconds bytes_ratio)
  list(FIND names ${name} column)
  list(GET values ${column} ${name})
endforeach()
if(NOT seconds LESS_EQUAL MOST)
  message(FATAL_ERROR "${seconds} s, not at most ${MOST}")
endif()
if(NOT bytes_ratio LESS_EQUAL TIMES)
  message(FATAL_ERROR "${bytes_ratio} times the bytes by the formula, not at most ${TIMES}")
endif()
