# Finds the static OpenBLAS that the library embeds with hidden symbols (reason:
# kernels/cpu/common/kernels.c). Sets the target PrivateOpenBLAS::OpenBLAS and PrivateOpenBLAS_LIBRARY.
find_library(PrivateOpenBLAS_LIBRARY libopenblas.a PATH_SUFFIXES openblas-pthread)
find_path(PrivateOpenBLAS_CBLAS cblas.h PATH_SUFFIXES openblas-pthread)
find_path(PrivateOpenBLAS_LAPACK lapack.h)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PrivateOpenBLAS
  REQUIRED_VARS PrivateOpenBLAS_LIBRARY PrivateOpenBLAS_CBLAS PrivateOpenBLAS_LAPACK
  REASON_FAILURE_MESSAGE "run tools/setup, or install libopenblas-pthread-dev and liblapacke-dev")
if(PrivateOpenBLAS_FOUND AND NOT TARGET PrivateOpenBLAS::OpenBLAS)
  add_library(PrivateOpenBLAS::OpenBLAS INTERFACE IMPORTED)
  target_include_directories(PrivateOpenBLAS::OpenBLAS SYSTEM INTERFACE
    ${PrivateOpenBLAS_CBLAS} ${PrivateOpenBLAS_LAPACK})
  target_link_libraries(PrivateOpenBLAS::OpenBLAS INTERFACE ${PrivateOpenBLAS_LIBRARY} m)
endif()
