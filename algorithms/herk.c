/* Rank-k updates of one triangle over tiles (BLAS xHERK, xSYRK). */
#include "algorithms.h"
#include "grid/broadcast.h"
#include "grid/owner.h"
#include "memory/tile_copies.h"

/* Submits C := beta C on the lower triangle of the view. */
static void scale(context ctx, const plan *p)
{
    view C = p->V;
    const tile none = {0};
    ctx = begin_step(ctx, C.A, 0);
    for_own_columns(n, C, 0, C.nt)
        for_own_tiles_in_column(m, C, n, n, C.nt) {
            if (m == n) /* C(n,n) *= beta */
                insert_herk(ctx, 0, p->op, p->uplo, 0, none, p->beta, at(C, n, n));
            else /* C(m,n) *= beta */
                insert_gemm(ctx, 0, 0, none, none, p->beta, at(C, m, n));
            return_to_host(ctx, at(C, m, n));
        }
    end_step(ctx);
}

/* Submits steps first … last − 1 of the product. */
static void add_products(context ctx, const plan *p, int64_t first, int64_t last)
{
    view A = p->left, C = p->V;
    int64_t steps = A.nt;
    for_own_columns(n, C, 0, C.nt)
        for_own_tiles_in_column(m, C, n, n, C.nt) {
            for (int64_t k = first; k < last; k++) {
                startile_complex scale = k == 0 ? p->beta : 1;
                ctx.step = k;
                /* C(m,n) := alpha * A(m,k) * op(A(n,k)) + scale * C(m,n) */
                if (m == n)
                    insert_herk(ctx, steps - k, p->op, p->uplo, p->alpha, at(A, n, k), scale,
                                at(C, n, n));
                else
                    insert_gemm(ctx, steps - k, p->alpha, at(A, m, k), tile_op(p->op, at(A, n, k)),
                                scale, at(C, m, n));
            }
            if (last == steps)
                return_to_host(ctx, at(C, m, n));
        }
}

/* Submits C := alpha A op(A) + beta C for the view C, in which the stored triangle is lower. */
static bool update(context ctx, const plan *p)
{
    view A = p->left, C = p->V;
    int64_t steps = p->alpha == 0 ? 0 : A.nt;
    /* same order of steps and tiles as in gemm.c, multiply() */
    int64_t at_a_time = startile_matrix_grid(C.A) != NULL ? 1 : steps;
    if (steps == 0)
        scale(ctx, p);
    for (int64_t k = 0; k < steps; k += at_a_time) {
        ctx = begin_paced_step(ctx, larger_matrix(A.A, C.A), k);
        for (int64_t n = 0; n < C.nt; n++) /* send A(n,k) to block row n and block column n of C */
            send_tile(ctx, steps - k, at(A, n, k),
                      owners_of_both((tile_block){C, n, 0, 1, n + 1},
                                     (tile_block){C, n, n, C.nt - n, 1}));
        add_products(ctx, p, k, k + at_a_time);
        end_step(ctx);
    }
    return true;
}

/* Validates the arguments and submits the update. The upper triangle of C is updated as the lower
 * triangle of op(C) by the same product, since op(A op(A)) = A op(A). alpha and beta stay, since
 * they are real for 'C'. */
static int submit_rank_k_update(char op, char uplo, char trans, startile_complex alpha,
                                const startile_matrix *A, startile_complex beta, startile_matrix *C,
                                startile_request *request)
{
    startile_shape a = startile_matrix_shape(A), c = startile_matrix_shape(C);
    uplo = capital(uplo), trans = capital(trans);
    if (!is_one_of(uplo, "LU"))
        return -1;
    /* argument 2 comes before A, but which letters are right depends on A's type */
    if (A == NULL)
        return !is_one_of(trans, "NTC") ? -2 : -4;
    /* 'T' and 'C' are the same for a real type */
    if (trans != 'N' && trans != op && (is_complex(A) || !is_one_of(trans, "TC")))
        return -2;
    if (C == NULL || A == C || !has_square_tiles(C) || !have_same_type_and_grid(A, C) ||
        c.n != (trans == 'N' ? a.m : a.n) || !same_tiles(c.n, c.nb, trans == 'N' ? a.mb : a.nb))
        return -6;
    if (request == NULL)
        return -7;
    plan p = {.name = op == 'C' ? "herk" : "syrk",
              .working_set = TILE_PRODUCTS,
              .A = C,
              .uplo = uplo,
              .V = view_of(C, uplo == 'L' ? 'N' : op),
              .returns_tiles = true,
              .submit = update,
              .left = view_of(A, trans),
              .alpha = alpha,
              .beta = beta,
              .op = op};
    submit_plan(&p, request);
    return 0;
}

int submit_herk(char uplo, char trans, double alpha, const startile_matrix *A, double beta,
                startile_matrix *C, startile_request *request)
{
    return submit_rank_k_update('C', uplo, trans, alpha, A, beta, C, request);
}

int submit_syrk(char uplo, char trans, startile_complex alpha, const startile_matrix *A,
                startile_complex beta, startile_matrix *C, startile_request *request)
{
    return submit_rank_k_update('T', uplo, trans, alpha, A, beta, C, request);
}
