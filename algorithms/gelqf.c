/* LQ factorization A = L Q (LAPACK xGELQF), by the QR factorization Aᴴ = Qᴴ Lᴴ. */
#include "algorithms.h"

int submit_gelqf(startile_matrix *A, startile_matrix *T, startile_request *request)
{
    int wrong = check_geqrf(A, T, request);
    startile_matrix *F = wrong == 0 ? transposed(context_of(request), A) : NULL;
    if (F == NULL)
        return wrong;
    context ctx = context_of(request);
    factor_by_panels(ctx, F, T);
    transpose(ctx, F, A); /* A := F^H */
    return_matrix(ctx, A);
    return 0;
}
