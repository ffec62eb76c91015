/* Bunch–Kaufman factorization A = L D Lᵀ or U D Uᵀ of a symmetric matrix, A = L D Lᴴ or U D Uᴴ of a
 * Hermitian one (LAPACK xSYTRF, xHETRF; Bunch & Kaufman 1977). */
#include "algorithms.h"
#include "data/symmetric_pivots.h"
#include "journal/journal.h"
#include "operations/insert_symmetric.h"

/* Submits the tasks. A pivot depends on the whole trailing triangle, so the panels run one after
 * the other, and a panel's task updates the trailing triangle itself. */
static bool factor(context ctx, const plan *p)
{
    ctx = begin_factorization(ctx);
    /* Before step s, block columns 0 … s − 1 hold L and D, and the others what remains of A; with
     * uplo 'U' the last s block columns hold U and D. */
    for (int64_t s = 0; s < p->panels; s++) {
        int64_t k = p->uplo == 'L' ? s : p->panels - 1 - s;
        context step = begin_step(ctx, p->A, s);
        /* P_k^T A(k:,k:) P_k = L(k:,k) D(k,k) L(k:,k)^T and what remains, A(k+1:,k+1:); with 'U'
         * P_k^T A(:k,:k) P_k = U(:k,k) D(k,k) U(:k,k)^T and what remains, A(:k-1,:k-1) */
        insert_sytrf(step, critical(p->panels - s), p->uplo, p->op, p->A, k, p->symmetric_pivots);
        end_step(step);
    }
    after_factorization(ctx);
    return true;
}

static int check(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                 const startile_request *request)
{
    int wrong = check_hermitian(uplo, A, request);
    if (wrong == -1 || wrong == -2)
        return wrong;
    if (startile_matrix_shape(A).nt > MOST_TILES)
        return -2;
    /* a journal could not continue the factorization, whose panels change all of A */
    if (startile_matrix_grid(A) != NULL || has_journal(A))
        return -2;
    if (P == NULL || !symmetric_pivots_fit(P, A))
        return -3;
    return request == NULL ? -4 : 0;
}

/* Submits the factorization A = L D op(L) with op 'T' or 'C'. */
static int submit(const char *name, char op, char uplo, startile_matrix *A,
                  startile_symmetric_pivots *P, startile_request *request)
{
    uplo = capital(uplo);
    int wrong = check(uplo, A, P, request);
    if (wrong != 0)
        return wrong;
    symmetric_pivots_set_triangle(P, uplo);
    plan p = {.name = name,
              .working_set = WHOLE,
              .equation = LDL,
              .submit = factor,
              .symmetric_pivots = P,
              .op = op};
    return submit_on_triangle(p, uplo, A, request);
}

int submit_sytrf(char uplo, startile_matrix *A, startile_symmetric_pivots *P,
                 startile_request *request)
{
    return submit("sytrf", 'T', uplo, A, P, request);
}

int submit_hetrf(char uplo, startile_matrix *A, startile_symmetric_pivots *P,
                 startile_request *request)
{
    return submit("hetrf", 'C', uplo, A, P, request);
}
