/*
 * Cholesky factorizations of a batch. Matrices of order up to STARTILE_SMALL_TOGETHER are factored
 * several at a time, one per vector lane. Those of order up to STARTILE_SMALL_ORDER are factored
 * one by one by the library's own kernel, all larger ones by LAPACK xPOTRF.
 */
#include "batch_matrix.h"
#include "small_groups.h"

/* Factors the matrices of a group. */
static void factor_together(const struct small_kernels *kernels, char uplo, struct group *g)
{
    kernels->potrf_together(uplo, g->columns, g->count, g->of);
}

/* Factors one matrix by LAPACK xPOTRF. Returns 0 or a startile_error. */
static int factor_by_lapack(char uplo, struct small_matrix a)
{
    startile_tile_status status;
    int error = NAME(potrf)(NULL, uplo, a.n, a.p, a.ld, NULL, 1, &status);
    *a.info = status.info;
    return error;
}

/* Returns matrix q; an empty matrix for q ≥ count. */
static struct small_matrix small_at(const startile_matrices *A, int q, int count, int64_t *info)
{
    if (q >= count)
        return (struct small_matrix){0};
    struct matrix m = matrix_of(A, q);
    return (struct small_matrix){.p = m.p, .m = m.n, .n = m.n, .ld = m.ld, .info = &info[q]};
}

/* Chooses the kernel of a matrix by its own order only, so that the bits of its factor do not
 * depend on the other matrices. */
int NAME(potrf_batch)(startile_exec *x, char uplo, int count, const startile_matrices *A,
                      int64_t *info)
{
    (void)x;
    const struct small_kernels *kernels = NAME(small)();
    struct groups groups;
    begin_groups(&groups, kernels, factor_together, uplo);
    int error = 0;
    struct small_matrix a, next = small_at(A, 0, count, info);
    for (int q = 0; q < count && error == 0; q++) {
        a = next;
        next = small_at(A, q + 1, count, info);
        if (a.n <= STARTILE_SMALL_TOGETHER)
            add_to_groups(&groups, a);
        else if (a.n <= STARTILE_SMALL_ORDER)
            kernels->potrf(uplo, a, next);
        else
            error = factor_by_lapack(uplo, a);
    }
    factor_rest(&groups);
    return error;
}
