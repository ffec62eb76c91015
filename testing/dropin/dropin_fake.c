#define _DEFAULT_SOURCE
#include "dropin_fake.h"

#include <unistd.h>

void dpotrf_(const char *uplo, const int32_t *n, double *a, const int32_t *lda, int32_t *info,
             size_t uplo_length)
{
    (void)uplo, (void)a, (void)lda, (void)uplo_length;
    if (*n == SLOW || *n == SMALL_AND_SLOW)
        usleep(200000);
    *info = FAKE;
}

void dgetrs_(const char *trans, const int32_t *n, const int32_t *nrhs, const double *a,
             const int32_t *lda, const int32_t *ipiv, double *b, const int32_t *ldb, int32_t *info,
             size_t trans_length)
{
    (void)trans, (void)n, (void)nrhs, (void)a, (void)lda, (void)ipiv, (void)b, (void)ldb;
    (void)trans_length;
    *info = FAKE;
}
