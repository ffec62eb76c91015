/* The LAPACK of a wheel */
#include "dropin_wheel.h"

void SYMBOL(dpotrf)(const char *uplo, const integer *n, double *a, const integer *lda,
                    integer *info, size_t uplo_length)
{
    (void)uplo, (void)n, (void)a, (void)lda, (void)uplo_length;
    *info = OWN_FAKE;
}

void SYMBOL(dgesv)(const integer *n, const integer *nrhs, double *a, const integer *lda,
                   integer *ipiv, double *b, const integer *ldb, integer *info)
{
    (void)n, (void)nrhs, (void)a, (void)lda, (void)ipiv, (void)b, (void)ldb;
    *info = OWN_FAKE;
}
