# Finds BLAS and LAPACK of the CPU kernels, by CMake's FindBLAS (BLA_VENDOR) or pkg-config (BLA_PKGCONFIG_BLAS).
# The library contains them with hidden symbols (reason: kernels/cpu/blas/blas.h), so they must be static, or
# all their symbols must have a prefix. Sets
# - the target PrivateBLAS::BLAS,
# - startile_blas_source, the file of kernels/cpu/blas/ for this BLAS,
# - startile_blas_archives and startile_blas_wrap: arguments of `ld -r`, which puts the BLAS into libstartile.a,
# - startile_blas_shared: what a program with libstartile.a links in addition,
# - STARTILE_BLAS_FILES in the cache, for tools/lib/licenses.sh.
include(CheckFunctionExists)

set(BLA_VENDOR OpenBLAS CACHE STRING "BLAS of the CPU kernels, by the names of CMake's FindBLAS")
set(BLA_PKGCONFIG_BLAS "" CACHE STRING "BLAS and LAPACK of the CPU kernels as a module of pkg-config, instead of BLA_VENDOR")

# Sets `has` to whether the libraries define the function.
function(startile_defines has function libraries)
  set(CMAKE_REQUIRED_LIBRARIES ${libraries})
  string(SHA1 key "${function} ${libraries}")
  check_function_exists(${function} STARTILE_${key})
  set(${has} ${STARTILE_${key}} PARENT_SCOPE)
endfunction()

# Sets `libraries` to the vendor's static BLAS and LAPACK; to the reference LAPACK if the vendor has none.
function(startile_find_vendor libraries)
  set(BLA_STATIC ON)
  set(BLA_SIZEOF_INTEGER 4)
  # FindBLAS tests static libraries without the libraries that they need.
  string(APPEND CMAKE_EXE_LINKER_FLAGS " -Wl,--no-as-needed -lm -lpthread")
  # In Debian's folders. FindBLAS looks for what is not found here.
  find_library(STARTILE_OPENBLAS_LIBRARY libopenblas.a PATH_SUFFIXES openblas-pthread)
  find_library(STARTILE_BLIS_LIBRARY libblis.a PATH_SUFFIXES blis-serial blis-pthread)
  mark_as_advanced(STARTILE_OPENBLAS_LIBRARY STARTILE_BLIS_LIBRARY)
  foreach(name openblas blis)
    string(TOUPPER ${name} upper)
    if(STARTILE_${upper}_LIBRARY)
      set(BLAS_${name}_LIBRARY ${STARTILE_${upper}_LIBRARY})
    endif()
  endforeach()
  find_package(BLAS)
  if(NOT BLAS_FOUND)
    message(FATAL_ERROR "no static BLAS of the vendor ${BLA_VENDOR}: for OpenBLAS run tools/setup, or install "
      "libopenblas-pthread-dev; for MKL set the environment variable MKLROOT")
  endif()
  set(found ${BLAS_LIBRARIES})
  startile_defines(has_lapack dgeqrt3_ "${found}")
  if(NOT has_lapack)
    find_package(LAPACK QUIET)
    if(LAPACK_FOUND)
      set(found ${LAPACK_LIBRARIES})
    else()
      find_library(STARTILE_LAPACK_LIBRARY NAMES liblapack_pic.a liblapack.a PATH_SUFFIXES lapack REQUIRED)
      mark_as_advanced(STARTILE_LAPACK_LIBRARY)
      # BLAS first: its xerbla() needs no libgfortran.
      set(found -Wl,--start-group ${found} ${STARTILE_LAPACK_LIBRARY} -Wl,--end-group)
    endif()
  endif()
  # kernels/cpu/common/fortran.c defines what LAPACK calls of libgfortran.
  list(REMOVE_ITEM found -lgfortran)
  set(${libraries} ${found} PARENT_SCOPE)
endfunction()

set(blas_prefix)
find_path(STARTILE_CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas-pthread REQUIRED)
find_path(STARTILE_LAPACK_INCLUDE_DIR lapack.h REQUIRED)
mark_as_advanced(STARTILE_CBLAS_INCLUDE_DIR STARTILE_LAPACK_INCLUDE_DIR)
set(cblas_dir ${STARTILE_CBLAS_INCLUDE_DIR})
if(BLA_PKGCONFIG_BLAS)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(STARTILE_BLAS REQUIRED ${BLA_PKGCONFIG_BLAS})
  set(blas_libraries ${STARTILE_BLAS_LDFLAGS})
  if("${STARTILE_BLAS_CFLAGS}" MATCHES "-DBLAS_SYMBOL_PREFIX=([A-Za-z0-9_]+)")
    set(blas_prefix ${CMAKE_MATCH_1})
    # The macros of the prefixed lapack.h have other names than LAPACK's, so only cblas.h is used.
    set(cblas_dir ${PROJECT_BINARY_DIR}/blas)
    foreach(header cblas.h openblas_config.h)
      configure_file(${STARTILE_BLAS_INCLUDE_DIRS}/${header} ${cblas_dir}/${header} COPYONLY)
    endforeach()
  endif()
else()
  startile_find_vendor(blas_libraries)
endif()

set(startile_blas_archives ${blas_libraries})
list(FILTER startile_blas_archives INCLUDE REGEX "\\.a$|^-Wl,--(start|end)-group$")
list(TRANSFORM startile_blas_archives REPLACE "^-Wl," "")
set(startile_blas_shared)
set(startile_blas_wrap)
if(blas_prefix)
  set(startile_blas_shared ${blas_libraries})
elseif(NOT startile_blas_archives)
  message(FATAL_ERROR "the BLAS of the CPU kernels is a shared library (${blas_libraries}): the BLAS of a program could take "
    "its place. Install a static one")
endif()

startile_defines(is_openblas ${blas_prefix}openblas_get_config "${blas_libraries}")
if(NOT is_openblas)
  startile_defines(is_mkl MKL_Get_Version_String "${blas_libraries}")
  startile_defines(is_blis bli_info_get_version_str "${blas_libraries};m;pthread")
endif()
if(is_openblas AND blas_prefix)
  set(startile_blas_source kernels/cpu/blas/openblas_shared.c)
elseif(is_openblas)
  set(startile_blas_source kernels/cpu/blas/openblas.c)
  # openblas.c defines the function that replaces openblas_num_threads_env().
  set(startile_blas_wrap --wrap=openblas_num_threads_env)
elseif(is_mkl)
  set(startile_blas_source kernels/cpu/blas/mkl.c)
elseif(is_blis)
  set(startile_blas_source kernels/cpu/blas/blis.c)
else()
  set(startile_blas_source kernels/cpu/blas/other.c)
endif()
message(STATUS "startile: BLAS of ${startile_blas_source}: ${blas_libraries}")

add_library(PrivateBLAS::BLAS INTERFACE IMPORTED)
target_include_directories(PrivateBLAS::BLAS SYSTEM INTERFACE ${cblas_dir} ${STARTILE_LAPACK_INCLUDE_DIR})
target_link_libraries(PrivateBLAS::BLAS INTERFACE ${blas_libraries} Threads::Threads m)
if(startile_blas_wrap)
  target_link_options(PrivateBLAS::BLAS INTERFACE -Wl,${startile_blas_wrap})
endif()
set_source_files_properties(kernels/cpu/blas/other.c PROPERTIES COMPILE_DEFINITIONS STARTILE_BLAS_VENDOR="${BLA_VENDOR}")
if(blas_prefix)
  target_compile_definitions(PrivateBLAS::BLAS INTERFACE BLAS_SYMBOL_PREFIX=${blas_prefix})
endif()
# A static LAPACK's license is that of lapack.h. A shared library brings its own.
set(files ${startile_blas_archives})
list(FILTER files INCLUDE REGEX "^/")
if(files)
  list(APPEND files ${STARTILE_LAPACK_INCLUDE_DIR}/lapack.h)
endif()
set(STARTILE_BLAS_FILES ${files} CACHE INTERNAL "Files whose licenses hold for the library")
