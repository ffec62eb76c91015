/*
 * QR factorization of a panel by LAPACK xGEQRT3, which recurses on halves of the columns, so that
 * most of a tall panel's work is in products, and which also computes T (Elmroth & Gustavson,
 * "Applying recursion to serial and parallel QR factorization leads to better performance", IBM J.
 * Res. Dev. 44, 2000). A tile column of several pieces is factored in a copy.
 *
 * For any A, ‖QᴴQ − I‖ ≤ c m k eps, and A + ΔA = Q R with ‖Δa_j‖ ≤ c m k eps ‖a_j‖, with a small
 * constant c and k = min(m, n) (Higham 2002, theorem 19.4).
 */
#include "tile_column.h"

#include <stdlib.h>

/* Factors the first min(m, n) columns of A, and sets T, with zeros below its diagonal. */
static void factor(int m, int n, element *a, int lda, element *t, int ldt)
{
    int k = m < n ? m : n, info = 0;
    const startile_scalar zero = {0, 0};
    if (k == 0)
        return;
    LAPACK(geqrt3)(&m, &k, a, &lda, t, &ldt, &info);
    if (k > 1)
        NAME(laset)(NULL, 'L', k - 1, k - 1, 0, zero, zero, t + 1, ldt);
}

/* Applies Qᴴ to the columns to the right of the reflectors; there are none unless n > m. Returns 0
 * or a startile_error. */
static int apply(int m, int n, element *a, int lda, const element *t, int ldt)
{
    int k = m < n ? m : n;
    if (n == k)
        return 0;
    const startile_piece v = {a, lda, m}, c = {a + (ptrdiff_t)k * lda, lda, m};
    return NAME(larfb)(NULL, 'C', 1, &v, k, t, ldt, 1, &c, n - k);
}

int NAME(geqrf)(startile_exec *x, int pieces, const startile_piece *a, int n, void *t, int ldt)
{
    (void)x;
    int m = (int)tile_column_rows(pieces, a), ld = m > 0 ? m : 1;
    if (pieces == 1) {
        factor(m, n, a->p, a->ld, t, ldt);
        return apply(m, n, a->p, a->ld, t, ldt);
    }
    element *copy = malloc((size_t)ld * (size_t)n * sizeof *copy + 1);
    if (copy == NULL)
        return STARTILE_ERROR_MEMORY;
    gather_tile_column(pieces, a, n, copy, ld);
    factor(m, n, copy, ld, t, ldt);
    int error = apply(m, n, copy, ld, t, ldt);
    scatter_tile_column(pieces, a, n, copy, ld);
    free(copy);
    return error;
}
