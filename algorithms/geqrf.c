/* QR factorization A = Q R, right-looking over block columns (LAPACK xGEQRF; Volkov & Demmel 2008,
 * section 5). */
#include "algorithms.h"

/* Applies the block reflector of panel k to block columns first … last − 1. */
static void update(startile_request *r, startile_matrix *A, const startile_matrix *T, int64_t k,
                   int64_t first, int64_t last)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t row = k * s.nb, urgency = 2 * (s.nt - k);
    /* updates by panels of earlier blocks: after the tasks of these blocks, in the order of the
     * panels */
    bool is_left_looking = first > k + 1;
    for (int64_t j = first; j < last; j++) {
        /* block column k + 1 is the next panel: critical path */
        int64_t priority =
            j == k + 1 ? critical(urgency - 1) : urgency - (is_left_looking ? 2 * first : j - k);
        /* A(k:,j) := (I − V T V^H)^H A(k:,j) with V = A(k:,k), T = T(k) */
        insert_larfb(r, priority, 'C', below(A, k, row), at(view_of(T, 'N'), 0, k),
                     below(A, j, row));
    }
}

/* Processes A in blocks of block columns that fit the memory; a matrix that fits is one block. Each
 * block is transferred once, and the panels before it once per block (Yamazaki, Tomov & Dongarra,
 * section 4.1: (3 + (n_B − 1)/2) m n − n² + (n_B + 3)/2 n b elements for n_B blocks). */
void factor_by_panels(startile_request *r, startile_matrix *A, const startile_matrix *T)
{
    startile_shape s = startile_matrix_shape(A);
    view triangles = view_of(T, 'N');
    if (end_of_block(A, 0) < s.nt)
        hint_idle_matrix(A);
    for (int64_t first = 0, last; first < s.nt; first = last) {
        last = end_of_block(A, first);
        for (int64_t k = 0; k < last && k < triangles.nt; k++) {
            begin_step(r, k);
            if (k == last - AHEAD && last < s.nt)
                open_gate(r);
            if (k >= first)
                /* A(k:,k) := R and V of its QR factorization, T(k) := the triangle */
                insert_geqrf(r, critical(2 * (s.nt - k)), below(A, k, k * s.nb),
                             at(triangles, 0, k));
            past_gate(r);
            if (k == 0 && first > 0)
                behind_gate(r);
            update(r, A, T, k, k < first ? first : k + 1, last);
            past_gate(r);
            if (last < s.nt || first > 0)
                hint_idle_column(A, k);
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
    if (has_capacity_for_columns(request, A)) {
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
