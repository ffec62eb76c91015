/* LU with partial pivoting P A = L U, right-looking (LAPACK xGETRF; Volkov & Demmel 2008, 5). */
#include "algorithms.h"

/* L's rows are interchanged this many panels at a time: nothing waits for them. */
enum { PANELS_AT_A_TIME = 8 };

void update_right(startile_request *r, startile_matrix *A, const startile_pivots *P, int64_t k,
                  inverse *W)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t row = k * s.nb, urgency = 2 * (s.nt - k);
    substitution L = {'L', 'N', 'U', pivots_in_panel(A, k), below(A, k, row), W, NULL};
    for (int64_t j = k + 1; j < s.nt; j++) {
        /* the next panel waits for the first of these */
        int64_t priority = j == k + 1 ? critical(urgency - 1) : urgency - (j - k);
        if (P != NULL)
            insert_update(r, priority, P, k, &L, below(A, j, row));
        else
            insert_substitution(r, priority, &L, below(A, j, row));
    }
}

void interchange_left(startile_request *r, startile_matrix *A, const startile_pivots *P, int64_t k)
{
    int64_t nb = startile_matrix_shape(A).nb, panels = pivots_panels(P);
    for (int64_t j = 0; j < k; j++) {
        int64_t since = (k - j - 1) % PANELS_AT_A_TIME, first = k - since;
        if (since == PANELS_AT_A_TIME - 1 || k == panels - 1)
            insert_laswp(r, 0, P, first, k + 1, false, below(A, j, first * nb));
    }
}

void send_home(startile_request *r, startile_matrix *A)
{
    view V = view_of(A, 'N');
    for (int64_t j = 0; j < V.nt; j++)
        for (int64_t i = 0; i < V.mt; i++)
            insert_send_home(r, at(V, i, j));
}

static void factor(startile_request *r, startile_matrix *A, startile_pivots *P)
{
    startile_shape s = startile_matrix_shape(A);
    for (int64_t k = 0; k < pivots_panels(P); k++) {
        inverse *W =
            insert_getrf(r, critical(2 * (s.nt - k)), below(A, k, k * s.nb), P, k, k + 1 < s.nt);
        update_right(r, A, P, k, W);
        interchange_left(r, A, P, k);
        forget(W);
    }
    send_home(r, A);
    next_stage(r);
}

int64_t pivots_in_panel(const startile_matrix *A, int64_t k)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t count = s.m < s.n ? s.m : s.n;
    return count - k * s.nb < s.nb ? count - k * s.nb : s.nb;
}

int check_getrf(const startile_matrix *A, const startile_pivots *P, const startile_request *request)
{
    if (A == NULL || !has_whole_blocks(A, startile_matrix_shape(A).nb))
        return -1;
    if (P == NULL || !pivots_fit(P, A))
        return -2;
    return request == NULL ? -3 : 0;
}

int startile_getrf_async(startile_matrix *A, startile_pivots *P, startile_request *request)
{
    int wrong = check_getrf(A, P, request);
    if (wrong == 0)
        factor(request, A, P);
    return wrong;
}

int64_t startile_getrf(startile_matrix *A, startile_pivots *P)
{
    startile_request *r = request_start();
    return request_finish(r, startile_getrf_async(A, P, r));
}
