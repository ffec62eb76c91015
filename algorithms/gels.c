/* Least squares and least-norm solutions by QR (LAPACK xGELS; Higham 2002, chapters 20, 21). */
#include "operations/insert_norms.h"
#include "qr_factors.h"

/* max |a_ij|, |b_ij|, by which A and B are scaled as in LAPACK if squares might over- or underflow
 */
struct scales {
    magnitude *a, *b;
};

/* Submits B(row:, :) := 0. */
static void clear_below(context ctx, startile_matrix *B, int64_t row)
{
    startile_shape s = startile_matrix_shape(B);
    if (row == s.m)
        return;
    for (int64_t j = 0; j < s.nt; j++)
        insert_laset_column(ctx, 0, 'G', 0, rows_from(B, j, row)); /* B(row:,j) := 0 */
}

/* Submits B := X: the X that minimizes ‖B − W X‖₂, R⁻¹ Qᴴ B (is_least_squares), or the X of least
 * norm with Wᴴ X = B, Q [R⁻ᴴ B; 0]. The tasks on B wait for the check that R has no zero on its
 * diagonal. */
static void solve(context ctx, bool is_least_squares, const qr_factors *f, struct scales max,
                  startile_matrix *B)
{
    startile_shape w = startile_matrix_shape(f->W);
    int64_t rhs_rows = is_least_squares ? w.m : w.n, solution_rows = is_least_squares ? w.n : w.m;
    ctx = after_zero_check(ctx, f->W, max.a);
    rescale(ctx, max.b, NULL, B, 0, rhs_rows);
    if (is_least_squares)
        apply_q(ctx, 'C', f, B);                                          /* B := Qᴴ B */
    substitute_all(ctx, 'U', is_least_squares ? 'N' : 'C', 'N', f->W, B); /* B := op(R)⁻¹ B */
    if (!is_least_squares) {
        clear_below(ctx, B, w.n);
        apply_q(ctx, 'N', f, B); /* B := Q B */
    }
    rescale(ctx, max.a, max.b, B, 0, solution_rows);
    /* the rows below a least-squares solution give its residual, which scales with B only */
    rescale(ctx, NULL, max.b, B, solution_rows, w.m - solution_rows);
}

static bool factor_and_solve(context ctx, const plan *p)
{
    startile_matrix *A = p->A, *B = p->B;
    startile_shape a = startile_matrix_shape(A);
    bool plain = p->op == 'N', wide = a.m < a.n;
    struct scales max = {largest_of(ctx, A, a.m), largest_of(ctx, B, plain ? a.m : a.n)};
    startile_matrix *W = wide ? adjoint_copy(ctx, A) : A; /* W := A or A^H */
    if (W == NULL)
        return false;
    rescale(ctx, max.a, NULL, W, 0, wide ? a.n : a.m);
    qr_factors f = factor_qr(ctx, W, B); /* W = Q R */
    /* least squares if op(A) has at least as many rows as columns, else least norm */
    if (f.W != NULL)
        solve(ctx, plain != wide, &f, max, B);
    if (wide)
        transpose(ctx, W, A); /* A := W^H */
    return true;
}

int submit_gels(char trans, startile_matrix *A, startile_matrix *B, startile_request *request)
{
    int wrong = check_gels_arguments(trans, A, B, request);
    if (wrong != 0)
        return wrong;
    startile_shape a = startile_matrix_shape(A);
    if (a.m == 0 || a.n == 0 || startile_matrix_shape(B).n == 0)
        return submit_laset('G', 0, 0, B, request);
    /* a tree needs less memory than panels, because its tasks work on pairs of tiles */
    plan p = {.name = "gels",
              .working_set = suits_tree(A, B) ? GELS_BY_TREE : GELS_BY_PANELS,
              .A = A,
              .uplo = 'G',
              .V = view_of(A, 'N'),
              .B = B,
              .submit = factor_and_solve,
              .op = conjugating_trans(trans, A)};
    submit_plan(&p, request);
    return 0;
}
