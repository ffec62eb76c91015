# cmake -DPROGRAM=… -DMODELS=folder of a machine "ctest" -DPAGE=…/calibration.md
#       -DUNPACK=…/StartileModels.cmake -DWORK=folder -P calibrate.cmake
#
# Tests `startile calibrate` in an existing folder, which is a changed copy of MODELS, and the archives of models.
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

# A calibration continues in its folder, and lines written by hand stay, also one that no line feed ends.
file(WRITE ${folder}/simulation "gpu_hold: 0.25\n")
file(WRITE ${folder}/crossovers "getrf d cpu 77")
calibrate(0 "^cpu +gemm [^\n]*\n[^ ]*/ctest\n$" --routine potrf,gemm --precision d)

# Measured crossovers replace their lines; lines written by hand stay.
calibrate(0 "^potrf  d +[0-9]+  others [0-9]+ %\ntrtrs  d +[0-9]+  others [0-9]+ %\n[^ ]*/ctest/crossovers\n$"
  --crossovers --routine potrf,trtrs --precision d)
calibrate(0 "^potrf  d +[0-9]+  others " --crossovers --routine potrf --precision d)
file(READ ${folder}/crossovers text)
if(NOT text MATCHES "^getrf d cpu 77\ntrtrs d cpu [1-9][0-9]+\npotrf d cpu [1-9][0-9]+\n$")
  message(FATAL_ERROR "crossovers: ${text}")
endif()
calibrate(1 "no routine of --routine gemm is measured" --crossovers --routine gemm)
edit_manifest("date: [^\n]*\n" "")
calibrate(1 "ctest: no complete calibration" --crossovers)
copy_models()
file(WRITE ${folder}/simulation "gpu_hold: 0.25\n")
file(WRITE ${folder}/crossovers "getrf d cpu 77\n")

# Runs a command of bash in WORK.
function(bash command)
  execute_process(COMMAND bash -c "${command}" WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(archive perf_models/ctest.tar.xz)

# Unpacks the archive to WORK/again, and checks the error message.
function(unpack archive expect)
  execute_process(COMMAND ${CMAKE_COMMAND} -DARCHIVE=${WORK}/${archive} -DPARENT=${WORK}/again -P ${UNPACK}
    ERROR_VARIABLE error)
  if(NOT error MATCHES "${expect}")
    message(FATAL_ERROR "expected ${expect}, not ${error}")
  endif()
endfunction()

# The page's command packs the same folder to the same bytes.
file(READ ${PAGE} page)
string(REGEX MATCH "\ntar -C DIR [^`]*" pack "${page}")
string(REPLACE DIR . pack "${pack}")
string(REPLACE NAME ctest pack "${pack}")
file(MAKE_DIRECTORY ${WORK}/perf_models)
bash("${pack}")
file(SHA256 ${WORK}/${archive} before)
bash("chmod -R go-r ctest; touch ctest/tiles; ${pack}")
file(SHA256 ${WORK}/${archive} after)
if(NOT before STREQUAL after)
  message(FATAL_ERROR "two archives of one folder differ")
endif()

# Unpacking gives the files that were packed, also over those of an older archive.
unpack(${archive} "^$")
file(APPEND ${WORK}/again/ctest/tiles "potrf d cpu 0 64 64\n")
bash("touch ${archive}")
unpack(${archive} "^$")
file(GLOB_RECURSE files RELATIVE ${folder} ${folder}/*)
list(FILTER files EXCLUDE REGEX "^bus/.*(affinity|bandwidth|config|latency|[.]platform[.]xml)$")
file(GLOB_RECURSE unpacked RELATIVE ${WORK}/again/ctest ${WORK}/again/ctest/*)
if(NOT files STREQUAL unpacked)
  message(FATAL_ERROR "unpacked ${unpacked}, not ${files}")
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

# An archive without the folder of its name is refused. So are a shortened one and one with four changed bytes, where the
# damage is behind the manifest. Nothing of their folder remains.
bash("cp ${archive} other.tar.xz")
unpack(other.tar.xz "other.tar.xz:.*other/manifest")
bash("mkdir long; cp ctest/manifest long; head -c 300000 /dev/urandom >long/runs")
foreach(damage "truncate -s 200000 long.tar.xz"
               "printf oops | dd of=long.tar.xz bs=1 seek=200000 conv=notrunc status=none")
  bash("tar -c long/manifest long/runs | xz >long.tar.xz; ${damage}")
  unpack(long.tar.xz "long.tar.xz:.*damaged.*Lzma")
  if(EXISTS ${WORK}/again/long)
    message(FATAL_ERROR "the folder of a damaged archive is kept")
  endif()
endforeach()
