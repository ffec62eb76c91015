# cmake -DFC=gfortran -DSOURCE=….f90 -DOUT=program -DLIBRARY=libstartile_lapack.so -P …
cmake_minimum_required(VERSION 3.25)
get_filename_component(folder ${LIBRARY} DIRECTORY)
execute_process(COMMAND ${FC} ${SOURCE} -o ${OUT} ${LIBRARY} -llapack -lblas -Wl,-rpath,${folder}
                COMMAND_ERROR_IS_FATAL ANY)
set(ENV{STARTILE_LAPACK_MIN} 0)
set(ENV{STARTILE_NB} 16)
set(ENV{STARTILE_LAPACK_REPORT} -)
execute_process(COMMAND ${OUT} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
message(STATUS "${output}")
if(NOT status EQUAL 0 OR NOT output MATCHES "error reported.*fortran is right" OR
   NOT output MATCHES "dposv +1 .*startile")
  message(FATAL_ERROR "exit code ${status}")
endif()
