# cmake -DFC=mpifort -DSOURCE=….F90 -DMODULE=mpi -DOUT=program -DLIBRARY=libstartile_scalapack.so -P …
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${FC} -DMODULE=${MODULE} ${SOURCE} -o ${OUT} COMMAND_ERROR_IS_FATAL ANY)
set(ENV{LD_PRELOAD} ${LIBRARY})
execute_process(COMMAND ${OUT} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
message(STATUS "${output}")
if(NOT status EQUAL 0 OR NOT output MATCHES "fortran is right")
  message(FATAL_ERROR "exit code ${status}")
endif()
