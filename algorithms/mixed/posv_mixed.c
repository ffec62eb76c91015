/* Solution by Cholesky in single precision and refinement (LAPACK xSPOSV, xCPOSV). A has square
 * tiles, of which those of one triangle are used. */
#include "grid/owner.h"
#include "memory/capacity.h"
#include "mixed.h"
#include "operations/insert_norms.h"
#include "operations/insert_refinement.h"
#include "request/decision.h"
#include "startile_mixed.h"

/* Returns the view of A in which the triangle uplo is lower. */
static view lower_view(char uplo, const startile_matrix *A)
{
    return view_of(A, uplo == 'L' ? 'N' : 'C');
}

/* Returns the tile as rows of its block column, as stored. */
static column tile_as_column(tile t)
{
    int64_t nb = startile_matrix_shape(t.A).nb, m = startile_matrix_shape(t.A).m - t.i * nb;
    return rows_of(t.A, t.j, t.i * nb, m < nb ? m : nb);
}

/* Scales rows and columns by 2^−e, where a_ii is about 4^e: the scaled diagonal is about 1, so that
 * the factor's elements are at most about 2. */
static void convert(context ctx, iteration *it)
{
    const mixed_system *s = it->system;
    view L = lower_view(s->uplo, s->A), F = lower_view(s->uplo, s->F);
    bool is_whole = takes_whole(s->A, it->X);
    ctx = begin_step(ctx, s->A, ctx.step);
    if (is_whole)
        insert_whole_abs_sums(ctx, s->uplo, s->A, s->row_sums); /* row_sums_i := Σ_j |a_ij| */
    for (int64_t j = 0; j < L.nt; j++)
        if (is_own_tile(at(L, j, j)))
            insert_diagonal_roots(ctx, at(L, j, j), s->row); /* row_i := sqrt(a_ii) */
    values_join(ctx, s->row, JOIN_BY_LARGEST);
    for (int64_t j = 0; j < L.nt; j++)
        for (int64_t i = j; i < L.nt; i++) {
            column A_ij = tile_as_column(at(L, i, j));
            if (!is_own_part(A_ij))
                continue;
            if (i == j && !is_whole) {
                insert_hermitian_sums(ctx, s->uplo, at(L, j, j), s->row_sums);
            } else if (!is_whole) { /* sums of the tile, and of its mirror image */
                insert_abs_sums(ctx, 'I', A_ij, s->row_sums);
                insert_abs_sums(ctx, '1', A_ij, s->row_sums);
            }
            /* F(i,j) := f(row) A(i,j) f(row) */
            insert_lag2(ctx, 0, A_ij, s->row, s->row, false, false, tile_as_column(at(F, i, j)));
        }
    end_step(ctx);
    values_join(ctx, s->row_sums, JOIN_BY_SUM);
}

/* Returns FP16 if Gershgorin's theorem bounds the condition number of the scaled matrix. Let q be
 * the largest ratio of the sum of a row's other elements to its diagonal element, and D the
 * diagonal of A. The eigenvalues of D⁻¹ A, which are those of D^(−½) A D^(−½), lie between 1 − q
 * and 1 + q. */
static startile_products choose_products(const mixed_system *s)
{
    const double most = 0.9; /* condition number up to 19: FP16 gains two digits in an iteration */
    const double *sum = values_read(s->row_sums), *root = values_read(s->row);
    int64_t n = startile_matrix_shape(s->A).n, i = 0;
    while (i < n && sum[i] - root[i] * root[i] <= most * root[i] * root[i])
        i++;
    return i == n ? STARTILE_PRODUCTS_FP16 : STARTILE_PRODUCTS_FP16X2;
}

static void factor(iteration *it)
{
    const mixed_system *s = it->system;
    submit_potrf(s->uplo, s->F, s->low);
    invert_diagonal_blocks(context_of(s->low), it, s->uplo, 'N', s->WL);
}

static void solve(context ctx, iteration *it, startile_matrix *V)
{
    const mixed_system *s = it->system;
    /* V := L⁻¹ V, V := L⁻ᴴ V, with L = F or Uᴴ */
    char first = s->uplo == 'L' ? 'N' : 'C', second = s->uplo == 'L' ? 'C' : 'N';
    if (startile_matrix_grid(V) != NULL) {
        solve_by_cholesky(ctx, s->uplo, factors_for(s, V), view_of(V, 'N'), false);
        return;
    }
    if (takes_whole(s->F, V)) {
        solve_whole(ctx, s, 2, (triangular_factor[]){{s->uplo, first, 'N'}, {s->uplo, second, 'N'}},
                    V);
        return;
    }
    substitute_factor(ctx, s, s->uplo, first, 'N', s->WL, V);
    substitute_factor(ctx, s, s->uplo, second, 'N', s->WL, V);
}

static void update_residual(context ctx, iteration *it)
{
    const mixed_system *s = it->system;
    if (startile_matrix_grid(s->A) != NULL ||
        is_shared_product(s->A, it->R, startile_matrix_shape(it->R).mb)) {
        submit_lacpy('G', it->B, it->R, ctx.request);
        submit_hemm('L', s->uplo, -1, s->A, it->X, 1, it->R, ctx.request); /* R := B - A X */
    } else if (takes_whole(s->A, it->X))
        find_whole_residual(ctx, it, s->uplo);
    else
        find_hermitian_residual(ctx, s->uplo, s->A, it->X, it->B, it->R);
}

static void abs_product(context ctx, const iteration *it, const startile_matrix *W)
{
    add_abs_product(ctx, 'C', it->system->uplo, it->system->A, it->X, W);
}

static void solve_in_double(const iteration *it, startile_request *full)
{
    const mixed_system *s = it->system;
    submit_lacpy('G', it->B, it->X, full); /* X := B */
    submit_potrf(s->uplo, s->A, full);
    submit_potrs(s->uplo, s->A, it->X, full);
}

static const mixed_steps by_cholesky = {.convert = convert,
                                        .choose_products = choose_products,
                                        .factor = factor,
                                        .solve = solve,
                                        .find_first_residual = copy_right_hand_side,
                                        .find_residual = update_residual,
                                        .error = rowwise_error,
                                        .abs_product = abs_product,
                                        .solve_in_double = solve_in_double};

int submit_posv_mixed(char uplo, startile_matrix *A, const startile_matrix *B, startile_matrix *X,
                      const startile_mixed_options *options, startile_mixed_result *result,
                      startile_request *request)
{
    uplo = capital(uplo);
    if (!is_one_of(uplo, "LU"))
        return -1;
    if (A == NULL || !has_square_tiles(A) || !is_double_precision(A))
        return -2;
    if (B == NULL || !is_cholesky_right_hand_side(B, A))
        return -3;
    if (X == NULL || !is_cholesky_right_hand_side(X, A) || !is_solution_of(X, B, A))
        return -4;
    startile_mixed_options o;
    if (!read_mixed_options(&o, options))
        return -5;
    if (!has_valid_size(result))
        return -6;
    if (request == NULL)
        return -7;
    context ctx = context_of(request);
    /* the fallback factors A in its own precision */
    if (has_capacity_for_working_set(ctx, POTRF, A, NULL) &&
        has_capacity_for_working_set(ctx, TILE_PRODUCTS, A, B))
        solve_mixed(&by_cholesky, uplo, A, NULL, B, X, &o, result, request);
    return 0;
}
