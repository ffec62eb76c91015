/* LQ A = L Q (LAPACK xGELQF), as QR of Aᴴ = Qᴴ Lᴴ. */
#include "algorithms.h"

int startile_gelqf_async(startile_matrix *A, startile_matrix *T, startile_request *request)
{
    if (A == NULL || !has_panels(A))
        return -1;
    if (!has_reflectors(T, A))
        return -2;
    if (request == NULL)
        return -3;
    startile_matrix *F = transposed(request, A);
    if (F == NULL)
        return 0;
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
