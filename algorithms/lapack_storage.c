/* Copies between a matrix and LAPACK storage. */
#include "grid/agreement.h"

/* Wraps the array `a` as a matrix W with A's tiles; on a grid, the first process has the array.
 * Copies A to W (into_storage) or W to A. */
static int64_t copy_lapack_storage(startile_matrix *A, const void *a, int64_t lda,
                                   bool into_storage)
{
    startile_matrix *W;
    startile_shape s = startile_matrix_shape(A);
    const argument list[] = {matrix_argument(A), integer_argument(into_storage)};
    int wrong = agree_on_call(&(call){"copy", list, 2}, A == NULL ? -1 : 0);
    if (wrong != 0)
        return wrong;
    startile_grid *root = startile_grid_root(startile_matrix_grid(A));
    int64_t status =
        root == NULL
            ? startile_matrix_wrap(&W, s.dtype, s.m, s.n, (void *)a, lda, s.mb, s.nb)
            : startile_matrix_wrap_local(&W, s.dtype, s.m, s.n, (void *)a, lda, s.mb, s.nb, root);
    /* the wrap's arguments 6 and 5, lda and a, are arguments 3 and 2 of the public functions */
    if (status != 0)
        return status == -6 ? -3 : status == -5 ? -2 : status;
    status = into_storage ? startile_lacpy('G', A, W) : startile_lacpy('G', W, A);
    startile_matrix_destroy(W);
    return status;
}

int64_t startile_matrix_from_lapack(startile_matrix *A, const void *a, int64_t lda)
{
    return copy_lapack_storage(A, a, lda, false);
}

int64_t startile_matrix_to_lapack(startile_matrix *A, void *a, int64_t lda)
{
    return copy_lapack_storage(A, a, lda, true);
}
