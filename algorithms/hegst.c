/*
 * Reduction of a generalized Hermitian eigenproblem to standard form with the Cholesky factor L of
 * B (LAPACK xSYGST, xHEGST), in place in one triangle of A: L⁻¹ A L⁻ᴴ or Lᴴ A L, by n³ operations
 * instead of the 2 n³ of two solves or products with all of A.
 *
 * Both are variant 4 of Poulson, van de Geijn & Bennighof, "Parallel algorithms for reducing the
 * generalized Hermitian-definite eigenvalue problem" (FLAME Working Note 56, 2011). Its solves and
 * products with L are spread over the steps: each step updates the rows below it, or the columns
 * left of it, by products of tiles.
 *
 * The rank-2k update of a diagonal tile, X Lᴴ + L Xᴴ, is the sum of X Lᴴ and its adjoint. The tile
 * has a temporary G, in full, to which the updates add only X Lᴴ. G begins with half of the tile,
 * so that the updated tile is G + Gᴴ, with a real diagonal.
 */
#include "algorithms.h"
#include "grid/broadcast.h"
#include "grid/owner.h"
#include "memory/tile_copies.h"

/* The reduction and its temporaries of A's tiles. Lower triangles as seen; `uplo` is that stored.
 */
struct reduction {
    view A, L;
    char uplo;
    startile_matrix *G; /* diagonal tiles: see above */
    /* temporaries of a step: */
    startile_matrix *D; /* tile (k,k): type 1: the result; else L(k,k) with a triangle of zeros */
    startile_matrix *Y; /* tiles (m,k), or (k,n): half of the product of L and the diagonal tile */
};

static int64_t urgency_of(const struct reduction *r, int64_t k)
{
    return 2 * (r->A.nt - k);
}

/* Returns diagonal tile k of a temporary. */
static tile diagonal_tile(const startile_matrix *W, int64_t k)
{
    return at(view_of(W, 'N'), k, k);
}

/* Returns diagonal tile k of a temporary as a column. */
static column diagonal_column(const startile_matrix *W, int64_t k)
{
    return rows_of(W, k, first_row(W, k), pivots_in_panel(W, k));
}

/* Returns a tile of Y, stored as the tile (i, j) of A is. */
static tile tile_of_y(const struct reduction *r, int64_t i, int64_t j)
{
    return at(view_of(r->Y, r->A.op), i, j);
}

/* Makes the temporaries of a step; returns false without memory. */
static bool begin_reduction_step(context ctx, struct reduction *r)
{
    r->D = temporary_like(ctx, r->A.A);
    r->Y = temporary_like(ctx, r->A.A);
    return r->D != NULL && r->Y != NULL;
}

/* Submits A(i,j) := A(i,j) + sign * Y(i,j). Both tiles are stored alike. */
static void add_y(context ctx, int64_t priority, const struct reduction *r, int sign, int64_t i,
                  int64_t j)
{
    tile A = at(r->A, i, j), Y = tile_of_y(r, i, j);
    A.op = Y.op = 'N';
    insert_geadd(ctx, priority, sign, Y, 1, A);
}

/* Submits W(k,k) := G(k,k) + G(k,k)^H. */
static void add_adjoint(context ctx, int64_t priority, const struct reduction *r,
                        const startile_matrix *W, int64_t k)
{
    insert_transpose(ctx, priority, diagonal_column(r->G, k), diagonal_column(W, k));
    insert_geadd(ctx, priority, 1, diagonal_tile(r->G, k), 1, diagonal_tile(W, k));
}

/* -- type 1: A := L⁻¹ A L⁻ᴴ ---------------------------------------------------------------------
 */

/* Submits D(k,k) := L(k,k)⁻¹ (G(k,k) + G(k,k)ᴴ) L(k,k)⁻ᴴ. */
static void solve_diagonal(context ctx, int64_t priority, const struct reduction *r, int64_t k)
{
    tile L = at(r->L, k, k), D = diagonal_tile(r->D, k);
    add_adjoint(ctx, priority, r, r->D, k);
    /* D := L(k,k)^-1 * D, D := D * L(k,k)^-H */
    insert_trsm(ctx, priority, 'L', r->uplo, 'N', 1, L, D, k == 0);
    insert_trsm(ctx, priority, 'R', r->uplo, 'N', 1, tile_op('C', L), D, false);
}

/* Submits A(m,k) := A(m,k) L(k,k)⁻ᴴ − L(m,k) D / 2 for the rows m below the diagonal. */
static void solve_column(context ctx, const struct reduction *r, int64_t k)
{
    for_own_tiles_in_column(m, r->A, k, k + 1, r->A.nt) {
        int64_t priority = m == k + 1 ? critical(urgency_of(r, k)) : urgency_of(r, k) - (m - k);
        /* A(m,k) := A(m,k) * L(k,k)^-H, Y(m,k) := L(m,k) * D / 2 */
        insert_trsm(ctx, priority, 'R', r->uplo, 'N', 1, tile_op('C', at(r->L, k, k)),
                    at(r->A, m, k), k == 0);
        insert_gemm(ctx, priority, 0.5, at(r->L, m, k), diagonal_tile(r->D, k), 0,
                    tile_of_y(r, m, k));
        add_y(ctx, priority, r, -1, m, k);
    }
}

/* Submits the rank-2k update of the trailing triangle by column k of A and of L. */
static void update_trailing(context ctx, const struct reduction *r, int64_t k)
{
    view A = r->A, L = r->L;
    for_own_columns(n, A, k + 1, A.nt) {
        int64_t urgency = urgency_of(r, k) - (n - k);
        if (is_own_tile(at(A, n, n))) /* G(n,n) -= A(n,k) * L(n,k)^H */
            insert_gemm(ctx, n == k + 1 ? critical(urgency) : urgency, -1, at(A, n, k),
                        tile_op('C', at(L, n, k)), 1, diagonal_tile(r->G, n));
        for_own_tiles_in_column(m, A, n, n + 1, A.nt) {
            /* A(m,n) -= A(m,k) * L(n,k)^H, A(m,n) -= L(m,k) * A(n,k)^H */
            insert_gemm(ctx, urgency, -1, at(A, m, k), tile_op('C', at(L, n, k)), 1, at(A, m, n));
            insert_gemm(ctx, urgency, -1, at(L, m, k), tile_op('C', at(A, n, k)), 1, at(A, m, n));
        }
    }
}

/* Submits A(k,0:k) := L(k,k)⁻¹ A(k,0:k), and the update of the rows below. These tasks wait for no
 * later step's, so they have a low priority. */
static void solve_row(context ctx, const struct reduction *r, int64_t k)
{
    view A = r->A;
    int64_t priority = urgency_of(r, k) - 2 * A.nt;
    for_own_tiles_in_row(n, A, k, 0, k) {
        /* A(k,n) := L(k,k)^-1 * A(k,n) */
        insert_trsm(ctx, priority, 'L', r->uplo, 'N', 1, at(r->L, k, k), at(A, k, n), false);
        return_to_host(ctx, at(A, k, n));
    }
    for (int64_t n = 0; n < k; n++) /* send A(k,n) to the rows below */
        send_tile(ctx, priority, at(A, k, n), owners_of(A, k + 1, n, A.nt - k - 1, 1));
    for_own_columns(n, A, 0, k)
        for_own_tiles_in_column(m, A, n, k + 1, A.nt)
            /* A(m,n) -= L(m,k) * A(k,n) */
            insert_gemm(ctx, priority, -1, at(r->L, m, k), at(A, k, n), 1, at(A, m, n));
}

/* Submits step k of type 1. Before the step, the leading k block rows hold the result C. The block
 * rows R below them hold L(R,R) C(R,0:k) in the first k block columns and L(R,R) C(R,R) L(R,R)ᴴ in
 * the others, where G + Gᴴ holds the diagonal tiles. */
static void reduce_by_solves(context ctx, const struct reduction *r, int64_t k)
{
    view A = r->A, L = r->L;
    int64_t urgency = urgency_of(r, k), below = A.nt - k - 1;
    tile_block column = {A, k + 1, k, below, 1};
    if (is_own_tile(at(A, k, k)))
        solve_diagonal(ctx, critical(urgency), r, k);
    send_tile(ctx, critical(urgency), at(L, k, k),
              owners_of_both((tile_block){A, k, 0, 1, k}, column));
    send_tile(ctx, critical(urgency), diagonal_tile(r->D, k), owners_of_both(column, column));
    for (int64_t m = k + 1; m < A.nt; m++) /* send L(m,k) to row m and to column m */
        send_tile(
            ctx, urgency, at(L, m, k),
            owners_of_both((tile_block){A, m, 0, 1, m + 1}, (tile_block){A, m, m, A.nt - m, 1}));
    solve_column(ctx, r, k);
    for (int64_t m = k + 1; m < A.nt; m++) /* send A(m,k) to row m and to column m, right of k */
        send_tile(ctx, urgency, at(A, m, k),
                  owners_of_both((tile_block){A, m, k + 1, 1, m - k},
                                 (tile_block){A, m, m, A.nt - m, 1}));
    update_trailing(ctx, r, k);
    for_own_tiles_in_column(m, A, k, k + 1, A.nt) /* A(m,k) -= Y(m,k) */
        add_y(ctx, urgency - below, r, -1, m, k);
    solve_row(ctx, r, k);
    if (is_own_tile(at(A, k, k))) { /* A(k,k) := the triangle of D */
        insert_real_diagonal(ctx, diagonal_tile(r->D, k));
        insert_lacpy(ctx, r->uplo, diagonal_tile(r->D, k), diagonal_tile(A.A, k));
        return_to_host(ctx, at(A, k, k));
    }
}

/* -- types 2 and 3: A := Lᴴ A L -----------------------------------------------------------------
 */

/* Submits A(k,0:k) += A(k,k) L(k,0:k) / 2, where G holds A(k,k). */
static void add_half_products(context ctx, const struct reduction *r, int64_t k)
{
    int64_t urgency = urgency_of(r, k);
    for_own_tiles_in_row(n, r->A, k, 0, k) {
        /* Y(k,n) := A(k,k) * L(k,n) / 2 */
        insert_gemm(ctx, urgency, 0.5, diagonal_tile(r->G, k), at(r->L, k, n), 0,
                    tile_of_y(r, k, n));
        add_y(ctx, urgency, r, 1, k, n);
    }
}

/* Submits the rank-2k update of the leading triangle by row k of A and of L. */
static void update_leading(context ctx, const struct reduction *r, int64_t k)
{
    view A = r->A, L = r->L;
    int64_t urgency = urgency_of(r, k);
    for_own_columns(n, A, 0, k) {
        if (is_own_tile(at(A, n, n))) /* G(n,n) += A(k,n)^H * L(k,n) */
            insert_gemm(ctx, urgency, 1, tile_op('C', at(A, k, n)), at(L, k, n), 1,
                        diagonal_tile(r->G, n));
        for_own_tiles_in_column(m, A, n, n + 1, k) {
            /* A(m,n) += A(k,m)^H * L(k,n), A(m,n) += L(k,m)^H * A(k,n) */
            insert_gemm(ctx, urgency, 1, tile_op('C', at(A, k, m)), at(L, k, n), 1, at(A, m, n));
            insert_gemm(ctx, urgency, 1, tile_op('C', at(L, k, m)), at(A, k, n), 1, at(A, m, n));
        }
    }
}

/* Submits the products with D = L(k,k): A(k,0:k) := Dᴴ (A(k,0:k) + Y), A(m,k) := A(m,k) D for the
 * rows m below, G := Dᴴ G D / 2. */
static void multiply_by_diagonal(context ctx, const struct reduction *r, int64_t k)
{
    int64_t urgency = urgency_of(r, k);
    tile D = at(view_of(r->D, r->L.op), k, k), G = diagonal_tile(r->G, k);
    for_own_tiles_in_row(n, r->A, k, 0, k) {
        add_y(ctx, urgency, r, 1, k, n);
        /* A(k,n) := D^H * A(k,n) */
        insert_trmm(ctx, urgency, 'L', r->uplo, 1, tile_op('C', D), at(r->A, k, n));
    }
    for_own_tiles_in_column(m, r->A, k, k + 1, r->A.nt) /* A(m,k) := A(m,k) * D */
        insert_trmm(ctx, urgency, 'R', r->uplo, 1, D, at(r->A, m, k));
    if (is_own_tile(at(r->A, k, k))) { /* G := D^H * G * D / 2 */
        insert_trmm(ctx, urgency, 'L', r->uplo, 1, tile_op('C', D), G);
        insert_trmm(ctx, urgency, 'R', r->uplo, 0.5, D, G);
    }
}

/* Submits step k of types 2 and 3. Before the step, the leading k block rows hold L(0:k,0:k)ᴴ
 * A₀(0:k,0:k) L(0:k,0:k) for the original matrix A₀, where G + Gᴴ holds the diagonal tiles. The
 * block rows R below them hold A₀(R,0:k) L(0:k,0:k) in the first k block columns and A₀ in the
 * others. */
static void reduce_by_products(context ctx, const struct reduction *r, int64_t k)
{
    view A = r->A, L = r->L;
    int64_t urgency = urgency_of(r, k), below = A.nt - k - 1;
    tile_block row = {A, k, 0, 1, k}, column = {A, k + 1, k, below, 1};
    tile D = diagonal_tile(r->D, k);
    if (is_own_tile(at(A, k, k))) {
        insert_laset(ctx, 'G', 0, 0, D); /* D := L(k,k) with zeros in the other triangle */
        insert_lacpy(ctx, r->uplo, diagonal_tile(L.A, k), D);
    }
    send_tile(ctx, urgency, D, owners_of_both(row, column));
    send_tile(ctx, urgency, diagonal_tile(r->G, k), owners_of_both(row, row));
    for (int64_t n = 0; n < k; n++) { /* send L(k,n) to column n, and to row n left of it */
        tile_block columns = {A, n, n, A.nt - n, 1}, rows = {A, n, 0, 1, n};
        send_tile(ctx, urgency, at(L, k, n), owners_of_both(columns, rows));
    }
    add_half_products(ctx, r, k);
    for (int64_t n = 0; n < k; n++) /* send A(k,n) to row n and column n, above row k */
        send_tile(ctx, urgency, at(A, k, n),
                  owners_of_both((tile_block){A, n, 0, 1, n + 1}, (tile_block){A, n, n, k - n, 1}));
    for (int64_t m = k + 1; m < A.nt; m++) /* send A(m,k) to row m, left of column k */
        send_tile(ctx, urgency, at(A, m, k), owners_of(A, m, 0, 1, k));
    update_leading(ctx, r, k);
    for_own_columns(n, A, 0, k)
        for_own_tiles_in_column(m, A, n, k + 1, A.nt) /* A(m,n) += A(m,k) * L(k,n) */
            insert_gemm(ctx, urgency, 1, at(A, m, k), at(L, k, n), 1, at(A, m, n));
    multiply_by_diagonal(ctx, r, k);
}

/* Submits A(k,k) := the triangle of G(k,k) + G(k,k)ᴴ for all k. */
static void write_diagonal(context ctx, const struct reduction *r)
{
    ctx = begin_step(ctx, r->A.A, r->A.nt);
    startile_matrix *W = temporary_like(ctx, r->A.A);
    for (int64_t k = 0; k < r->A.nt; k++)
        if (W != NULL && is_own_tile(at(r->A, k, k))) {
            add_adjoint(ctx, 0, r, W, k);
            insert_lacpy(ctx, r->uplo, diagonal_tile(W, k), diagonal_tile(r->A.A, k));
        }
    end_step(ctx);
}

/* -- all types -------------------------------------------------------------------------------- */

/* Submits G(k,k) := the Hermitian matrix of A(k,k), of which a triangle is stored. */
static void copy_diagonal(context ctx, int64_t priority, const struct reduction *r, int64_t k)
{
    if (is_own_tile(at(r->A, k, k)))
        insert_mirror(ctx, priority, r->uplo, true, diagonal_tile(r->A.A, k),
                      diagonal_tile(r->G, k));
}

/* Submits G(k,k) := A(k,k) / 2 for all k. */
static void begin_sums(context ctx, const struct reduction *r)
{
    const tile none = {0};
    ctx = begin_step(ctx, r->A.A, 0);
    for (int64_t k = 0; k < r->A.nt; k++) {
        copy_diagonal(ctx, critical(urgency_of(r, k)), r, k);
        if (is_own_tile(at(r->A, k, k))) /* G(k,k) *= 1/2 */
            insert_gemm(ctx, critical(urgency_of(r, k)), 0, none, none, 0.5,
                        diagonal_tile(r->G, k));
    }
    end_step(ctx);
}

/* Submits A := L⁻¹ A L⁻ᴴ for type 1, else A := Lᴴ A L. */
static bool reduce(context ctx, const plan *p)
{
    struct reduction r = {.A = p->V, .L = p->left, .uplo = p->uplo};
    r.G = temporary_like(ctx, p->A);
    if (r.G == NULL)
        return false;
    if (p->solves)
        begin_sums(ctx, &r);
    for (int64_t k = 0; k < r.A.nt; k++) {
        context step = begin_paced_step(ctx, p->A, k);
        if (begin_reduction_step(step, &r)) {
            if (!p->solves)
                copy_diagonal(step, urgency_of(&r, k), &r, k);
            (p->solves ? reduce_by_solves : reduce_by_products)(step, &r, k);
        }
        end_step(step);
    }
    if (!p->solves)
        write_diagonal(ctx, &r);
    return true;
}

int submit_hegst(int itype, char uplo, startile_matrix *A, const startile_matrix *B,
                 startile_request *request)
{
    uplo = capital(uplo);
    if (itype < 1 || itype > 3)
        return -1;
    int wrong = check_hermitian_system(uplo, A, B, request);
    if (wrong != 0)
        return wrong - 1;
    if (!has_square_tiles(B))
        return -4;
    char op = uplo == 'L' ? 'N' : 'C';
    plan p = {.name = "hegst",
              .working_set = TILE_PRODUCTS,
              .A = A,
              .uplo = uplo,
              .V = view_of(A, op),
              .returns_tiles = itype == 1,
              .submit = reduce,
              .left = view_of(B, op),
              .triangle = uplo,
              .solves = itype == 1};
    submit_plan(&p, request);
    return 0;
}
