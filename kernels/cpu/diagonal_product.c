/* Product of a triangular factor's diagonal, for determinants (LINPACK xGEDI). */
#include "dtype.h"
#include "wide.h"

int NAME(diagonal_product)(startile_exec *x, int n, const void *a, int lda, int64_t row0,
                           startile_pivots_of_panel pivots, double *product)
{
    (void)x;
    startile_wide all = {1, 0, 0};
    for (int i = 0; i < n; i++) {
        const element d = ((const element *)a)[i + (ptrdiff_t)i * lda];
        const int sign = i < pivots.k && pivots.of[i] != row0 + i + 1 ? -1 : 1;
        all = startile_wide_product(all, startile_wide_of(sign * creal(d), sign * cimag(d), 0));
    }
    product[0] = all.re;
    product[1] = all.im;
    product[2] = all.exponent;
    return 0;
}
