/*
 * B := alpha op(A)⁻¹ B or alpha B op(A)⁻¹, by recursion on halves of the triangle (Elmroth,
 * Gustavson, Jonsson & Kågström, "Recursive blocked algorithms", SIAM Review 46, 2004). OpenBLAS'
 * xTRSM with a triangle of order 256 runs at a third of the rate of its xGEMM; therefore only the
 * leaves of the recursion use xTRSM (perf_models/NOTES.md, "CPU cores"). Error bound: that of
 * substitution (Higham 2002, section 8.1). A triangle with a tiny diagonal element is solved by
 * solve_by_division().
 */
#include "dtype.h"

#include <float.h>

/* Order of a triangle up to which further recursion gains nothing. */
enum { LEAF = 64 };

struct triangle {
    char side, uplo, trans, diag;
    int lda;
};

static void solve_leaf(const struct triangle *t, int m, int n, element alpha, const element *a,
                       element *b, int ldb)
{
    BLAS(trsm)
    (CblasColMajor, cblas_side(t->side), cblas_uplo(t->uplo), cblas_trans(t->trans),
     cblas_diag(t->diag), m, n, SCALAR(alpha), a, t->lda, b, ldb);
}

/* Solves with a triangle by recursion; B is m × n. */
static void solve(const struct triangle *t, int m, int n, element alpha, const element *a,
                  element *b, int ldb)
{
    bool left = t->side == 'L';
    int order = left ? m : n, k1 = order / 2, k2 = order - k1;
    if (order <= LEAF || alpha == 0) {
        solve_leaf(t, m, n, alpha, a, b, ldb);
        return;
    }
    const element *a22 = a + k1 + (ptrdiff_t)k1 * t->lda;
    const element *off_diagonal = t->uplo == 'L' ? a + k1 : a + (ptrdiff_t)k1 * t->lda;
    element *b2 = left ? b + k1 : b + (ptrdiff_t)k1 * ldb;
    /* forward: the first half of the unknowns is solved first. That is the case for side 'L' if
     * op(A) is lower, and for side 'R' if op(A) is upper triangular. */
    bool lower = (t->uplo == 'L') == (t->trans == 'N'), forward = lower == left;
    element *first = forward ? b : b2, *second = forward ? b2 : b;
    int done = forward ? k1 : k2, remaining = forward ? k2 : k1;

    solve(t, left ? done : m, left ? n : done, alpha, forward ? a : a22, first, ldb);
    if (left)
        BLAS(gemm)
    (CblasColMajor, cblas_trans(t->trans), CblasNoTrans, remaining, n, done, SCALAR(-1),
     off_diagonal, t->lda, first, ldb, SCALAR(alpha), second, ldb);
    else BLAS(gemm)(CblasColMajor, CblasNoTrans, cblas_trans(t->trans), m, remaining, done,
                    SCALAR(-1), first, ldb, off_diagonal, t->lda, SCALAR(alpha), second, ldb);
    solve(t, left ? remaining : m, left ? n : remaining, 1, forward ? a22 : a, second, ldb);
}

/* Returns whether |re| + |im| of a diagonal element is so small that the reciprocal of this element
 * may be infinite. */
static bool has_tiny_diagonal(int n, const element *a, int lda)
{
    const real least = sizeof(real) == sizeof(double) ? 4 * DBL_MIN : 4 * FLT_MIN;
    for (int k = 0; k < n; k++) {
        element d = a[k + (ptrdiff_t)k * lda];
        if (fabs(creal(d)) + fabs(cimag(d)) < least)
            return true;
    }
    return false;
}

/* Returns element (i, k) of op(A) for side 'L', of op(A)ᵀ for side 'R'. */
static element element_of(const struct triangle *t, const element *a, int i, int k)
{
    bool transposes = (t->trans != 'N') != (t->side == 'R');
    element v = transposes ? a[k + (ptrdiff_t)i * t->lda] : a[i + (ptrdiff_t)k * t->lda];
    return t->trans == 'C' ? (element)conj(v) : v;
}

/* Solves for nrhs right-hand sides, one after the other, and divides by the diagonal elements,
 * as reference BLAS does. OpenBLAS 0.3.21 multiplies by their reciprocals instead. The reciprocal
 * of a subnormal element or of 0 is infinite, and its product with 0 is NaN. */
static void solve_by_division(const struct triangle *t, int n, int nrhs, element alpha,
                              const element *a, element *b, int ldb)
{
    ptrdiff_t step = t->side == 'L' ? 1 : ldb, next = t->side == 'L' ? ldb : 1;
    bool lower = (t->uplo == 'L') == ((t->trans == 'N') == (t->side == 'L'));
    for (int j = 0; j < nrhs; j++) {
        element *x = b + j * next;
        for (int i = 0; i < n && alpha != 1; i++)
            x[i * step] *= alpha;
        for (int c = 0; c < n; c++) {
            int k = lower ? c : n - 1 - c;
            if (x[k * step] == 0 && t->trans == 'N')
                continue; /* as in reference BLAS; for trans 'T' and 'C', 0 / 0 gives NaN */
            x[k * step] /= element_of(t, a, k, k);
            for (int i = lower ? k + 1 : 0; i < (lower ? n : k); i++)
                x[i * step] -= x[k * step] * element_of(t, a, i, k);
        }
    }
}

/* B := op(A)⁻¹ B column by column, by BLAS xTRSV. */
static void solve_vectors(const struct triangle *t, int m, int n, const element *a, element *b,
                          int ldb)
{
    for (int j = 0; j < n; j++)
        BLAS(trsv)
    (CblasColMajor, cblas_uplo(t->uplo), cblas_trans(t->trans), cblas_diag(t->diag), m, a, t->lda,
     b + (ptrdiff_t)j * ldb, 1);
}

int NAME(trsm)(startile_exec *x, char side, char uplo, char trans, char diag, int m, int n,
               startile_scalar alpha, const void *a, int lda, void *b, int ldb)
{
    (void)x;
    const struct triangle t = {side, uplo, trans, diag, lda};
    int order = side == 'L' ? m : n, nrhs = side == 'L' ? n : m;
    if (diag == 'N' && has_tiny_diagonal(order, a, lda))
        solve_by_division(&t, order, nrhs, to_element(alpha), a, b, ldb);
    else if (side == 'L' && order > LEAF && n <= FEW_COLUMNS && alpha.re == 1 && alpha.im == 0)
        solve_vectors(&t, m, n, a, b, ldb);
    else
        solve(&t, m, n, to_element(alpha), a, b, ldb);
    return 0;
}

int NAME(trsm_by_inverses)(startile_exec *x, char uplo, char trans, char diag, int m, int n,
                           const void *t, int ldt, const void *w, int ldw, void *b, int ldb)
{
    (void)w, (void)ldw;
    const startile_scalar one = {1, 0};
    return NAME(trsm)(x, 'L', uplo, trans, diag, m, n, one, t, ldt, b, ldb);
}
