/*
 * The library's part in `startile solve`.
 */
#include "dense.h"
#include "measure.h"
#include "models.h"
#include "progress.h"
#include "scalar.h"
#include "solve.h"

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t at_least_1(int64_t n)
{
    return n > 1 ? n : 1;
}

void pin_elements(bool on, void *memory, int64_t count, startile_dtype dtype)
{
    size_t bytes = (size_t)count * dtype_size(dtype);
    if (memory && bytes)
        (void)(on ? startile_pin(memory, bytes) : startile_unpin(memory, bytes));
}

/* -- Cholesky ------------------------------------------------------------------------------- */

/* The time ends with the results in main memory; the condition is estimated after it. */
static int64_t solve_in_place(const struct solve_settings *s, struct linear_system *p,
                              struct solution *solution)
{
    startile_matrix *A = NULL, *X = NULL;
    int64_t ld = at_least_1(p->n);
    double norm = dense_norm1(p->dtype, p->n, p->n, p->a), start = now_seconds();
    int64_t outcome = startile_matrix_wrap(&A, p->dtype, p->n, p->n, p->a, ld, s->nb, s->nb);
    solution->mb = solution->nb = startile_matrix_shape(A).nb;
    if (!outcome)
        outcome =
            startile_matrix_wrap(&X, p->dtype, p->n, p->nrhs, p->x, ld, solution->nb, solution->nb);
    if (!outcome)
        outcome = startile_posv(s->uplo, A, X);
    if (!outcome)
        outcome = startile_matrix_gather(A);
    if (!outcome)
        outcome = startile_matrix_gather(X);
    solution->seconds = now_seconds() - start;
    if (!outcome)
        outcome = startile_pocon(s->uplo, A, norm, &solution->rcond);
    startile_matrix_destroy(A);
    startile_matrix_destroy(X);
    return outcome;
}

static int64_t run_cholesky(const struct solve_settings *s, struct linear_system *p,
                            struct solution *solution)
{
    solution->method = METHOD_CHOLESKY;
    pin_elements(true, p->a, p->n * p->n, p->dtype);
    int64_t outcome = solve_in_place(s, p, solution);
    pin_elements(false, p->a, p->n * p->n, p->dtype);
    return outcome;
}

/* -- LU ------------------------------------------------------------------------------------- */

/* LU works on block columns: tiles have all rows. */
static int64_t choose_tiles(const struct solve_settings *s, const struct linear_system *p,
                            struct solution *solution)
{
    solution->mb = at_least_1(p->n);
    solution->nb = s->nb;
    return s->nb ? 0
                 : startile_tile_shape("gesv", p->dtype, p->n, p->n, &solution->mb, &solution->nb);
}

/* What a factorization works on. */
struct lu {
    startile_matrix *A, *X;
    startile_pivots *P;
};

static int64_t wrap(struct linear_system *p, const struct solution *solution, struct lu *lu)
{
    int64_t ld = at_least_1(p->n), mb = solution->mb, nb = solution->nb;
    int64_t outcome = startile_matrix_wrap(&lu->A, p->dtype, p->n, p->n, p->factors, ld, mb, nb);
    if (!outcome)
        outcome = startile_matrix_wrap(&lu->X, p->dtype, p->n, p->nrhs, p->x, ld, mb, nb);
    return outcome ? outcome : startile_pivots_create(&lu->P, lu->A);
}

/* The time ends with the results in main memory; the condition is estimated after it. */
static int64_t factor_and_solve(const struct solve_settings *s, struct linear_system *p,
                                struct solution *solution)
{
    struct lu lu = {NULL, NULL, NULL};
    double norm = dense_norm1(p->dtype, p->n, p->n, p->a), start = now_seconds();
    int64_t outcome = wrap(p, solution, &lu);
    if (!outcome)
        outcome = startile_gesv(lu.A, lu.P, lu.X, (int)s->refine);
    if (!outcome)
        outcome = startile_matrix_gather(lu.A);
    if (!outcome)
        outcome = startile_matrix_gather(lu.X);
    solution->seconds = now_seconds() - start;
    if (!outcome)
        outcome = startile_gecon('1', lu.A, norm, &solution->rcond);
    startile_pivots_destroy(lu.P);
    startile_matrix_destroy(lu.A);
    startile_matrix_destroy(lu.X);
    return outcome;
}

static int64_t run_lu(const struct solve_settings *s, struct linear_system *p,
                      struct solution *solution)
{
    int64_t count = p->n * p->n;
    solution->method = METHOD_LU;
    p->factors = malloc((size_t)at_least_1(count) * dtype_size(p->dtype));
    if (!p->factors)
        return STARTILE_ERROR_MEMORY;
    if (count)
        memcpy(p->factors, p->a, (size_t)count * dtype_size(p->dtype));
    int64_t outcome = choose_tiles(s, p, solution);
    pin_elements(true, p->factors, count, p->dtype);
    if (!outcome)
        outcome = factor_and_solve(s, p, solution);
    pin_elements(false, p->factors, count, p->dtype);
    return outcome;
}

/* -- which ---------------------------------------------------------------------------------- */

/* Whether Cholesky is worth a try; else solution->reason says why not. */
static bool looks_definite(const struct linear_system *p, struct solution *solution)
{
    int64_t i, j;
    if (!dense_is_hermitian(p->dtype, p->n, p->a, 0, &i, &j)) {
        snprintf(solution->reason, sizeof solution->reason, "A is not %s",
                 dtype_is_complex(p->dtype) ? "Hermitian" : "symmetric");
        return false;
    }
    for (i = 0; i < p->n; i++)
        if (!(creal(element_get(p->dtype, p->diagonal, (size_t)i)) > 0)) {
            snprintf(solution->reason, sizeof solution->reason,
                     "A's diagonal is not positive at %" PRId64, i + 1);
            return false;
        }
    return true;
}

static int64_t run_auto(const struct solve_settings *s, struct linear_system *p,
                        struct solution *solution)
{
    if (p->m != p->n) {
        snprintf(solution->reason, sizeof solution->reason, "A is not square");
        return run_qr(s, p, solution);
    }
    if (!looks_definite(p, solution))
        return run_lu(s, p, solution);
    int64_t outcome = run_cholesky(s, p, solution);
    if (outcome <= 0)
        return outcome;
    snprintf(solution->reason, sizeof solution->reason,
             "A is not positive definite (leading minor of order %" PRId64 ")", outcome);
    system_restore(p, s->uplo);
    system_reset(p);
    return run_lu(s, p, solution);
}

int64_t run_library(const struct solve_settings *s, startile_options *o, struct linear_system *p,
                    struct solution *solution)
{
    int64_t (*const run[])(const struct solve_settings *, struct linear_system *,
                           struct solution *) = {run_auto, run_cholesky, run_lu, run_qr};
    o->pause_when_idle = 1;
    *solution = (struct solution){.method = s->method, .rcond = NAN};
    int64_t outcome = startile_init(o);
    if (outcome)
        return outcome;
    if (o->trace)
        (void)startile_trace_start();
    warn_of_models();
    pin_elements(true, p->x, p->n * p->nrhs, p->dtype);
    progress_start("solving");
    outcome = run[s->method](s, p, solution);
    progress_stop();
    pin_elements(false, p->x, p->n * p->nrhs, p->dtype);
    startile_finalize();
    return outcome;
}
