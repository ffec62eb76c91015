/*
 * B := alpha op(A)⁻¹ B or alpha B op(A)⁻¹, by recursion on halves of the triangle: OpenBLAS' xTRSM
 * of a 256 triangle runs at a third of its xGEMM's rate, of which this leaves the leaves
 * (perf_models/NOTES.md). Elmroth, Gustavson, Jonsson & Kågström, "Recursive blocked algorithms",
 * SIAM Review 46 (2004). Error bound as for substitution (Higham 2002, section 8.1).
 */
#include "dtype.h"

/* Order of a triangle below which halving it gains nothing more. */
enum { LEAF = 64 };

struct triangle {
    char side, uplo, trans, diag;
    int lda;
};

static void leaf(const struct triangle *t, int m, int n, element alpha, const element *a,
                 element *b, int ldb)
{
    BLAS(trsm)
    (CblasColMajor, cblas_side(t->side), cblas_uplo(t->uplo), cblas_trans(t->trans),
     cblas_diag(t->diag), m, n, SCALAR(alpha), a, t->lda, b, ldb);
}

static void solve(const struct triangle *t, int m, int n, element alpha, const element *a,
                  element *b, int ldb)
{
    bool left = t->side == 'L';
    int order = left ? m : n, k1 = order / 2, k2 = order - k1;
    if (order <= LEAF || alpha == 0) {
        leaf(t, m, n, alpha, a, b, ldb);
        return;
    }
    const element *a22 = a + k1 + (ptrdiff_t)k1 * t->lda;
    const element *beside = t->uplo == 'L' ? a + k1 : a + (ptrdiff_t)k1 * t->lda;
    element *b2 = left ? b + k1 : b + (ptrdiff_t)k1 * ldb;
    /* op(A) is lower: its first half is solved first from the left, and last from the right */
    bool lower = (t->uplo == 'L') == (t->trans == 'N'), forward = lower == left;
    element *first = forward ? b : b2, *second = forward ? b2 : b;
    int done = forward ? k1 : k2, rest = forward ? k2 : k1;

    solve(t, left ? done : m, left ? n : done, alpha, forward ? a : a22, first, ldb);
    if (left)
        BLAS(gemm)
    (CblasColMajor, cblas_trans(t->trans), CblasNoTrans, rest, n, done, SCALAR(-1), beside, t->lda,
     first, ldb, SCALAR(alpha), second, ldb);
    else BLAS(gemm)(CblasColMajor, CblasNoTrans, cblas_trans(t->trans), m, rest, done, SCALAR(-1),
                    first, ldb, beside, t->lda, SCALAR(alpha), second, ldb);
    solve(t, left ? rest : m, left ? n : rest, 1, forward ? a22 : a, second, ldb);
}

int NAME(trsm)(startile_exec *x, char side, char uplo, char trans, char diag, int m, int n,
               startile_scalar alpha, const void *a, int lda, void *b, int ldb)
{
    (void)x;
    const struct triangle t = {side, uplo, trans, diag, lda};
    solve(&t, m, n, to_element(alpha), a, b, ldb);
    return 0;
}
