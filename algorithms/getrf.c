/* LU factorization with partial pivoting P A = L U, right-looking (LAPACK xGETRF; Volkov & Demmel
 * 2008, section 5). The other LU factorizations differ in the panel. */
#include "verify.h"

/* Largest number of panels whose interchanges one task applies to a block column of L. No other
 * task waits for these tasks. */
enum { PANELS_AT_A_TIME = 8 };

static inverse *factor_with_pivots(context ctx, const factorization *f, step s)
{
    /* P_k A(k:,k) = L U; returns the inverses of L11's diagonal blocks if another block column
     * follows */
    return insert_getrf(ctx, critical(s.urgency), below(f->A, s.k, first_row(f->A, s.k)), f->P, s.k,
                        s.k + 1 < f->V.nt && !has_journal(f->A));
}

/* For each block column j < k, collects the interchanges of panels j + 1 … k on the rows of L(:,j).
 * Every PANELS_AT_A_TIME panels, and at the last panel, submits a task that applies them. */
static void interchange_left(context ctx, const factorization *f, int64_t k)
{
    for (int64_t j = next_task_column(f->A, 0); j < k; j = next_task_column(f->A, j + 1)) {
        /* number of panels before k whose interchanges still wait for a task; `first` is the
         * first */
        int64_t collected = (k - j - 1) % PANELS_AT_A_TIME, first = k - collected;
        /* Tiles above the next panel are then finished and return to main memory, if there are
         * several tile rows. So the tasks come before the updates by the next panels. */
        int64_t priority = f->V.mt > 1 ? f->V.nt - k : 0;
        if (collected == PANELS_AT_A_TIME - 1 || k == f->panels - 1)
            /* A(first:,j) := P_k … P_first A(first:,j) */
            insert_laswp(ctx, priority, f->P, first, k + 1, false,
                         below(f->A, j, first_row(f->A, first)), NULL);
    }
}

/* Updates block columns s.first … s.last − 1 by panel k; W is the inverse of L11 or of its diagonal
 * blocks, or NULL. */
static void update(context ctx, const factorization *f, step s, inverse *W)
{
    int64_t k = s.k, row = first_row(f->A, k);
    substitution L = {'L', 'N', 'U', pivots_in_panel(f->A, k), below(f->A, k, row), W, NULL};
    broadcast_column(ctx, critical(s.urgency), L.T, f->A, s.first, s.last);
    if (f->P != NULL && !s.is_left_looking)
        broadcast_pivots(ctx, critical(s.urgency), f->P, k, f->A);
    for (int64_t j = next_task_column(f->A, s.first); j < s.last;
         j = next_task_column(f->A, j + 1)) {
        /* block column k + 1 is the next panel and therefore critical */
        int64_t priority = priority_at(s, j - k);
        priority = j == k + 1 ? critical(priority) : priority;
        /* A(k:,j) := P_k A(k:,j), A(k,j) := L11^-1 A(k,j), A(k+1:,j) -= A(k+1:,k) * A(k,j) */
        if (f->P != NULL)
            insert_update(ctx, priority, f->P, k, &L, below(f->A, j, row));
        else
            insert_substitution(ctx, priority, &L, below(f->A, j, row));
    }
    if (f->P != NULL && is_one_block(f))
        interchange_left(ctx, f, k);
}

/* Interchanges the rows of L in block columns first … last − 1. */
static void interchange_columns(context ctx, void *arg, int64_t first, int64_t last)
{
    const factorization *f = arg;
    for (int64_t j = first; j < last; j++)
        /* L(j+1:,j) := P_{panels-1} … P_{j+1} L(j+1:,j) */
        insert_laswp(ctx, 0, f->P, j + 1, f->panels, false, below(f->A, j, first_row(f->A, j + 1)),
                     NULL);
}

/* Interchanges the rows of L, unless update() has done so. Returns false if a factorization with a
 * journal has failed. */
static bool interchange_at_end(context ctx, factorization *f)
{
    if (f->P == NULL || is_one_block(f) || f->panels == 0)
        return true;
    if (has_journal(f->A)) {
        journaled j = journaled_of(f);
        return in_groups(ctx, &j, true, f->panels - 1, interchange_columns, f);
    }
    interchange_columns(ctx, f, 0, f->panels);
    return true;
}

/* Factors by panels. With several blocks the rows of L are interchanged at the end, because the
 * updates of later blocks need each panel of L in the row order of its factorization. For n_B
 * blocks and panels of b columns, (4 + (n_B − 1)/2) m n − n² + n b elements are transferred
 * (Yamazaki, Tomov & Dongarra, section 4.1). */
void factor_lu(context ctx, const char *name, startile_matrix *A, startile_pivots *P,
               panel_factorization *panel)
{
    factorization f = {
        name, panel, update, A, view_of(A, 'N'), panels_of(A), .P = P, .reuses_inverses = true};
    verification v = verify_columns(ctx, name, GETRF, A);
    if (!factor_blocked(begin_factorization(ctx), GETRF, &f) || !interchange_at_end(ctx, &f))
        return;
    return_matrix(ctx, A);
    verify_lu_end(after_factorization(ctx), &v, P);
}

static int submit_again(const operation_again *o, startile_request *r)
{
    return submit_getrf(o->written, o->P, r);
}

int submit_getrf(startile_matrix *A, startile_pivots *P, startile_request *request)
{
    int wrong = check_getrf(A, P, request);
    if (wrong == 0 && verify_again(request, &(operation_again){.submit = submit_again,
                                                               .written = A,
                                                               .uplo = 'G',
                                                               .reads_written = true,
                                                               .is_lu = true,
                                                               .P = P}))
        return 0;
    if (wrong == 0 && process_rows(A) > 1)
        factor_lu_on_grid(context_of(request), A, P, factor_with_pivots, false);
    else if (wrong == 0)
        factor_lu(context_of(request), "getrf", A, P, factor_with_pivots);
    return wrong;
}
