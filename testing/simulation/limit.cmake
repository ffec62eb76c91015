# cmake -DPROGRAM=… -DMACHINE=… -DROUTINE=… -DTYPE=… -DN=… -DGPUS=… -DMIB=… -DPART=… -DTIMES=… -DCSV=file
#       -P limit.cmake
#
# Simulates a run with little GPU memory and one without the limit; see the file `limits`.
cmake_minimum_required(VERSION 3.25)

# Sets seconds and bytes_ratio.
function(simulate)
  execute_process(COMMAND ${PROGRAM} bench ${ROUTINE} --n ${N} --precision ${TYPE} --resident host
    --gpus ${GPUS} --simulate ${MACHINE} --placement --csv ${CSV} ${ARGN}
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
    list(GET values ${column} value)
    set(${name} ${value} PARENT_SCOPE)
  endforeach()
endfunction()

# Ratios are in millionths, because CMake has integers only.
function(millionths number out)
  string(REGEX MATCH "^([0-9]+)[.]?([0-9]*)$" matched "${number}")
  if(NOT matched)
    message(FATAL_ERROR "'${number}' is not a decimal number")
  endif()
  set(whole ${CMAKE_MATCH_1})
  string(SUBSTRING "${CMAKE_MATCH_2}000000" 0 6 fraction)
  # a number that begins with 0 would be octal
  math(EXPR all "1000000 * ${whole} + 1${fraction} - 1000000")
  set(${out} ${all} PARENT_SCOPE)
endfunction()

simulate()
millionths(${seconds} unlimited)
simulate(--gpu-mem ${MIB})
millionths(${seconds} limited)
millionths(${PART} part)
math(EXPR reached "1000000 * ${unlimited} / ${limited}")
if(reached LESS part)
  message(FATAL_ERROR "${reached} millionths of the rate, not ${PART}")
endif()
if(bytes_ratio GREATER TIMES)
  message(FATAL_ERROR "${bytes_ratio} times the bytes by the formula, not at most ${TIMES}")
endif()
