/*
 * LU factorization of a panel with partial pivoting by LAPACK xGETRF. OpenBLAS' xGETRF is
 * recursive, so that most of a tall panel's work is in products. A tile column of several pieces is
 * factored in a copy.
 *
 * Backward error: |ΔA| ≤ γ_k |L| |U| (Higham 2002, theorem 9.3).
 */
#include "tile_column.h"

#include <float.h>
#include <stdlib.h>

/* Returns whether a column is not zero, but all its elements are so small that a pivot may be
 * subnormal. For most columns the first element decides. */
static bool is_tiny(int m, const element *column)
{
    const real least =
        sizeof(real) == sizeof(double) ? DBL_MIN / DBL_EPSILON : (real)(FLT_MIN / FLT_EPSILON);
    bool all_zero = true;
    for (int i = 0; i < m; i++) {
        if (!(fabs(creal(column[i])) + fabs(cimag(column[i])) < least))
            return false;
        all_zero = all_zero && column[i] == 0;
    }
    return !all_zero;
}

/* Uses LAPACK's xGETRF2, which divides by tiny pivots, for matrices with tiny columns. The xGETRF
 * of OpenBLAS 0.3.21 multiplies by the reciprocal of every pivot. The reciprocal of a subnormal
 * pivot is infinite, so that the factors contain Inf and NaN although info is 0. */
int NAME(lu)(int m, int n, element *a, int lda, int *ipiv)
{
    int info = 0;
    bool tiny = false;
    for (int j = 0; j < n && !tiny; j++)
        tiny = is_tiny(m, a + (ptrdiff_t)j * lda);
    if (tiny)
        LAPACK(getrf2)(&m, &n, a, &lda, ipiv, &info);
    else
        LAPACK(getrf)(&m, &n, a, &lda, ipiv, &info);
    return info;
}

/* Factors the m × n matrix A and writes its pivots. Returns LAPACK's info, or −1 if host memory
 * does not suffice. */
static int factor(int m, int n, element *a, int lda, int64_t row0, startile_pivots_of_panel pivots)
{
    int *ipiv = malloc(((size_t)pivots.k + 1) * sizeof *ipiv);
    if (ipiv == NULL)
        return -1;
    int info = NAME(lu)(m, n, a, lda, ipiv);
    for (int k = 0; k < pivots.k; k++)
        pivots.of[k] = row0 + ipiv[k];
    free(ipiv);
    return startile_moves_of_pivots(row0, pivots) == 0 ? info : -1;
}

/* Factors a tile column, in a copy if it has several pieces. Returns the same values as factor().
 */
static int factor_pieces(int pieces, const startile_piece *a, int n, int64_t row0,
                         startile_pivots_of_panel pivots)
{
    int m = (int)tile_column_rows(pieces, a), ld = m > 0 ? m : 1;
    if (pieces == 1)
        return factor(m, n, a->p, a->ld, row0, pivots);
    element *copy = malloc((size_t)ld * (size_t)n * sizeof *copy + 1);
    if (copy == NULL)
        return -1;
    gather_tile_column(pieces, a, n, copy, ld);
    int info = factor(m, n, copy, ld, row0, pivots);
    scatter_tile_column(pieces, a, n, copy, ld);
    free(copy);
    return info;
}

/* Returns use_inverse of the inverses of the diagonal blocks of L11, of order k, given ‖W‖₁ ‖T‖₁.
 */
static int use_blocks(int k, double condition)
{
    if (k <= STARTILE_INVERTED_ORDER)
        return use_unit_inverse(k, condition);
    const int use = use_unit_inverse(STARTILE_INVERTED_ORDER, condition);
    return use == 1 ? STARTILE_INVERSE_BLOCKS : use;
}

int NAME(getrf)(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0,
                startile_pivots_of_panel pivots, void *w, int ldw, startile_tile_status *status)
{
    (void)x;
    int info = factor_pieces(pieces, a, n, row0, pivots), k = pivots.k;
    if (info < 0)
        return STARTILE_ERROR_MEMORY;
    status->info = info;
    status->use_inverse = 0;
    /* the first piece contains L11, because a diagonal block lies in one tile */
    if (w != NULL)
        status->use_inverse =
            use_blocks(k, NAME(invert)('L', 'U', k, STARTILE_INVERTED_ORDER, a->p, a->ld, w, ldw));
    return 0;
}
