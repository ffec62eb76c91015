# Enables Fortran for the module startile (tools/fortran). A Fortran program without a sanitizer cannot load a
# library with one, so AUTO leaves the module out of builds with sanitizers.
set(STARTILE_HAVE_FORTRAN FALSE)
if(STARTILE_FORTRAN AND NOT (STARTILE_FORTRAN STREQUAL AUTO AND CMAKE_C_FLAGS MATCHES "fsanitize"))
  include(CheckLanguage)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    set(STARTILE_HAVE_FORTRAN TRUE)
  elseif(NOT STARTILE_FORTRAN STREQUAL AUTO)
    message(FATAL_ERROR "STARTILE_FORTRAN=ON needs a Fortran compiler")
  endif()
endif()
message(STATUS "Fortran module: ${STARTILE_HAVE_FORTRAN}")
