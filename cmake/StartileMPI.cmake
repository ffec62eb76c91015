# Builds libstartile_mpi: grids of processes for distributed matrices, on StarPU-MPI.
set(STARTILE_HAVE_MPI FALSE)
if(STARTILE_MPI)
  # the MPI of StarPU-MPI, if tools/setup built it, too
  if(NOT MPI_HOME AND EXISTS ${STARPU_PC_PREFIX}/openmpi/bin/mpicc)
    set(MPI_HOME ${STARPU_PC_PREFIX}/openmpi)
  endif()
  find_package(MPI COMPONENTS C QUIET)
  string(REPLACE starpu- starpumpi- starpu_mpi_name "${STARPU_PC_MODULE_NAME}")
  find_library(STARPU_MPI_LIBRARY ${starpu_mpi_name} HINTS ${StarPU_LIBRARY_DIRS})
  if(MPI_C_FOUND AND STARPU_MPI_LIBRARY)
    set(STARTILE_HAVE_MPI TRUE)
  elseif(NOT STARTILE_MPI STREQUAL AUTO)
    message(FATAL_ERROR "STARTILE_MPI=ON needs MPI (found: ${MPI_C_FOUND}) and a StarPU with MPI "
                        "(found: ${STARPU_MPI_LIBRARY})")
  endif()
endif()
message(STATUS "Distributed matrices (MPI): ${STARTILE_HAVE_MPI}")

if(STARTILE_HAVE_MPI)
  file(GLOB mpi_sources CONFIGURE_DEPENDS codelets/mpi/*.c)
  add_library(startile_mpi SHARED ${mpi_sources} codelets/library/thread_state.c
    codelets/library/threads.c)
  add_library(startile::mpi ALIAS startile_mpi)
  set_target_properties(startile_mpi PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    EXPORT_NAME mpi)
  target_include_directories(startile_mpi PRIVATE codelets kernels)
  target_compile_options(startile_mpi PRIVATE ${warnings})
  target_link_libraries(startile_mpi PUBLIC startile MPI::MPI_C
    PRIVATE ${STARPU_MPI_LIBRARY} StarPU::StarPU Threads::Threads m)
  if(STARTILE_HAVE_CUDA)
    target_compile_definitions(startile_mpi PRIVATE STARTILE_HAVE_CUDA)
    target_link_libraries(startile_mpi PRIVATE CUDA::cudart)
  endif()
endif()
