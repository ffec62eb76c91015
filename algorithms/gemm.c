/* C := alpha op(A) op(B) + beta C over tiles (BLAS xGEMM). */
#include "algorithms.h"
#include "grid/broadcast.h"
#include "grid/owner.h"
#include "memory/tile_copies.h"

/* Returns whether both are the same stored tile. */
static bool is_same_tile(tile a, tile b)
{
    return a.A == b.A && a.i == b.i && a.j == b.j;
}

/* Sends A(:,k) and B(k,:) to the tiles of C that they update. Where A and B are one matrix, a tile
 * may be in both, and is sent once: a second broadcast would mark the copies of the first as out of
 * date. */
static void broadcast_step(context ctx, int64_t priority, view A, view B, view C, int64_t k)
{
    bool is_one_matrix = A.A == B.A;
    for (int64_t m = 0; m < C.mt; m++) {
        /* n := the first column for which B(k,n) is the tile A(m,k), or C.nt */
        int64_t n = is_one_matrix ? 0 : C.nt;
        while (n < C.nt && !is_same_tile(at(A, m, k), at(B, k, n)))
            n++;
        send_tile(
            ctx, priority, at(A, m, k),
            owners_of_both((tile_block){C, m, 0, 1, C.nt}, (tile_block){C, 0, n, C.mt, n < C.nt}));
    }
    for (int64_t n = 0; n < C.nt; n++) {
        /* m := the first row for which A(m,k), sent above, is the tile B(k,n), or C.mt */
        int64_t m = is_one_matrix ? 0 : C.mt;
        while (m < C.mt && !is_same_tile(at(A, m, k), at(B, k, n)))
            m++;
        if (m == C.mt)
            send_tile(ctx, priority, at(B, k, n), owners_of(C, 0, n, C.mt, 1));
    }
}

void scale_matrix(context ctx, startile_complex beta, view C)
{
    const tile none = {0};
    ctx = begin_step(ctx, C.A, 0);
    for_own_columns(n, C, 0, C.nt)
        for_own_tiles_in_column(m, C, n, 0, C.mt) {
            /* C(m,n) := beta * C(m,n) */
            insert_gemm(ctx, 0, 0, none, none, beta, at(C, m, n));
            return_to_host(ctx, at(C, m, n));
        }
    end_step(ctx);
}

/* Submits steps first … last − 1 of C := alpha A B + beta C. */
static void add_products(context ctx, startile_complex alpha, view A, view B, startile_complex beta,
                         view C, int64_t first, int64_t last)
{
    int64_t steps = A.nt;
    for_own_columns(n, C, 0, C.nt)
        for_own_tiles_in_column(m, C, n, 0, C.mt) {
            for (int64_t k = first; k < last; k++) {
                ctx.step = k;
                /* C(m,n) := alpha * A(m,k) * B(k,n) + (k == 0 ? beta : 1) * C(m,n) */
                insert_gemm(ctx, steps - k, alpha, at(A, m, k), at(B, k, n), k == 0 ? beta : 1,
                            at(C, m, n));
            }
            if (last == steps)
                return_to_host(ctx, at(C, m, n));
        }
}

/* Submits C := alpha A B + beta C. On a grid, submits each step for all tiles of C before the next
 * step, so that a process holds the copies of few steps (SUMMA: van de Geijn & Watts 1997). Without
 * a grid, submits all steps for one tile of C before the next tile, so that each tile of C is
 * transferred once if C exceeds the memory. */
static bool multiply(context ctx, const plan *p)
{
    view A = p->left, B = p->right, C = p->V;
    int64_t steps = A.nt, at_a_time = startile_matrix_grid(C.A) != NULL ? 1 : steps;
    if (p->alpha == 0 || steps == 0) {
        scale_matrix(ctx, p->beta, C);
        return true;
    }
    for (int64_t k = 0; k < steps; k += at_a_time) {
        ctx = begin_paced_step(ctx, larger_matrix(C.A, larger_matrix(A.A, B.A)), k);
        broadcast_step(ctx, steps - k, A, B, C, k);
        add_products(ctx, p->alpha, A, B, p->beta, C, k, k + at_a_time);
        end_step(ctx);
    }
    return true;
}

/* Returns the shape of op(X). */
static startile_shape shape_of_op(char op, const startile_matrix *X)
{
    startile_shape s = startile_matrix_shape(X), t = s;
    if (op != 'N') {
        t.m = s.n, t.mb = s.nb, t.mt = s.nt;
        t.n = s.m, t.nb = s.mb, t.nt = s.mt;
    }
    return t;
}

int submit_gemm(char transa, char transb, startile_complex alpha, const startile_matrix *A,
                const startile_matrix *B, startile_complex beta, startile_matrix *C,
                startile_request *request)
{
    transa = capital(transa), transb = capital(transb);
    startile_shape a = shape_of_op(transa, A), b = shape_of_op(transb, B),
                   c = startile_matrix_shape(C);
    if (!is_one_of(transa, "NTC"))
        return -1;
    if (!is_one_of(transb, "NTC"))
        return -2;
    if (A == NULL)
        return -4;
    if (B == NULL || !have_same_type_and_grid(A, B) || b.m != a.n || !same_tiles(a.n, a.nb, b.mb))
        return -5;
    if (C == NULL || C == A || C == B || !have_same_type_and_grid(A, C) || c.m != a.m ||
        c.n != b.n || !same_tiles(c.m, c.mb, a.mb) || !same_tiles(c.n, c.nb, b.nb))
        return -7;
    if (request == NULL)
        return -8;
    plan p = {.name = "gemm",
              .working_set = TILE_PRODUCTS,
              .equation = PRODUCT,
              .A = C,
              .uplo = 'G',
              .ignores_A = beta == 0,
              .V = view_of(C, 'N'),
              .returns_tiles = true,
              .submit = multiply,
              .left = view_of(A, transa),
              .right = view_of(B, transb),
              .alpha = alpha,
              .beta = beta};
    submit_plan(&p, request);
    return 0;
}
