/*
 * Iterative refinement of a solution in single precision (Higham 2002, chapter 12; LAPACK xSGESV):
 *
 *     F := A in single precision, scaled;  F := its factors
 *     X := 0;  R := B
 *     repeat:  D := F⁻¹ R in single precision;  X := X + D;  R := B − A X in double precision
 *
 * The first two iterations are submitted at once. Then a decision reads the maxima of the
 * iterations and submits the next iteration, or ends the operation, or solves in double precision.
 * Other tasks on A, P, B and X wait meanwhile (hold).
 */
#include "mixed.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Number of iterations that are submitted before the first decision */
enum { AT_ONCE = 2 };

/* Values of LAPACK's ITER for a solution in double precision */
enum { OVERFLOWED = -2, NOT_FACTORED = -3, CONVERGED_TOO_SLOWLY = -(MOST_ITERATIONS + 1) };

/* Unit roundoff of double precision, LAPACK's dlamch('E') */
static const double unit_roundoff = DBL_EPSILON / 2;

bool has_valid_options(const startile_mixed_options *o)
{
    return o == NULL ||
           (o->products >= STARTILE_PRODUCTS_AUTO && o->products <= STARTILE_PRODUCTS_FP16 &&
            o->tolerance >= 0 && o->max_iterations >= 0 && o->max_iterations <= MOST_ITERATIONS);
}

bool may_be_mixed(const startile_matrix *A)
{
    startile_dtype dtype = startile_matrix_shape(A).dtype;
    return (dtype == STARTILE_D || dtype == STARTILE_Z) && startile_matrix_grid(A) == NULL;
}

bool is_solution_of(const startile_matrix *X, const startile_matrix *B, const startile_matrix *A)
{
    startile_shape x = startile_matrix_shape(X), b = startile_matrix_shape(B);
    return X != B && X != A && x.n == b.n && same_tiles(x.n, x.nb, b.nb);
}

/* -- iterations -------------------------------------------------------------------------------- */

static values *one_per_column(mixed_solver *s)
{
    return values_begin(context_of(s->work), s->nrhs);
}

/* Submits the maxima of the columns of R, before and after the scaling of its rows. */
static void find_residual_maxima(context ctx, mixed_solver *s, column_maxima *m)
{
    m->r = one_per_column(s);
    m->r_scaled = one_per_column(s);
    int64_t columns = m->r == NULL || m->r_scaled == NULL ? 0 : startile_matrix_shape(s->R).nt;
    for (int64_t j = 0; j < columns; j++) {
        insert_column_maxima(ctx, below(s->R, j, 0), NULL, m->r);
        insert_column_maxima(ctx, below(s->R, j, 0), s->row, m->r_scaled);
    }
}

/* Submits one iteration: X := X + f(column) F⁻¹ f(row) R, R := B − A X. The columns of R are
 * scaled, too, so that none becomes too small for single precision. */
static void iterate(mixed_solver *s)
{
    context ctx = context_of(s->low);
    int64_t columns = startile_matrix_shape(s->X).nt;
    bool is_first = s->submitted == 0;
    const values *r = is_first ? s->before.r_scaled : s->maxima[s->submitted - 1].r_scaled;
    column_maxima *m = &s->maxima[s->submitted++];
    m->x = one_per_column(s);
    m->d = one_per_column(s);
    if (m->x == NULL || m->d == NULL || r == NULL)
        return;
    for (int64_t j = 0; j < columns; j++)
        /* S := f(row) R f(r) */
        insert_lag2(ctx, columns, below(s->R, j, 0), s->row, r, false, false, below(s->S, j, 0));
    for (int64_t j = 0; j < columns; j++) {
        s->steps->solve(ctx, s, j);
        column S_j = below(s->S, j, 0), X_j = below(s->X, j, 0);
        insert_column_maxima(ctx, S_j, s->column, m->d);
        /* X := X + f(column) S / f(r) */
        insert_lag2(ctx, 0, S_j, s->column, r, true, !is_first, X_j);
        insert_column_maxima(ctx, X_j, NULL, m->x);
    }
    s->steps->find_residual(ctx, s);
    find_residual_maxima(ctx, s, m);
}

/* -- the end ----------------------------------------------------------------------------------- */

/* *largest := max(*largest, x). NaN stays. */
static void include(double *largest, double x)
{
    if (!(x <= *largest) && !isnan(*largest))
        *largest = x;
}

static double largest_of_values(const values *v, int64_t n)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        include(&largest, values_read(v)[i]);
    return largest;
}

/* Stores the outcome in the caller's request and result. */
static void finish(void *solver)
{
    mixed_solver *s = solver;
    startile_request *last = s->full != NULL ? s->full : s->low;
    request_fail(s->request, request_outcome(s->work));
    request_fail(s->request, request_outcome(last));
    if (s->result != NULL) {
        bool is_refined = s->full == NULL && request_outcome(s->request) == 0;
        bool has_ratios = is_refined && s->ratios != NULL;
        *s->result = (startile_mixed_result){
            .products = s->full == NULL ? s->products : STARTILE_PRODUCTS_DOUBLE,
            .iterations = s->iterations,
            .normwise = is_refined ? s->normwise : NAN,
            .componentwise = has_ratios ? largest_of_values(s->ratios, s->nrhs) : NAN,
            .forward = is_refined ? s->forward : NAN};
    }
}

static void end_operation(void *solver)
{
    mixed_solver *s = solver;
    hold_end(s->hold, finish, s);
}

/* Ends the operation after the refinement; finds the componentwise errors if they are wanted. */
static void accept(mixed_solver *s)
{
    context ctx = context_of(s->low);
    startile_shape shape = startile_matrix_shape(s->R);
    startile_matrix *W =
        s->options.componentwise ? temporary_of_type(ctx, STARTILE_D, shape) : NULL;
    s->ratios = W == NULL ? NULL : one_per_column(s);
    if (s->ratios == NULL) {
        end_operation(s);
        return;
    }
    s->steps->abs_product(ctx, s, W);
    for (int64_t j = 0; j < shape.nt; j++)
        insert_ratio_maxima(ctx, below(s->R, j, 0), below(s->B, j, 0), below(W, j, 0), s->ratios);
    insert_decision(context_of(s->work), 1, &s->ratios, end_operation, s);
}

/* Solves in double precision, because the refinement has failed. First frees the matrices in single
 * precision, because A's factors may need the memory. */
static void fall_back(mixed_solver *s, int reason)
{
    s->iterations = reason;
    release_temporaries(context_of(s->low), NULL);
    s->full = request_within(context_of(s->work), STARTILE_PRODUCTS_AUTO);
    if (s->full != NULL) {
        request_use_hold(s->full, s->hold);
        submit_lacpy('G', s->B, s->X, s->full); /* X := B */
        s->steps->solve_in_double(s);
    }
    end_operation(s);
}

/* -- decisions --------------------------------------------------------------------------------- */

/* Returns the power of two by which insert_lag2() multiplies for the value x. */
static double scale_factor(double x)
{
    return x > 0 && isfinite(x) ? ldexp(1, -ilogb(x)) : 1;
}

/* Finds the errors after iteration `i`, the largest over all columns: s->normwise :=
 * ‖r‖∞ / (‖A‖∞ ‖x‖∞), and s->forward, an estimate of the error in x from the sizes of the
 * corrections d: with q = ‖d_i‖ / ‖d_(i−1)‖, q ‖d_i‖ / ((1 − q) ‖x‖) (Demmel et al. 2006). Returns
 * whether all numbers are finite. */
static bool check(mixed_solver *s, int i)
{
    const double *x = values_read(s->maxima[i].x), *r = values_read(s->maxima[i].r),
                 *d = values_read(s->maxima[i].d),
                 *scaled = values_read(i == 0 ? s->before.r_scaled : s->maxima[i - 1].r_scaled);
    double anorm = largest_of_values(s->row_sums, s->n), correction = 0;
    s->normwise = 0;
    for (int64_t j = 0; j < s->nrhs; j++) {
        include(&s->normwise, r[j] == 0 ? 0 : r[j] / anorm / x[j]);
        include(&correction, d[j] == 0 ? 0 : d[j] / scale_factor(scaled[j]) / x[j]);
    }
    double q = i == 0 ? 0.5 : correction / s->last_correction;
    s->forward = fmax(unit_roundoff, q < 1 ? q * correction / (1 - q) : correction);
    s->last_correction = correction;
    return isfinite(anorm) && isfinite(s->normwise) && isfinite(correction);
}

/* Returns the backward error that ends the refinement. */
static double tolerance(const mixed_solver *s)
{
    return unit_roundoff * (s->options.tolerance > 0 ? s->options.tolerance : 10);
}

/* Returns the backward error that suffices if the refinement makes no more progress: LAPACK's
 * ‖r‖∞ ≤ sqrt(n) eps ‖A‖∞ ‖x‖∞. */
static double sufficient_error(const mixed_solver *s)
{
    return fmax(tolerance(s), unit_roundoff * sqrt((double)s->n));
}

static void end_without_progress(mixed_solver *s)
{
    if (s->normwise <= sufficient_error(s))
        accept(s);
    else
        fall_back(s, CONVERGED_TOO_SLOWLY);
}

static void decide(void *solver);

/* Submits a decision on the iterations from s->decided on. */
static void decide_later(mixed_solver *s)
{
    values *needed[4 * AT_ONCE + 2] = {s->row_sums};
    int count = 1;
    if (s->before.r_scaled != NULL)
        needed[count++] = s->before.r_scaled;
    for (int i = s->decided; i < s->submitted; i++) {
        const column_maxima *m = &s->maxima[i];
        values *of_iteration[] = {m->x, m->d, m->r, m->r_scaled};
        for (int v = 0; v < 4; v++)
            if (of_iteration[v] != NULL)
                needed[count++] = of_iteration[v];
    }
    insert_decision(context_of(s->work), count, needed, decide, s);
}

/* Examines the iterations that have ended. Each iteration must at least halve the error: a smaller
 * factor means that the condition number times the growth is too large for single precision. */
static void decide(void *solver)
{
    enum { LEAST_GAIN = 2 };
    mixed_solver *s = solver;
    int64_t failure = request_outcome(s->low);
    int most = s->options.max_iterations > 0 ? s->options.max_iterations : MOST_ITERATIONS;
    if (failure < 0 || request_outcome(s->work) != 0) {
        end_operation(s);
        return;
    }
    if (failure > 0) {
        fall_back(s, NOT_FACTORED);
        return;
    }
    bool has_converged = false;
    for (; s->decided < s->submitted; s->decided++) {
        double before = s->normwise;
        if (!check(s, s->decided)) {
            fall_back(s, OVERFLOWED);
            return;
        }
        if (!has_converged)
            s->iterations = s->decided;
        has_converged = has_converged || s->normwise <= tolerance(s);
        bool has_progressed = s->decided == 0 || LEAST_GAIN * s->normwise <= before;
        if (!has_converged && !has_progressed) {
            end_without_progress(s);
            return;
        }
    }
    if (has_converged) {
        accept(s);
        return;
    }
    if (s->submitted > most) {
        end_without_progress(s);
        return;
    }
    iterate(s);
    decide_later(s);
}

/* -- the beginning ----------------------------------------------------------------------------- */

static void release_solver(temporary *owned)
{
    mixed_solver *s = (mixed_solver *)owned;
    free(s->WL);
    free(s->WU);
    free(s);
}

void invert_diagonal_blocks(context ctx, char uplo, char diag, const startile_matrix *F,
                            inverse **W)
{
    for (int64_t k = 0; k < panels_of(F) && W != NULL; k++) {
        int64_t n = pivots_in_panel(F, k);
        W[k] = insert_inverse(ctx, 0, uplo, diag, rows_of(F, k, first_row(F, k), n), n);
    }
}

/* Creates requests, values and matrices. Returns false, and s->request has failed, without
 * memory. */
static bool prepare(mixed_solver *s)
{
    static const startile_dtype single[] = {[STARTILE_D] = STARTILE_S, [STARTILE_Z] = STARTILE_C};
    context ctx = context_of(s->request);
    startile_shape a = startile_matrix_shape(s->A), b = startile_matrix_shape(s->B);
    bool is_lu = s->uplo == 0;
    s->work = request_within(ctx, STARTILE_PRODUCTS_AUTO);
    s->hold = hold_begin(ctx);
    if (s->work == NULL || s->hold == NULL)
        return false;
    context work = context_of(s->work);
    s->low = request_within(work, s->products);
    s->R = temporary_of_type(work, a.dtype, b);
    s->row_sums = values_begin(work, a.n);
    /* LU scales rows by their sums, Cholesky rows and columns alike */
    s->row = is_lu ? s->row_sums : values_begin(work, a.n);
    s->column = is_lu ? values_begin(work, a.n) : s->row;
    s->WL = calloc((size_t)a.nt, sizeof(inverse *));
    s->WU = is_lu ? calloc((size_t)a.nt, sizeof(inverse *)) : NULL;
    if (s->low != NULL) {
        s->F = temporary_of_type(context_of(s->low), single[a.dtype], a);
        s->S = temporary_of_type(context_of(s->low), single[a.dtype], b);
    }
    bool is_complete = s->F != NULL && s->S != NULL && s->R != NULL && s->row_sums != NULL &&
                       s->row != NULL && s->column != NULL;
    request_fail(s->request, is_complete ? 0 : STARTILE_ERROR_MEMORY);
    return is_complete;
}

/* Keeps the caller's operands until the operation has ended. */
static bool hold_operands(mixed_solver *s)
{
    hold_matrix(s->hold, s->A, true);
    hold_matrix(s->hold, s->B, true);
    hold_matrix(s->hold, s->X, false);
    if (s->P != NULL)
        hold_pivots(s->hold, s->P);
    return hold_submit(s->hold);
}

/* Submits the factorization and the first iterations. */
static void factor_and_iterate(mixed_solver *s)
{
    s->steps->factor(s);
    for (int i = 0; i < AT_ONCE; i++)
        iterate(s);
}

/* Decision on the products; submits the factorization with them. */
static void choose_and_factor(void *solver)
{
    mixed_solver *s = solver;
    if (request_outcome(s->work) != 0) {
        end_operation(s);
        return;
    }
    s->products = s->steps->choose_products(s);
    request_use_products(s->low, s->products);
    factor_and_iterate(s);
    decide_later(s);
}

/* Submits the first decision, on the products or on the first iterations. */
static void begin_decisions(mixed_solver *s, bool chooses)
{
    request_use_hold(s->low, s->hold);
    if (chooses)
        insert_decision(context_of(s->work), 2, (values *[]){s->row_sums, s->row},
                        choose_and_factor, s);
    else
        decide_later(s);
    return_matrix(context_of(s->request), s->X);
}

void solve_mixed(const mixed_steps *steps, char uplo, startile_matrix *A, startile_pivots *P,
                 const startile_matrix *B, startile_matrix *X,
                 const startile_mixed_options *options, startile_mixed_result *result,
                 startile_request *request)
{
    if (result != NULL)
        *result = (startile_mixed_result){STARTILE_PRODUCTS_AUTO, 0, NAN, NAN, NAN};
    if (startile_matrix_shape(B).m == 0 || startile_matrix_shape(B).n == 0 ||
        request_outcome(request) != 0)
        return;
    mixed_solver *s = calloc(1, sizeof *s);
    if (s == NULL) {
        request_fail(request, STARTILE_ERROR_MEMORY);
        return;
    }
    own_temporary(context_of(request), &s->owned, release_solver);
    s->steps = steps;
    s->uplo = uplo;
    s->A = A, s->P = P, s->B = B, s->X = X;
    s->n = startile_matrix_shape(B).m, s->nrhs = startile_matrix_shape(B).n;
    s->result = result;
    s->request = request;
    if (options != NULL)
        s->options = *options;
    s->products = s->options.products != STARTILE_PRODUCTS_AUTO ? s->options.products
                                                                : STARTILE_PRODUCTS_FP16X2;
    if (!prepare(s))
        return;
    bool chooses = s->options.products == STARTILE_PRODUCTS_AUTO && steps->choose_products != NULL;
    steps->convert(context_of(s->low), s);
    submit_lacpy('G', B, s->R, s->low); /* R := B */
    find_residual_maxima(context_of(s->low), s, &s->before);
    if (!chooses)
        factor_and_iterate(s);
    if (request_outcome(s->low) < 0) /* for example a tile without a value */
        request_fail(request, request_outcome(s->low));
    else if (hold_operands(s))
        begin_decisions(s, chooses);
}
