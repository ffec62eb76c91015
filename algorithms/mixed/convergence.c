/* Decisions after each iteration: whether X is accepted, refined once more, improved by GMRES, or
 * computed in double precision. */
#include "mixed.h"

/* Values of LAPACK's ITER for a solution in double precision */
enum { OVERFLOWED = -2, NOT_FACTORED = -3, CONVERGED_TOO_SLOWLY = -(MOST_ITERATIONS + 1) };

/* A refinement step must reduce the error by this factor: a smaller one means that the condition
 * number times the growth is too large for single precision. */
enum { LEAST_GAIN = 2 };

/* Number of GMRES steps that together need not reduce the error by LEAST_GAIN. With few small
 * singular values and condition numbers of 1e8 to 1e12, n = 800 and 2000, the error stood still for
 * up to five steps before it fell. */
enum { PATIENCE = 6 };

/* GMRES is tried if refinement has reduced the error by this factor before it stagnated. With few
 * small singular values, n = 300 and 700, it had in 133 of 144 systems; with singular values in a
 * geometric sequence down to 1e-8 … 1e-13 or all but one equal to 1e-8 … 1e-11, in which GMRES does
 * not converge in 30 steps, in 11 of 120. */
static const double gain_for_gmres = 1.5;

/* -- the end ----------------------------------------------------------------------------------- */

void end_operation(mixed_solver *s)
{
    if (s->hold != NULL)
        hold_end(s->hold, store_outcome, s);
    else
        store_outcome(s);
}

/* Ends with the certificate when the known solution shows enough. */
static void end_with_certificate(void *solver)
{
    mixed_solver *s = solver;
    int64_t low = request_agree(s->low), work = request_agree(s->work);
    if (low == 0 && work == 0) {
        include_known_solution(s);
        if (continue_known_system(s)) {
            insert_decision(context_of(s->work), 3,
                            (values *[]){s->known.x, s->known.d, s->known.r}, end_with_certificate,
                            s);
            return;
        }
    }
    end_operation(s);
}

/* s->ratios := componentwise errors */
static void find_ratios(context ctx, mixed_solver *s)
{
    startile_shape shape = startile_matrix_shape(s->R);
    startile_matrix *W = temporary_on_grid(ctx, s->A, STARTILE_D, shape);
    s->ratios = W == NULL ? NULL : one_per_column(s);
    if (s->ratios == NULL)
        return;
    s->steps->abs_product(ctx, s, W);
    for (column R_j = first_part(s->R); R_j.A != NULL; R_j = next_part(R_j))
        insert_ratio_maxima(ctx, R_j, same_rows(s->B, R_j), same_rows(W, R_j), s->ratios);
    values_join(ctx, s->ratios, JOIN_BY_LARGEST);
}

/* Ends the operation with the solution X, after the errors of the certificate if it is wanted. */
static void accept(mixed_solver *s)
{
    if (s->options.certificate && !s->steps->is_least_squares) {
        find_ratios(context_of(s->low), s);
        solve_known_system(s);
        if (s->ratios != NULL && s->known.d != NULL) {
            values *needed[] = {s->ratios, s->known.x, s->known.d, s->known.r};
            insert_decision(context_of(s->work), 4, needed, end_with_certificate, s);
            return;
        }
    }
    end_operation(s);
}

/* Solves in double precision. First frees the matrices in single precision, because A's factors may
 * need the memory. */
static void fall_back(mixed_solver *s, int reason)
{
    s->iterations = reason;
    release_temporaries(context_of(s->low), NULL);
    if (s->hold == NULL) {
        s->full = s->request;
    } else {
        s->full = request_within(context_of(s->work), STARTILE_PRODUCTS_AUTO);
        if (s->full != NULL)
            request_use_hold(s->full, s->hold);
    }
    if (s->full != NULL)
        s->steps->solve_in_double(s);
    end_operation(s);
}

/* -- decisions --------------------------------------------------------------------------------- */

static bool is_gmres(const mixed_solver *s)
{
    return s->first_gmres <= MOST_ITERATIONS;
}

/* Submits a step of GMRES or of refinement, and the decision on it. */
static void go_on(mixed_solver *s)
{
    if (is_gmres(s))
        step_of_gmres(s);
    else
        refine(s);
    decide_later(s);
}

static void end_without_progress(mixed_solver *s)
{
    if (is_within(s, sufficient_error(s)))
        accept(s);
    else
        fall_back(s, CONVERGED_TOO_SLOWLY);
}

/* Returns whether the error after iteration i, if it does not suffice, allows a further step. */
static bool makes_progress(mixed_solver *s, int i)
{
    if (i == 0 || LEAST_GAIN * s->error <= s->least_error) {
        s->least_error = s->error;
        s->steps_without_gain = 0;
        return true;
    }
    bool waits = is_gmres(s) && s->error > sufficient_error(s);
    return ++s->steps_without_gain < (waits ? PATIENCE : 1);
}

/* Returns whether GMRES is to take over: after the first iterations if the caller wants it, or when
 * refinement has ended without progress. */
static bool takes_over(const mixed_solver *s, bool progresses)
{
    if (is_gmres(s) || !has_capacity_of_direction(s))
        return false;
    return s->options.method == STARTILE_METHOD_GMRES ||
           (s->options.method == STARTILE_METHOD_AUTO && !progresses &&
            s->error > sufficient_error(s) && gain_for_gmres * s->error <= s->first_error);
}

/* Examines the iterations that have ended, and decides what follows them. */
static void decide(void *solver)
{
    mixed_solver *s = solver;
    int64_t failure = request_agree(s->low), work = request_agree(s->work);
    int most = s->options.max_iterations > 0 ? s->options.max_iterations : MOST_ITERATIONS;
    if (failure < 0 || work != 0) {
        end_operation(s);
        return;
    }
    if (failure > 0) {
        fall_back(s, NOT_FACTORED);
        return;
    }
    bool has_converged = false, progresses = true;
    for (; s->decided < s->submitted; s->decided++) {
        int i = s->decided;
        s->last_error = s->error;
        if (!find_errors(s, i)) {
            fall_back(s, OVERFLOWED);
            return;
        }
        if (i == 0)
            s->first_error = s->error;
        if (!has_converged)
            s->iterations = i;
        has_converged = is_within(s, tolerance(s)); /* the last one decides: X is its result */
        progresses = has_converged || makes_progress(s, i);
        s->accelerates = can_accelerate(s, i);
    }
    if (has_converged) {
        accept(s);
        return;
    }
    if (takes_over(s, progresses)) {
        progresses = true;
        s->first_gmres = s->submitted;
        s->least_error = s->error;
        s->steps_without_gain = 0;
    }
    if (progresses && s->submitted <= most && (!is_gmres(s) || has_capacity_of_direction(s)))
        go_on(s);
    else
        end_without_progress(s);
}

/* Add values to the list of `count` values, without NULL; return their number. */
static int add_value(values **needed, int count, values *v)
{
    if (v != NULL)
        needed[count++] = v;
    return count;
}

static int add_maxima(values **needed, int count, const column_maxima *m)
{
    count = add_value(needed, count, m->x);
    count = add_value(needed, count, m->d);
    count = add_value(needed, count, m->r);
    count = add_value(needed, count, m->e);
    count = add_value(needed, count, m->projected);
    return m->r_scaled == m->r ? count : add_value(needed, count, m->r_scaled);
}

void decide_later(mixed_solver *s)
{
    values *needed[6 * (AT_ONCE + 1) + 4] = {s->row_sums};
    int count = s->steps->is_least_squares ? add_value(needed, 1, s->column) : 1;
    count = add_maxima(needed, count, &s->before);
    for (int i = s->decided; i < s->submitted; i++)
        count = add_maxima(needed, count, &s->maxima[i]);
    if (s->directions > 1) {
        const direction *d = &s->direction[s->directions - 2];
        count = add_value(needed, count, d->largest_d);
        count = add_value(needed, count, d->largest_q);
    }
    insert_decision(context_of(s->work), count, needed, decide, s);
}
