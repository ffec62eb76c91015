/* Refinement of a solution by Cholesky with bounds of its errors (LAPACK xPORFS). */
#include "algorithms.h"

int submit_porfs(char uplo, const startile_matrix *A, const startile_matrix *F,
                 const startile_matrix *B, startile_matrix *X, double *ferr, double *berr,
                 startile_request *request)
{
    factored_system s = {.op = 'C', .uplo = capital(uplo), .A = A, .F = F, .B = B, .X = X};
    int wrong = check_factored_system(&s);
    if (wrong != 0)
        return wrong;
    if (ferr == NULL)
        return -6;
    if (berr == NULL)
        return -7;
    if (request == NULL)
        return -8;
    refine_with_bounds(context_of(request), &s, ferr, berr);
    return 0;
}
