/* Triangles T of given reflectors, in columns or in rows of A (LAPACK xLARFT). */
#include "algorithms.h"
#include "data/reflectors.h"
#include "request/request.h"

/* Submits the triangles of all block columns of A; on entry T's diagonals hold tau. */
static void make_triangles(context ctx, const startile_matrix *A, startile_matrix *T)
{
    view triangles = view_of(T, 'N');
    int64_t nb = startile_matrix_shape(A).nb;
    for (int64_t k = 0; k < triangles.nt; k++)
        /* T(k) := T with I - V T V^H = H_1 H_2 …, V = A(k:,k), H_i = I - tau_i v_i v_i^H */
        insert_larft(ctx, rows_from(A, k, k * nb), at(triangles, 0, k));
}

/* Validates the arguments of startile_reflectors_from_lapack(); returns 0 or −i. */
static int check(char storev, const startile_matrix *A, const void *tau, const startile_matrix *T)
{
    if (!is_one_of(storev, "CR"))
        return -1;
    if (A == NULL || !has_panels(A))
        return -2;
    if (T == NULL || !reflectors_fit(T, A))
        return -4;
    return tau == NULL && startile_matrix_shape(T).n > 0 ? -3 : 0;
}

int64_t startile_reflectors_from_lapack(char storev, const startile_matrix *A, const void *tau,
                                        startile_reflectors *reflectors)
{
    startile_matrix *T = triangles_of(reflectors);
    startile_request *r = request_start();
    storev = capital(storev);
    int status = check(storev, A, tau, T);
    if (status != 0 || r == NULL)
        return request_finish(r, status);
    startile_matrix *F = storev == 'R' ? adjoint_copy(context_of(r), A) : NULL;
    status = reflectors_set_tau(T, tau);
    if (status == 0 && (storev == 'C' || F != NULL))
        make_triangles(context_of(r), storev == 'R' ? F : A, T);
    return request_finish(r, status);
}
