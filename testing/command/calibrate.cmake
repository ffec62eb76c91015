# cmake -DPROGRAM=… -DMODELS=folder of a machine "ctest" -DWORK=folder -P calibrate.cmake
#
# What `startile calibrate` does with a folder that is there: a copy of a good one, as others could
# have left it.
cmake_minimum_required(VERSION 3.25)

set(folder ${WORK}/ctest)

function(begin)
  file(REMOVE_RECURSE ${WORK})
  file(COPY ${MODELS}/ DESTINATION ${folder})
endfunction()

function(replace file from to)
  file(READ ${folder}/${file} text)
  string(REGEX REPLACE "${from}" "${to}" changed "${text}")
  if(changed STREQUAL text)
    message(FATAL_ERROR "${file} has no ${from}")
  endif()
  file(WRITE ${folder}/${file} "${changed}")
endfunction()

# Exit code and output.
function(calibrate code expect)
  execute_process(COMMAND ${PROGRAM} calibrate --quick --name ctest --folder ${folder} ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message(STATUS "${output}")
  if(NOT status EQUAL code OR NOT output MATCHES "${expect}")
    message(FATAL_ERROR "exit code ${status}; expected ${code}, and ${expect}")
  endif()
endfunction()

function(require_in file text)
  file(READ ${folder}/${file} content)
  if(NOT content MATCHES "${text}")
    message(FATAL_ERROR "${file} has no ${text}:\n${content}")
  endif()
endfunction()

set(done --routine potrf,getrf,others --precision d,c)

# What is done says nothing of this machine and library where the folder is of others; neither the
# manifest nor, before there is one, the journal.
foreach(file manifest runs)
  foreach(change "format: [0-9]+,format: 0,stale" "cpu: [^\n]*,cpu: Z80,other processors"
                 "gpu: [^\n]*,gpu: PDP-11,other processors"
                 "cores: [0-9]+,cores: 12345,another number of cores"
                 "machine: ctest,machine: pdp11,a machine of another name")
    string(REPLACE "," ";" change "${change}")
    list(GET change 0 from)
    list(GET change 1 to)
    list(GET change 2 reason)
    begin()
    replace(${file} "${from}" "${to}")
    if(file STREQUAL runs)
      file(REMOVE ${folder}/manifest)
    endif()
    file(SHA256 ${folder}/${file} before)
    calibrate(1 "models.*ctest: it .*${reason}.*--again" ${done})
    file(SHA256 ${folder}/${file} after)
    if(NOT before STREQUAL after)
      message(FATAL_ERROR "${file} was written")
    endif()
  endforeach()
endforeach()

# Lines of a journal without a machine, and a manifest that is none.
begin()
replace(runs "state [^\n]*\n" "")
file(REMOVE ${folder}/manifest)
calibrate(1 "does not say of which machine it is" ${done})
begin()
file(WRITE ${folder}/manifest "garbage\n")
calibrate(1 "has a damaged manifest" ${done})

# A part of what is done is done; what the manifest was told stays.
begin()
file(APPEND ${folder}/manifest "gpu_link: 1e11 1e-5\ngpu_hold: 0.25\n")
calibrate(0 "^[^ ]*/ctest\n$" --routine potrf --precision d)
require_in(manifest "covers: cpu potrf/dc getrf/dc others/dc\ngpu_link: 1e11 1e-5\ngpu_hold: 0.25\n")

# Beginning anew, of another version's: the user's own files stay.
replace(manifest "format: [0-9]+" "format: 0")
set(own manifest.txt runs.bak tiles~ codelets/45/startile_notes codelets/45/startile_dgemm.ctest2
        bus/ctest2.latency bus/ctest-notes)
foreach(file IN LISTS own)
  file(WRITE ${folder}/${file} "mine")
endforeach()
calibrate(0 "cpu +gemm .*/ctest\n$" --again --routine gemm --precision d)
foreach(file IN LISTS own)
  require_in(${file} "^mine$")
endforeach()
require_in(manifest "covers: cpu gemm/d\ngpu_link: 1e11 1e-5\ngpu_hold: 0.25\n")
if(EXISTS ${folder}/codelets/45/startile_cpotrf.ctest)
  message(FATAL_ERROR "measurements were kept")
endif()

# Of two machines whose processors make the same name each has its own folder.
set(ENV{XDG_DATA_HOME} ${WORK}/data)
set(options calibrate --quick --routine gemm --precision d)
execute_process(COMMAND ${PROGRAM} ${options} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "[^\n]*\n$" first "${output}")
string(STRIP "${first}" folder)
replace(manifest "cpu: [^\n]*" "cpu: Z80")
execute_process(COMMAND ${PROGRAM} ${options} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "${folder}-2\n$")
  message(FATAL_ERROR "${folder}-2 is not the end of: ${output}")
endif()
require_in(manifest "cpu: Z80")
