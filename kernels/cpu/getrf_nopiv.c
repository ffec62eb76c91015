/*
 * LU factorization of a diagonal block without pivoting, by recursion on halves of its columns
 * (Toledo, "Locality of reference in LU decomposition with partial pivoting", SIAM J. Matrix Anal.
 * Appl. 18, 1997), so that most of the work is in triangular solves and products.
 *
 * Backward error: |ΔA| ≤ γ_n |L| |U| (Higham 2002, theorem 9.3). Without pivoting |L| |U| is not
 * bounded by a multiple of |A|.
 */
#include "dtype.h"

/* Order up to which the overhead of BLAS calls exceeds their gain. */
enum { LEAF = 16 };

/* Factors an n × n block column by column. Sums the products before it subtracts them, so that the
 * large diagonal of a diagonally dominant matrix is rounded once, not at every step. Returns the
 * 1-based index of the first zero pivot, or 0. */
static int factor_leaf(int n, element *a, int lda)
{
    int info = 0;
    for (int j = 0; j < n; j++) {
        element *column = a + (ptrdiff_t)j * lda;
        for (int i = 0; i < n; i++) {
            element sum = 0;
            for (int k = 0; k < i && k < j; k++)
                sum += a[i + (ptrdiff_t)k * lda] * column[k];
            column[i] -= sum;
        }
        if (column[j] == 0 && info == 0)
            info = j + 1;
        for (int i = j + 1; i < n; i++)
            column[i] /= column[j];
    }
    return info;
}

/* Factors an n × n block by recursion. Returns the same value as factor_leaf(). */
static int factor(int n, element *a, int lda)
{
    if (n <= LEAF)
        return factor_leaf(n, a, lda);
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    int n1 = n / 2, n2 = n - n1;
    element *a12 = a + (ptrdiff_t)n1 * lda, *a21 = a + n1, *a22 = a12 + n1;
    int info = factor(n1, a, lda);
    NAME(trsm)(NULL, 'L', 'L', 'N', 'U', n1, n2, one, a, lda, a12, lda);
    NAME(trsm)(NULL, 'R', 'U', 'N', 'N', n2, n1, one, a, lda, a21, lda);
    NAME(gemm)(NULL, 'N', 'N', n2, n2, n1, minus_one, a21, lda, a12, lda, one, a22, lda);
    int second = factor(n2, a22, lda);
    return info != 0 ? info : second != 0 ? n1 + second : 0;
}

int NAME(getrf_nopiv)(startile_exec *x, int n, void *a, int lda, void *wl, int ldwl, void *wu,
                      int ldwu, startile_tile_status *status)
{
    (void)x;
    status->info = factor(n, a, lda);
    status->use_inverse = 0;
    if (wl != NULL && status->info == 0 && NAME(invert)('U', 'N', n, n, a, lda, wu, ldwu) <= n)
        status->use_inverse = use_unit_inverse(n, NAME(invert)('L', 'U', n, n, a, lda, wl, ldwl));
    return 0;
}
