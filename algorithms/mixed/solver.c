/*
 * Solution of A X = B in mixed precision: beginning and end
 *
 * The first iterations are submitted with the factorization. Then decisions read the maxima of the
 * iterations and submit what follows (convergence.c). Other tasks on A, P, B and X wait meanwhile
 * (hold).
 */
#include "mixed.h"

#include <math.h>
#include <stdlib.h>

/* Value of LAPACK's ITER: double precision for reasons of the implementation */
enum { TOO_MANY_SIDES = -1 };

bool has_valid_options(const startile_mixed_options *o)
{
    return o == NULL ||
           (o->products >= STARTILE_PRODUCTS_AUTO && o->products <= STARTILE_PRODUCTS_FP16 &&
            o->method >= STARTILE_METHOD_AUTO && o->method <= STARTILE_METHOD_GMRES &&
            o->tolerance >= 0 && o->max_iterations >= 0 && o->max_iterations <= MOST_ITERATIONS);
}

/* Options that decide alike are one argument. */
argument mixed_options_argument(const startile_mixed_options *options)
{
    const startile_mixed_options o =
        options != NULL ? *options : (startile_mixed_options){.products = STARTILE_PRODUCTS_AUTO};
    const uint64_t part[] = {o.products, o.method, (uint64_t)o.max_iterations, o.certificate != 0,
                             number_argument(o.tolerance).hash};
    argument a = {.hash = 0};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        a = integer_argument(a.hash ^ part[i]);
    return a;
}

bool may_be_mixed(const startile_matrix *A)
{
    startile_dtype dtype = startile_matrix_shape(A).dtype;
    return dtype == STARTILE_D || dtype == STARTILE_Z;
}

bool is_solution_of(const startile_matrix *X, const startile_matrix *B, const startile_matrix *A)
{
    startile_shape x = startile_matrix_shape(X), b = startile_matrix_shape(B);
    return X != B && X != A && x.n == b.n && same_tiles(x.n, x.nb, b.nb);
}

/* -- the end ----------------------------------------------------------------------------------- */

void store_outcome(void *solver)
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
            .method = s->first_gmres <= MOST_ITERATIONS ? STARTILE_METHOD_GMRES
                                                        : STARTILE_METHOD_REFINEMENT,
            .iterations = s->iterations,
            .backward = is_refined ? s->error : NAN,
            .componentwise = has_ratios ? largest_of_values(s->ratios, s->nrhs) : NAN,
            .forward = is_refined ? s->forward : NAN};
    }
}

/* -- the beginning ----------------------------------------------------------------------------- */

static void release_solver(temporary *owned)
{
    mixed_solver *s = (mixed_solver *)owned;
    free(s->WL);
    free(s->WU);
    free(s->known_system);
    free(s);
}

/* Creates the values by which A is scaled. LU scales rows by their sums, and columns; Cholesky rows
 * and columns alike, QR columns. */
static void create_scales(context work, mixed_solver *s)
{
    startile_shape a = startile_matrix_shape(s->A);
    bool is_lu = s->uplo == 0;
    s->row_sums = values_on_grid(work, s->A, a.m);
    s->column = values_on_grid(work, s->A, a.n);
    s->row = is_lu ? s->row_sums : s->column;
}

/* Creates requests, values and matrices. Returns whether memory sufficed. */
static bool create_all(mixed_solver *s)
{
    static const startile_dtype single[] = {[STARTILE_D] = STARTILE_S, [STARTILE_Z] = STARTILE_C};
    context ctx = context_of(s->request);
    startile_shape a = startile_matrix_shape(s->A), b = startile_matrix_shape(s->B), r = b;
    bool is_lu = s->uplo == 0, is_least_squares = s->steps->is_least_squares;
    if (is_least_squares) {
        r.m = a.n;
        r.mb = a.nb;
    }
    s->work = request_within(ctx, STARTILE_PRODUCTS_AUTO);
    bool is_on_grid = startile_matrix_grid(s->A) != NULL;
    s->hold = is_on_grid ? NULL : hold_begin(ctx);
    if (s->work == NULL || (s->hold == NULL && !is_on_grid))
        return false;
    request_join_grid(s->work, s->A);
    context work = context_of(s->work);
    s->low = request_within(work, s->products);
    s->R = temporary_on_grid(work, s->A, a.dtype, r);
    s->E = is_least_squares ? temporary_on_grid(work, s->A, a.dtype, b) : NULL;
    create_scales(work, s);
    s->WL = calloc((size_t)a.nt, sizeof(inverse *));
    s->WU = is_lu ? calloc((size_t)a.nt, sizeof(inverse *)) : NULL;
    if (s->low != NULL) {
        request_join_grid(s->low, s->A);
        s->F = temporary_on_grid(context_of(s->low), s->A, single[a.dtype], a);
        s->S = temporary_on_grid(context_of(s->low), s->A, single[a.dtype], r);
    }
    return s->F != NULL && s->S != NULL && make_buffers(context_of(s->low), s) && s->R != NULL &&
           s->row_sums != NULL && s->row != NULL && s->column != NULL &&
           (!is_least_squares || s->E != NULL);
}

/* Returns whether all processes have what create_all() creates; else s->request has failed. */
static bool prepare(mixed_solver *s)
{
    request_fail(s->request, create_all(s) ? 0 : STARTILE_ERROR_MEMORY);
    return request_agree(s->request) == 0;
}

/* Keeps the caller's operands until the operation has ended. */
static bool hold_operands(mixed_solver *s)
{
    hold_matrix(s->hold, is_one_of(s->uplo, "LU") ? s->uplo : 'G', s->A, true);
    hold_matrix(s->hold, 'G', s->B, true);
    hold_matrix(s->hold, 'G', s->X, false);
    if (s->P != NULL)
        hold_pivots(s->hold, s->P);
    return hold_submit(s->hold);
}

/* Submits the factorization and the first iterations. */
static void factor_and_refine(mixed_solver *s)
{
    s->steps->factor(s);
    int first_steps = s->options.method == STARTILE_METHOD_GMRES ? 1 : AT_ONCE;
    for (int i = 0; i < first_steps; i++)
        refine(s);
}

/* Decision on the products; submits the factorization with them. */
static void choose_and_factor(void *solver)
{
    mixed_solver *s = solver;
    if (request_agree(s->work) != 0) {
        end_operation(s);
        return;
    }
    s->products = s->steps->choose_products(s);
    request_use_products(s->low, s->products);
    factor_and_refine(s);
    decide_later(s);
}

/* Submits the first decision, on the products or on the first iterations. */
static void begin_decisions(mixed_solver *s, bool chooses)
{
    if (s->hold != NULL)
        request_use_hold(s->low, s->hold);
    if (chooses)
        insert_decision(context_of(s->work), 2, (values *[]){s->row_sums, s->row},
                        choose_and_factor, s);
    else
        decide_later(s);
    return_matrix(context_of(s->request), s->X);
}

/* Returns whether refinement may be faster than double precision. Three steps of it take about 9 n²
 * operations for each right-hand side, the factorization in single precision saves n³ / 3. On one
 * core, n = 1500, gesv and posv took 0.92 and 0.76 of the mixed solvers' time with 32 right-hand
 * sides, 0.5 and 0.4 with 128. Explicit products or an explicit method disable this check. */
static bool may_pay(const mixed_solver *s)
{
    enum { FEW = 32 };
    bool is_chosen =
        s->options.products != STARTILE_PRODUCTS_AUTO || s->options.method != STARTILE_METHOD_AUTO;
    return is_chosen || s->nrhs <= FEW || FEW * s->nrhs <= s->n;
}

/* Submits the solution in double precision in the caller's request. */
static void solve_in_double_at_once(mixed_solver *s)
{
    s->full = s->request;
    s->steps->solve_in_double(s);
    return_matrix(context_of(s->request), s->X);
    if (s->result != NULL) {
        s->result->products = STARTILE_PRODUCTS_DOUBLE;
        s->result->iterations = TOO_MANY_SIDES;
    }
}

void solve_mixed(const mixed_steps *steps, char uplo, startile_matrix *A, startile_pivots *P,
                 const startile_matrix *B, startile_matrix *X,
                 const startile_mixed_options *options, startile_mixed_result *result,
                 startile_request *request)
{
    if (result != NULL)
        *result = (startile_mixed_result){.backward = NAN, .componentwise = NAN, .forward = NAN};
    if (startile_matrix_shape(X).m == 0 || startile_matrix_shape(X).n == 0)
        return;
    mixed_solver *s = calloc(1, sizeof *s);
    if (s != NULL)
        own_temporary(context_of(request), &s->owned, release_solver);
    request_fail(request, s != NULL ? 0 : STARTILE_ERROR_MEMORY);
    if (request_agree(request) != 0 || s == NULL)
        return;
    s->steps = steps;
    s->uplo = uplo;
    s->A = A, s->P = P, s->B = B, s->X = X;
    s->n = startile_matrix_shape(A).n, s->nrhs = startile_matrix_shape(B).n;
    s->first_gmres = MOST_ITERATIONS + 1;
    s->result = result;
    s->request = request;
    if (options != NULL)
        s->options = *options;
    s->products = s->options.products != STARTILE_PRODUCTS_AUTO ? s->options.products
                                                                : STARTILE_PRODUCTS_FP16X2;
    if (!may_pay(s)) {
        solve_in_double_at_once(s);
        return;
    }
    if (!prepare(s))
        return;
    bool chooses = s->options.products == STARTILE_PRODUCTS_AUTO && steps->choose_products != NULL;
    steps->convert(context_of(s->low), s);
    steps->find_first_residual(context_of(s->low), s);
    find_residual_maxima(context_of(s->low), s, &s->before);
    if (!chooses)
        factor_and_refine(s);
    int64_t failure = request_agree(s->low);
    if (failure < 0) /* for example a tile without a value */
        request_fail(request, failure);
    else if (s->hold == NULL || hold_operands(s))
        begin_decisions(s, chooses);
}
