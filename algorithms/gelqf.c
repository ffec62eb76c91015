/* LQ factorization A = L Q (LAPACK xGELQF), by the QR factorization Aᴴ = Qᴴ Lᴴ. */
#include "algorithms.h"

int startile_gelqf_async(startile_matrix *A, startile_matrix *T, startile_request *request)
{
    int wrong = check_geqrf(A, T, request);
    startile_matrix *F = wrong == 0 ? transposed(request, A) : NULL;
    if (F == NULL)
        return wrong;
    factor_by_panels(request, F, T);
    transpose(request, F, A);
    send_home(request, A);
    forget_matrix(F);
    return 0;
}

int64_t startile_gelqf(startile_matrix *A, startile_matrix *T)
{
    startile_request *r = request_start();
    return request_finish(r, startile_gelqf_async(A, T, r));
}
