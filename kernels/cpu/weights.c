/* Weights of checksums (option `verify`). */
#include "weights.h"
#include "checksum.h"

int NAME(weights)(startile_exec *x, int64_t first, int64_t rows, int m, void *e, int lde)
{
    (void)x;
    for (int q = 0; q < 2; q++)
        for (int i = 0; i < m; i++)
            ((element *)e)[i + (ptrdiff_t)q * lde] = (element)startile_weight(first + i, rows, q);
    return 0;
}

int NAME(spread_weights)(startile_exec *x, int m, const void *e, int lde, double *w, int ldw)
{
    (void)x;
    for (int q = 0; q < 2; q++)
        for (int i = 0; i < m; i++) {
            const double_element v = ((const element *)e)[i + (ptrdiff_t)q * lde];
            double *to = w + i + (ptrdiff_t)q * PARTS * ldw;
            to[0] = creal(v);
            if (PARTS == 2)
                to[ldw] = cimag(v);
        }
    for (int i = 0; i < m; i++)
        w[i + (ptrdiff_t)(SUMS - 1) * ldw] = 1;
    return 0;
}
