/* Solve with the factors of LU (LAPACK xGETRS): substitution over block columns of the factors. */
#include "algorithms.h"

/* A factorization has succeeded when it is done, and not before. */
static tile last_tile(const startile_matrix *A)
{
    view V = view_of(A, 'N');
    return at(V, V.mt - 1, V.nt - 1);
}

void substitute(startile_request *r, char uplo, char trans, char diag, const startile_matrix *A,
                startile_matrix *B, int64_t j, int64_t first, bool wait)
{
    startile_shape s = startile_matrix_shape(A);
    tile last = last_tile(A);
    bool lower = uplo == 'L', forward = lower == (trans == 'N');
    for (int64_t step = first; step < s.nt; step++) {
        int64_t k = forward ? step : s.nt - 1 - (step - first);
        int64_t row = k * s.nb, n = pivots_in_panel(A, k);
        int64_t top = lower ? row : first * s.nb, bottom = lower ? s.m : row + n;
        substitution T = {
            uplo, trans, diag, n, rows_of(A, k, top, bottom - top), NULL, wait ? &last : NULL};
        begin_step(r, step - first);
        insert_substitution(r, s.nt - step, &T, rows_of(B, j, top, bottom - top));
    }
    end_steps(r);
}

void solve_by_lu(startile_request *r, char trans, const startile_matrix *A,
                 const startile_pivots *P, startile_matrix *B)
{
    bool plain = trans == 'N';
    int64_t panels = P == NULL ? 0 : pivots_panels(P);
    tile last = last_tile(A);
    for (int64_t j = 0; j < startile_matrix_shape(B).nt; j++) {
        if (plain && P != NULL)
            insert_laswp(r, 0, P, 0, panels, false, below(B, j, 0), &last);
        substitute(r, plain ? 'L' : 'U', trans, plain ? 'U' : 'N', A, B, j, 0, true);
        substitute(r, plain ? 'U' : 'L', trans, plain ? 'N' : 'U', A, B, j, 0, false);
        if (!plain && P != NULL)
            insert_laswp(r, 0, P, 0, panels, true, below(B, j, 0), NULL);
    }
}

/* What getrs and its kin want of A and P. */
int check_factors(const startile_matrix *A, const startile_pivots *P)
{
    startile_shape a = startile_matrix_shape(A);
    if (A == NULL || a.m != a.n || !has_panels(A))
        return -1;
    return P != NULL && !pivots_fit(P, A) ? -2 : 0;
}

bool is_right_side(const startile_matrix *B, const startile_matrix *A)
{
    startile_shape a = startile_matrix_shape(A), b = startile_matrix_shape(B);
    return B != NULL && B != A && a.dtype == b.dtype && a.m == b.m && has_whole_blocks(B, a.nb);
}

int startile_getrs_async(char trans, const startile_matrix *A, const startile_pivots *P,
                         startile_matrix *B, startile_request *request)
{
    trans = capital(trans);
    if (!is_one_of(trans, "NTC"))
        return -1;
    int wrong = check_factors(A, P);
    if (wrong != 0)
        return wrong - 1;
    if (!is_right_side(B, A))
        return -4;
    if (request == NULL)
        return -5;
    if (!have_room_for_columns(request, A) || !have_room_for_columns(request, B))
        return 0;
    if (startile_matrix_shape(B).n > 0)
        solve_by_lu(request, trans, A, P, B);
    send_home(request, B);
    return 0;
}

int64_t startile_getrs(char trans, const startile_matrix *A, const startile_pivots *P,
                       startile_matrix *B)
{
    startile_request *r = request_start();
    return request_finish(r, startile_getrs_async(trans, A, P, B, r));
}
