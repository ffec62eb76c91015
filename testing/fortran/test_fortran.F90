! Tests the module startile: all types, sections of arrays, vectors, info. With an argument: an error
! without info, which must stop the program.
module requirement
  implicit none
contains
  subroutine require(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) error stop 'wrong: '//what
  end subroutine
end module requirement

#define NUMBER(x, y) real(x, real_kind)
#define ADJOINT(x) transpose(x)
#define ADJOINT_LETTER 'T'
#define ELEMENT real(c_float)
#define KIND_OF_REAL c_float
module checks_s
#include "checks.inc"
end module checks_s
#undef ELEMENT
#undef KIND_OF_REAL

#define ELEMENT real(c_double)
#define KIND_OF_REAL c_double
module checks_d
#include "checks.inc"
end module checks_d
#undef NUMBER
#undef ADJOINT
#undef ADJOINT_LETTER
#undef ELEMENT
#undef KIND_OF_REAL

#define NUMBER(x, y) cmplx(x, y, real_kind)
#define ADJOINT(x) conjg(transpose(x))
#define ADJOINT_LETTER 'C'
#define HAS_HERMITIAN
#define ELEMENT complex(c_float_complex)
#define KIND_OF_REAL c_float
module checks_c
#include "checks.inc"
end module checks_c
#undef ELEMENT
#undef KIND_OF_REAL

#define ELEMENT complex(c_double_complex)
#define KIND_OF_REAL c_double
module checks_z
#include "checks.inc"
end module checks_z

program test_fortran
  use startile
  use checks_s, only: check_s => check
  use checks_d, only: check_d => check
  use checks_c, only: check_c => check
  use checks_z, only: check_z => check
  implicit none
  double precision :: singular(2, 2), b(2)
  if (command_argument_count() > 0) then
    singular = 1
    b = 1
    call startile_gesv(singular, b)
  end if
  call check_s
  call check_d
  call check_c
  call check_z
  print '(a)', 'all results are right'
end program test_fortran
