/*
 * Arrays of a batch in main memory: sizes, content, and check of the results.
 */
#include "batch.h"
#include "random.h"
#include "residual.h"
#include "scalar.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* -- sizes ---------------------------------------------------------------------------------- */

/* Returns ceil(size * n / largest). */
static int64_t scaled_dimension(int64_t size, int64_t n, int64_t largest)
{
    return (size * n + largest - 1) / largest;
}

struct problem batch_problem(const struct problem *batch, int64_t q)
{
    struct problem p = *batch;
    if (batch->layout != BATCH_VARIABLE)
        return p;
    p.n = 1 + (int64_t)(startile_mix((uint64_t)q) % (uint64_t)batch->n);
    p.m = scaled_dimension(batch->m, p.n, batch->n);
    if (batch->routine->meaning_of_k == K_DEFAULTS_TO_N)
        p.k = scaled_dimension(batch->k, p.n, batch->n);
    return p;
}

static size_t elements_of(const struct operand *o, const struct dimensions *d)
{
    return (size_t)operand_rows(o, d) * (size_t)operand_columns(o, d);
}

/* Returns the bytes of a problem's arrays. as_moved: true counts an array once if it is read, and
 * once more if it is written; false counts each array once */
static double bytes_of(const struct problem *p, bool as_moved)
{
    double bytes = 0;
    for (const struct operand *o = p->routine->operand; o->letters; o++) {
        int times = as_moved ? o->read + o->written : 1;
        bytes += times * (double)elements_of(o, &p->size) * (double)operand_size(o, p->dtype);
    }
    return bytes;
}

double batch_bytes_of_one(const struct problem *batch)
{
    return bytes_of(batch, false);
}

void batch_totals(const struct problem *batch, double *flops, double *bytes, double *mean_n)
{
    *flops = *bytes = *mean_n = 0;
    for (int64_t q = 0; q < batch->count; q++) {
        struct problem p = batch_problem(batch, q);
        *flops += batch->routine->flops ? batch->routine->flops(&p) : NAN;
        *bytes += bytes_of(&p, true);
        *mean_n += (double)p.n / (double)batch->count;
    }
}

/* -- contents ------------------------------------------------------------------------------- */

struct generation {
    struct batch_data *data;
    atomic_llong info;
};

/* Generates the matrix of problem q in one array. The real and imaginary parts of a random element
 * are at most 1/3, so a diagonal of `bump` dominates. */
static void generate_array(const struct batch_data *d, int array, int64_t q)
{
    const struct operand *o = &d->batch->routine->operand[array];
    struct problem p = batch_problem(d->batch, q);
    int64_t m = operand_rows(o, &p.size), n = operand_columns(o, &p.size);
    double bump = 2 * (double)(m > n ? m : n) + 2;
    size_t at = d->start[array][q];
    uint64_t seed = startile_mix((uint64_t)(q * OPERANDS + array));
    for (int64_t j = 0; j < n && o->content != NOTHING; j++)
        for (int64_t i = 0; i < m; i++)
            element_set(d->batch->dtype, d->original[array], at++,
                        operand_element(o->content, d->batch->dtype, bump, seed, i, j));
}

/* Generates and prepares problem q; stores a nonzero info of the preparation. Called by team_run().
 */
static void generate(void *argument, int thread, int64_t q)
{
    struct generation *g = argument;
    cpu_function *prepare = g->data->batch->routine->cpu_prepare;
    (void)thread;
    for (int i = 0; i < g->data->arrays; i++)
        generate_array(g->data, i, q);
    int64_t info = prepare ? batch_call_lapack(g->data, g->data->original, q, prepare) : 0;
    if (info)
        atomic_store(&g->info, info);
}

/* -- storage -------------------------------------------------------------------------------- */

/* Allocates array i, with zeros as its original content. Returns false if memory does not suffice.
 */
static bool allocate_array(struct batch_data *d, int i)
{
    const struct problem *batch = d->batch;
    const struct operand *o = &batch->routine->operand[i];
    d->start[i] = malloc(((size_t)batch->count + 1) * sizeof *d->start[i]);
    if (!d->start[i])
        return false;
    d->start[i][0] = 0;
    for (int64_t q = 0; q < batch->count; q++) {
        struct problem p = batch_problem(batch, q);
        d->start[i][q + 1] = d->start[i][q] + elements_of(o, &p.size);
    }
    d->bytes[i] = d->start[i][batch->count] * operand_size(o, batch->dtype);
    if (posix_memalign(&d->original[i], 4096, d->bytes[i]))
        d->original[i] = NULL;
    if (posix_memalign(&d->current[i], 4096, d->bytes[i]))
        d->current[i] = NULL;
    if (!d->original[i] || !d->current[i])
        return false;
    memset(d->original[i], 0, d->bytes[i]);
    return true;
}

int64_t batch_data_open(struct batch_data *d, const struct problem *batch, struct team *team)
{
    *d = (struct batch_data){.batch = batch, .arrays = operand_count(batch->routine->operand)};
    struct generation g = {.data = d};
    for (int i = 0; i < d->arrays; i++)
        if (!allocate_array(d, i))
            return STARTILE_ERROR_MEMORY;
    team_run(team, batch->count, generate, &g);
    for (int i = 0; i < d->arrays; i++)
        memcpy(d->current[i], d->original[i], d->bytes[i]);
    return atomic_load(&g.info);
}

void batch_data_close(struct batch_data *d)
{
    for (int i = 0; i < OPERANDS; i++) {
        free(d->start[i]);
        free(d->original[i]);
        free(d->current[i]);
    }
}

void batch_data_restore(struct batch_data *d)
{
    for (int i = 0; i < d->arrays; i++)
        if (d->batch->routine->operand[i].written)
            memcpy(d->current[i], d->original[i], d->bytes[i]);
}

struct gpu_arrays batch_arrays(const struct batch_data *d)
{
    struct gpu_arrays g = {.count = d->arrays};
    for (int i = 0; i < d->arrays; i++)
        g.array[i] =
            (struct gpu_array){.in = d->original[i],
                               .out = d->batch->routine->operand[i].written ? d->current[i] : NULL,
                               .bytes = d->bytes[i]};
    return g;
}

/* matrices[i] := the address of problem q's matrix in array i */
static void find_matrices(const struct batch_data *d, void *const *arrays, int64_t q,
                          void *matrices[OPERANDS])
{
    const struct problem *batch = d->batch;
    for (int i = 0; i < d->arrays; i++)
        matrices[i] = (char *)arrays[i] +
                      d->start[i][q] * operand_size(&batch->routine->operand[i], batch->dtype);
}

/* Copies the pivots before and after the call, because LAPACK's are int and the library's
 * int64_t. The first letter of an operand tells what it is: P pivots, T tau, i info, else a matrix.
 */
int64_t batch_call_lapack(const struct batch_data *d, void *const *arrays, int64_t q,
                          cpu_function *routine)
{
    const struct problem p = batch_problem(d->batch, q);
    void *array[OPERANDS];
    int64_t *pivots = NULL;
    int ipiv[p.m < p.n ? p.m : p.n], count = sizeof ipiv / sizeof *ipiv, matrices = 0;
    struct peer_data x = {.ipiv = ipiv};
    find_matrices(d, arrays, q, array);
    for (int i = 0; i < d->arrays; i++) {
        char name = p.routine->operand[i].letters[0];
        if (name == 'P')
            pivots = array[i];
        else if (name == 'T')
            x.tau = array[i];
        else if (name != 'i')
            x.matrix[matrices++] = array[i];
    }
    if (pivots)
        for (int i = 0; i < count; i++)
            ipiv[i] = (int)pivots[i];
    int64_t info = routine(&p, &x);
    if (pivots)
        for (int i = 0; i < count; i++)
            pivots[i] = ipiv[i];
    return info;
}

/* -- check ---------------------------------------------------------------------------------- */

struct check {
    const struct batch_data *data;
    double *largest; /* largest residual that each thread found */
};

/* Returns the residual of problem q, by the routine's function or else by its formulas. */
static double residual_of(const struct batch_data *d, int64_t q)
{
    const struct routine *r = d->batch->routine;
    const struct problem problem = batch_problem(d->batch, q);
    void *before[OPERANDS], *after[OPERANDS];
    struct residual_problem p = {.dtype = problem.dtype, .uplo = problem.uplo, .count = d->arrays};
    find_matrices(d, d->original, q, before);
    find_matrices(d, d->current, q, after);
    for (int i = 0; i < d->arrays; i++) {
        const struct operand *o = &r->operand[i];
        int64_t m = operand_rows(o, &problem.size);
        p.array[i] = (struct residual_array){.name = o->letters[0],
                                             .m = m,
                                             .n = operand_columns(o, &problem.size),
                                             .ld = m,
                                             .before = before[i],
                                             .after = after[i]};
    }
    return r->residual ? r->residual(&problem, after)
                       : residual(&p, r->tall && problem.m > problem.n ? r->tall : r->formula);
}

/* Adds problem q to the thread's largest residual. Called by team_run(). */
static void check_one(void *argument, int thread, int64_t q)
{
    struct check *c = argument;
    c->largest[thread] = worse(residual_of(c->data, q), c->largest[thread]);
}

double batch_check(const struct batch_data *d, struct team *team)
{
    double largest[team_threads(team)], worst = 0;
    memset(largest, 0, sizeof largest);
    struct check c = {.data = d, .largest = largest};
    team_run(team, d->batch->count, check_one, &c);
    for (int i = 0; i < team_threads(team); i++)
        worst = worse(largest[i], worst);
    return worst;
}
