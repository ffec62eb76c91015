/* Copies between a matrix and LAPACK storage. */
#include "codelets.h"

/* Wraps the storage as a matrix with A's tiles and copies from or to it. */
static int64_t copy(startile_matrix *A, const void *a, int64_t lda, bool into_storage)
{
    startile_matrix *W;
    startile_shape s = startile_matrix_shape(A);
    if (A == NULL)
        return -1;
    if (a == NULL && s.m > 0 && s.n > 0)
        return -2;
    int64_t status = startile_matrix_wrap(&W, s.dtype, s.m, s.n, (void *)a, lda, s.mb, s.nb);
    if (status != 0)
        return status == -6 ? -3 : status;
    status = into_storage ? startile_lacpy('G', A, W) : startile_lacpy('G', W, A);
    startile_matrix_destroy(W);
    return status;
}

int64_t startile_from_lapack(startile_matrix *A, const void *a, int64_t lda)
{
    return copy(A, a, lda, false);
}

int64_t startile_to_lapack(startile_matrix *A, void *a, int64_t lda)
{
    return copy(A, a, lda, true);
}
