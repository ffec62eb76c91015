/* Comparison of two checksums (option `verify`). */
#include "checksum.h"

#include <float.h>

/* Returns |c − d| of one weighted sum. */
static double distance(const double *c, ptrdiff_t ldc, const double *d, ptrdiff_t ldd)
{
    const double re = c[0] - d[0];
    return PARTS == 1 ? fabs(re) : hypot(re, c[ldc] - d[ldd]);
}

int NAME(compare_checksums)(startile_exec *x, int n, const double *c, int ldc, const double *d,
                            int ldd, double bound, int64_t before, double *found)
{
    (void)x;
    const bool is_single = sizeof(real) == sizeof(float);
    /* square of the type's smallest normal number, as far as a double can hold it */
    const double least = is_single ? (double)FLT_MIN * FLT_MIN : DBL_MIN;
    const double largest = is_single ? FLT_MAX : DBL_MAX;
    for (int j = 0; j < n; j++) {
        const double r0 = distance(c + j, ldc, d + j, ldd),
                     r1 = distance(c + j + (ptrdiff_t)PARTS * ldc, ldc,
                                   d + j + (ptrdiff_t)PARTS * ldd, ldd);
        const double v_c = c[j + (ptrdiff_t)(SUMS - 1) * ldc],
                     v = v_c + d[j + (ptrdiff_t)(SUMS - 1) * ldd];
        const bool is_finite = isfinite(r0) && isfinite(r1) && isfinite(v);
        const bool is_in_range = v_c <= largest;
        if (!is_in_range)
            found[4] = 1;
        if (!is_in_range)
            continue;
        const double ratio = fmax(r0, r1) / (bound * sqrt(fmax(v, least)));
        if (found[0] == 0 && !(is_finite && ratio <= 1)) {
            found[0] = (double)(before + j + 1);
            found[1] = r0;
            found[2] = r1;
        }
        if (is_finite && ratio > found[3])
            found[3] = ratio;
    }
    return 0;
}
