/*
 * A LAPACK with two routines, which do nothing but set INFO to FAKE. dpotrf of order SLOW or
 * SMALL_AND_SLOW takes 0.2 s for that.
 */
#ifndef TESTING_DROPIN_FAKE_H
#define TESTING_DROPIN_FAKE_H

#include <stddef.h>
#include <stdint.h>

enum { FAKE = 55, SLOW = 1001, SMALL_AND_SLOW = 301 };

void dpotrf_(const char *uplo, const int32_t *n, double *a, const int32_t *lda, int32_t *info,
             size_t uplo_length);
void dgetrs_(const char *trans, const int32_t *n, const int32_t *nrhs, const double *a,
             const int32_t *lda, const int32_t *ipiv, double *b, const int32_t *ldb, int32_t *info,
             size_t trans_length);

#endif
