/*
 * Stand-ins for a wheel from PyPI: a LAPACK, which sets INFO to its FAKE, and a module that is
 * linked with it. Both are compiled three times: with 32-bit INTEGER and scipy's names as for
 * scipy, with STARTILE_ILP64 as for numpy, and with STARTILE_NUMPY1, without scipy's prefix, as for
 * numpy before 2.0.
 */
#ifndef TESTING_DROPIN_WHEEL_H
#define TESTING_DROPIN_WHEEL_H

#include <stddef.h>
#include <stdint.h>

/* The module's functions. Each returns INFO of one routine, or WRONG after a wrong result. */
struct module {
    /* Factors 4 I of order n by dpotrf. *root := an element of the factor's diagonal, 2, or 4 if
     * the matrix was not factored. */
    int64_t (*factor)(int64_t n, double *root);
    /* Solves by dgesv a system of order n whose matrix exchanges the rows i and n − 1 − i. */
    int64_t (*exchange)(int64_t n);
    /* Inverts a triangle of order 1 by dtrtri, which the LAPACK lacks. */
    int64_t (*invert)(void);
};

/* INFO of the LAPACK with 32-bit INTEGER, and of those with 64-bit INTEGER. WRONG: no LAPACK's */
#define FAKE INT64_C(55)
#define FAKE64 (INT64_C(55) << 32)
#define FAKE_NUMPY1 (INT64_C(56) << 32)
#define WRONG INT64_C(-77)

#if defined STARTILE_NUMPY1
typedef int64_t integer;
#define SYMBOL(name) name##_64_
#define OWN_FAKE FAKE_NUMPY1
#elif defined STARTILE_ILP64
typedef int64_t integer;
#define SYMBOL(name) scipy_##name##_64_
#define OWN_FAKE FAKE64
#else
typedef int32_t integer;
#define SYMBOL(name) scipy_##name##_
#define OWN_FAKE ((int32_t)FAKE)
#endif

void SYMBOL(dpotrf)(const char *uplo, const integer *n, double *a, const integer *lda,
                    integer *info, size_t uplo_length);
void SYMBOL(dgesv)(const integer *n, const integer *nrhs, double *a, const integer *lda,
                   integer *ipiv, double *b, const integer *ldb, integer *info);
void SYMBOL(dtrtri)(const char *uplo, const char *diag, const integer *n, double *a,
                    const integer *lda, integer *info, size_t uplo_length, size_t diag_length);

#endif
