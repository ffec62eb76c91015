/* W := |op(A)| |B| + W in double precision, the products of componentwise error bounds (LAPACK
 * xGERFS, xPORFS). */
#include "dtype.h"

/* w_i += |a_i| |b| for i = first … end − 1. */
static void add_column(int first, int end, const element *a, double b, double *w)
{
    for (int i = first; i < end; i++)
        w[i] += ABS1(a[i]) * b;
}

/* Returns Σ |a_i| |b_i| over i = first … end − 1. In row real_row, |a_i| is that of the real part;
 * −1: there is no such row. */
static double sum_of_products(int first, int end, int real_row, const element *a, const element *b)
{
    double sum = 0;
    for (int i = first; i < end; i++)
        sum += (i == real_row ? fabs((double)creal(a[i])) : ABS1(a[i])) * ABS1(b[i]);
    return sum;
}

/* Adds the products of column j of A, which has `rows` rows, to a column w of W. If A is general,
 * these are w += |a_j| |b_j| or w_j += |a_j|ᵀ |b|. A column of a stored triangle has both, the
 * first one without the diagonal element. */
static void add_products(char trans, char uplo, int rows, int j, const element *a, const element *b,
                         double *w)
{
    const bool triangle = uplo != 'G';
    if (triangle || trans == 'N')
        add_column(uplo == 'L' ? j + 1 : 0, uplo == 'U' ? j : rows, a, ABS1(b[j]), w);
    if (triangle || trans != 'N')
        w[j] += sum_of_products(first_row(uplo, rows, j), end_row(uplo, rows, j), triangle ? j : -1,
                                a, b);
}

int NAME(abs_gemm)(startile_exec *x, char trans, char uplo, int m, int n, int k, const void *a,
                   int lda, const void *b, int ldb, double *w, int ldw)
{
    (void)x;
    const int rows = trans == 'N' ? m : k, columns = trans == 'N' ? k : m;
    for (int q = 0; q < n; q++)
        for (int j = 0; j < columns; j++)
            add_products(trans, uplo, rows, j, (const element *)a + (ptrdiff_t)j * lda,
                         (const element *)b + (ptrdiff_t)q * ldb, w + (ptrdiff_t)q * ldw);
    return 0;
}
