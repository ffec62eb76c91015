# StarPU through pkg-config: STARPU_PREFIX, then the one that tools/setup built for this user, then
# the system's. Sets StarPU_FOUND, StarPU_VERSION, StarPU_HAS_CUDA, StarPU_LIBRARY_DIRS and the
# target StarPU::StarPU.
set(STARPU_PREFIX "" CACHE PATH "Where StarPU is installed, if not where tools/setup put it")

set(config $ENV{XDG_CONFIG_HOME})
if(NOT config)
  set(config $ENV{HOME}/.config)
endif()
if(EXISTS ${config}/startile/starpu-prefix)
  file(STRINGS ${config}/startile/starpu-prefix recorded LIMIT_COUNT 1)
endif()

find_package(PkgConfig QUIET)
set(saved_path "$ENV{PKG_CONFIG_PATH}")
foreach(prefix IN LISTS recorded STARPU_PREFIX) # the last one goes first
  set(ENV{PKG_CONFIG_PATH} "${prefix}/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")
endforeach()
# The module's name carries the series.
set(series 1.9 1.8 1.7 1.6 1.5 1.4)
list(TRANSFORM series PREPEND starpu-)
if(PkgConfig_FOUND)
  pkg_search_module(STARPU_PC QUIET ${series})
endif()
set(ENV{PKG_CONFIG_PATH} "${saved_path}")
set(StarPU_VERSION ${STARPU_PC_VERSION})
set(StarPU_LIBRARY_DIRS ${STARPU_PC_LIBRARY_DIRS})

if(STARPU_PC_FOUND)
  foreach(dir IN LISTS STARPU_PC_INCLUDE_DIRS)
    if(EXISTS ${dir}/starpu_config.h)
      file(STRINGS ${dir}/starpu_config.h cuda_line REGEX "^#define STARPU_USE_CUDA 1")
    endif()
  endforeach()
  if(cuda_line)
    set(StarPU_HAS_CUDA TRUE)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(StarPU
  REQUIRED_VARS STARPU_PC_LINK_LIBRARIES VERSION_VAR StarPU_VERSION
  REASON_FAILURE_MESSAGE "run tools/setup, or set STARPU_PREFIX")
if(StarPU_FOUND AND NOT TARGET StarPU::StarPU)
  add_library(StarPU::StarPU INTERFACE IMPORTED)
  # as system headers: theirs are not clean under -Wpedantic
  target_include_directories(StarPU::StarPU SYSTEM INTERFACE ${STARPU_PC_INCLUDE_DIRS})
  target_link_libraries(StarPU::StarPU INTERFACE ${STARPU_PC_LINK_LIBRARIES})
endif()
