# Finds StarPU by pkg-config: in STARPU_PREFIX, then in the folder where tools/setup built it for this user,
# then in the system. Sets StarPU_FOUND, StarPU_VERSION, StarPU_HAS_CUDA, StarPU_LIBRARY_DIRS and the
# target StarPU::StarPU.
set(STARPU_PREFIX "" CACHE PATH "Where StarPU is installed, if not where tools/setup put it")

include(StarPUModule)
starpu_module(STARPU_PC "${STARPU_PREFIX}" starpu-prefix)
set(StarPU_VERSION ${STARPU_PC_VERSION})
set(StarPU_LIBRARY_DIRS ${STARPU_PC_LIBRARY_DIRS})
if(STARPU_PC_CONFIG MATCHES "#define STARPU_USE_CUDA 1")
  set(StarPU_HAS_CUDA TRUE)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(StarPU
  REQUIRED_VARS STARPU_PC_LINK_LIBRARIES VERSION_VAR StarPU_VERSION
  REASON_FAILURE_MESSAGE "run tools/setup, or set STARPU_PREFIX")
if(StarPU_FOUND)
  starpu_target(StarPU::StarPU STARPU_PC)
endif()
