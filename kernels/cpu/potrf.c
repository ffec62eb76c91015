/*
 * Cholesky of a diagonal tile by LAPACK xPOTRF, and the inverse of its factor by xTRTRI.
 *
 * OpenBLAS' own potrf lets a NaN pivot pass; LAPACK's takes it for a failing minor, and so do we.
 */
#include "dtype.h"

static int64_t first_nan_pivot(int n, const element *a, int lda)
{
    for (int i = 0; i < n; i++)
        if (isnan(creal(a[i + (ptrdiff_t)i * lda])))
            return i + 1;
    return 0;
}

/* ‖T‖₁ of a triangle; the 1-norms of T and T⁻¹ are the ∞-norms of their transposes, so that the
 * product serves both triangles alike. */
static double triangle_norm(char uplo, int n, const element *t, int ldt)
{
    double norm = 0;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = first_row(uplo, n, j); i < last_row(uplo, n, j); i++)
            sum += MAGNITUDE(t[i + (ptrdiff_t)j * ldt]);
        if (!(sum <= norm))
            norm = sum;
    }
    return norm;
}

static int invert(char uplo, int n, const element *t, int ldt, element *w, int ldw)
{
    const startile_scalar zero = {0, 0};
    int info = 0;
    NAME(laset)(NULL, 'G', n, n, 0, zero, zero, w, ldw);
    NAME(lacpy)(NULL, uplo, n, n, t, ldt, w, ldw);
    LAPACK(trtri)(&uplo, "N", &n, w, &ldw, &info);
    return info;
}

int NAME(potrf)(startile_exec *x, char uplo, int n, void *a, int lda, void *w, int ldw,
                startile_panel *panel)
{
    (void)x;
    int info = 0;
    LAPACK(potrf)(&uplo, &n, a, &lda, &info);
    int64_t nan = first_nan_pivot(info > 0 ? info - 1 : n, a, lda);
    panel->info = nan ? nan : info;
    panel->use_inverse = 0;
    if (w != NULL && panel->info == 0 && invert(uplo, n, a, lda, w, ldw) == 0) {
        double condition = triangle_norm(uplo, n, a, lda) * triangle_norm(uplo, n, w, ldw);
        panel->use_inverse = condition <= n;
    }
    return 0;
}
