/* Weights of a bound of the error of a solution (LAPACK xPORFS, xGERFS). */
#include "dtype.h"

int NAME(error_weights)(startile_exec *x, int m, int n, const void *r, int ldr, const void *b,
                        int ldb, double rounding, const double *largest, double *w, int ldw)
{
    (void)x;
    for (int j = 0; j < n; j++) {
        const element *r_j = (const element *)r + (ptrdiff_t)j * ldr,
                      *b_j = (const element *)b + (ptrdiff_t)j * ldb;
        double *w_j = w + (ptrdiff_t)j * ldw;
        for (int i = 0; i < m; i++) {
            const double sum = ABS1(r_j[i]) + rounding * (w_j[i] + ABS1(b_j[i]));
            w_j[i] = largest[j] == 0 ? sum : sum / largest[j];
        }
    }
    return 0;
}

int NAME(weight_rows)(startile_exec *x, int m, const double *w, void *v)
{
    (void)x;
    for (int i = 0; i < m; i++)
        ((element *)v)[i] = (element)(w[i] * ((element *)v)[i]);
    return 0;
}
