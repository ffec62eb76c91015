/* Solves with the factors of LU (LAPACK xGETRS), by substitution over block columns of the
 * factors. */
#include "algorithms.h"

/* Returns A's last tile. Tasks that must run after a successful factorization wait for it, because
 * the factorization writes it last. */
static tile last_tile(const startile_matrix *A)
{
    view V = view_of(A, 'N');
    return at(V, V.mt - 1, V.nt - 1);
}

/* Returns step `step` of B := op(T)⁻¹ B for the triangle T of A that begins at diagonal block
 * `first`. */
static substitution step_of(char uplo, char trans, char diag, const startile_matrix *A,
                            int64_t first, int64_t step)
{
    startile_shape s = startile_matrix_shape(A);
    bool lower = uplo == 'L', forward = lower == (trans == 'N');
    int64_t k = forward ? step : s.nt - 1 - (step - first);
    int64_t row = k * s.nb, n = pivots_in_panel(A, k);
    int64_t top = lower ? row : first * s.nb, bottom = lower ? s.m : row + n;
    return (substitution){uplo, trans, diag, n, rows_of(A, k, top, bottom - top), NULL, NULL};
}

static void substitute_step(startile_request *r, const substitution *T, int64_t steps_left,
                            startile_matrix *B, int64_t j)
{
    /* B_k := T_k^-1 B_k, B_rest -= T_rest B_k; transposed: B_k := op(T_k)^-1 (B_k − op(T_rest)
     * B_rest) */
    insert_substitution(r, steps_left, T, rows_of(B, j, T->T.row, T->T.rows));
}

void substitute(startile_request *r, char uplo, char trans, char diag, const startile_matrix *A,
                startile_matrix *B, int64_t j, int64_t first)
{
    int64_t steps = startile_matrix_shape(A).nt;
    for (int64_t step = first; step < steps; step++) {
        substitution T = step_of(uplo, trans, diag, A, first, step);
        begin_step(r, step - first);
        substitute_step(r, &T, steps - step, B, j);
    }
    end_steps(r);
}

/* Submits B := op(T)⁻¹ B step by step for all block columns of B, so that a factor larger than the
 * memory is transferred once. The tasks wait for the tile `after` unless it is NULL. */
static void substitute_in_all(startile_request *r, char uplo, char trans, char diag, int64_t later,
                              const startile_matrix *A, startile_matrix *B, const tile *after)
{
    int64_t steps = startile_matrix_shape(A).nt, columns = startile_matrix_shape(B).nt;
    for (int64_t step = 0; step < steps; step++) {
        substitution T = step_of(uplo, trans, diag, A, 0, step);
        T.after = after;
        begin_step(r, step);
        for (int64_t j = 0; j < columns; j++)
            substitute_step(r, &T, later + steps - step, B, j);
    }
    end_steps(r);
}

static void interchange(startile_request *r, int64_t priority, const startile_pivots *P,
                        bool inverse, startile_matrix *B, const tile *after)
{
    for (int64_t j = 0; j < startile_matrix_shape(B).nt && P != NULL; j++)
        /* B(:,j) := P B(:,j), or P^T B(:,j) with `inverse` */
        insert_laswp(r, priority, P, 0, pivots_panels(P), inverse, below(B, j, 0), after);
}

void solve_by_lu(startile_request *r, char trans, const startile_matrix *A,
                 const startile_pivots *P, startile_matrix *B)
{
    bool plain = trans == 'N';
    int64_t steps = startile_matrix_shape(A).nt;
    tile last = last_tile(A);
    if (end_of_block(A, 0) < steps)
        hint_idle_matrix(A);
    if (plain)
        interchange(r, 2 * steps + 1, P, false, B, &last);
    substitute_in_all(r, plain ? 'L' : 'U', trans, plain ? 'U' : 'N', steps, A, B, &last);
    substitute_in_all(r, plain ? 'U' : 'L', trans, plain ? 'N' : 'U', 0, A, B, NULL);
    if (!plain)
        interchange(r, 0, P, true, B, NULL);
}

/* Validates A and P of a routine that uses LU factors; returns 0, −1 or −2. */
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
    if (!has_capacity_for_columns(request, A) || !has_capacity_for_columns(request, B))
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
