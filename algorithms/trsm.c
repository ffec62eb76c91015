/* Triangular solve with many right-hand sides (BLAS xTRSM): substitution over tiles. */
#include "algorithms.h"
#include "grid/broadcast.h"
#include "grid/owner.h"
#include "memory/tile_copies.h"

#include <complex.h>

void solve_triangle(context ctx, bool forward, char uplo, char diag, startile_complex alpha, view A,
                    view B, int64_t later, bool after_info)
{
    int64_t steps = A.nt;
    /* Before step s > 0, the block rows of steps 0 … s − 1 hold the solution X, and each other
     * block row m holds alpha B(m,:) minus the sum of A(m,k) * X(k,:) over these steps' k. */
    for (int64_t s = 0; s < steps; s++) {
        int64_t k = forward ? s : steps - 1 - s;
        int64_t urgency = 2 * (later + steps - s);
        startile_complex scale = s == 0 ? alpha : 1;

        ctx = begin_paced_step(ctx, larger_matrix(A.A, B.A), s);
        send_tile(ctx, urgency, at(A, k, k), owners_of(B, k, 0, 1, B.nt));
        for_own_tiles_in_row(n, B, k, 0, B.nt)
            /* B(k,n) := scale * A(k,k)^-1 * B(k,n) */
            insert_trsm(ctx, urgency, 'L', uplo, diag, scale, at(A, k, k), at(B, k, n),
                        after_info && s == 0);
        for (int64_t n = 0; n < B.nt; n++) /* send B(k,n) to the rows that are not solved yet */
            send_tile(ctx, urgency, at(B, k, n),
                      owners_of(B, forward ? k + 1 : 0, n, steps - 1 - s, 1));
        for (int64_t t = s + 1; t < steps; t++) {
            int64_t m = forward ? t : steps - 1 - t;
            send_tile(ctx, urgency - (t - s), at(A, m, k), owners_of(B, m, 0, 1, B.nt));
            for_own_tiles_in_row(n, B, m, 0, B.nt)
                /* B(m,n) := scale * B(m,n) − A(m,k) * B(k,n) */
                insert_gemm(ctx, urgency - (t - s), -1, at(A, m, k), at(B, k, n), scale,
                            at(B, m, n));
        }
        if (later == 0)
            for (int64_t n = 0; n < B.nt; n++)
                return_to_host(ctx, at(B, k, n));
        end_step(ctx);
    }
}

static bool solve(context ctx, const plan *p)
{
    if (p->alpha == 0)
        scale_matrix(ctx, 0, p->V); /* without reading A, as in BLAS */
    else
        solve_triangle(ctx, is_lower_as_seen(p), p->triangle, p->diag, p->alpha, p->left, p->V, 0,
                       false);
    return true;
}

int submit_with_triangle(plan p, char side, char uplo, char transa, char diag,
                         startile_complex alpha, const startile_matrix *A, startile_matrix *B,
                         startile_request *request)
{
    int wrong = check_triangle(side, uplo, transa, diag, A, B, request);
    if (wrong != 0)
        return wrong;
    side = capital(side), transa = capital(transa);
    char transposition = transposition_for(side, transa);
    p.working_set = TILE_PRODUCTS;
    p.A = B;
    p.uplo = 'G';
    p.V = view_of(B, transposition);
    p.returns_tiles = true;
    p.left = view_of(A, side == 'L' ? transa : compose(transposition, transa));
    p.alpha = transposition == 'C' ? conj(alpha) : alpha;
    p.triangle = capital(uplo);
    p.diag = capital(diag);
    submit_plan(&p, request);
    return 0;
}

int submit_trsm(char side, char uplo, char transa, char diag, startile_complex alpha,
                const startile_matrix *A, startile_matrix *B, startile_request *request)
{
    plan p = {.name = "trsm", .equation = alpha != 0 ? SOLUTION : UNCHECKED, .submit = solve};
    return submit_with_triangle(p, side, uplo, transa, diag, alpha, A, B, request);
}
