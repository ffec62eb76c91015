/* QR A = Q R, right-looking over block columns (LAPACK xGEQRF; Volkov & Demmel 2008, 5). */
#include "algorithms.h"

void factor_by_panels(startile_request *r, startile_matrix *A, const startile_matrix *T)
{
    startile_shape s = startile_matrix_shape(A);
    view triangles = view_of(T, 'N');
    for (int64_t k = 0; k < triangles.nt; k++) {
        int64_t row = k * s.nb, urgency = 2 * (s.nt - k);
        column V = below(A, k, row);
        begin_step(r, k);
        insert_geqrf(r, critical(urgency), V, at(triangles, 0, k));
        for (int64_t j = k + 1; j < s.nt; j++) {
            /* the next panel waits for the first of these */
            int64_t priority = j == k + 1 ? critical(urgency - 1) : urgency - (j - k);
            insert_larfb(r, priority, 'C', V, at(triangles, 0, k), below(A, j, row));
        }
    }
    end_steps(r);
}

int check_geqrf(const startile_matrix *A, const startile_matrix *T, const startile_request *request)
{
    if (A == NULL || !has_panels(A))
        return -1;
    startile_shape s = startile_matrix_shape(A);
    if (T == NULL || !reflectors_fit(T, A) || startile_matrix_shape(T).n != (s.m < s.n ? s.m : s.n))
        return -2;
    return request == NULL ? -3 : 0;
}

int startile_geqrf_async(startile_matrix *A, startile_matrix *T, startile_request *request)
{
    int wrong = check_geqrf(A, T, request);
    if (wrong != 0)
        return wrong;
    factor_by_panels(request, A, T);
    send_home(request, A);
    return 0;
}

int64_t startile_geqrf(startile_matrix *A, startile_matrix *T)
{
    startile_request *r = request_start();
    return request_finish(r, startile_geqrf_async(A, T, r));
}
