/* Between a matrix and LAPACK storage. */
#include "codelets.h"

/* The storage as a matrix with A's tiles; arguments of startile_from_lapack() and _to_lapack(). */
static int wrap_like(startile_matrix **W, const startile_matrix *A, const void *a, int64_t lda)
{
    startile_shape s = startile_matrix_shape(A);
    if (A == NULL)
        return -1;
    if (a == NULL && s.m > 0 && s.n > 0)
        return -2;
    int status = startile_matrix_wrap(W, s.dtype, s.m, s.n, (void *)a, lda, s.mb, s.nb);
    return status == -6 ? -3 : status;
}

int64_t startile_from_lapack(startile_matrix *A, const void *a, int64_t lda)
{
    startile_matrix *W;
    int64_t status = wrap_like(&W, A, a, lda);
    if (status != 0)
        return status;
    status = startile_lacpy('G', W, A);
    startile_matrix_destroy(W);
    return status;
}

int64_t startile_to_lapack(startile_matrix *A, void *a, int64_t lda)
{
    startile_matrix *W;
    int64_t status = wrap_like(&W, A, a, lda);
    if (status != 0)
        return status;
    status = startile_lacpy('G', A, W);
    startile_matrix_destroy(W);
    return status;
}
