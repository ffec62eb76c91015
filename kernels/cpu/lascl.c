/* A := 2^p A, exactly but for what leaves the range. */
#include "dtype.h"

#include <float.h>

static int exponent(const double *x)
{
    double least = sizeof(real) == sizeof(double) ? DBL_MIN / DBL_EPSILON : FLT_MIN / FLT_EPSILON;
    if (x == NULL || !(*x > 0) || isinf(*x) || (*x >= least && *x <= 1 / least))
        return 0;
    return -ilogb(*x);
}

int NAME(lascl)(startile_exec *x, int m, int n, const double *up, const double *down, void *a,
                int lda)
{
    (void)x;
    const int parts = sizeof(element) / sizeof(real), p = exponent(up) - exponent(down);
    for (int j = 0; j < n && p != 0; j++) {
        real *column = (real *)((element *)a + (ptrdiff_t)j * lda);
        for (int i = 0; i < m * parts; i++)
            column[i] = (real)scalbn((double)column[i], p);
    }
    return 0;
}
