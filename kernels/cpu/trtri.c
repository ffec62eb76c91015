/*
 * W := T⁻¹ for a triangle T by LAPACK xTRTRI, with zeros in the other triangle of W. The condition
 * number ‖T‖₁ ‖W‖₁ decides whether a multiplication by W may replace a triangular solve with T (Du
 * Croz & Higham 1992). Error bound of the inverse: Higham 2002, section 14.2.
 */
#include "dtype.h"

/* Returns ‖T‖₁, the largest column sum of a stored triangle. The result is infinite or NaN if a
 * column sum is.
 */
static double norm1(char uplo, char diag, int n, const element *t, int ldt)
{
    double norm = 0;
    for (int j = 0; j < n; j++) {
        double sum = diag == 'U' ? 1 : 0;
        for (int i = first_row(uplo, n, j); i < end_row(uplo, n, j); i++)
            if (i != j || diag == 'N')
                sum += MAGNITUDE(t[i + (ptrdiff_t)j * ldt]);
        if (!(sum <= norm) && !isnan(norm))
            norm = sum;
    }
    return norm;
}

/* W := T⁻¹. Returns LAPACK's info. */
static int invert_block(char uplo, char diag, int n, const element *t, int ldt, element *w, int ldw)
{
    const startile_scalar zero = {0, 0};
    int info = 0;
    NAME(laset)(NULL, 'G', n, n, 0, zero, zero, w, ldw);
    NAME(lacpy)(NULL, uplo, n, n, t, ldt, w, ldw);
    if (diag == 'U')
        for (int k = 0; k < n; k++)
            w[k + (ptrdiff_t)k * ldw] = 1;
    LAPACK(trtri)(&uplo, &diag, &n, w, &ldw, &info);
    return info;
}

/* Returns the larger one of two norms; NaN if one is. */
static double larger_norm(double x, double y)
{
    return x >= y || isnan(x) ? x : y;
}

double NAME(invert)(char uplo, char diag, int n, int order, const element *t, int ldt, element *w,
                    int ldw)
{
    double norm_t = 0, norm_w = 0;
    for (int first = 0; first < n; first += order) {
        const int k = n - first < order ? n - first : order;
        const element *t_k = t + first + (ptrdiff_t)first * ldt;
        element *w_k = w + first + (ptrdiff_t)first * ldw;
        if (invert_block(uplo, diag, k, t_k, ldt, w_k, ldw) != 0)
            return INFINITY;
        norm_t = larger_norm(norm_t, norm1(uplo, diag, k, t_k, ldt));
        norm_w = larger_norm(norm_w, norm1(uplo, diag, k, w_k, ldw));
    }
    return norm_t * norm_w;
}

int NAME(trtri)(startile_exec *x, char uplo, char diag, int n, const void *t, int ldt, void *w,
                int ldw)
{
    (void)x;
    NAME(invert)(uplo, diag, n, n, t, ldt, w, ldw);
    return 0;
}
