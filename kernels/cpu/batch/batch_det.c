/* Determinants of many matrices from their factors (LINPACK xGEDI, xPODI). */
#include "batch_matrix.h"
#include "wide.h"

int NAME(det_batch)(startile_exec *x, int count, const startile_matrices *A,
                    const startile_matrices *P, void *sign, void *logabsdet)
{
    (void)x;
    for (int q = 0; q < count; q++) {
        const struct matrix a = matrix_of(A, q);
        const int64_t *ipiv = P != NULL ? start_of(P, sizeof *ipiv, q) : NULL;
        startile_wide det = {1, 0, 0};
        for (int i = 0; i < a.n; i++) {
            const element d = a.p[i + (ptrdiff_t)i * a.ld];
            const int s = ipiv != NULL && ipiv[i] != i + 1 ? -1 : 1;
            det = startile_wide_product(det, startile_wide_of(s * creal(d), s * cimag(d), 0));
        }
        const startile_wide unit = startile_wide_sign(det);
        ((real *)logabsdet)[q] = (real)((sign == NULL ? 2 : 1) * startile_wide_logarithm(det));
        if (sign != NULL)
            ((element *)sign)[q] = to_element((startile_scalar){unit.re, unit.im});
    }
    return 0;
}
