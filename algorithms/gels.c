/* Least squares and least-norm solutions by QR (LAPACK xGELS; Higham 2002, chapters 20, 21). */
#include "algorithms.h"
#include "models/tile_size.h"
#include "operations/insert_norms.h"
#include "request/request.h"

/* W = Q R, by panels (T) or by a tree, for W = A or Aᴴ with at least as many rows as columns. a, b:
 * max |a_ij|, |b_ij|, by which A and B are scaled as in LAPACK if squares might over- or underflow.
 */
struct factors {
    startile_matrix *W, *T;
    startile_tree *tree;
    magnitude *a, *b;
};

/* Returns whether W is factored by a tree: it is tall, in several tile rows as high as B's. */
static bool suits_tree(const startile_matrix *W, const startile_matrix *B)
{
    startile_shape w = startile_matrix_shape(W), b = startile_matrix_shape(B);
    return w.mt > 1 && w.m >= TALL * w.n && same_tiles(w.m, w.mb, b.mb);
}

/* Submits the factorization of W into f. Returns false, and fails the request, without memory. */
static bool factor(context ctx, struct factors *f, const startile_matrix *B)
{
    startile_shape s = startile_matrix_shape(f->W);
    if (!suits_tree(f->W, B)) {
        f->T = temporary_matrix(ctx, f->W, s.nb, s.n, s.nb, s.nb);
        if (f->T != NULL)
            request_fail(ctx.request, submit_geqrf(f->W, f->T, ctx.request));
        return f->T != NULL;
    }
    request_fail(ctx.request, startile_tree_create(&f->tree, f->W, STARTILE_TREE_GREEDY));
    if (f->tree == NULL)
        return false;
    own_tree(ctx, f->tree);
    factor_by_tree(ctx, f->W, f->tree);
    return true;
}

static void apply_q(context ctx, char trans, const struct factors *f, startile_matrix *B)
{
    if (f->tree != NULL)
        apply_tree(ctx, trans, f->W, f->tree, B);
    else
        apply_reflectors(ctx, trans, f->W, f->T, B);
}

/* Submits B(row:, :) := 0. */
static void clear_below(context ctx, startile_matrix *B, int64_t row)
{
    startile_shape s = startile_matrix_shape(B);
    if (row == s.m)
        return;
    for (int64_t j = 0; j < s.nt; j++)
        insert_laset_column(ctx, 0, 'G', 0, below(B, j, row)); /* B(row:,j) := 0 */
}

/* Submits min ‖B − W X‖₂ by X := R⁻¹ Qᴴ B (is_least_squares), or the X of least norm with Wᴴ X = B,
 * X := Q [R⁻ᴴ B; 0]. The tasks on B wait for the check that R has no zero on its diagonal. */
static void solve(context ctx, bool is_least_squares, const struct factors *f, startile_matrix *B)
{
    startile_shape w = startile_matrix_shape(f->W);
    int64_t rhs_rows = is_least_squares ? w.m : w.n, solution_rows = is_least_squares ? w.n : w.m;
    ctx = after_zero_check(ctx, f->W, f->a);
    rescale(ctx, f->b, NULL, B, 0, rhs_rows);
    if (is_least_squares)
        apply_q(ctx, 'C', f, B);                                          /* B := Qᴴ B */
    substitute_all(ctx, 'U', is_least_squares ? 'N' : 'C', 'N', f->W, B); /* B := op(R)⁻¹ B */
    if (!is_least_squares) {
        clear_below(ctx, B, w.n);
        apply_q(ctx, 'N', f, B); /* B := Q B */
    }
    rescale(ctx, f->a, f->b, B, 0, solution_rows);
    /* the rows below a least-squares solution give its residual, which scales with B only */
    rescale(ctx, NULL, f->b, B, solution_rows, w.m - solution_rows);
}

static bool factor_and_solve(context ctx, const plan *p)
{
    startile_matrix *A = p->A, *B = p->B;
    startile_shape a = startile_matrix_shape(A);
    bool plain = p->op == 'N', wide = a.m < a.n;
    struct factors f = {.a = largest_of(ctx, A, a.m), .b = largest_of(ctx, B, plain ? a.m : a.n)};
    f.W = wide ? transposed(ctx, A) : A;
    if (f.W == NULL)
        return false;
    rescale(ctx, f.a, NULL, f.W, 0, wide ? a.n : a.m);
    /* least squares if op(A) has at least as many rows as columns, else least norm */
    if (factor(ctx, &f, B))
        solve(ctx, plain != wide, &f, B);
    if (wide)
        transpose(ctx, f.W, A); /* A := W^H */
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
