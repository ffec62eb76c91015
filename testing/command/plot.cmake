# cmake -DPROGRAM=… -DFILES=list -DTITLE=text -DOUT=file -DPICTURE=file -P plot.cmake
#
# Draws the files with `startile plot`, and requires the bytes of PICTURE.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${PROGRAM} plot ${FILES} --title ${TITLE} --out ${OUT} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${OUT} ${PICTURE} RESULT_VARIABLE differs)
if(differs)
  message(FATAL_ERROR "${PICTURE} is not what startile plot draws: see docs/performance.md")
endif()
