# starpu_module(VARIABLE PREFIX RECORD): finds StarPU by pkg-config: in PREFIX, else in the folder whose name
# tools/setup wrote to this user's file RECORD, else in the system. Sets the variables of pkg_search_module()
# with the prefix VARIABLE, and VARIABLE_CONFIG to the lines of starpu_config.h that define STARPU_ macros.
macro(starpu_module variable prefix record)
  set(config $ENV{XDG_CONFIG_HOME})
  if(NOT config)
    set(config $ENV{HOME}/.config)
  endif()
  set(recorded)
  if(EXISTS ${config}/startile/${record})
    file(STRINGS ${config}/startile/${record} recorded LIMIT_COUNT 1)
  endif()

  find_package(PkgConfig QUIET)
  set(saved_path "$ENV{PKG_CONFIG_PATH}")
  foreach(folder ${recorded} ${prefix}) # each is put before the earlier ones, so PREFIX has priority
    set(ENV{PKG_CONFIG_PATH} "${folder}/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")
  endforeach()
  # The name of StarPU's pkg-config module contains the series, as in starpu-1.4.
  set(series 1.9 1.8 1.7 1.6 1.5 1.4)
  list(TRANSFORM series PREPEND starpu-)
  if(PkgConfig_FOUND)
    pkg_search_module(${variable} QUIET ${series})
  endif()
  set(ENV{PKG_CONFIG_PATH} "${saved_path}")

  set(${variable}_CONFIG)
  if(${variable}_FOUND)
    foreach(dir IN LISTS ${variable}_INCLUDE_DIRS)
      if(EXISTS ${dir}/starpu_config.h)
        file(STRINGS ${dir}/starpu_config.h ${variable}_CONFIG REGEX "^#define STARPU_")
      endif()
    endforeach()
  endif()
endmacro()

# starpu_target(TARGET VARIABLE): makes an imported target of the StarPU that starpu_module(VARIABLE ...)
# found.
function(starpu_target target variable)
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED)
    # as system headers, because StarPU's headers give warnings with -Wpedantic
    target_include_directories(${target} SYSTEM INTERFACE ${${variable}_INCLUDE_DIRS})
    target_compile_options(${target} INTERFACE ${${variable}_CFLAGS_OTHER})
    target_link_libraries(${target} INTERFACE ${${variable}_LINK_LIBRARIES})
  endif()
endfunction()
