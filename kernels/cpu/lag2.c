/* Scaling by powers of two: B := A in the other precision (LAPACK xLAG2y), and A := diag A (LAPACK
 * xLASCL2). Sums and scaled elements are in double precision before they are rounded. */
#include "scaled.h"

/* b_i := 2^(p_i + q) a_i (+ b_i if add) for the rows of a strip. */
static void convert_rows(int rows, const element *a, const int *p, int q, bool add,
                         other_element *b)
{
    for (int i = 0; i < rows; i++) {
        const double_element v = scaled(a[i], p[i] + q);
        b[i] = (other_element)(add ? v + b[i] : v);
    }
}

int NAME(lag2)(startile_exec *x, int m, int n, const void *a, int lda, const double *r,
               const double *c, int divide, int add, void *b, int ldb)
{
    (void)x;
    const int sign = divide ? 1 : -1;
    for (int i = 0; i < m; i += STRIP) {
        int p[STRIP], rows = strip_rows(m, i);
        strip_exponents(rows, r == NULL ? NULL : r + i, -1, p);
        for (int j = 0; j < n; j++)
            convert_rows(rows, (const element *)a + i + (ptrdiff_t)j * lda, p,
                         sign * startile_exponent(c, j), add,
                         (other_element *)b + i + (ptrdiff_t)j * ldb);
    }
    return 0;
}

int NAME(lascl2)(startile_exec *x, int m, int n, const double *r, void *a, int lda)
{
    (void)x;
    for (int i = 0; i < m; i += STRIP) {
        int p[STRIP], rows = strip_rows(m, i);
        strip_exponents(rows, r + i, -1, p);
        for (int j = 0; j < n; j++) {
            element *column = (element *)a + i + (ptrdiff_t)j * lda;
            for (int k = 0; k < rows; k++)
                column[k] = (element)scaled(column[k], p[k]);
        }
    }
    return 0;
}
