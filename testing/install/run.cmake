# cmake -DWAY=prefix|shared|static|pkg-config -DBUILD=… -DSOURCE=… -DWORK=… -DLIBDIR=… -DCC=…
#       -DCFLAGS=… -DSTARPU=… -P run.cmake
#
# prefix installs the build into a scratch prefix, which is then moved: what was installed must not
# depend on where it was configured to go. The others build a program against it, each in its way.
cmake_minimum_required(VERSION 3.25)
set(prefix ${WORK}/moved)

function(must_run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}")
  endif()
  message(STATUS "${output}")
endfunction()

separate_arguments(flags UNIX_COMMAND "${CFLAGS}")

if(WAY STREQUAL "prefix")
  file(REMOVE_RECURSE ${WORK})
  must_run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
  file(RENAME ${WORK}/installed ${prefix})
elseif(WAY STREQUAL "pkg-config")
  # nothing but the prefix, which brings StarPU's module where pkg-config does not know it
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  function(link_and_run source out)
    execute_process(COMMAND pkg-config --cflags --libs ${ARGN} RESULT_VARIABLE status
                    OUTPUT_VARIABLE words OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "pkg-config knows no ${ARGN}")
    endif()
    separate_arguments(words UNIX_COMMAND "${words}")
    must_run(${CC} -std=gnu11 -Wall -Werror ${flags} ${SOURCE}/${source} -o ${WORK}/${out} ${words})
    must_run(${WORK}/${out})
  endfunction()
  execute_process(COMMAND pkg-config --variable=libdir ${STARPU} OUTPUT_VARIABLE starpu_libdir
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(ENV{LD_LIBRARY_PATH} ${starpu_libdir}:$ENV{LD_LIBRARY_PATH})
  link_and_run(outside.c outside_static startile-static)
  link_and_run(outside_starpu.c outside_starpu_static startile-static ${STARPU})
  set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR}:$ENV{LD_LIBRARY_PATH})
  link_and_run(outside.c outside startile)
  link_and_run(outside_starpu.c outside_starpu startile ${STARPU})
else()
  set(target startile::${WAY})
  if(WAY STREQUAL "shared")
    set(target startile::startile)
  endif()
  set(build ${WORK}/${WAY})
  must_run(${CMAKE_COMMAND} -S ${SOURCE} -B ${build} -DCMAKE_PREFIX_PATH=${prefix}
           -DCMAKE_C_COMPILER=${CC} -DCMAKE_C_FLAGS=${CFLAGS} -DCMAKE_CXX_FLAGS=${CFLAGS}
           -DOUTSIDE_TARGET=${target})
  must_run(${CMAKE_COMMAND} --build ${build})
  must_run(${build}/outside)
  must_run(${build}/outside_starpu)
  if(EXISTS ${build}/outside_cxx)
    must_run(${build}/outside_cxx)
  endif()
endif()
