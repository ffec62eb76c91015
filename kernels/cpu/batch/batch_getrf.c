/*
 * LU factorizations of a batch, matrix by matrix: by LAPACK xGETRF, or without pivoting by the tile
 * kernel getrf_nopiv.
 *
 * Backward error: |ΔA| ≤ γ_n |L| |U| (Higham 2002, theorem 9.3).
 */
#include "batch_matrix.h"
#include "startile.h"

#include <stdlib.h>

/* Factors A with partial pivoting. Returns LAPACK's info; ipiv is workspace. */
static int64_t factor_pivoted(struct matrix a, int *ipiv, int64_t *pivots)
{
    int info = NAME(lu)(a.m, a.n, a.p, a.ld, ipiv);
    for (int k = 0; k < smaller(a.m, a.n); k++)
        pivots[k] = ipiv[k];
    return info;
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
    for (int q = 0; q < count; q++) {
        struct matrix a = matrix_of(A, q);
        info[q] = 0;
        if (a.m > 0 && a.n > 0)
            info[q] = P == NULL ? factor_unpivoted(a)
                                : factor_pivoted(a, ipiv, start_of(P, sizeof *info, q));
    }
    free(ipiv);
    return 0;
}
