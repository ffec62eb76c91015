# Installs library, headers, documentation, models, CMake package and pkg-config files.
set(public_headers include/startile.h include/startile_batch.h include/startile_core.h include/startile_disk.h
    include/startile_lapack.h include/startile_mixed.h include/startile_routines.h include/startile_testing.h
    include/startile_trace.h include/startile_types.h)
set_target_properties(startile PROPERTIES
  INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON
  PUBLIC_HEADER "${public_headers}")
startile_install(startile EXPORT startileTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(STARTILE_HAVE_MPI)
  set_target_properties(startile_mpi PROPERTIES INSTALL_RPATH "$ORIGIN"
    INSTALL_RPATH_USE_LINK_PATH ON PUBLIC_HEADER include/startile_mpi.h)
  startile_install(startile_mpi EXPORT startileMPITargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT startileMPITargets NAMESPACE startile::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/startile)
endif()
if(TARGET startile_fortran)
  install(EXPORT startileFortranTargets NAMESPACE startile::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/startile)
endif()
startile_build_for_install(startile_static_file ${static_library})
install(FILES ${static_library} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES LICENSE README.md ARCHITECTURE.md CONTRIBUTING.md CODE_OF_CONDUCT.md SECURITY.md CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Pages that the others link, at the same place below the documentation's folder
foreach(page perf_models/NOTES.md testing/gpu-runs.md codelets/library/starpu_quirks.md)
  get_filename_component(folder ${page} DIRECTORY)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN CMakeLists.txt EXCLUDE)
# Installs the man pages if the target `docs` has been built.
install(DIRECTORY ${PROJECT_BINARY_DIR}/docs/man/man3 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL
  PATTERN "md_*" EXCLUDE PATTERN "*.h.3startile" EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/perf_models/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/startile/perf_models PATTERN runs EXCLUDE)
install(EXPORT startileTargets NAMESPACE startile::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/startile)

# Libraries that a program must link together with the static library.
set(static_needs ${STARPU_PC_LINK_LIBRARIES} ${startile_blas_shared} -lpthread -lm -ldl)
if(STARTILE_HAVE_CUDA)
  foreach(name cudart cublas cusolver)
    list(APPEND static_needs ${CUDA_${name}_LIBRARY})
  endforeach()
  list(APPEND static_needs -lstdc++)
endif()
list(JOIN static_needs " " static_needs_line)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/startile)
configure_package_config_file(cmake/startileConfig.cmake.in
  ${PROJECT_BINARY_DIR}/startileConfig.cmake INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/startileConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/startileConfig.cmake
              ${PROJECT_BINARY_DIR}/startileConfigVersion.cmake DESTINATION ${package_dir})

# startileConfig.cmake uses these files.
install(FILES cmake/FindStarPU.cmake cmake/StarPUModule.cmake DESTINATION ${package_dir})

# The pkg-config files name the prefix relative to themselves, so that `cmake --install --prefix` works and
# the prefix can be moved.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pc /${pc_dir} /)
set(pc_names startile startile-static)
if(STARTILE_HAVE_MPI)
  list(APPEND pc_names startile-mpi)
endif()
if(TARGET startile_fortran)
  list(APPEND pc_names startile-fortran)
endif()

# startile.pc requires StarPU's module. If pkg-config does not find the module by default, a copy is
# installed. In the copy CUDA's headers are system headers, because cusparse.h of CUDA 13.0 warns of
# deprecated functions. If StarPU is shared, the copy names no libraries that StarPU depends on: a shared
# StarPU finds them itself, and `pkg-config --static` would request libraries that only a static StarPU or a
# static hwloc needs, such as libudev.
execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=PKG_CONFIG_PATH
  ${PKG_CONFIG_EXECUTABLE} --exists ${STARPU_PC_MODULE_NAME} RESULT_VARIABLE starpu_is_elsewhere)
# The pkg-config files add the folder of the library to a program's rpath, and StarPU's if it is outside the
# linker's default folders. Packages for system folders are configured with CMAKE_SKIP_INSTALL_RPATH.
set(startile_rpath)
if(NOT CMAKE_SKIP_INSTALL_RPATH)
  set(startile_rpath "-Wl,-rpath,\${libdir}")
endif()
set(starpu_rpath)
if(starpu_is_elsewhere)
  set(starpu_rpath -Wl,-rpath,${STARPU_PC_LIBDIR})
endif()
set(starpu_pc ${STARPU_PC_LIBDIR}/pkgconfig/${STARPU_PC_MODULE_NAME}.pc)
if(starpu_is_elsewhere AND EXISTS ${starpu_pc})
  file(READ ${starpu_pc} lines)
  string(REGEX REPLACE "-I(/[^ \n]*cuda[^ \n]*)" "-isystem \\1" lines "${lines}")
  if(NOT EXISTS ${STARPU_PC_LIBDIR}/lib${STARPU_PC_MODULE_NAME}.a)
    pkg_check_modules(HWLOC QUIET hwloc)
    list(TRANSFORM HWLOC_INCLUDE_DIRS PREPEND -I)
    list(JOIN HWLOC_INCLUDE_DIRS " " hwloc_flags)
    string(REGEX REPLACE "(\n)(Requires|Libs.private):[^\n]*" "" lines "${lines}")
    string(REGEX REPLACE "(\nCflags:[^\n]*)" "\\1 ${hwloc_flags}" lines "${lines}")
  endif()
  file(CONFIGURE OUTPUT ${STARPU_PC_MODULE_NAME}.pc CONTENT "@lines@" @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${STARPU_PC_MODULE_NAME}.pc DESTINATION ${pc_dir})
endif()

foreach(name IN LISTS pc_names)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pc_dir})
endforeach()
