/* QR A = Q R, right-looking over block columns (LAPACK xGEQRF; Volkov & Demmel 2008, 5). */
#include "algorithms.h"

/* Block columns first … last − 1 by panel k. */
static void update(startile_request *r, startile_matrix *A, const startile_matrix *T, int64_t k,
                   int64_t first, int64_t last)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t row = k * s.nb, urgency = 2 * (s.nt - k);
    /* a block waits for earlier ones, and then takes them column by column */
    bool is_before = first > k + 1;
    for (int64_t j = first; j < last; j++) {
        /* the next panel waits for the first of these */
        int64_t priority =
            j == k + 1 ? critical(urgency - 1) : urgency - (is_before ? 2 * first : j - k);
        insert_larfb(r, priority, 'C', below(A, k, row), at(view_of(T, 'N'), 0, k),
                     below(A, j, row));
    }
}

/* What fits the memory is one block. Otherwise blocks are brought in one after the other, and the
 * columns before them once for each (Yamazaki, Tomov & Dongarra, 4.1: (3 + (n_B − 1)/2) m n − n² +
 * (n_B + 3)/2 n b elements for n_B blocks). */
void factor_by_panels(startile_request *r, startile_matrix *A, const startile_matrix *T)
{
    startile_shape s = startile_matrix_shape(A);
    view triangles = view_of(T, 'N');
    if (end_of_block(A, 0) < s.nt)
        rest_matrix(A);
    for (int64_t first = 0, last; first < s.nt; first = last) {
        last = end_of_block(A, first);
        for (int64_t k = 0; k < last && k < triangles.nt; k++) {
            begin_step(r, k);
            if (k == last - AHEAD && last < s.nt)
                open_gate(r);
            if (k >= first)
                insert_geqrf(r, critical(2 * (s.nt - k)), below(A, k, k * s.nb),
                             at(triangles, 0, k));
            past_gate(r);
            if (k == 0 && first > 0)
                behind_gate(r);
            update(r, A, T, k, k < first ? first : k + 1, last);
            past_gate(r);
            if (last < s.nt || first > 0)
                rest_column(A, k);
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
    if (have_room_for_columns(request, A)) {
        factor_by_panels(request, A, T);
        send_home(request, A);
    }
    return 0;
}

int64_t startile_geqrf(startile_matrix *A, startile_matrix *T)
{
    startile_request *r = request_start();
    return request_finish(r, startile_geqrf_async(A, T, r));
}
