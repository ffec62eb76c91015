/* Aasen's factorization in two stages: P A Pᵀ = L T op(L), and the LU factorization of the band
 * matrix T (LAPACK xSYTRF_AA_2STAGE, xHETRF_AA_2STAGE; Ballard et al. 2014). op is ᵀ or ᴴ. */
#include "aasen.h"
#include "journal/journal.h"

/* Submits the tasks, left-looking: a step updates its own block column only. The interchanges of a
 * panel decide what the next block column is, so the updates of it cannot begin before. */
static bool factor(context ctx, const plan *p)
{
    int64_t nt = p->V.nt;
    struct aasen f;
    ctx = begin_factorization(ctx);
    if (!aasen_create(ctx, p, &f))
        return false;
    if (nt > 0)
        begin_aasen(ctx, &f);
    /* Before step k, block columns 0 … k − 1 of W hold L(:,1:k) with the interchanges of panels 1 …
     * k. Interchanges of what is not factored are part of the gathering. */
    for (int64_t k = 0; k < nt; k++) {
        context step = begin_step(ctx, p->A, k);
        int64_t priority = nt - k, urgent = critical(priority);
        if (!aasen_create_step(step, &f, k))
            return false;
        tile sum = diagonal_sum(&f, k), X = block_of_x(&f, k), T = block_of_t(&f, k, k);
        tile L = diagonal_of_l(&f, k), op_L = tile_op(p->op, L);
        /* K := L(k,1:k), A(k,0:k) := K */
        copy_row(step, urgent, &f, k);
        store_row(step, priority, &f, k);
        /* sums := block column k of P_k … P_1 A P_1^T … P_k^T */
        gather_column(step, priority, &f, k);
        /* H(1:k,k) := T(1:k,1:k) op(L(k,1:k)), without T(k,k) */
        multiply_row(step, urgent, &f, k);
        /* sum := its diagonal block - L(k,1:k) H(1:k,k) */
        subtract_from_diagonal(step, urgent, &f, k);
        if (k + 1 < nt) /* sums := the others - L(k+1:,1:k) H(1:k,k), while T(k,k) is computed */
            subtract_products(step, priority, &f, k);
        /* T(k,k) := L(k,k)^-1 sum op(L(k,k))^-1, of its lower triangle and T's */
        insert_mirror(step, urgent, 'L', p->op == 'C', sum, X);
        insert_trsm(step, urgent, 'L', 'L', 'U', 1, L, X, false);
        insert_trsm(step, urgent, 'R', 'L', 'U', 1, op_L, X, false);
        insert_mirror(step, urgent, 'L', p->op == 'C', X, T);
        store_band(step, &f, k);
        if (k + 1 < nt) {
            if (k > 0) {
                /* X := T(k,k) op(L(k,k)), a sum -= L(k+1:,k) X */
                insert_gemm(step, urgent, 1, T, op_L, 0, X);
                subtract_product(step, priority, &f, k, X);
            }
            /* W(k+1:,k) := block column k of the A above - L(k+1:,1:k) H(1:k,k) */
            add_sums(step, priority, &f, k);
            /* P_{k+1} W(k+1:,k) = L(k+1:,k+1) U */
            insert_getrf(without_info(step), urgent, rows_from(f.W, k, first_row(f.W, k + 1)), p->P,
                         k + 1, false);
            /* T(k+1,k) := U op(L(k,k))^-1 */
            split_panel(step, urgent, &f, k);
            /* L := P_{k+1} L, and A's order */
            interchange(step, priority, &f, k + 1);
        }
        factor_band(step, p, k - 2);
        end_step(step);
    }
    context last = begin_step(ctx, p->A, nt);
    factor_band(last, p, nt - 2);
    factor_band(last, p, nt - 1);
    end_step(last);
    after_factorization(ctx);
    return true;
}

static int check(char uplo, const startile_matrix *A, const startile_pivots *P,
                 const startile_matrix *band, const startile_pivots *band_pivots,
                 const startile_request *request)
{
    int wrong = check_aasen(uplo, A, P, band, band_pivots);
    if (wrong != 0)
        return wrong;
    if (has_journal(A)) /* it could not continue the factorization: W is not in it */
        return -2;
    return request == NULL ? -6 : 0;
}

/* Submits the factorization with op 'T' or 'C'. */
static int submit(const char *name, char op, char uplo, startile_matrix *A, startile_pivots *P,
                  startile_matrix *band, startile_pivots *band_pivots, startile_request *request)
{
    uplo = capital(uplo);
    int wrong = check(uplo, A, P, band, band_pivots, request);
    if (wrong != 0)
        return wrong;
    plan p = {.name = name,
              .working_set = SYTRF_AA,
              .equation = LTL,
              .A = A,
              .uplo = uplo,
              .V = view_of(A, uplo == 'L' ? 'N' : op),
              .submit = factor,
              .P = P,
              .band = band,
              .band_pivots = band_pivots,
              .op = op};
    submit_plan(&p, request);
    return 0;
}

int submit_sytrf_aa(char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
                    startile_pivots *band_pivots, startile_request *request)
{
    return submit("sytrf_aa", 'T', uplo, A, P, band, band_pivots, request);
}

int submit_hetrf_aa(char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
                    startile_pivots *band_pivots, startile_request *request)
{
    return submit("hetrf_aa", 'C', uplo, A, P, band, band_pivots, request);
}
