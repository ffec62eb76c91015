# cmake -DPROGRAM=… -DMODELS=folder of a machine "ctest" -DUNPACK=…/StartileModels.cmake -DWORK=folder
#       -P calibrate.cmake
#
# Tests `startile calibrate` in an existing folder, which is a changed copy of MODELS, and --pack.
cmake_minimum_required(VERSION 3.25)

set(folder ${WORK}/ctest)

# Makes `folder` a fresh copy of MODELS.
function(copy_models)
  file(REMOVE_RECURSE ${WORK})
  file(COPY ${MODELS}/ DESTINATION ${folder})
endfunction()

# Replaces the regular expression in the manifest of `folder`, which must change.
function(edit_manifest from to)
  file(READ ${folder}/manifest text)
  string(REGEX REPLACE "${from}" "${to}" changed "${text}")
  if(changed STREQUAL text)
    message(FATAL_ERROR "the manifest has no ${from}")
  endif()
  file(WRITE ${folder}/manifest "${changed}")
endfunction()

# Runs the command in `folder` with more arguments ARGN, and checks exit code and output.
function(calibrate code expect)
  execute_process(COMMAND ${PROGRAM} calibrate --quick --force --folder ${folder} ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message(STATUS "${output}")
  if(NOT status EQUAL code OR NOT output MATCHES "${expect}")
    message(FATAL_ERROR "exit code ${status}; expected ${code}, and ${expect}")
  endif()
endfunction()

# The folder has nothing but what docs/calibration.md lists.
file(GLOB files RELATIVE ${MODELS} ${MODELS}/*)
if(NOT files STREQUAL "bus;codelets;manifest;runs;tiles")
  message(FATAL_ERROR "the folder has ${files}")
endif()

# Routines and types that MODELS already has
set(calibrated --routine potrf,getrf,others --precision d,c)

# A folder of another machine or version is refused and stays as it is.
foreach(change "format: [0-9]+,format: 0,stale" "cpu: [^\n]*,cpu: Z80,other processors"
               "gpu: [^\n]*,gpu: PDP-11,other processors"
               "cores: [0-9]+,cores: 12345,another number of cores"
               "machine: ctest,machine: pdp11,a machine of another name")
  string(REPLACE "," ";" change "${change}")
  list(GET change 0 from)
  list(GET change 1 to)
  list(GET change 2 reason)
  copy_models()
  edit_manifest("${from}" "${to}")
  file(SHA256 ${folder}/manifest before)
  calibrate(1 "ctest: it .*${reason}.*remove it.*--folder" ${calibrated})
  file(SHA256 ${folder}/manifest after)
  if(NOT before STREQUAL after)
    message(FATAL_ERROR "the manifest was written")
  endif()
endforeach()

# A folder that has a journal, but no manifest or an invalid one, is refused.
copy_models()
file(REMOVE ${folder}/manifest)
calibrate(1 "has no usable manifest" ${calibrated})
file(WRITE ${folder}/manifest "garbage\n")
calibrate(1 "has no usable manifest" ${calibrated})

# The library refuses a folder whose manifest has no date: its calibration is not complete.
copy_models()
edit_manifest("date: [^\n]*\n" "")
set(ENV{STARTILE_MODELS} ${folder})
execute_process(COMMAND ${PROGRAM} info OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT output MATCHES "has no manifest of a complete calibration")
  message(FATAL_ERROR "the folder is not refused: ${output}")
endif()

# A calibration continues in its folder, and lines written by hand stay. Packing and unpacking change nothing.
file(WRITE ${folder}/simulation "gpu_hold: 0.25\n")
file(WRITE ${folder}/crossovers "getrf d cpu 77\n")
calibrate(0 "^cpu +gemm [^\n]*\n[^ ]*/ctest\n$" --routine potrf,gemm --precision d --pack ${WORK}/ctest.models)
execute_process(COMMAND ${CMAKE_COMMAND} -DMODELS=${WORK}/ctest.models -DFOLDER=${WORK}/again/ctest -P ${UNPACK}
  COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE files RELATIVE ${folder} ${folder}/*)
list(FILTER files EXCLUDE REGEX "^bus/.*(affinity|bandwidth|config|latency|[.]platform[.]xml)$")
file(GLOB_RECURSE unpacked RELATIVE ${WORK}/again/ctest ${WORK}/again/ctest/*)
if(NOT files STREQUAL unpacked)
  message(FATAL_ERROR "packed ${unpacked}, not ${files}")
endif()
foreach(file IN LISTS files)
  file(SHA256 ${folder}/${file} before)
  file(SHA256 ${WORK}/again/ctest/${file} after)
  if(NOT before STREQUAL after)
    message(FATAL_ERROR "${file} differs")
  endif()
endforeach()
set(ENV{STARTILE_MODELS} ${WORK}/again/ctest)
execute_process(COMMAND ${PROGRAM} info OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT output MATCHES "ctest, as STARTILE_MODELS says")
  message(FATAL_ERROR "the unpacked folder is not used: ${output}")
endif()
