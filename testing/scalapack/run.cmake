# Runs a test program under libstartile_scalapack.
# -DPROGRAM= [-DARGUMENTS=] [-DDECK=file that the program reads] -DWORK=folder -DMPIEXEC= -DNUMPROC_FLAG=
# [-DPROCESSES=4]
# [-DLIBRARY=library to preload]
# -DROUTINES="pdpotrf pdpotrs": routines that startile must have run for each process.
if(NOT PROCESSES)
  set(PROCESSES 4)
endif()
file(MAKE_DIRECTORY ${WORK})
if(DECK)
  file(COPY ${DECK} DESTINATION ${WORK})
endif()
separate_arguments(ARGUMENTS)
set(ENV{STARTILE_LAPACK_REPORT} ${WORK}/report)
file(REMOVE ${WORK}/report)
if(LIBRARY)
  set(preload -x LD_PRELOAD=${LIBRARY})
endif()
execute_process(COMMAND ${MPIEXEC} --oversubscribe --bind-to none ${NUMPROC_FLAG} ${PROCESSES}
  ${preload} ${PROGRAM} ${ARGUMENTS} WORKING_DIRECTORY ${WORK}
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM}: ${result}\n${output}")
endif()
if(NOT output MATCHES "[1-9][0-9]* tests completed and passed" OR NOT output MATCHES " 0 tests completed and failed" OR
   NOT output MATCHES " 0 tests skipped" OR output MATCHES "FAILED")
  message(FATAL_ERROR "${PROGRAM} failed:\n${output}")
endif()
file(READ ${WORK}/report report)
separate_arguments(ROUTINES)
foreach(routine IN LISTS ROUTINES)
  string(REGEX MATCHALL "${routine} [^\n]*  startile, " rows "${report}")
  list(LENGTH rows processes)
  if(NOT processes EQUAL PROCESSES)
    message(FATAL_ERROR "${routine} ran on startile in ${processes} processes of ${PROCESSES}:\n${report}")
  endif()
endforeach()
# Calls that test_scalapack makes with wrong descriptors on one process
if(report MATCHES " [0-9][0-9.e+-]*  machine's ScaLAPACK: another process cannot")
  message(FATAL_ERROR "refused calls have a rate:\n${report}")
endif()
if(report MATCHES "mqr [^\n]*machine's ScaLAPACK: not at")
  message(FATAL_ERROR "a product with Q in a block did not run on startile:\n${report}")
endif()
