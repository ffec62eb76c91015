# cmake -DSOURCE=… -DBUILD=… -DWORK=… -DPYTHON=… -DCUDA=ON|OFF -DARCHITECTURES=… -P wheel.cmake
#
# Makes a wheel of the build with the StarPU of `tools/setup --with-wheel`, installs it in an empty folder and checks
# it, without any environment variable but those of the test.
cmake_minimum_required(VERSION 3.25)

# The wheel is made with the real libraries of CUDA, not the stubs of tools/test.
unset(ENV{LD_LIBRARY_PATH})
find_program(PATCHELF patchelf)
execute_process(COMMAND ${PYTHON} -c "import setuptools, wheel, pip, numpy" RESULT_VARIABLE status
                OUTPUT_QUIET ERROR_QUIET)
if(NOT status EQUAL 0 OR NOT PATCHELF)
  message(STATUS "skipped: the wheel needs patchelf, and pip, setuptools, wheel and numpy in ${PYTHON}")
  return()
endif()

# Runs a command; stops the test if it fails or, with SILENT, prints anything. With FAILS, stops the test unless it
# fails with a message that matches this expression.
function(run)
  cmake_parse_arguments(PARSE_ARGV 0 run "SILENT" "FAILS" "COMMAND")
  execute_process(COMMAND ${run_COMMAND} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(run_FAILS)
    if(status EQUAL 0 OR NOT errors MATCHES "${run_FAILS}")
      message(FATAL_ERROR "${run_COMMAND}: ${status} instead of '${run_FAILS}'\n${output}${errors}")
    endif()
  elseif(NOT status EQUAL 0 OR (run_SILENT AND NOT output STREQUAL ""))
    message(FATAL_ERROR "${run_COMMAND}: ${status}\n${output}${errors}")
  elseif(run_SILENT AND NOT errors STREQUAL "")
    message(FATAL_ERROR "${run_COMMAND}: standard error: ${errors}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/home)
set(make_wheel ${CMAKE_COMMAND} -E env PYTHON=${PYTHON} ${SOURCE}/tools/wheel)
set(library ${BUILD}/python/startile/lib/libstartile.so.0.1)
execute_process(COMMAND ldd ${library} OUTPUT_VARIABLE needed)
if(needed MATCHES "libfxt")
  run(FAILS "has FxT, which is under the GPL" COMMAND ${make_wheel} --build ${BUILD} ${WORK}/wheels)
endif()

# Builds the library again with a StarPU without FxT, on which one file depends, and PyPI's OpenBLAS, on which one file
# and the names of BLAS in the kernels depend. The other object files are copied, and those names get the prefix.
set(config $ENV{XDG_CONFIG_HOME})
if(NOT config)
  set(config $ENV{HOME}/.config)
endif()
if(NOT EXISTS ${config}/startile/starpu-wheel-prefix)
  message(STATUS "skipped: no StarPU without FxT: tools/setup --with-wheel")
  return()
endif()
file(STRINGS ${config}/startile/starpu-wheel-prefix starpu LIMIT_COUNT 1)
file(GLOB starpu_config ${starpu}/include/starpu/*/starpu_config.h)
file(STRINGS ${starpu_config} starpu_cuda REGEX "#define STARPU_USE_CUDA 1")
if(CUDA AND NOT starpu_cuda)
  message(STATUS "skipped: the StarPU without FxT has no CUDA: tools/setup --with-cuda --with-wheel")
  return()
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env PYTHON=${PYTHON} ${SOURCE}/tools/wheel --openblas
                RESULT_VARIABLE status OUTPUT_VARIABLE modules OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT status EQUAL 0)
  message(STATUS "skipped: no scipy-openblas32 from PyPI")
  return()
endif()
set(ENV{PKG_CONFIG_PATH} ${modules})
set(build ${WORK}/build)
configure_file(${CMAKE_CURRENT_LIST_DIR}/../install/copy_object.in ${WORK}/copy_object @ONLY)
file(WRITE ${WORK}/launcher "#!/bin/sh
case $* in
*trace/trace.c* | *cpu/blas/*) exec \"$@\" ;;
*kernels_[SDCZ].dir*)
    ${WORK}/copy_object \"$@\" || exit
    while [ \"$1\" != -o ]; do shift; done
    nm -u \"$2\" | awk '$2 ~ /^cblas_|[0-9a-z]_$/ { print $2, \"scipy_\" $2 }' >\"$2.names\"
    exec objcopy --redefine-syms \"$2.names\" \"$2\"
    ;;
*) exec ${WORK}/copy_object \"$@\" ;;
esac
")
file(CHMOD ${WORK}/copy_object ${WORK}/launcher PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
string(REPLACE "," ";" architectures "${ARCHITECTURES}")
set(ENV{CUDAARCHS} "${architectures}")
run(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} --preset wheel -B ${build} -DSTARPU_PREFIX=${starpu}
    -DSTARTILE_CUDA=${CUDA} -DBLA_PKGCONFIG_BLAS=scipy-openblas -DCMAKE_C_COMPILER_LAUNCHER=${WORK}/launcher
    -DCMAKE_CUDA_COMPILER_LAUNCHER=${WORK}/launcher)
run(COMMAND ${CMAKE_COMMAND} --build ${build} --target startile)

run(COMMAND ${make_wheel} --build ${build} ${WORK}/wheels)
file(GLOB wheels ${WORK}/wheels/startile-*-py3-none-manylinux_*.whl)
run(COMMAND ${PYTHON} -m pip install --no-index --no-deps --target ${WORK}/site ${wheels})
set(check ${PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/check_wheel.py ${WORK}/site ${build})
run(SILENT COMMAND env -i HOME=${WORK}/home STARPU_NCUDA=0 ${check})
run(SILENT COMMAND env -i HOME=${WORK}/home STARPU_NCUDA=0 STARTILE_TRACE=${WORK}/trace ${check})
