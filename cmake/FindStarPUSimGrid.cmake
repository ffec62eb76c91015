# Finds a StarPU that was built with SimGrid: in STARPU_SIMGRID_PREFIX, then in the folder where
# tools/setup --with-simgrid built it for this user. Sets StarPUSimGrid_FOUND and the target
# StarPU::SimGrid.
set(STARPU_SIMGRID_PREFIX "" CACHE PATH
    "Where StarPU for SimGrid is installed, if not where tools/setup --with-simgrid put it")

include(StarPUModule)
starpu_module(STARPU_SIMGRID_PC "${STARPU_SIMGRID_PREFIX}" starpu-simgrid-prefix)
set(simulates FALSE)
if(STARPU_SIMGRID_PC_CONFIG MATCHES "#define STARPU_SIMGRID 1")
  set(simulates TRUE)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(StarPUSimGrid
  REQUIRED_VARS STARPU_SIMGRID_PC_LINK_LIBRARIES simulates
  REASON_FAILURE_MESSAGE "run tools/setup --with-simgrid, or set STARPU_SIMGRID_PREFIX")
if(StarPUSimGrid_FOUND)
  starpu_target(StarPU::SimGrid STARPU_SIMGRID_PC)
endif()
