/*
 * Solution of A X = B in mixed precision: beginning and end
 *
 * The first iterations are submitted with the factorization. Then decisions read the maxima of the
 * iterations and submit what follows (convergence.c). Other tasks on A, P, B and X wait meanwhile
 * (hold). On a grid the calling thread waits and decides, so no hold is needed.
 */
#include "grid/agreement.h"
#include "library/integers.h"
#include "memory/capacity.h"
#include "mixed.h"
#include "request/decision.h"
#include "request/hold.h"
#include "request/request.h"
#include "startile_mixed.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Value of LAPACK's ITER: double precision for reasons of the implementation */
enum { TOO_MANY_RIGHT_HAND_SIDES = -1 };

bool read_mixed_options(startile_mixed_options *o, const startile_mixed_options *options)
{
    const size_t first_version = offsetof(startile_mixed_options, certificate) + sizeof(int);
    *o = (startile_mixed_options){.size = sizeof *o};
    if (options == NULL)
        return true;
    if (options->size < first_version || options->size > sizeof *o)
        return false;
    memcpy(o, options, options->size);
    return o->products >= STARTILE_PRODUCTS_AUTO && o->products <= STARTILE_PRODUCTS_FP16 &&
           o->method >= STARTILE_METHOD_AUTO && o->method <= STARTILE_METHOD_GMRES &&
           o->tolerance >= 0 && o->max_iterations >= 0 && o->max_iterations <= MOST_ITERATIONS;
}

bool has_valid_size(const startile_mixed_result *result)
{
    const size_t first_version = offsetof(startile_mixed_result, forward) + sizeof(double);
    return result == NULL || (result->size >= first_version && result->size <= sizeof *result);
}

/* Stores the fields that the caller's version of the header has. */
static void store_result(startile_mixed_result *result, startile_mixed_result found)
{
    found.size = result->size;
    memcpy(result, &found, found.size);
}

/* Options with the same effect have the same hash. */
argument mixed_options_argument(const startile_mixed_options *options)
{
    startile_mixed_options o;
    read_mixed_options(&o, options);
    const uint64_t part[] = {o.products, o.method, (uint64_t)o.max_iterations, o.certificate != 0,
                             number_argument(o.tolerance).hash};
    argument a = {.hash = 0};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        a = integer_argument(a.hash ^ part[i]);
    return a;
}

bool is_double_precision(const startile_matrix *A)
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
    const mixed_solver *s = solver;
    const errors *e = &s->errors;
    startile_request *last = s->full != NULL ? s->full : s->system.low;
    request_fail(s->request, request_outcome(s->system.work));
    request_fail(s->request, request_outcome(last));
    if (s->result != NULL) {
        bool is_refined = s->full == NULL && request_outcome(s->request) == 0;
        bool has_ratios = is_refined && s->ratios != NULL;
        const startile_mixed_result found = {
            .products = s->full == NULL ? s->system.products : STARTILE_PRODUCTS_DOUBLE,
            .method = s->iteration.first_gmres <= MOST_ITERATIONS ? STARTILE_METHOD_GMRES
                                                                  : STARTILE_METHOD_REFINEMENT,
            .iterations = s->iterations,
            .backward = is_refined ? e->error : NAN,
            .componentwise = has_ratios ? largest_of_values(s->ratios, s->iteration.nrhs) : NAN,
            .forward = is_refined ? e->forward : NAN};
        store_result(s->result, found);
    }
}

/* -- the beginning ----------------------------------------------------------------------------- */

static void release_solver(temporary *owned)
{
    mixed_solver *s = (mixed_solver *)owned;
    free(s->system.WL);
    free(s->system.WU);
    free(s->known);
    free(s);
}

static startile_dtype single_precision(startile_dtype dtype)
{
    return dtype == STARTILE_D ? STARTILE_S : STARTILE_C;
}

/* Creates the values by which A is scaled. LU scales rows by their sums, and columns; Cholesky rows
 * and columns alike, QR columns. */
static void create_scales(mixed_system *s)
{
    startile_shape a = startile_matrix_shape(s->A);
    bool is_lu = s->uplo == 0;
    s->row_sums = values_on_grid(context_of(s->work), s->A, a.m);
    s->column = values_on_grid(context_of(s->work), s->A, a.n);
    s->row = is_lu ? s->row_sums : s->column;
}

/* Creates requests, values and matrices. Returns whether memory sufficed. */
static bool create_system(context ctx, mixed_system *s)
{
    startile_shape a = startile_matrix_shape(s->A);
    bool is_lu = s->uplo == 0;
    s->work = request_within(ctx, STARTILE_PRODUCTS_AUTO);
    s->low = s->work == NULL ? NULL : request_within(context_of(s->work), s->products);
    if (s->low == NULL)
        return false;
    request_join_grid(s->work, s->A);
    request_join_grid(s->low, s->A);
    create_scales(s);
    s->WL = calloc((size_t)a.nt, sizeof(inverse *));
    s->WU = is_lu ? calloc((size_t)a.nt, sizeof(inverse *)) : NULL;
    s->F = temporary_on_grid(context_of(s->low), s->A, single_precision(a.dtype), a);
    return s->F != NULL && s->row_sums != NULL && s->row != NULL && s->column != NULL;
}

/* Creates matrices. Returns whether memory sufficed. For LU, a residual that CPU cores and GPUs
 * share has tiles of few rows, so that the tasks of all tiles keep both busy. */
static bool create_iteration(iteration *it)
{
    enum { SHARED_ROWS = 256 };
    const mixed_system *s = it->system;
    context work = context_of(s->work), low = context_of(s->low);
    startile_shape a = startile_matrix_shape(s->A), b = startile_matrix_shape(it->B), r = b;
    if (s->steps->is_least_squares) {
        r.m = a.n;
        r.mb = a.nb;
        it->E = temporary_on_grid(work, s->A, a.dtype, b);
    }
    it->S = temporary_on_grid(low, s->A, single_precision(a.dtype), r);
    if (s->uplo == 0 && is_shared_product(s->A, it->B, SHARED_ROWS))
        r.mb = min(r.mb, SHARED_ROWS);
    it->R = temporary_on_grid(work, s->A, a.dtype, r);
    return it->R != NULL && it->S != NULL && (it->E != NULL || !s->steps->is_least_squares) &&
           make_buffers(low, it);
}

/* Creates requests, values, matrices and hold of the solver. Returns false, and s->request has
 * failed, without memory on any process. */
static bool prepare(mixed_solver *s)
{
    context ctx = context_of(s->request);
    bool is_complete = create_system(ctx, &s->system) && create_iteration(&s->iteration);
    request_fail(s->request, is_complete ? 0 : STARTILE_ERROR_MEMORY);
    if (startile_matrix_grid(s->system.A) == NULL)
        s->hold = hold_begin(ctx);
    return request_agree(s->request) == 0;
}

/* Keeps the caller's operands until the operation has ended. */
static bool hold_operands(mixed_solver *s)
{
    const mixed_system *a = &s->system;
    hold_matrix(s->hold, is_one_of(a->uplo, "LU") ? a->uplo : 'G', a->A, true);
    hold_matrix(s->hold, 'G', s->iteration.B, true);
    hold_matrix(s->hold, 'G', s->iteration.X, false);
    if (a->P != NULL)
        hold_pivots(s->hold, a->P);
    return hold_submit(s->hold);
}

/* Submits the factorization and the first iterations. */
static void factor_and_refine(iteration *it)
{
    it->system->steps->factor(it);
    int first_steps = it->system->options.method == STARTILE_METHOD_GMRES ? 1 : AT_ONCE;
    for (int i = 0; i < first_steps; i++)
        refine(it);
}

/* Decision on the products; submits the factorization with them. */
static void choose_and_factor(void *solver)
{
    mixed_solver *s = solver;
    mixed_system *a = &s->system;
    if (request_agree(a->work) != 0) {
        end_operation(s);
        return;
    }
    a->products = a->steps->choose_products(a);
    request_use_products(a->low, a->products);
    factor_and_refine(&s->iteration);
    decide_later(s);
}

/* Submits the first decision, on the products or on the first iterations. */
static void begin_decisions(mixed_solver *s, bool chooses)
{
    const mixed_system *a = &s->system;
    if (s->hold != NULL)
        request_use_hold(a->low, s->hold);
    if (chooses)
        insert_decision(context_of(a->work), 2, (values *[]){a->row_sums, a->row},
                        choose_and_factor, s);
    else
        decide_later(s);
    return_matrix(context_of(s->request), s->iteration.X);
}

/* Returns whether refinement may be faster than double precision. Three steps of it take about 9 n²
 * operations for each right-hand side, the factorization in single precision saves n³ / 3. On one
 * core, n = 1500, gesv and posv took 0.92 and 0.76 of the mixed solvers' time with 32 right-hand
 * sides, 0.5 and 0.4 with 128. Explicit products or an explicit method disable this check. */
static bool refinement_may_be_faster(const mixed_system *s, int64_t nrhs)
{
    enum { FEW = 32 };
    bool is_chosen =
        s->options.products != STARTILE_PRODUCTS_AUTO || s->options.method != STARTILE_METHOD_AUTO;
    return is_chosen || nrhs <= FEW || FEW * nrhs <= s->n;
}

/* Submits the solution in double precision in the caller's request. */
static void solve_in_double_at_once(mixed_solver *s)
{
    s->full = s->request;
    s->system.steps->solve_in_double(&s->iteration, s->full);
    return_matrix(context_of(s->request), s->iteration.X);
    if (s->result != NULL) {
        s->result->products = STARTILE_PRODUCTS_DOUBLE;
        s->result->iterations = TOO_MANY_RIGHT_HAND_SIDES;
    }
}

/* Submits the conversion of A, the factorization unless its products are not chosen yet, and the
 * first decision. */
static void begin(mixed_solver *s)
{
    const mixed_steps *steps = s->system.steps;
    iteration *it = &s->iteration;
    context ctx = context_of(s->system.low);
    bool chooses =
        s->system.options.products == STARTILE_PRODUCTS_AUTO && steps->choose_products != NULL;
    steps->convert(ctx, it);
    steps->find_first_residual(ctx, it);
    find_residual_maxima(ctx, it, &it->before);
    if (!chooses)
        factor_and_refine(it);
    int64_t failure = request_agree(s->system.low);
    if (failure < 0) /* for example a tile without a value */
        request_fail(s->request, failure);
    else if (s->hold == NULL || hold_operands(s))
        begin_decisions(s, chooses);
}

void solve_mixed(const mixed_steps *steps, char uplo, startile_matrix *A, startile_pivots *P,
                 const startile_matrix *B, startile_matrix *X,
                 const startile_mixed_options *options, startile_mixed_result *result,
                 startile_request *request)
{
    if (result != NULL)
        store_result(
            result, (startile_mixed_result){.backward = NAN, .componentwise = NAN, .forward = NAN});
    if (startile_matrix_shape(X).m == 0 || startile_matrix_shape(X).n == 0)
        return;
    mixed_solver *s = calloc(1, sizeof *s);
    if (s != NULL)
        own_temporary(context_of(request), &s->owned, release_solver);
    request_fail(request, s != NULL ? 0 : STARTILE_ERROR_MEMORY);
    if (request_agree(request) != 0 || s == NULL)
        return;
    s->request = request;
    s->result = result;
    mixed_system *a = &s->system;
    a->options = *options;
    a->steps = steps, a->uplo = uplo, a->A = A, a->P = P, a->n = startile_matrix_shape(A).n;
    bool is_chosen = a->options.products != STARTILE_PRODUCTS_AUTO;
    a->products = is_chosen ? a->options.products : STARTILE_PRODUCTS_FP16X2;
    iteration *it = &s->iteration;
    it->system = a, it->B = B, it->X = X, it->nrhs = startile_matrix_shape(B).n;
    it->first_gmres = MOST_ITERATIONS + 1;
    if (!refinement_may_be_faster(a, it->nrhs))
        solve_in_double_at_once(s);
    else if (prepare(s))
        begin(s);
}
