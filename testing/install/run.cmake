# cmake -DWAY=prefix|shared|static|pkg-config -DBUILD=… -DSOURCE=… -DWORK=… -DLIBDIR=… -DDOCDIR=… -DCC=… -DFC=…
#       -DPYTHON=… -DCFLAGS=… -DSTARPU=… -DGENERATOR=… -DOPTIONS=… -P run.cmake
#
# WAY prefix builds one example as tools/quickstart does, without the tests, and installs: installation builds the
# other files. It then moves the prefix, because installed files must not depend on the configured prefix, runs the
# command, and looks for its man page and for the files that the installed pages link. The other ways build programs against the installed library.
cmake_minimum_required(VERSION 3.25)
set(prefix ${WORK}/moved)

# Runs the command, and stops with its output if it fails.
function(must_run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}")
  endif()
  message(STATUS "${output}")
endfunction()

# Runs the program.
# Open MPI 4.1 keeps memory of plugins that it unloads, which no suppression can name.
function(run_program program)
  if(program MATCHES "_(mpi|scalapack)$")
    set(ENV{ASAN_OPTIONS} "$ENV{ASAN_OPTIONS}:detect_leaks=0")
  endif()
  must_run(${program})
endfunction()

separate_arguments(c_flags UNIX_COMMAND "-std=gnu11 -Wall -Werror ${CFLAGS}")

if(WAY STREQUAL "prefix")
  file(REMOVE_RECURSE ${WORK})
  # Compiles only Fortran again, for which there is no launcher: copies the object files of BUILD.
  set(build ${WORK}/example-only)
  configure_file(${SOURCE}/copy_object.in ${WORK}/copy_object @ONLY)
  file(CHMOD ${WORK}/copy_object PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  list(TRANSFORM OPTIONS PREPEND -D)
  must_run(${CMAKE_COMMAND} -S ${SOURCE}/../.. -B ${build} -G ${GENERATOR} ${OPTIONS}
           -DCMAKE_C_COMPILER=${CC} -DCMAKE_C_FLAGS=${CFLAGS} -DSTARTILE_TESTS=OFF
           -DCMAKE_Fortran_FLAGS_RELEASE=-O0 -DCMAKE_C_COMPILER_LAUNCHER=${WORK}/copy_object
           -DCMAKE_CUDA_COMPILER_LAUNCHER=${WORK}/copy_object)
  must_run(${CMAKE_COMMAND} --build ${build} --target capacitance)
  must_run(${CMAKE_COMMAND} --install ${build} --prefix ${WORK}/installed)
  file(REMOVE_RECURSE ${build})
  file(RENAME ${WORK}/installed ${prefix})
  # glibc 2.36's argp leaks two bytes when it prints help.
  must_run(${CMAKE_COMMAND} -E env "ASAN_OPTIONS=$ENV{ASAN_OPTIONS}:detect_leaks=0" ${prefix}/bin/startile --help)
  must_run(${CMAKE_COMMAND} -E cat ${prefix}/share/man/man1/startile.1)
  if(PYTHON)
    must_run(${PYTHON} ${SOURCE}/../../tools/check-docs --installed ${prefix}/${DOCDIR})
  endif()
elseif(WAY STREQUAL "pkg-config")
  # The programs start without LD_LIBRARY_PATH: the modules contain the libraries' paths.
  unset(ENV{LD_LIBRARY_PATH})
  # The path has only the prefix, which contains StarPU's module if pkg-config does not find another.
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  # Compiles the source with the compiler and its options, a list, and with the flags of the pkg-config modules ARGN,
  # and runs the program.
  function(link_and_run compiler source out)
    execute_process(COMMAND pkg-config --cflags --libs ${ARGN} RESULT_VARIABLE status
                    OUTPUT_VARIABLE words OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "pkg-config does not find ${ARGN}")
    endif()
    separate_arguments(words UNIX_COMMAND "${words}")
    must_run(${compiler} ${SOURCE}/outside/${source} -o ${WORK}/${out} ${words})
    run_program(${WORK}/${out})
  endfunction()
  link_and_run("${CC};${c_flags}" outside.c outside_static startile-static)
  link_and_run("${CC};${c_flags}" outside_starpu.c outside_starpu_static startile-static ${STARPU})
  link_and_run("${CC};${c_flags}" outside.c outside startile)
  link_and_run("${CC};${c_flags}" outside.c outside_private --static startile)
  link_and_run("${CC};${c_flags}" outside_starpu.c outside_starpu startile ${STARPU})
  if(MPICC)
    link_and_run("${MPICC};${c_flags}" outside_mpi.c outside_mpi startile-mpi)
  endif()
  if(FC)
    link_and_run(${FC} ../../../examples/fortran/fit.f90 outside_fortran startile-fortran)
  endif()
else()
  set(target startile::${WAY})
  if(WAY STREQUAL "shared")
    set(target startile::startile)
  endif()
  set(build ${WORK}/${WAY})
  must_run(${CMAKE_COMMAND} -S ${SOURCE}/outside -B ${build} -DCMAKE_PREFIX_PATH=${prefix}
           -DCMAKE_C_COMPILER=${CC} -DCMAKE_C_FLAGS=${CFLAGS} -DCMAKE_CXX_FLAGS=${CFLAGS}
           -DOUTSIDE_TARGET=${target})
  must_run(${CMAKE_COMMAND} --build ${build})
  must_run(${build}/outside)
  must_run(${build}/outside_starpu)
  foreach(program outside_cxx outside_mpi outside_fortran)
    if(EXISTS ${build}/${program})
      run_program(${build}/${program})
    endif()
  endforeach()
endif()
