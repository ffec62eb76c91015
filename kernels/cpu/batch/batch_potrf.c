/*
 * Cholesky factorizations of a batch. Matrices of order up to STARTILE_SMALL_TOGETHER are factored
 * several at a time, one per vector lane. Those of order up to STARTILE_SMALL_ORDER are factored
 * one by one by the library's own kernel, all larger ones by LAPACK xPOTRF.
 */
#include "batch_matrix.h"
#include "small.h"

/* MAX_LANES: largest number of vector lanes of any instruction set, 64 bytes of floats. Group g
 * collects matrices of orders 8 g + 1 … 8 g + 8, and group 0 also those of order 0. */
enum { MAX_LANES = 16, GROUP = 8, GROUPS = (STARTILE_SMALL_TOGETHER - 1) / GROUP + 1 };

/* Matrices of similar order that wait until they fill all lanes */
struct group {
    struct small_matrix of[MAX_LANES];
    int count, max_order;
};

/* Factors the matrices of the group and empties the group. */
static void factor_group(const struct small_kernels *kernels, char uplo, struct group *g)
{
    kernels->potrf_together(uplo, g->max_order, g->count, g->of);
    g->count = g->max_order = 0;
}

/* Adds the matrix to the group, and factors a full group. */
static void add_to_group(const struct small_kernels *kernels, char uplo, struct small_matrix a,
                         struct group *g)
{
    g->of[g->count++] = a;
    g->max_order = larger(g->max_order, a.n);
    if (g->count == kernels->lanes)
        factor_group(kernels, uplo, g);
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
    return (struct small_matrix){m.p, m.n, m.ld, &info[q]};
}

/* Chooses the kernel of a matrix by its own order only, so that the bits of its factor do not
 * depend on the other matrices. */
int NAME(potrf_batch)(startile_exec *x, char uplo, int count, const startile_matrices *A,
                      int64_t *info)
{
    (void)x;
    const struct small_kernels *kernels = NAME(small)();
    struct group groups[GROUPS] = {0};
    int error = 0;
    struct small_matrix a, next = small_at(A, 0, count, info);
    for (int q = 0; q < count && error == 0; q++) {
        a = next;
        next = small_at(A, q + 1, count, info);
        if (a.n <= STARTILE_SMALL_TOGETHER)
            add_to_group(kernels, uplo, a, &groups[larger(a.n - 1, 0) / GROUP]);
        else if (a.n <= STARTILE_SMALL_ORDER)
            kernels->potrf(uplo, a, next);
        else
            error = factor_by_lapack(uplo, a);
    }
    for (int g = 0; g < GROUPS; g++)
        if (groups[g].count > 0)
            factor_group(kernels, uplo, &groups[g]);
    return error;
}
