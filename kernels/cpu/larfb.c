/*
 * C := (I − V op(T) Vᴴ) C by the algorithm of LAPACK xLARFB: W := Vᴴ C, W := op(T) W, C := C − V W.
 * The products with the triangle T and with the triangle at the top of V use xTRMM. The first k
 * rows of V and of C lie in their first pieces, because a diagonal block lies in one tile.
 *
 * Error: ‖ΔC‖ ≤ c m k eps ‖C‖ with a small constant c, for m rows of C (Higham 2002, section 19.5).
 */
#include "tile_column.h"

#include <stdlib.h>

/* The block reflector I − V op(T) Vᴴ with k columns of V */
struct reflector {
    int k, ldt;
    enum CBLAS_TRANSPOSE op;
    const startile_piece *v;
    const element *t;
};

/* W := op(A) W for a triangle A of order k; W is k × n */
static void multiply(enum CBLAS_UPLO uplo, enum CBLAS_TRANSPOSE op, enum CBLAS_DIAG diag, int k,
                     int n, const void *a, int lda, element *w)
{
    BLAS(trmm)(CblasColMajor, CblasLeft, uplo, op, diag, k, n, SCALAR(1), a, lda, w, k);
}

/* W := W + Vᴴ C (forward) or C := C − V W (otherwise), both for the rows below the first k only.
 * Each product takes a range of rows that lies in one piece of V and in one piece of C. */
static void multiply_below_top(const struct reflector *q, int64_t rows, const startile_piece *c,
                               int n, element *w, bool forward)
{
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    int k = q->k;
    for (int64_t row = k, m; row < rows; row += m) {
        struct row v = tile_column_row(q->v, row), d = tile_column_row(c, row);
        int64_t v_rows = rows_to_piece_end(q->v, row), c_rows = rows_to_piece_end(c, row);
        int ldv = (int)v.step, ldc = (int)d.step;
        m = v_rows < c_rows ? v_rows : c_rows;
        if (forward)
            NAME(gemm)(NULL, 'C', 'N', k, n, (int)m, one, v.p, ldv, d.p, ldc, one, w, k);
        else
            NAME(gemm)(NULL, 'N', 'N', (int)m, n, k, minus_one, v.p, ldv, w, k, one, d.p, ldc);
    }
}

/* C := (I − V op(T) Vᴴ) C. w is workspace of k × n elements. */
static void apply(const struct reflector *q, int64_t rows, const startile_piece *c, int n,
                  element *w)
{
    int k = q->k;
    NAME(lacpy)(NULL, 'G', k, n, c->p, c->ld, w, k);
    multiply(CblasLower, CblasConjTrans, CblasUnit, k, n, q->v->p, q->v->ld, w);
    multiply_below_top(q, rows, c, n, w, true);
    multiply(CblasUpper, q->op, CblasNonUnit, k, n, q->t, q->ldt, w);
    multiply_below_top(q, rows, c, n, w, false);
    multiply(CblasLower, CblasNoTrans, CblasUnit, k, n, q->v->p, q->v->ld, w);
    element *top = c->p;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < k; i++)
            top[i + (ptrdiff_t)j * c->ld] -= w[i + (ptrdiff_t)j * k];
}

int NAME(larfb)(startile_exec *x, char trans, int v_pieces, const startile_piece *v, int k,
                const void *t, int ldt, int c_pieces, const startile_piece *c, int n)
{
    (void)x;
    (void)c_pieces;
    if (k == 0 || n == 0)
        return 0;
    const struct reflector q = {k, ldt, cblas_trans(trans), v, t};
    element *w = malloc((size_t)k * (size_t)n * sizeof *w);
    if (w == NULL)
        return STARTILE_ERROR_MEMORY;
    apply(&q, tile_column_rows(v_pieces, v), c, n, w);
    free(w);
    return 0;
}

int NAME(larfb_row)(startile_exec *x, char trans, startile_piece v, int k, const void *t, int ldt,
                    int blocks, const startile_piece *c, int nb, int n)
{
    int error = 0;
    for (int j = 0; j < blocks && error == 0; j++) {
        int rest = n - j * nb;
        error = NAME(larfb)(x, trans, 1, &v, k, t, ldt, 1, &c[j], rest < nb ? rest : nb);
    }
    return error;
}
