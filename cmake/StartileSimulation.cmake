# Builds startile-simulate for `startile bench --simulate`: the benchmark and startile_simulation, the library with
# a StarPU that takes the time from SimGrid. It contains no kernels, because a simulation runs none.
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
set(library_sources
  codelets/models/simulation.c kernels/cpu/common/blas_names.c kernels/cpu/common/openblas.c
  kernels/cpu/common/pivots.c kernels/cpu/common/symmetric_order.c kernels/cpu/common/element_size.c tools/command/simulation/gpu_sharing.c)
set(algorithm_objects
  $<TARGET_OBJECTS:startile_algorithms> $<TARGET_OBJECTS:startile_lapack>
  $<TARGET_OBJECTS:startile_lapack_S> $<TARGET_OBJECTS:startile_lapack_D>
  $<TARGET_OBJECTS:startile_lapack_C> $<TARGET_OBJECTS:startile_lapack_Z>
  $<TARGET_OBJECTS:startile_batch_algorithms>)
add_library(startile_simulation OBJECT ${codelet_sources} ${library_sources})
target_sources(startile_simulation INTERFACE ${algorithm_objects})
target_compile_definitions(startile_simulation PRIVATE STARTILE_SIMULATION ${codelet_definitions})
target_compile_options(startile_simulation PRIVATE ${warnings})
target_include_directories(startile_simulation PRIVATE codelets kernels PUBLIC include)
target_link_libraries(startile_simulation PUBLIC StarPU::SimGrid simgrid Threads::Threads m ${CMAKE_DL_LIBS})

set(command_sources
  tools/command/command_line.c tools/command/flops.c tools/command/residual.c tools/command/team.c
  tools/command/measure.c tools/command/models.c tools/command/operand.c
  tools/command/options.c tools/command/peer/peer_cpu.c
  tools/command/platform.c tools/command/progress.c tools/command/resume.c
  tools/command/report.c tools/command/scalar.c
  tools/command/trace.c tools/command/svg.c tools/command/gantt/gantt_read.c tools/command/gantt/gantt_draw.c)
file(GLOB bench_sources CONFIGURE_DEPENDS tools/command/bench/*.c
     tools/command/energy*.c tools/command/batch/*.c)
list(FILTER bench_sources EXCLUDE REGEX "/(bench_(command|simulate)|batch_gpu_[^/]*)\\.c$")
add_executable(startile_simulate tools/command/simulation/simulation.c ${command_sources} ${bench_sources})
set_target_properties(startile_simulate PROPERTIES OUTPUT_NAME startile-simulate ENABLE_EXPORTS ON
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tools INSTALL_RPATH_USE_LINK_PATH ON)
target_compile_definitions(startile_simulate PRIVATE STARTILE_SIMULATION)
target_compile_options(startile_simulate PRIVATE ${warnings})
target_include_directories(startile_simulate PRIVATE codelets kernels tools/command)
target_link_libraries(startile_simulate PRIVATE startile_simulation)
startile_install(startile_simulate RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/startile)

# Builds startile-simulate-cluster: the same program for the processes of SimGrid's smpirun, with a static
# StarPU-MPI, because smpirun loads the program once for each process.
set(STARPU_SIMGRID_MPI_PREFIX "" CACHE PATH
    "Where a static StarPU-MPI for SimGrid is installed, if not where tools/setup --with-simgrid-mpi put it")
starpu_module(STARPU_SMPI_PC "${STARPU_SIMGRID_MPI_PREFIX}" starpu-simgrid-mpi-prefix)
find_path(SMPI_INCLUDE_DIR mpi.h PATH_SUFFIXES smpi NO_DEFAULT_PATH PATHS /usr/include /usr/local/include)
string(REPLACE starpu- starpumpi- name "${STARPU_SMPI_PC_MODULE_NAME}")
set(starpu_smpi ${STARPU_SMPI_PC_PREFIX}/lib/lib${name}.a)
set(STARTILE_HAVE_CLUSTER_SIMULATION OFF)
if(STARPU_SMPI_PC_CONFIG MATCHES "#define STARPU_SIMGRID 1" AND SMPI_INCLUDE_DIR AND EXISTS ${starpu_smpi})
  set(STARTILE_HAVE_CLUSTER_SIMULATION ON)
elseif(STARPU_SIMGRID_MPI_PREFIX)
  message(FATAL_ERROR "STARPU_SIMGRID_MPI_PREFIX: no static StarPU-MPI for SimGrid, or no SimGrid with SMPI")
endif()
message(STATUS "startile: simulation of clusters ${STARTILE_HAVE_CLUSTER_SIMULATION}")
if(NOT STARTILE_HAVE_CLUSTER_SIMULATION)
  return()
endif()
string(REPLACE libstarpumpi libstarpu starpu_static "${starpu_smpi}")
add_library(startile_simulate_cluster MODULE ${codelet_sources} ${library_sources} ${command_sources} ${bench_sources}
  codelets/mpi/network.c codelets/mpi/node_order.c codelets/mpi/wait.c codelets/mpi/gpu_context.c
  tools/command/simulation/cluster.c tools/command/simulation/locks.c tools/command/simulation/messages.c
  ${algorithm_objects})
set_target_properties(startile_simulate_cluster PROPERTIES PREFIX "" SUFFIX ""
  OUTPUT_NAME startile-simulate-cluster LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tools)
target_compile_definitions(startile_simulate_cluster PRIVATE STARTILE_SIMULATION ${codelet_definitions})
target_compile_options(startile_simulate_cluster PRIVATE ${warnings})
target_include_directories(startile_simulate_cluster PRIVATE codelets kernels include tools/command)
target_include_directories(startile_simulate_cluster SYSTEM PRIVATE ${STARPU_SMPI_PC_INCLUDE_DIRS}
                                                                    ${SMPI_INCLUDE_DIR})
set(wrapped printf puts putchar putc memcpy MPI_Isend MPI_Irecv MPI_Wait smpi_shared_malloc smpi_shared_free
  _starpu_simgrid_xbt_thread_create _starpu_simgrid_cpp_init)
foreach(function mutex_init mutex_lock mutex_unlock mutex_try_lock mutex_destroy
        cond_init cond_wait cond_wait_for cond_notify_one cond_notify_all cond_destroy)
  list(APPEND wrapped sg_${function})
endforeach()
list(TRANSFORM wrapped PREPEND -Wl,--wrap=)
# -Bsymbolic: tools/command/simulation/gpu_sharing.c replaces SimGrid's sg_actor_execute(), which the static
# StarPU in this program calls.
target_link_options(startile_simulate_cluster PRIVATE -Wl,-Bsymbolic -Wl,-z,defs ${wrapped})
pkg_check_modules(HWLOC REQUIRED hwloc)
target_link_libraries(startile_simulate_cluster PRIVATE -Wl,--whole-archive ${starpu_smpi} ${starpu_static}
  -Wl,--no-whole-archive simgrid ${HWLOC_LINK_LIBRARIES} Threads::Threads m rt ${CMAKE_DL_LIBS} fxt stdc++)
startile_install(startile_simulate_cluster LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/startile)
