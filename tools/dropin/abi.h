/* ABI for which a file is compiled. Without definitions by CMakeLists.txt the names are those of
 * LAPACK, dpotrf_, and INTEGER has 32 bits. STARTILE_ILP64: suffix _64_, 64-bit INTEGER.
 * STARTILE_SCIPY: prefix scipy_, as in the OpenBLAS of PyPI's numpy and scipy. STARTILE_WHEEL: the
 * machine's LAPACK is a loaded library, as in the wheels of PyPI. */
#ifndef DROPIN_ABI_H
#define DROPIN_ABI_H

#include "dropin.h"

#ifdef STARTILE_SCIPY
#define PREFIX scipy_
#else
#define PREFIX
#endif

#ifdef STARTILE_ILP64
#define SUFFIX _64_
#else
#define SUFFIX _
#endif

#define JOIN4(a, b, c, d) a##b##c##d
#define PASTE4(a, b, c, d) JOIN4(a, b, c, d)

/* Variable of this ABI, such as scipy_abi_64_ */
#define ABI PASTE4(PREFIX, , abi, SUFFIX)
extern struct abi ABI;

#endif
