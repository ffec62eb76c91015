/*
 * Cholesky factorization of a diagonal tile by LAPACK xPOTRF, and the inverse of its factor by
 * xTRTRI. Backward error: ‖A − L Lᴴ‖ ≤ c n eps ‖A‖ with a small constant c (Higham 2002, theorem
 * 10.3).
 *
 * This kernel reports a NaN pivot as a failing minor, as LAPACK does; OpenBLAS' xPOTRF ignores it.
 */
#include "dtype.h"

#include <stdbool.h>

/* Returns the 1-based index of the first NaN on the diagonal, or 0. */
static int64_t first_nan_pivot(int n, const element *a, int lda)
{
    for (int i = 0; i < n; i++)
        if (isnan(creal(a[i + (ptrdiff_t)i * lda])))
            return i + 1;
    return 0;
}

static bool is_infinite(element pivot)
{
    return isinf(creal(pivot));
}

static bool has_infinite_pivot(int n, const element *a, int lda)
{
    for (int k = 0; k < n; k++)
        if (is_infinite(a[k + (ptrdiff_t)k * lda]))
            return true;
    return false;
}

/* Factors A by xPOTRF, or by xPOTRF2 if a diagonal element is infinite. The xPOTRF of OpenBLAS
 * 0.3.21 sets infinite elements below an infinite pivot to 0, so that later minors do not fail; in
 * xPOTRF2 ∞ / ∞ is NaN. Returns LAPACK's info. */
static int factor(char uplo, int n, element *a, int lda)
{
    int info = 0;
    if (has_infinite_pivot(n, a, lda))
        LAPACK(potrf2)(&uplo, &n, a, &lda, &info);
    else
        LAPACK(potrf)(&uplo, &n, a, &lda, &info);
    return info;
}

/* Returns ‖T‖₁ of a stored triangle. Leaves out the columns of infinite pivots, because these
 * columns of the inverse are 0. For uplo 'U' the 1-norms of T and T⁻¹ are the ∞-norms of their
 * transposes, which are lower triangles; so ‖T‖₁ ‖T⁻¹‖₁ bounds the error for both values of
 * uplo. */
static double triangle_norm(char uplo, int n, const element *t, int ldt)
{
    double norm = 0;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = first_row(uplo, n, j); i < end_row(uplo, n, j); i++)
            sum += MAGNITUDE(t[i + (ptrdiff_t)j * ldt]);
        if (!(sum <= norm) && !is_infinite(t[j + (ptrdiff_t)j * ldt]))
            norm = sum;
    }
    return norm;
}

/* W := T⁻¹. Returns the info of xTRTRI. Infinite pivots are replaced by 1 for the inversion, and
 * their rows and columns of W are set to 0. A multiplication by W then gives 0 for the unknown of
 * an infinite pivot, as a division by infinity does. */
static int invert(char uplo, int n, const element *t, int ldt, element *w, int ldw)
{
    const startile_scalar zero = {0, 0};
    int info = 0;
    NAME(laset)(NULL, 'G', n, n, 0, zero, zero, w, ldw);
    NAME(lacpy)(NULL, uplo, n, n, t, ldt, w, ldw);
    for (int k = 0; k < n; k++)
        if (is_infinite(w[k + (ptrdiff_t)k * ldw]))
            w[k + (ptrdiff_t)k * ldw] = 1;
    LAPACK(trtri)(&uplo, "N", &n, w, &ldw, &info);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n && is_infinite(t[k + (ptrdiff_t)k * ldt]); i++)
            w[i + (ptrdiff_t)k * ldw] = w[k + (ptrdiff_t)i * ldw] = 0;
    return info;
}

int NAME(potrf)(startile_exec *x, char uplo, int n, void *a, int lda, void *w, int ldw,
                startile_tile_status *status)
{
    (void)x;
    int info = factor(uplo, n, a, lda);
    int64_t nan = first_nan_pivot(info > 0 ? info - 1 : n, a, lda);
    status->info = nan ? nan : info;
    status->use_inverse = 0;
    if (w != NULL && status->info == 0 && invert(uplo, n, a, lda, w, ldw) == 0) {
        double condition = triangle_norm(uplo, n, a, lda) * triangle_norm(uplo, n, w, ldw);
        status->use_inverse = condition <= n;
    }
    return 0;
}
