/*
 * LU factorizations of a batch. With pivoting, square matrices of order up to
 * STARTILE_SMALL_LU_TOGETHER are factored several at a time, one per vector lane. Those of order up
 * to STARTILE_SMALL_LU_ORDER are factored one by one by the library's own kernel, all others by
 * LAPACK xGETRF. Without pivoting the tile kernel getrf_nopiv factors matrix by matrix.
 *
 * Backward error: |ΔA| ≤ γ_n |L| |U| (Higham 2002, theorem 9.3).
 */
#include "small_groups.h"
#include "startile_types.h"

#include <stdlib.h>

/* Factors A with partial pivoting by LAPACK. Returns its info; ipiv is workspace. */
static int64_t factor_by_lapack(struct matrix a, int *ipiv, int64_t *pivots)
{
    int info = NAME(lu)(a.m, a.n, a.p, a.ld, ipiv);
    for (int k = 0; k < smaller(a.m, a.n); k++)
        pivots[k] = ipiv[k];
    return info;
}

static void factor_together(const struct small_kernels *kernels, char letter, struct group *g)
{
    (void)letter;
    kernels->getrf_together(g->columns, g->count, g->of);
}

/* Factors A with partial pivoting, now or with its group. The kernel depends on the matrix's own
 * size only, so that the bits of its factors do not depend on the other matrices. */
static void factor_pivoted(struct groups *groups, struct matrix a, int *ipiv, int64_t *pivots,
                           int64_t *info)
{
    struct small_matrix small = {
        .p = a.p, .m = a.m, .n = a.n, .ld = a.ld, .info = info, .pivots = pivots};
    if (a.m != a.n || a.n > STARTILE_SMALL_LU_ORDER)
        *info = factor_by_lapack(a, ipiv, pivots);
    else if (a.n <= STARTILE_SMALL_LU_TOGETHER)
        add_to_groups(groups, small);
    else
        groups->kernels->getrf(small);
}

/* Factors A without pivoting: the leading square block, then triangular solves for the other
 * columns and rows. Returns the 1-based index of the first zero pivot, or 0. */
static int64_t factor_unpivoted(struct matrix a)
{
    const startile_scalar one = {1, 0};
    int k = smaller(a.m, a.n);
    startile_tile_status status;
    NAME(getrf_nopiv)(NULL, k, a.p, a.ld, NULL, 1, NULL, 1, &status);
    NAME(trsm)
    (NULL, 'L', 'L', 'N', 'U', k, a.n - k, one, a.p, a.ld, a.p + (ptrdiff_t)k * a.ld, a.ld);
    NAME(trsm)(NULL, 'R', 'U', 'N', 'N', a.m - k, k, one, a.p, a.ld, a.p + k, a.ld);
    return status.info;
}

int NAME(getrf_batch)(startile_exec *x, int count, const startile_matrices *A,
                      const startile_matrices *P, int64_t *info)
{
    (void)x;
    int *ipiv = malloc(((size_t)smaller(A->m, A->n) + 1) * sizeof *ipiv);
    if (ipiv == NULL)
        return STARTILE_ERROR_MEMORY;
    struct groups groups;
    begin_groups(&groups, NAME(small)(), factor_together, 0);
    for (int q = 0; q < count; q++) {
        struct matrix a = matrix_of(A, q);
        info[q] = 0;
        if (a.m > 0 && a.n > 0 && P != NULL)
            factor_pivoted(&groups, a, ipiv, start_of(P, sizeof *info, q), &info[q]);
        else if (a.m > 0 && a.n > 0)
            info[q] = factor_unpivoted(a);
    }
    factor_rest(&groups);
    free(ipiv);
    return 0;
}
