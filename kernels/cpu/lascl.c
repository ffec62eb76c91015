/* A := 2^p A, exact unless an element overflows or underflows. 0 and infinity are treated as in
 * LAPACK. */
#include "dtype.h"

#include <float.h>

/* Returns e(x) of kernels.h. A large x is scaled to about 1/s only, as in LAPACK: scaled to 1,
 * elements much smaller than x would underflow. */
static int exponent(const double *x)
{
    double least = sizeof(real) == sizeof(double) ? DBL_MIN / DBL_EPSILON : FLT_MIN / FLT_EPSILON;
    if (x == NULL || !(*x > 0) || isinf(*x) || (*x >= least && *x <= 1 / least))
        return 0;
    return *x < least ? -ilogb(*x) : -ilogb(*x) - ilogb(least) - 1;
}

static real scaled(real v, int p, bool up_is_infinite, bool down_is_infinite)
{
    if (up_is_infinite)
        v *= 0;
    v = (real)scalbn((double)v, p);
    return down_is_infinite ? v * (real)INFINITY : v;
}

int NAME(lascl)(startile_exec *x, int m, int n, const double *up, const double *down, void *a,
                int lda)
{
    (void)x;
    const int parts = sizeof(element) / sizeof(real), p = exponent(up) - exponent(down);
    const bool up_infinite = up != NULL && isinf(*up), down_infinite = down != NULL && isinf(*down);
    const bool clears = up != NULL && *up == 0;
    if (p == 0 && !up_infinite && !down_infinite && !clears)
        return 0;
    for (int j = 0; j < n; j++) {
        real *column = (real *)((element *)a + (ptrdiff_t)j * lda);
        for (int i = 0; i < m * parts; i++)
            column[i] = clears ? 0 : scaled(column[i], p, up_infinite, down_infinite);
    }
    return 0;
}
