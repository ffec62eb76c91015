# cmake -DSOURCE=… -DBUILD=… -DWORK=… -DPYTHON=… -P wheel.cmake
#
# Makes a wheel of the build, installs it in an empty folder and solves a system there, without any environment
# variable but those of the test.
cmake_minimum_required(VERSION 3.25)

find_program(PATCHELF patchelf)
execute_process(COMMAND ${PYTHON} -c "import setuptools, wheel, pip, numpy" RESULT_VARIABLE status
                OUTPUT_QUIET ERROR_QUIET)
if(NOT status EQUAL 0 OR NOT PATCHELF)
  message(STATUS "skipped: the wheel needs patchelf, and pip, setuptools, wheel and numpy in ${PYTHON}")
  return()
endif()

# Runs a command; stops the test if it fails or, with SILENT, prints anything.
function(run)
  cmake_parse_arguments(PARSE_ARGV 0 run "SILENT" "" "COMMAND")
  execute_process(COMMAND ${run_COMMAND} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0 OR (run_SILENT AND NOT output STREQUAL ""))
    message(FATAL_ERROR "${run_COMMAND}: ${status}\n${output}${errors}")
  elseif(run_SILENT AND NOT errors STREQUAL "")
    message(FATAL_ERROR "${run_COMMAND}: standard error: ${errors}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/home)
run(COMMAND ${CMAKE_COMMAND} -E env PYTHON=${PYTHON} ${SOURCE}/tools/wheel --build ${BUILD} ${WORK}/wheels)
file(GLOB wheels ${WORK}/wheels/startile-*-py3-none-manylinux_*.whl)
run(COMMAND ${PYTHON} -m pip install --no-index --no-deps --target ${WORK}/site ${wheels})
file(WRITE ${WORK}/solve.py "
import sys
import numpy as np
sys.path.insert(0, '${WORK}/site')
import startile
import importlib.metadata
a, b = np.array([[4.0, 1], [1, 3]]), np.array([1.0, 2])
assert startile.__file__.startswith('${WORK}/site/')
assert importlib.metadata.version('startile') == startile.__version__
assert np.allclose(a @ startile.solve(a, b, assume_a='pos'), b)
foreign = [line for line in open('/proc/self/maps') if '${BUILD}/libstartile' in line]
starpu = {line.split()[-1] for line in open('/proc/self/maps') if 'libstarpu' in line}
assert not foreign and len(starpu) == 1 and starpu.pop().startswith('${WORK}/site/'), (foreign, starpu)
")
run(SILENT COMMAND env -i HOME=${WORK}/home STARPU_NCUDA=0 ${PYTHON} -B ${WORK}/solve.py)
