! Module startile: LAPACK's routines on startile for arrays of real and complex numbers in single and
! double precision. One module per type has the specific procedures, under the same generic names, and
! the module startile unites them.

#define LETTER 's'
#define UNITARY 'or'
#define SYMMETRY 'sy'
#define ELEMENT real(c_float)
#define REAL_KIND c_float
module startile_s
#include "routines.inc"
end module startile_s
#undef LETTER
#undef ELEMENT
#undef REAL_KIND

#define LETTER 'd'
#define ELEMENT real(c_double)
#define REAL_KIND c_double
module startile_d
#include "routines.inc"
end module startile_d
#undef LETTER
#undef UNITARY
#undef SYMMETRY
#undef ELEMENT
#undef REAL_KIND

#define LETTER 'c'
#define UNITARY 'un'
#define SYMMETRY 'he'
#define HAS_HERMITIAN
#define ELEMENT complex(c_float_complex)
#define REAL_KIND c_float
module startile_c
#include "routines.inc"
end module startile_c
#undef LETTER
#undef ELEMENT
#undef REAL_KIND

#define LETTER 'z'
#define ELEMENT complex(c_double_complex)
#define REAL_KIND c_double
module startile_z
#include "routines.inc"
end module startile_z

module startile
  use startile_s
  use startile_d
  use startile_c
  use startile_z
end module startile
