/*
 * What `startile bench` compares the library with: the vendor's routine on the same matrix, and
 * the vendor's gemm. Both are timed while StarPU is down: its idle workers would take the cores,
 * and its caches the GPU's memory.
 */
#include "bench_race.h"
#include "peer_cpu.h"
#include "scalar.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool race_fail(struct race *race, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(race->reason, race->size, format, arguments);
    va_end(arguments);
    return false;
}

/* -- inputs --------------------------------------------------------------------------------- */

size_t race_ipiv_bytes(const struct race *race, size_t size)
{
    return (size_t)pivot_count(race->problem) * size;
}

size_t race_tau_bytes(const struct race *race)
{
    return (size_t)pivot_count(race->problem) * dtype_size(race->problem->dtype);
}

static bool allocate(struct race *race)
{
    race->ipiv = calloc(1, race_ipiv_bytes(race, sizeof *race->ipiv));
    race->tau = calloc(1, race_tau_bytes(race));
    if (!race->ipiv || !race->tau)
        return race_fail(race, "no host memory for the peer");
    for (int i = 0; i < race->problem->routine->operands; i++) {
        size_t bytes = operand_bytes(race->problem, &race->describe[i]);
        if (posix_memalign(&race->in[i], 4096, bytes))
            race->in[i] = NULL;
        if (race->describe[i].result && posix_memalign(&race->out[i], 4096, bytes))
            race->out[i] = NULL;
        if (!race->in[i] || (race->describe[i].result && !race->out[i]))
            return race_fail(race, "no host memory for the peer");
    }
    return true;
}

/* The library makes the same matrices as in its own run and hands them over. */
static bool make_inputs(struct race *race)
{
    struct problem p = *race->problem;
    struct operands x;
    p.mb = p.nb = 0;
    int64_t status = operands_open(&x, &p, false, NULL);
    if (!status)
        status = operands_fill(&x);
    if (!status && p.routine->prepare && x.data.reflectors)
        status = startile_reflectors_to_lapack(x.data.reflectors, race->tau);
    for (int i = 0; i < p.routine->operands && !status; i++) {
        startile_matrix_destroy(x.data.matrix[i]);
        x.data.matrix[i] = NULL;
        memcpy(race->in[i], x.host[i], operand_bytes(&p, &race->describe[i]));
    }
    if (!status)
        memcpy(race->ipiv, x.ipiv, race_ipiv_bytes(race, sizeof *x.ipiv));
    operands_close(&x);
    return status ? race_fail(race, "making the peer's matrix: %s", startile_strerror(status))
                  : true;
}

void race_restore(struct race *race)
{
    for (int i = 0; i < race->problem->routine->operands; i++)
        if (race->out[i])
            memcpy(race->out[i], race->in[i], operand_bytes(race->problem, &race->describe[i]));
}

/* -- together ------------------------------------------------------------------------------- */

/* Once a precision: it does not depend on the problem. */
static double gemm_rate(enum bench_where where, startile_dtype dtype)
{
    static double known[4];
    if (known[dtype] == 0)
        known[dtype] = where == WHERE_CPU ? gemm_rate_on_cpu(dtype) : gemm_rate_on_gpu(dtype);
    return known[dtype];
}

/* Above these orders the peer's own residual is not computed: it takes longer than the runs. That
 * of LQ begins with a transposition on the host. */
static bool wants_result(const struct bench_settings *s, const struct problem *p)
{
    bool on_host = s->where == WHERE_CPU || p->routine->reflectors == REFLECTORS_IN_ROWS;
    return s->check && p->n <= (on_host ? 8192 : 32768);
}

static bool make_inputs_with_library(struct race *race, int *threads)
{
    int status = startile_init(&race->settings->library);
    if (status)
        return race_fail(race, "%s", startile_strerror(status));
    *threads = startile_cpu_workers();
    bool good = make_inputs(race);
    startile_finalize();
    return good;
}

void name_peer(const struct bench_settings *s, const struct problem *p, char name[PEER_NAME])
{
    char device[96];
    bool on_cpu = s->where == WHERE_CPU;
    const char *does = on_cpu ? p->routine->cpu_peer_does : p->routine->cuda_peer_does;
    if (on_cpu)
        snprintf(device, sizeof device, "%s", cpu_peer_name() ? cpu_peer_name() : "");
    else
        name_gpus(s, p, device, sizeof device);
    bool any = device[0] && does;
    snprintf(name, PEER_NAME, "%s%s%s", device, any ? ": " : "", any ? does : "");
}

static bool race_on_devices(struct race *race, struct reference *reference)
{
    const struct bench_settings *s = race->settings;
    return s->where == WHERE_CPU ? race_on_cpu(race, reference)
           : gpus_in_use(s) > 1 && !lacks_several_gpus(s, race->problem)
               ? race_on_gpus(race, reference)
               : race_on_gpu(race, reference);
}

static bool run_race(struct race *race, struct reference *reference)
{
    int threads = 1;
    bool on_cpu = race->settings->where == WHERE_CPU;
    if (!allocate(race) || !make_inputs_with_library(race, &threads))
        return false;
    if (on_cpu)
        cpu_peer_set_threads(threads);
    bool good = race_on_devices(race, reference);
    name_peer(race->settings, race->problem, reference->name);
    if (race->settings->peer)
        reference->gemm_gflop_s = (on_cpu ? 1 : gpus_in_use(race->settings)) *
                                  gemm_rate(race->settings->where, race->problem->dtype);
    return good;
}

/* Memory that the check needs goes to the reference; the rest is freed. */
static void hand_over(struct race *race, struct reference *reference, bool keep)
{
    bool reflects = race->problem->routine->reflectors;
    for (int i = 0; i < MAX_OPERANDS; i++) {
        reference->result[i] = keep ? race->out[i] : NULL;
        reference->input[i] = keep && reflects && !race->out[i] ? race->in[i] : NULL;
        if (!reference->result[i])
            free(race->out[i]);
        if (!reference->input[i])
            free(race->in[i]);
    }
    /* Indices count from 1: a zero was never written. */
    reference->ipiv = keep && race->ipiv[0] ? race->ipiv : NULL;
    reference->tau = keep && reflects ? race->tau : NULL;
    if (!reference->ipiv)
        free(race->ipiv);
    if (!reference->tau)
        free(race->tau);
}

bool reference_measure(const struct bench_settings *s, const struct problem *p,
                       struct reference *reference, char *reason, size_t size)
{
    struct race race = {.settings = s, .problem = p, .reason = reason, .size = size};
    *reference = (struct reference){.seconds = NAN, .gemm_gflop_s = NAN};
    bool keep = wants_result(s, p);
    if ((!s->peer && !keep) || (s->where == WHERE_CPU && !cpu_peer_load()))
        return true;
    race.repeats = s->peer ? s->repeats : 0;
    race.keep = keep;
    p->routine->describe(p, race.describe);
    bool good = run_race(&race, reference);
    hand_over(&race, reference, keep && good && !reference->info);
    return good;
}

void reference_free(struct reference *reference)
{
    for (int i = 0; i < MAX_OPERANDS; i++) {
        free(reference->result[i]);
        free(reference->input[i]);
        reference->result[i] = reference->input[i] = NULL;
    }
    free(reference->ipiv);
    free(reference->tau);
    reference->ipiv = NULL;
    reference->tau = NULL;
}
