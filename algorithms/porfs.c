/* Refinement of a solution by Cholesky with bounds of its errors (LAPACK xPORFS; Higham 2002,
 * sections 12.1 and 15.1). */
#include "algorithms.h"
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

void add_abs_product(context ctx, char uplo, const startile_matrix *A, const startile_matrix *X,
                     const startile_matrix *W)
{
    view L = view_of(A, uplo == 'L' ? 'N' : 'C'), V = view_of(X, 'N'), S = view_of(W, 'N');
    for (int64_t j = 0; j < L.nt; j++) {
        ctx = begin_paced_step(ctx, A, ctx.step);
        for (int64_t c = 0; c < V.nt; c++) {
            /* W(j,c) += |A(j,j)| * |X(j,c)| */
            insert_abs_gemm(ctx, uplo, tile_op(L.op, at(L, j, j)), at(V, j, c), at(S, j, c));
            for (int64_t i = j + 1; i < L.nt; i++) {
                tile A_ij = at(L, i, j);
                /* W(i,c) += |A(i,j)| * |X(j,c)|, W(j,c) += |A(i,j)|^H * |X(i,c)| */
                insert_abs_gemm(ctx, 'G', A_ij, at(V, j, c), at(S, i, c));
                insert_abs_gemm(ctx, 'G', tile_op('C', A_ij), at(V, i, c), at(S, j, c));
            }
        }
        end_step(ctx);
    }
}

/* Operands of a refinement, and its temporaries */
typedef struct {
    char uplo;
    const startile_matrix *A, *F, *B;
    startile_matrix *X, *R, *W; /* residual, and weights in double precision */
    values *largest, *ratios;   /* of the columns of X, and of |r| / (|A| |x| + |b|) */
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

/* Submits X := X + F⁻¹ R, R := B − A X. */
static void refine(context ctx, const refinement *p)
{
    view to = view_of(p->X, 'N'), from = view_of(p->R, 'N');
    solve_by_cholesky(ctx, p->uplo, p->F, from, false);
    for (int64_t c = 0; c < to.nt; c++)
        for (int64_t i = 0; i < to.mt; i++)
            insert_geadd(ctx, 0, 1, at(from, i, c), 1, at(to, i, c)); /* X(i,c) += R(i,c) */
    find_hermitian_residual(ctx, p->uplo, p->A, p->X, p->B, p->R);
}

/* Submits berr_j := max_i |r_i| / (|A| |x| + |b|)_i for each column, with |A| |x| left in W. */
static void find_backward_errors(context ctx, const refinement *p, double *berr)
{
    startile_shape x = startile_matrix_shape(p->X);
    struct backward *b = malloc(sizeof *b);
    if (b == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return;
    }
    add_abs_product(ctx, p->uplo, p->A, p->X, p->W); /* W := |A| |X| */
    for (int64_t c = 0; c < x.nt; c++)
        insert_ratio_maxima(ctx, rows_from(p->R, c, 0), rows_from(p->B, c, 0),
                            rows_from(p->W, c, 0), p->ratios);
    *b = (struct backward){.request = ctx.request, .ratios = p->ratios, .berr = berr, .count = x.n};
    values *list[] = {p->ratios};
    insert_decision(ctx, 1, list, store_backward, b);
}

/* Submits ferr_j := an estimate of ‖A⁻¹ (|r| + (n + 1) eps (|A| |x| + |b|))‖∞ / ‖x‖∞. */
static void find_forward_errors(context ctx, const refinement *p, double *ferr)
{
    startile_shape x = startile_matrix_shape(p->X);
    bool single = x.dtype == STARTILE_S || x.dtype == STARTILE_C;
    double rounding = (double)(x.m + 1) * (single ? FLT_EPSILON : DBL_EPSILON) / 2;
    for (int64_t c = 0; c < x.nt; c++) {
        insert_column_maxima(ctx, rows_from(p->X, c, 0), NULL, p->largest);
        for (int64_t i = 0; i < x.mt; i++) /* W := (|R| + rounding (W + |B|)) / largest */
            insert_error_weights(ctx, rounding, at(view_of(p->R, 'N'), i, c),
                                 at(view_of(p->B, 'N'), i, c), p->largest,
                                 at(view_of(p->W, 'N'), i, c));
    }
    for (int64_t j = 0; j < x.n; j++) {
        context step = begin_step(ctx, p->F, ctx.step);
        estimate_weighted_inverse(step, p->uplo, p->F, p->W, j, &ferr[j]);
        end_step(step);
    }
}

int submit_porfs(char uplo, const startile_matrix *A, const startile_matrix *F,
                 const startile_matrix *B, startile_matrix *X, double *ferr, double *berr,
                 startile_request *request)
{
    uplo = capital(uplo);
    if (!is_one_of(uplo, "LU"))
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
    if (ferr == NULL || berr == NULL)
        return ferr == NULL ? -6 : -7;
    if (request == NULL)
        return -8;
    context ctx = context_of(request);
    if (x.m == 0)
        for (int64_t j = 0; j < x.n; j++)
            ferr[j] = berr[j] = 0;
    if (x.m == 0 || x.n == 0 || !has_capacity_for_working_set(ctx, TILE_PRODUCTS, A, B) ||
        !has_capacity_for_working_set(ctx, COLUMN_PRODUCTS, F, X))
        return 0;
    startile_shape w = x;
    w.dtype = STARTILE_D;
    refinement p = {.uplo = uplo,
                    .A = A,
                    .F = F,
                    .B = B,
                    .X = X,
                    .R = temporary_like(ctx, X),
                    .W = temporary_of_type(ctx, STARTILE_D, w),
                    .largest = values_begin(ctx, x.n),
                    .ratios = values_begin(ctx, x.n)};
    if (p.R == NULL || p.W == NULL || p.largest == NULL || p.ratios == NULL)
        return 0;
    find_hermitian_residual(ctx, uplo, A, X, B, p.R);
    for (int step = 0; step < STEPS; step++)
        refine(ctx, &p);
    find_backward_errors(ctx, &p, berr);
    find_forward_errors(ctx, &p, ferr);
    return_matrix(ctx, X);
    return 0;
}
