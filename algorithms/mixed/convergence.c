/* Decisions after each iteration: whether X is accepted, refined once more, improved by GMRES, or
 * computed in double precision. */
#include "mixed.h"
#include "operations/insert_refinement.h"
#include "request/decision.h"
#include "request/hold.h"
#include "request/request.h"
#include "startile_mixed.h"

/* Values of LAPACK's ITER for a solution in double precision */
enum { OVERFLOWED = -2, NOT_FACTORED = -3, CONVERGED_TOO_SLOWLY = -(MOST_ITERATIONS + 1) };

/* A refinement step must reduce the error by this factor: a smaller gain means that the condition
 * number times the growth is too large for single precision. */
enum { LEAST_GAIN = 2 };

/* GMRES ends if the error has not fallen by LEAST_GAIN in this number of steps. With few small
 * singular values and condition numbers of 1e8 to 1e12, n = 800 and 2000, the error stood still for
 * up to five steps before it fell. */
enum { PATIENCE = 6 };

/* GMRES is tried if refinement has reduced the error by this factor before it stagnated. That was
 * so in 133 of 144 systems with few small singular values, n = 300 and 700, and in 11 of 120
 * systems in which GMRES does not converge in 30 steps: with singular values in a geometric
 * sequence down to 1e-8 … 1e-13, or all but one equal to 1e-8 … 1e-11. */
static const double gain_for_gmres = 1.5;

/* -- the end ----------------------------------------------------------------------------------- */

void end_operation(mixed_solver *s)
{
    if (s->hold != NULL)
        hold_end(s->hold, store_outcome, s);
    else
        store_outcome(s);
}

/* Decision on the known solution: submits further steps for it, or ends the operation with the
 * certificate. */
static void end_with_certificate(void *solver)
{
    mixed_solver *s = solver;
    column_maxima *found = &s->known->found;
    int64_t low = request_agree(s->system.low), work = request_agree(s->system.work);
    if (low == 0 && work == 0) {
        include_known_solution(s);
        if (continue_known_system(s->known)) {
            insert_decision(context_of(s->system.work), 3,
                            (values *[]){found->x, found->d, found->r}, end_with_certificate, s);
            return;
        }
    }
    end_operation(s);
}

/* Submits the componentwise backward errors of X and returns them, or NULL without memory. */
static values *find_ratios(context ctx, iteration *it)
{
    startile_shape shape = startile_matrix_shape(it->R);
    startile_matrix *W = temporary_on_grid(ctx, it->X, STARTILE_D, shape);
    values *ratios = W == NULL ? NULL : new_column_values(it);
    if (ratios == NULL)
        return NULL;
    it->system->steps->abs_product(ctx, it, W);
    for (part p = first_part(ctx, it->R); p.rows.A != NULL; p = next_part(p))
        insert_ratio_maxima(p.ctx, p.rows, same_rows(it->B, p.rows), same_rows(W, p.rows), ratios);
    values_join(ctx, ratios, JOIN_BY_LARGEST);
    return ratios;
}

/* Ends the operation with the solution X, after the errors of the certificate if it is wanted. */
static void accept(mixed_solver *s)
{
    if (s->system.options.certificate && !s->system.steps->is_least_squares) {
        values *ratios = s->ratios = find_ratios(context_of(s->system.low), &s->iteration);
        known_system *k = s->known = solve_known_system(&s->system, s->iteration.X);
        if (ratios != NULL && k != NULL && k->found.d != NULL) {
            values *needed[] = {ratios, k->found.x, k->found.d, k->found.r};
            insert_decision(context_of(s->system.work), 4, needed, end_with_certificate, s);
            return;
        }
    }
    end_operation(s);
}

/* Solves in double precision. First frees the matrices in single precision, because A's factors may
 * need the memory. On a grid the tasks are the last ones of the caller's request. */
static void fall_back(mixed_solver *s, int reason)
{
    s->iterations = reason;
    release_temporaries(context_of(s->system.low), NULL);
    if (s->hold == NULL) {
        s->full = s->request;
    } else {
        s->full = request_within(context_of(s->system.work), STARTILE_PRODUCTS_AUTO);
        if (s->full != NULL)
            request_use_hold(s->full, s->hold);
    }
    if (s->full != NULL)
        s->system.steps->solve_in_double(&s->iteration, s->full);
    end_operation(s);
}

/* -- decisions --------------------------------------------------------------------------------- */

static bool is_gmres(const mixed_solver *s)
{
    return s->iteration.first_gmres <= MOST_ITERATIONS;
}

/* Submits a step of GMRES or of refinement, and the decision on it. */
static void continue_iteration(mixed_solver *s)
{
    if (is_gmres(s))
        step_of_gmres(&s->iteration);
    else
        refine(&s->iteration);
    decide_later(s);
}

static void end_without_progress(mixed_solver *s)
{
    if (has_error_within(s, sufficient_error(s)))
        accept(s);
    else
        fall_back(s, CONVERGED_TOO_SLOWLY);
}

/* Counts the steps since the error was last halved, and returns whether a further step is worth
 * while after iteration i. */
static bool makes_progress(mixed_solver *s, int i)
{
    if (i == 0 || LEAST_GAIN * s->errors.error <= s->least_error) {
        s->least_error = s->errors.error;
        s->steps_without_gain = 0;
        return true;
    }
    bool waits = is_gmres(s) && s->errors.error > sufficient_error(s);
    return ++s->steps_without_gain < (waits ? PATIENCE : 1);
}

/* Returns whether GMRES is to take over: after the first iterations if the caller wants it, or when
 * refinement has ended without progress. */
static bool gmres_takes_over(const mixed_solver *s, bool progresses)
{
    const errors *e = &s->errors;
    if (is_gmres(s) || !has_capacity_for_direction(&s->iteration))
        return false;
    return s->system.options.method == STARTILE_METHOD_GMRES ||
           (s->system.options.method == STARTILE_METHOD_AUTO && !progresses &&
            e->error > sufficient_error(s) && gain_for_gmres * e->error <= e->first_error);
}

/* Examines the iterations that have ended, and decides what follows them. */
static void decide(void *solver)
{
    mixed_solver *s = solver;
    iteration *it = &s->iteration;
    int64_t failure = request_agree(s->system.low), work = request_agree(s->system.work);
    int wanted = s->system.options.max_iterations, most = wanted > 0 ? wanted : MOST_ITERATIONS;
    if (failure < 0 || work != 0) {
        end_operation(s);
        return;
    }
    if (failure > 0) {
        fall_back(s, NOT_FACTORED);
        return;
    }
    bool has_converged = false, progresses = true;
    for (; s->decided < it->submitted; s->decided++) {
        int i = s->decided;
        if (!find_errors(s, i)) {
            fall_back(s, OVERFLOWED);
            return;
        }
        if (!has_converged)
            s->iterations = i;
        has_converged =
            has_error_within(s, tolerance(s)); /* the last one decides: X is its result */
        progresses = has_converged || makes_progress(s, i);
        it->accelerates = can_accelerate(s, i);
    }
    if (has_converged) {
        accept(s);
        return;
    }
    if (gmres_takes_over(s, progresses)) {
        progresses = true;
        it->first_gmres = it->submitted;
        s->least_error = s->errors.error;
        s->steps_without_gain = 0;
    }
    if (progresses && it->submitted <= most && (!is_gmres(s) || has_capacity_for_direction(it)))
        continue_iteration(s);
    else
        end_without_progress(s);
}

/* Append values that are not NULL to the list of `count` values; return the new count. */
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
    values *needed[6 * (AT_ONCE + 1) + 4] = {s->system.row_sums};
    int count = s->system.steps->is_least_squares ? add_value(needed, 1, s->system.column) : 1;
    const iteration *it = &s->iteration;
    count = add_maxima(needed, count, &it->before);
    for (int i = s->decided; i < it->submitted; i++)
        count = add_maxima(needed, count, &it->maxima[i]);
    if (it->directions > 1) {
        const direction *d = &it->direction[it->directions - 2];
        count = add_value(needed, count, d->largest_d);
        count = add_value(needed, count, d->largest_q);
    }
    insert_decision(context_of(s->system.work), count, needed, decide, s);
}
