/* Refinement of a solution by Bunch–Kaufman factors with bounds of its errors (LAPACK xSYRFS,
 * xHERFS). */
#include "ldl.h"

/* Submits syrfs with op 'T', herfs with 'C'. */
static int submit(char op, char uplo, const startile_matrix *A, const startile_matrix *F,
                  const startile_symmetric_pivots *P, const startile_matrix *B, startile_matrix *X,
                  double *ferr, double *berr, startile_request *request)
{
    factored_system s = {.op = op, .uplo = capital(uplo), .A = A, .F = F, .P = P, .B = B, .X = X};
    int wrong = check_factored_system(&s);
    if (wrong < 0 && wrong >= -3)
        return wrong;
    if (check_ldl(s.uplo, F, P) != 0)
        return -4;
    if (wrong != 0)
        return wrong - 1; /* B and X come after P */
    if (ferr == NULL)
        return -7;
    if (berr == NULL)
        return -8;
    if (request == NULL)
        return -9;
    if (!is_complex(A))
        s.op = 'C'; /* a real symmetric matrix is Hermitian */
    refine_with_bounds(context_of(request), &s, ferr, berr);
    return 0;
}

int submit_syrfs(char uplo, const startile_matrix *A, const startile_matrix *F,
                 const startile_symmetric_pivots *P, const startile_matrix *B, startile_matrix *X,
                 double *ferr, double *berr, startile_request *request)
{
    return submit('T', uplo, A, F, P, B, X, ferr, berr, request);
}

int submit_herfs(char uplo, const startile_matrix *A, const startile_matrix *F,
                 const startile_symmetric_pivots *P, const startile_matrix *B, startile_matrix *X,
                 double *ferr, double *berr, startile_request *request)
{
    return submit('C', uplo, A, F, P, B, X, ferr, berr, request);
}
