# Runs `startile bench` with the given arguments, and sets the variables `seconds` and `bytes_ratio` to the
# fields of these names in the file ${CSV}. Included by run.cmake and limit.cmake.
function(simulate)
  execute_process(COMMAND ${PROGRAM} bench ${ROUTINE} --n ${N} --precision ${TYPE} --gpus ${GPUS}
    --simulate ${MACHINE} --csv ${CSV} ${ARGN}
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
    set(${name} "${value}" PARENT_SCOPE)
  endforeach()
endfunction()
