/* LQ factorization A = L Q (LAPACK xGELQF), by the QR factorization Aᴴ = Qᴴ Lᴴ. */
#include "algorithms.h"
#include "data/reflectors.h"

static bool factor(context ctx, const plan *p)
{
    startile_matrix *F = adjoint_copy(ctx, p->A);
    if (F == NULL)
        return false;
    factor_by_panels(ctx, F, p->T);
    transpose(ctx, F, p->A); /* A := F^H */
    return true;
}

int submit_gelqf(startile_matrix *A, startile_reflectors *T, startile_request *request)
{
    int wrong = check_geqrf(A, triangles_of(T), request);
    if (wrong != 0)
        return wrong;
    plan p = {.name = "gelqf",
              .working_set = GELQF,
              .A = A,
              .uplo = 'G',
              .V = view_of(A, 'N'),
              .submit = factor,
              .T = triangles_of(T)};
    submit_plan(&p, request);
    return 0;
}
