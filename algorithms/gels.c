/* Least squares and solutions of least norm by QR (LAPACK xGELS; Higham 2002, chapters 20 and
 * 21). */
#include "algorithms.h"

/* The factorization W = Q R of a matrix with at least as many rows as columns: by panels (T) or by
 * a tree. */
struct factors {
    startile_matrix *W, *T;
    startile_tree *tree;
};

/* The largest elements of A and B. As in LAPACK, matrices whose squares might overflow or underflow
 * are scaled. */
struct sizes {
    magnitude *a, *b;
};

static bool suits_tree(const startile_matrix *W, const startile_matrix *B)
{
    startile_shape w = startile_matrix_shape(W), b = startile_matrix_shape(B);
    return w.mt > 1 && w.m >= TALL * w.n && same_tiles(w.m, w.mb, b.mb);
}

static bool factor(startile_request *r, struct factors *f, const startile_matrix *B)
{
    startile_shape s = startile_matrix_shape(f->W);
    if (suits_tree(f->W, B)) {
        int status = startile_tree_create(&f->tree, f->W, STARTILE_TREE_GREEDY);
        request_fail(r, status);
        if (status == 0)
            factor_by_tree(r, f->W, f->tree);
    } else {
        f->T = temporary(r, f->W, s.nb, s.n, s.nb, s.nb);
        if (f->T != NULL)
            factor_by_panels(r, f->W, f->T);
    }
    return f->T != NULL || f->tree != NULL;
}

static void apply_q(startile_request *r, char trans, const struct factors *f, startile_matrix *B)
{
    if (f->tree != NULL)
        apply_tree(r, trans, f->W, f->tree, B);
    else
        apply_reflectors(r, trans, f->W, f->T, B);
}

/* Submits B(row:, :) := 0. */
static void clear_below(startile_request *r, startile_matrix *B, int64_t row)
{
    startile_shape s = startile_matrix_shape(B);
    int64_t rows = s.m - row;
    startile_matrix *zeros = rows > 0 ? temporary(r, B, rows, s.n, rows, s.nb) : NULL;
    for (int64_t j = 0; zeros != NULL && j < s.nt; j++)
        insert_copy(r, 0, 'G', below(zeros, j, 0), below(B, j, row)); /* B(row:,j) := 0 */
    forget_matrix(zeros);
}

/* Submits the solution with W = Q R. With `tall`: min ‖B − W X‖₂ by X := R⁻¹ Qᴴ B. Without: the X
 * of least norm with Wᴴ X = B, by X := Q [R⁻ᴴ B; 0]. The tasks on B wait for the check that R has
 * no zero on its diagonal. */
static void solve(startile_request *r, bool tall, const struct factors *f, const struct sizes *size,
                  startile_matrix *B)
{
    startile_shape w = startile_matrix_shape(f->W);
    int64_t rhs_rows = tall ? w.m : w.n, solution_rows = tall ? w.n : w.m;
    behind_zero_check(r, f->W, size->a);
    rescale(r, size->b, NULL, B, 0, rhs_rows);
    if (tall)
        apply_q(r, 'C', f, B); /* B := Qᴴ B */
    for (int64_t j = 0; j < startile_matrix_shape(B).nt; j++)
        substitute(r, 'U', tall ? 'N' : 'C', 'N', f->W, B, j, 0); /* B(:,j) := op(R)⁻¹ B(:,j) */
    if (!tall) {
        clear_below(r, B, w.n);
        apply_q(r, 'N', f, B); /* B := Q B */
    }
    rescale(r, size->a, size->b, B, 0, solution_rows);
    rescale(r, NULL, size->b, B, solution_rows, w.m - solution_rows);
    past_gate(r);
}

static int check(char trans, const startile_matrix *A, const startile_matrix *B,
                 const startile_request *request)
{
    if (conjugating_trans(trans, A) == '\0')
        return -1;
    if (A == NULL || !has_panels(A))
        return -2;
    startile_shape a = startile_matrix_shape(A), b = startile_matrix_shape(B);
    if (B == NULL || B == A || a.dtype != b.dtype || b.m != (a.m > a.n ? a.m : a.n) ||
        !has_whole_blocks(B, a.nb))
        return -3;
    return request == NULL ? -4 : 0;
}

/* Checks the capacity for panels of A and for B. A tree needs less than panels: it works on pairs
 * of tiles. */
static bool fits_memory(startile_request *r, const startile_matrix *A, const startile_matrix *B)
{
    startile_shape a = startile_matrix_shape(A), b = startile_matrix_shape(B);
    return (suits_tree(A, B) || has_capacity(r, A, b.m, 2 * a.nb)) &&
           has_capacity_for_columns(r, B);
}

int startile_gels_async(char trans, startile_matrix *A, startile_matrix *B,
                        startile_request *request)
{
    int wrong = check(trans, A, B, request);
    if (wrong != 0)
        return wrong;
    startile_shape a = startile_matrix_shape(A);
    bool plain = conjugating_trans(trans, A) == 'N', wide = a.m < a.n;
    if (a.m == 0 || a.n == 0 || startile_matrix_shape(B).n == 0)
        return startile_laset_async('G', 0, 0, B, request);
    if (!fits_memory(request, A, B))
        return 0;
    struct sizes size = {largest_of(request, A, a.m), largest_of(request, B, plain ? a.m : a.n)};
    struct factors f = {wide ? transposed(request, A) : A, NULL, NULL};
    if (f.W != NULL) {
        rescale(request, size.a, NULL, f.W, 0, wide ? a.n : a.m);
        if (factor(request, &f, B))
            solve(request, plain != wide, &f, &size, B);
        if (wide)
            transpose(request, f.W, A);
    }
    send_home(request, A);
    send_home(request, B);
    forget_matrix(wide ? f.W : NULL);
    forget_matrix(f.T);
    forget_tree(f.tree);
    forget_magnitude(size.a);
    forget_magnitude(size.b);
    return 0;
}

int64_t startile_gels(char trans, startile_matrix *A, startile_matrix *B)
{
    startile_request *r = request_start();
    return request_finish(r, startile_gels_async(trans, A, B, r));
}
