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

double NAME(invert)(char uplo, char diag, int n, const element *t, int ldt, element *w, int ldw)
{
    const startile_scalar zero = {0, 0};
    int info = 0;
    NAME(laset)(NULL, 'G', n, n, 0, zero, zero, w, ldw);
    NAME(lacpy)(NULL, uplo, n, n, t, ldt, w, ldw);
    for (int k = 0; k < n && diag == 'U'; k++)
        w[k + (ptrdiff_t)k * ldw] = 1;
    LAPACK(trtri)(&uplo, &diag, &n, w, &ldw, &info);
    return info != 0 ? INFINITY : norm1(uplo, diag, n, t, ldt) * norm1(uplo, diag, n, w, ldw);
}

int NAME(trtri)(startile_exec *x, char uplo, char diag, int n, const void *t, int ldt, void *w,
                int ldw)
{
    (void)x;
    NAME(invert)(uplo, diag, n, t, ldt, w, ldw);
    return 0;
}
