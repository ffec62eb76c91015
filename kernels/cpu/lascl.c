/* A := 2^p A with p = e(*up) − e(*down) (kernel_list.h), exact unless an element overflows or
 * underflows. If *up is 0 or infinite, or *down is infinite, the result is the same as LAPACK's. */
#include "dtype.h"

#include <float.h>

/* Returns e(x), which kernel_list.h defines. As in LAPACK, a large x is scaled to about 1/s, not to
 * 1, so that elements much smaller than x do not underflow. */
static int exponent(const double *x)
{
    double s = sizeof(real) == sizeof(double) ? DBL_MIN / DBL_EPSILON : FLT_MIN / FLT_EPSILON;
    if (x == NULL || !(*x > 0) || isinf(*x) || (*x >= s && *x <= 1 / s))
        return 0;
    return *x < s ? -ilogb(*x) : -ilogb(*x) - ilogb(s) - 1;
}

/* Returns 2^p v. Multiplies v by 0 first if up_is_infinite, and the result by ∞ if
 * down_is_infinite. */
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
