/* Cholesky factorization with diagonal pivoting Pᵀ A P = L Lᴴ (LAPACK xPSTRF; Hammarling, Higham &
 * Lucas 2007). */
#include "algorithms.h"
#include "data/permutation.h"
#include "journal/journal.h"
#include "operations/insert_pivoted.h"

/* Submits the tasks. A pivot depends on the whole trailing triangle, so the panels run one after
 * the other, and a panel's task updates the trailing triangle itself. When a pivot is too small,
 * the task fails the request with info 1, and the later tasks do nothing. */
static bool factor(context ctx, const plan *p)
{
    values *stop = values_begin(ctx, 1);
    if (stop == NULL)
        return false;
    *p->rank = 0;
    /* Before step k, block columns 0 … k − 1 hold L, and the others P^T A P - L(:,:k) L(:,:k)^H. */
    for (int64_t k = 0; k < p->panels; k++) {
        context step = begin_step(ctx, p->A, k);
        /* A(k:,k:) P_k = L(k:,k) L(k,k)^H, A(k:,:k) := P_k^T A(k:,:k),
         * A(k+1:,k+1:) := P_k^T A(k+1:,k+1:) P_k − L(k+1:,k) L(k+1:,k)^H */
        insert_pstrf(step, critical(p->panels - k), p->uplo, p->V, k, p->permutation, p->tol, stop,
                     p->rank);
        end_step(step);
    }
    return true;
}

static int check(char uplo, const startile_matrix *A, const startile_permutation *P,
                 const int64_t *rank, const startile_request *request)
{
    int wrong = check_hermitian(capital(uplo), A, request);
    if (wrong == -1 || wrong == -2)
        return wrong;
    if (startile_matrix_shape(A).nt > MOST_TILES)
        return -2;
    /* a journal could not continue the factorization, whose panels change all of A */
    if (startile_matrix_grid(A) != NULL || has_journal(A))
        return -2;
    if (P == NULL || !permutation_fits(P, A))
        return -3;
    if (rank == NULL)
        return -5;
    return request == NULL ? -6 : 0;
}

int submit_pstrf(char uplo, startile_matrix *A, startile_permutation *P, double tol, int64_t *rank,
                 startile_request *request)
{
    int wrong = check(uplo, A, P, rank, request);
    if (wrong != 0)
        return wrong;
    plan p = {.name = "pstrf",
              .working_set = WHOLE,
              .equation = UNCHECKED,
              .submit = factor,
              .permutation = P,
              .tol = tol,
              .rank = rank};
    return submit_on_triangle(p, uplo, A, request);
}
