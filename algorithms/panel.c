/* Steps of the three LU factorizations right and left of a panel; gates, hints and checks of LU and
 * QR. */
#include "algorithms.h"

/* Number of panels whose interchanges one task applies to L. No task waits for these
 * interchanges. */
enum { PANELS_AT_A_TIME = 8 };

int64_t pivots_in_panel(const startile_matrix *A, int64_t k)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t count = s.m < s.n ? s.m : s.n;
    return count - k * s.nb < s.nb ? count - k * s.nb : s.nb;
}

void update_columns(startile_request *r, startile_matrix *A, const startile_pivots *P, int64_t k,
                    inverse *W, int64_t first, int64_t last)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t row = k * s.nb, urgency = 2 * (s.nt - k);
    /* updates by panels of earlier blocks: after the tasks of these blocks, in the order of the
     * panels */
    bool is_left_looking = first > k + 1;
    substitution L = {'L', 'N', 'U', pivots_in_panel(A, k), below(A, k, row), W, NULL};
    for (int64_t j = first; j < last; j++) {
        /* block column k + 1 is the next panel: critical path */
        int64_t priority =
            j == k + 1 ? critical(urgency - 1) : urgency - (is_left_looking ? 2 * first : j - k);
        /* A(k:,j) := P_k A(k:,j), A(k,j) := L11^-1 A(k,j), A(k+1:,j) -= A(k+1:,k) * A(k,j) */
        if (P != NULL)
            insert_update(r, priority, P, k, &L, below(A, j, row));
        else
            insert_substitution(r, priority, &L, below(A, j, row));
    }
}

void update_right(startile_request *r, startile_matrix *A, const startile_pivots *P, int64_t k,
                  inverse *W)
{
    update_columns(r, A, P, k, W, k + 1, startile_matrix_shape(A).nt);
}

void hint_idle_column(const startile_matrix *A, int64_t k)
{
    view V = view_of(A, 'N');
    for (int64_t i = 0; i < V.mt; i++)
        hint_idle(at(V, i, k));
}

void hint_idle_matrix(const startile_matrix *A)
{
    for (int64_t k = 0; k < startile_matrix_shape(A).nt; k++)
        hint_idle_column(A, k);
}

int64_t end_of_block(const startile_matrix *A, int64_t first)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t last = first + columns_at_a_time(A, first, s.m, true);
    return last < s.nt ? last : s.nt;
}

void interchange_left(startile_request *r, startile_matrix *A, const startile_pivots *P, int64_t k)
{
    int64_t nb = startile_matrix_shape(A).nb, panels = pivots_panels(P);
    for (int64_t j = 0; j < k; j++) {
        int64_t since = (k - j - 1) % PANELS_AT_A_TIME, first = k - since;
        if (since == PANELS_AT_A_TIME - 1 || k == panels - 1)
            /* A(first:,j) := P_k … P_first A(first:,j) */
            insert_laswp(r, 0, P, first, k + 1, false, below(A, j, first * nb), NULL);
    }
}

void send_home(startile_request *r, startile_matrix *A)
{
    view V = view_of(A, 'N');
    for (int64_t j = 0; j < V.nt; j++)
        for (int64_t i = 0; i < V.mt; i++)
            return_to_host(r, at(V, i, j));
}

void behind_zero_check(startile_request *r, const startile_matrix *U, const magnitude *largest)
{
    open_gate(r);
    for (int64_t k = 0; k < startile_matrix_shape(U).nt; k++)
        insert_first_zero(r, U, k, largest); /* info := first zero on the diagonal of U(k,k) */
    behind_gate(r);
}

bool has_capacity_for_columns(startile_request *r, const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    return has_capacity(r, A, s.m, 2 * s.nb);
}

bool has_capacity_for_product(startile_request *r, const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    return has_capacity(r, A, 3 * s.mb, s.nb);
}

bool has_panels(const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    return s.nt <= MOST_TILES && has_whole_blocks(A, s.nb);
}

int check_getrf(const startile_matrix *A, const startile_pivots *P, const startile_request *request)
{
    if (A == NULL || !has_panels(A))
        return -1;
    if (P == NULL || !pivots_fit(P, A))
        return -2;
    return request == NULL ? -3 : 0;
}
