/* Refinement of a solution with the factors of a symmetric or Hermitian matrix, and bounds of its
 * errors (LAPACK xPORFS, xSYRFS, xHERFS; Higham 2002, sections 12.1 and 15.1). */
#include "ldl.h"
#include "operations/insert_norms.h"
#include "operations/insert_refinement.h"
#include "request/decision.h"
#include "request/request.h"

#include <float.h>
#include <stdlib.h>

/* Number of steps of refinement. LAPACK stops when the backward error is eps or is not halved,
 * after at most 5 steps. One step nearly always reaches eps (Higham 2002, theorem 12.4), and a
 * superfluous one does not increase the error. */
enum { STEPS = 2 };

/* Submits W(j,c) += |A(j,j)| |X(j,c)| for all block columns c. insert_abs_gemm() takes a triangle
 * of a Hermitian tile only: it ignores the imaginary parts of the diagonal. */
static void add_diagonal_products(context ctx, char op, char uplo, const startile_matrix *A,
                                  int64_t j, view X, view W)
{
    const startile_matrix *D = op == 'T' ? full_diagonal(ctx, 0, op, uplo, A, j) : NULL;
    if (op == 'T' && D == NULL)
        return;
    tile A_jj = D != NULL ? at(view_of(D, 'N'), 0, 0) : at(view_of(A, 'N'), j, j);
    for (int64_t c = 0; c < X.nt; c++)
        insert_abs_gemm(ctx, D != NULL ? 'G' : uplo, A_jj, at(X, j, c), at(W, j, c));
}

void add_abs_product(context ctx, char op, char uplo, const startile_matrix *A,
                     const startile_matrix *X, const startile_matrix *W)
{
    view L = view_of(A, uplo == 'L' ? 'N' : 'C'), V = view_of(X, 'N'), S = view_of(W, 'N');
    for (int64_t j = 0; j < L.nt; j++) {
        ctx = begin_paced_step(ctx, A, ctx.step);
        add_diagonal_products(ctx, op, uplo, A, j, V, S);
        for (int64_t c = 0; c < V.nt; c++)
            for (int64_t i = j + 1; i < L.nt; i++) {
                tile A_ij = at(L, i, j);
                /* W(i,c) += |A(i,j)| * |X(j,c)|, W(j,c) += |A(i,j)|^H * |X(i,c)| */
                insert_abs_gemm(ctx, 'G', A_ij, at(V, j, c), at(S, i, c));
                insert_abs_gemm(ctx, 'G', tile_op('C', A_ij), at(V, i, c), at(S, j, c));
            }
        end_step(ctx);
    }
}

/* Temporaries of a refinement */
typedef struct {
    const struct ldl *ldl;    /* converted Bunch–Kaufman factors, or NULL */
    startile_matrix *R, *W;   /* residual, and weights in double precision */
    values *largest, *ratios; /* of the columns of X, and of |r| / (|A| |x| + |b|) */
} refinement;

/* Backward errors on their way to the caller's array */
struct backward {
    startile_request *request;
    const values *ratios;
    double *berr;
    int64_t count;
};

/* Decision: the backward errors are in main memory. */
static void store_backward(void *arg)
{
    struct backward *b = arg;
    for (int64_t j = 0; j < b->count && request_outcome(b->request) == 0; j++)
        b->berr[j] = values_read(b->ratios)[j];
    free(b);
}

/* Submits R := B − A X. */
static void find_residual_of(context ctx, const factored_system *s, startile_matrix *R)
{
    if (s->op == 'C') {
        find_hermitian_residual(ctx, s->uplo, s->A, s->X, s->B, R);
        return;
    }
    submit_lacpy('G', s->B, R, ctx.request);                      /* R := B */
    submit_symm('L', s->uplo, -1, s->A, s->X, 1, R, ctx.request); /* R := R - A X */
}

/* Submits X := X + A⁻¹ R, R := B − A X. */
static void refine(context ctx, const factored_system *s, const refinement *p)
{
    view to = view_of(s->X, 'N'), from = view_of(p->R, 'N');
    if (p->ldl != NULL)
        solve_by_ldl(ctx, p->ldl, p->R);
    else
        solve_by_cholesky(ctx, s->uplo, s->F, from, false);
    for (int64_t c = 0; c < to.nt; c++)
        for (int64_t i = 0; i < to.mt; i++)
            insert_geadd(ctx, 0, 1, at(from, i, c), 1, at(to, i, c)); /* X(i,c) += R(i,c) */
    find_residual_of(ctx, s, p->R);
}

/* Submits berr_j := max_i |r_i| / (|A| |x| + |b|)_i for each column, with |A| |x| left in W. */
static void find_backward_errors(context ctx, const factored_system *s, const refinement *p,
                                 double *berr)
{
    startile_shape x = startile_matrix_shape(s->X);
    struct backward *b = malloc(sizeof *b);
    if (b == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return;
    }
    add_abs_product(ctx, s->op, s->uplo, s->A, s->X, p->W); /* W := |A| |X| */
    for (int64_t c = 0; c < x.nt; c++)
        insert_ratio_maxima(ctx, rows_from(p->R, c, 0), rows_from(s->B, c, 0),
                            rows_from(p->W, c, 0), p->ratios);
    *b = (struct backward){.request = ctx.request, .ratios = p->ratios, .berr = berr, .count = x.n};
    values *list[] = {p->ratios};
    insert_decision(ctx, 1, list, store_backward, b);
}

/* Submits ferr_j := an estimate of ‖A⁻¹ (|r| + (n + 1) eps (|A| |x| + |b|))‖∞ / ‖x‖∞. */
static void find_forward_errors(context ctx, const factored_system *s, const refinement *p,
                                double *ferr)
{
    startile_shape x = startile_matrix_shape(s->X);
    bool single = x.dtype == STARTILE_S || x.dtype == STARTILE_C;
    double rounding = (double)(x.m + 1) * (single ? FLT_EPSILON : DBL_EPSILON) / 2;
    for (int64_t c = 0; c < x.nt; c++) {
        insert_column_maxima(ctx, rows_from(s->X, c, 0), NULL, p->largest);
        for (int64_t i = 0; i < x.mt; i++) /* W := (|R| + rounding (W + |B|)) / largest */
            insert_error_weights(ctx, rounding, at(view_of(p->R, 'N'), i, c),
                                 at(view_of(s->B, 'N'), i, c), p->largest,
                                 at(view_of(p->W, 'N'), i, c));
    }
    for (int64_t j = 0; j < x.n; j++) {
        context step = begin_step(ctx, s->F, ctx.step);
        estimate_weighted_inverse(step, s->uplo, s->F, p->ldl, p->W, j, &ferr[j]);
        end_step(step);
    }
}

/* Returns whether the memory suffices. */
static bool has_capacity_for_system(context ctx, const factored_system *s)
{
    return has_capacity_for_working_set(ctx, TILE_PRODUCTS, s->A, s->B) &&
           has_capacity_for_working_set(ctx, s->P != NULL ? SYTRS : COLUMN_PRODUCTS, s->F, s->X);
}

int check_factored_system(const factored_system *s)
{
    const startile_matrix *A = s->A, *F = s->F, *B = s->B, *X = s->X;
    if (!is_one_of(s->uplo, "LU"))
        return -1;
    if (A == NULL || !has_square_tiles(A) || !has_panels(A) || startile_matrix_grid(A) != NULL)
        return -2;
    startile_shape a = startile_matrix_shape(A), f = startile_matrix_shape(F);
    if (F == NULL || F == A || !have_same_type_and_grid(A, F) || !has_square_tiles(F) ||
        f.n != a.n || !same_tiles(a.n, a.nb, f.nb))
        return -3;
    if (B == NULL || B == F || !is_cholesky_right_hand_side(B, A))
        return -4;
    startile_shape b = startile_matrix_shape(B), x = startile_matrix_shape(X);
    if (X == NULL || X == B || X == F || !is_cholesky_right_hand_side(X, A) || x.n != b.n ||
        !same_tiles(b.n, b.nb, x.nb))
        return -5;
    return 0;
}

void refine_with_bounds(context ctx, const factored_system *s, double *ferr, double *berr)
{
    startile_shape x = startile_matrix_shape(s->X), w = x;
    struct ldl f;
    w.dtype = STARTILE_D;
    if (x.m == 0)
        for (int64_t j = 0; j < x.n; j++)
            ferr[j] = berr[j] = 0;
    if (x.m == 0 || x.n == 0 || !has_capacity_for_system(ctx, s) ||
        (s->P != NULL && !convert_factors(ctx, s->op, s->F, s->P, false, &f)))
        return;
    refinement p = {.ldl = s->P != NULL ? &f : NULL,
                    .R = temporary_like(ctx, s->X),
                    .W = temporary_of_type(ctx, STARTILE_D, w),
                    .largest = values_begin(ctx, x.n),
                    .ratios = values_begin(ctx, x.n)};
    if (p.R == NULL || p.W == NULL || p.largest == NULL || p.ratios == NULL)
        return;
    find_residual_of(ctx, s, p.R);
    for (int step = 0; step < STEPS; step++)
        refine(ctx, s, &p);
    find_backward_errors(ctx, s, &p, berr);
    find_forward_errors(ctx, s, &p, ferr);
    return_matrix(ctx, s->X);
}
