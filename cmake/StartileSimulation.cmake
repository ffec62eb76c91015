# Builds startile-simulate for `startile bench --simulate`: codelets and benches with a StarPU that takes the
# time from SimGrid. It has no kernels, because simulations run none.
if(NOT STARTILE_SIMULATION STREQUAL "OFF")
  find_package(StarPUSimGrid QUIET)
endif()
set(STARTILE_HAVE_SIMULATION OFF)
if(CMAKE_C_FLAGS MATCHES "fsanitize")
  set(why "SimGrid's threads do not work with sanitizers")
elseif(NOT STARTILE_TOOLS)
  set(why "it is part of the command, and STARTILE_TOOLS is OFF")
elseif(StarPUSimGrid_FOUND)
  set(STARTILE_HAVE_SIMULATION ON)
else()
  set(why "tools/setup --with-simgrid builds the StarPU that it needs")
endif()
if(STARTILE_SIMULATION STREQUAL "ON" AND NOT STARTILE_HAVE_SIMULATION)
  message(FATAL_ERROR "STARTILE_SIMULATION=ON: ${why}")
endif()
message(STATUS "startile: simulation ${STARTILE_HAVE_SIMULATION}")
if(NOT STARTILE_HAVE_SIMULATION)
  return()
endif()

get_target_property(codelet_sources startile_codelets SOURCES)
get_target_property(codelet_definitions startile_codelets COMPILE_DEFINITIONS)
list(FILTER codelet_definitions EXCLUDE REGEX "STARTILE_HAVE_CUDA|NOTFOUND")
set(sources
  codelets/models/simulation.c kernels/cpu/common/openblas.c kernels/cpu/common/pivots.c kernels/cpu/common/element_size.c
  tools/command/simulation/simulation.c tools/command/simulation/gpu_sharing.c
  tools/command/command_line.c tools/command/flops.c tools/command/residual.c tools/command/team.c
  tools/command/measure.c tools/command/models.c tools/command/operand.c
  tools/command/options.c tools/command/peer_cpu.c
  tools/command/platform.c
  tools/command/report.c tools/command/scalar.c
  tools/command/trace.c)
file(GLOB bench_sources CONFIGURE_DEPENDS tools/command/bench*.c tools/command/placement*.c
     tools/command/energy*.c tools/command/batch/*.c)
list(FILTER bench_sources EXCLUDE REGEX "/(bench_(command|simulate)|batch_gpu_[^/]*)\\.c$")
add_executable(startile_simulate ${codelet_sources} ${sources} ${bench_sources}
  $<TARGET_OBJECTS:startile_algorithms> $<TARGET_OBJECTS:startile_lapack>
  $<TARGET_OBJECTS:startile_lapack_S> $<TARGET_OBJECTS:startile_lapack_D>
  $<TARGET_OBJECTS:startile_lapack_C> $<TARGET_OBJECTS:startile_lapack_Z>
  $<TARGET_OBJECTS:startile_batch_algorithms>)
set_target_properties(startile_simulate PROPERTIES OUTPUT_NAME startile-simulate ENABLE_EXPORTS ON
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tools INSTALL_RPATH_USE_LINK_PATH ON)
target_compile_definitions(startile_simulate PRIVATE STARTILE_SIMULATION ${codelet_definitions})
target_compile_options(startile_simulate PRIVATE ${warnings})
target_include_directories(startile_simulate PRIVATE codelets kernels include tools/command)
target_link_libraries(startile_simulate PRIVATE StarPU::SimGrid simgrid Threads::Threads m
                                                ${CMAKE_DL_LIBS})
install(TARGETS startile_simulate
  RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/startile)
