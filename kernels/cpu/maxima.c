/* Largest scaled elements and largest quotients of each column. A NaN becomes the maximum and stays
 * it. */
#include "scaled.h"

/* Returns |a| / (|b| + w), where 0/0 counts as 0. */
static double ratio(element a, element b, double w)
{
    const double numerator = ABS1(a), denominator = ABS1(b) + w;
    return numerator == 0 && denominator == 0 ? 0 : numerator / denominator;
}

int NAME(column_maxima)(startile_exec *x, int m, int n, const void *a, int lda, const double *r,
                        double *acc)
{
    (void)x;
    for (int i = 0; i < m; i += STRIP) {
        int p[STRIP], rows = strip_rows(m, i);
        strip_exponents(rows, r == NULL ? NULL : r + i, -1, p);
        for (int j = 0; j < n; j++) {
            const element *column = (const element *)a + i + (ptrdiff_t)j * lda;
            for (int k = 0; k < rows; k++) {
                const double_element v = scaled(column[k], p[k]);
                take_max(&acc[j], ABS1(v));
            }
        }
    }
    return 0;
}

int NAME(ratio_maxima)(startile_exec *x, int m, int n, const void *a, int lda, const void *b,
                       int ldb, const double *w, int ldw, double *acc)
{
    (void)x;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            take_max(&acc[j], ratio(((const element *)a)[i + (ptrdiff_t)j * lda],
                                    ((const element *)b)[i + (ptrdiff_t)j * ldb],
                                    w[i + (ptrdiff_t)j * ldw]));
    return 0;
}
