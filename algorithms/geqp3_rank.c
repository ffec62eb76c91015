/*
 * Truncated QR factorization with column pivoting A P ≈ Q [R11 R12], by random sketches. It stops
 * when the trailing matrix is small (Duersch & Gu 2017, TRQRCP, stops at a number of columns).
 *
 * The norm of the trailing matrix A22 is not down-dated. Each step sums the squares of each row of
 * R(k,k:) and of A22: one read of A22, where the update reads it for n_b products. The sum over all
 * rows from r on is the squared error of r columns. So the rank is exact to one column, and the
 * sums have no cancellation.
 */
#include "algorithms.h"
#include "data/reflectors.h"
#include "geqp3_random.h"

/* Seed of the sketch */
enum { SEED = 1 };

/* Submits the sums of the squares of A's rows, for the limit. */
static bool begin_truncation(context ctx, const plan *p, truncation_criterion *s)
{
    startile_shape a = startile_matrix_shape(p->A);
    values *sums = values_begin(ctx, a.m);
    s->largest = largest_of(ctx, p->A, a.m);
    s->state = truncation_begin(ctx, p->A, p->panels, p->tol, p->max_rank, p->rank);
    if (sums == NULL || s->largest == NULL || s->state == NULL)
        return false;
    for (int64_t j = 0; j < a.nt; j++)
        insert_row_squares(ctx, p->panels, 'G', rows_from(p->A, j, 0), s->largest, sums);
    insert_limit(ctx, s->state, sums);
    return true;
}

context unless_stopped(context ctx, const truncation_criterion *criterion, int64_t k)
{
    return criterion == NULL ? ctx : unless_truncated(ctx, criterion->state, k);
}

void stop_after(context step, const plan *p, const truncation_criterion *criterion,
                const startile_pivots *pivots, int64_t k)
{
    startile_matrix *A = p->A;
    int64_t row = first_row(A, k), rows = pivots_in_panel(A, k), priority = critical(p->panels - k);
    values *sums = values_begin(step, startile_matrix_shape(A).m);
    if (sums == NULL)
        return;
    /* sums_i := Σ_j |r_ij|² for the rows of R(k,k:), and Σ_j |a_ij|² for those of A22 below */
    insert_row_squares(step, priority, 'U', rows_of(A, k, row, rows), criterion->largest, sums);
    for (int64_t j = k + 1; j < startile_matrix_shape(A).nt; j++)
        insert_row_squares(step, priority, 'G', rows_from(A, j, row), criterion->largest, sums);
    insert_truncation(step, criterion->state, k, sums, pivots);
    insert_clear_truncated(step, criterion->state, k, at(view_of(p->T, 'N'), 0, k));
}

/* Submits A := R and V of the leading columns and the trailing matrix, P := the permutation, T :=
 * the triangles of the block reflectors, or 0, *rank := the rank. */
static bool factor(context ctx, const plan *p)
{
    truncation_criterion criterion;
    *p->rank = 0;
    if (p->panels == 0)
        return true;
    if (!begin_truncation(ctx, p, &criterion))
        return false;
    for (int64_t k = p->panels; k < startile_matrix_shape(p->T).nt; k++)
        insert_laset(ctx, 'G', 0, 0, at(view_of(p->T, 'N'), 0, k));
    return factor_by_sketches(ctx, p, &criterion);
}

int submit_geqp3_rank(startile_matrix *A, startile_permutation *P, startile_reflectors *T,
                      double tol, int64_t max_rank, int64_t *rank, startile_request *request)
{
    /* the sums of squares of the rows are not combined over the processes of a grid */
    int wrong = A != NULL && startile_matrix_grid(A) != NULL ? -1 : check_sketches(A, P, T);
    if (wrong != 0)
        return wrong;
    if (!(tol >= 0))
        return -4;
    if (max_rank < 0)
        return -5;
    if (rank == NULL || request == NULL)
        return rank == NULL ? -6 : -7;
    plan p = plan_of_geqp3("geqp3_rank", A, P, triangles_of(T));
    int64_t nb = startile_matrix_shape(A).nb, panels = max_rank == 0 ? 1 : (max_rank - 1) / nb + 1;
    p.working_set = GEQP3_RANDOM;
    p.equation = UNCHECKED; /* of the trailing matrix */
    p.submit = factor;
    p.seed = SEED;
    p.tol = tol;
    p.max_rank = max_rank;
    p.rank = rank;
    p.panels = panels < p.panels ? panels : p.panels;
    submit_plan(&p, request);
    return 0;
}
