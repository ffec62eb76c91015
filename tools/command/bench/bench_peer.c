/*
 * The peer of `startile bench`: the vendor's routine on the same matrix, and the vendor's gemm.
 * Both are timed while StarPU is down: its idle workers would take the cores, and its caches the
 * GPU's memory.
 */
#include "bench_peer.h"
#include "flops.h"
#include "measure.h"
#include "peer/peer_cpu.h"
#include "scalar.h"

#include <math.h>
#include <starpu.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* StarPU's environment comes before its options. */
int gpus_in_use(const struct bench_settings *s)
{
    int here = cuda_count(), from_environment = starpu_getenv_number("STARPU_NCUDA");
    int wanted = from_environment >= 0   ? from_environment
                 : s->library.ncuda >= 0 ? s->library.ncuda
                                         : here;
    int most = here < STARPU_MAXCUDADEVS ? here : STARPU_MAXCUDADEVS;
    return s->where == WHERE_CPU ? 0 : wanted < most ? wanted : most;
}

int race_fail(struct race *race, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(race->reason, race->size, format, arguments);
    va_end(arguments);
    return -1;
}

/* -- CPUs ------------------------------------------------------------------------------------- */

static int cpu_open(struct race *race)
{
    const struct problem *p = race->problem;
    int64_t pivots = pivot_count(p);
    if (p->m > INT32_MAX / 2 || p->n > INT32_MAX / 2)
        return race_fail(race, "too large for the peer");
    /* LAPACK's indices have 32 bits. */
    int *narrow = malloc((size_t)pivots * sizeof *narrow);
    race->device.ipiv = narrow;
    race->device.tau = race->tau;
    for (int64_t i = 0; narrow && i < pivots; i++)
        narrow[i] = (int)race->ipiv[i];
    for (int i = 0; i < race->count; i++) {
        const struct gpu_array *a = &race->arrays.array[i];
        race->device.matrix[i] = a->out ? a->out : a->in;
    }
    return narrow ? 0 : race_fail(race, "no host memory for the peer");
}

static void cpu_close(struct race *race)
{
    const int *narrow = race->device.ipiv;
    for (int64_t i = 0; narrow && i < pivot_count(race->problem); i++)
        race->ipiv[i] = narrow[i];
    free(race->device.ipiv);
}

static int cpu_load(struct race *race, bool all)
{
    (void)all;
    for (const struct gpu_array *a = race->arrays.array; a < race->arrays.array + race->count; a++)
        if (a->out)
            memcpy(a->out, a->in, a->bytes);
    return 0;
}

static int cpu_run(struct race *race)
{
    race->info = race->problem->routine->cpu_peer(race->problem, &race->device);
    return 0;
}

static const struct peer_device cpu_device = {
    .takes_in_place = true, .open = cpu_open, .close = cpu_close, .load = cpu_load, .run = cpu_run};

/* Large enough for the full rate, small enough for about a second. */
static double gemm_rate_on_cpu(startile_dtype dtype)
{
    double rate = NAN;
    for (int64_t n = 512; n <= 2048; n *= 2) {
        size_t count = (size_t)n * (size_t)n;
        if (4e-9 * flops_gemm(dtype, n, n, n) / rate > 4)
            break;
        char *a = malloc(3 * count * dtype_size(dtype));
        for (size_t i = 0; a && i < 3 * count; i++)
            element_set(dtype, a, i, (double)((i * 7919) % 10007) / 10007 - 0.5);
        rate = a ? gemm_rate_of(dtype, n, a, cpu_peer_gemm) : rate;
        free(a);
    }
    return rate;
}

/* -- gemm ------------------------------------------------------------------------------------- */

double gemm_rate_of(startile_dtype dtype, int64_t n, char *a,
                    int (*gemm)(startile_dtype dtype, int64_t n, void *a, void *b, void *c))
{
    enum { RUNS = 4 }; /* the first one warms up */
    double rates[RUNS];
    size_t bytes = (size_t)n * (size_t)n * dtype_size(dtype);
    for (int i = 0; i < RUNS; i++) {
        double start = now_seconds();
        if (gemm(dtype, n, a, a + bytes, a + 2 * bytes))
            return NAN;
        rates[i] = 1e-9 * flops_gemm(dtype, n, n, n) / (now_seconds() - start);
    }
    return median(rates + 1, RUNS - 1);
}

/* Once a precision: it does not depend on the problem. */
static double gemm_rate(const struct bench_settings *s, startile_dtype dtype)
{
    static double known[4];
    bool on_cpu = s->where == WHERE_CPU;
    if (known[dtype] == 0)
        known[dtype] = on_cpu ? gemm_rate_on_cpu(dtype) : gemm_rate_on_gpu(dtype);
    return known[dtype] * (on_cpu ? 1 : gpus_in_use(s));
}

/* -- inputs ----------------------------------------------------------------------------------- */

static void *allocate_pages(size_t bytes)
{
    return aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
}

/* Pivots and tau are only copied to and from a GPU if the routine has them. */
static int allocate(struct race *race)
{
    const struct problem *p = race->problem;
    unsigned traits = p->routine->traits;
    size_t least = (size_t)pivot_count(p);
    struct gpu_array *a = race->arrays.array;
    race->ipiv = calloc(least, sizeof *race->ipiv);
    race->tau = calloc(least, dtype_size(p->dtype));
    bool good = race->ipiv && race->tau;
    for (int i = 0; i < race->count; i++, a++) {
        bool result = race->describe[i].result;
        a->bytes = operand_bytes(p, &race->describe[i]);
        a->in = allocate_pages(a->bytes);
        a->out = result ? allocate_pages(a->bytes) : NULL;
        good = good && a->in && (a->out || !result);
    }
    a[0].bytes = least * sizeof *race->ipiv;
    a[0].in = a[0].out = traits & PIVOTS ? race->ipiv : NULL;
    a[1].bytes = least * dtype_size(p->dtype);
    a[1].in = a[1].out = traits & REFLECTORS ? race->tau : NULL;
    race->arrays.count = race->count + 2;
    return good ? 0 : race_fail(race, "no host memory for the peer");
}

/* The library makes the same matrices as in its own run and hands them over. */
static int64_t make_inputs(struct race *race)
{
    struct problem p = *race->problem;
    struct operands x;
    p.mb = p.nb = 0;
    int64_t status = operands_open(&x, &p, false, NULL);
    if (!status)
        status = operands_fill(&x);
    if (!status && p.routine->prepare && x.data.reflectors)
        status = startile_reflectors_to_lapack(x.data.reflectors, race->tau);
    for (int i = 0; i < x.count && !status; i++) {
        startile_matrix_destroy(x.data.matrix[i]);
        x.data.matrix[i] = NULL;
        memcpy(race->arrays.array[i].in, x.host[i], race->arrays.array[i].bytes);
    }
    if (!status)
        memcpy(race->ipiv, x.ipiv, (size_t)pivot_count(&p) * sizeof *x.ipiv);
    operands_close(&x);
    return status;
}

/* The CPU peer gets as many threads as the library has CPU workers. */
static int make_inputs_with_library(struct race *race)
{
    int64_t status = startile_init(&race->settings->library);
    if (status)
        return race_fail(race, "%s", startile_strerror(status));
    if (race->settings->where == WHERE_CPU)
        cpu_peer_set_threads(startile_cpu_workers());
    status = make_inputs(race);
    startile_finalize();
    return !status ? 0 : race_fail(race, "making the peer's matrix: %s", startile_strerror(status));
}

/* -- runs ------------------------------------------------------------------------------------- */

static int fetch(const struct peer_device *d, struct race *race)
{
    return d->fetch && d->fetch(race);
}

static int wait_for(const struct peer_device *d)
{
    return d->wait && d->wait();
}

/* Where the matrix resides in main memory, its way to the GPUs and back is part of the time. */
static int time_run(const struct peer_device *d, struct race *race, double *seconds)
{
    bool resident = d->takes_in_place || race->settings->resident_on_gpu;
    if ((resident && d->load(race, false)) || wait_for(d))
        return -1;
    double start = now_seconds();
    int failed = (!resident && d->load(race, true)) || d->run(race) ||
                 (!resident && fetch(d, race)) || wait_for(d);
    *seconds = now_seconds() - start;
    return failed;
}

/* The first run warms up; without repeats it is the only one. */
static int time_runs(const struct peer_device *d, struct race *race, struct reference *reference)
{
    int repeats = race->settings->peer ? race->settings->repeats : 0;
    double seconds[repeats + 1];
    int failed = d->load(race, true) || wait_for(d);
    for (int i = 0; i <= repeats && !failed; i++)
        failed = time_run(d, race, &seconds[i]);
    if (repeats && !failed)
        reference->seconds = median(seconds + 1, (size_t)repeats);
    reference->info = failed ? 0 : d->info ? d->info() : race->info;
    return failed || (race->keep && (fetch(d, race) || wait_for(d)));
}

int race_run(const struct peer_device *d, struct race *race, struct reference *reference)
{
    race->reason[0] = '\0';
    int failed = d->open(race) || time_runs(d, race, reference);
    d->close(race);
    if (failed && !race->reason[0])
        race_fail(race, "%s", d->reason());
    return failed;
}

static int run_race(struct race *race, struct reference *reference)
{
    const struct bench_settings *s = race->settings;
    const struct peer_device *d =
        s->where == WHERE_CPU ? &cpu_device : gpu_device(s, race->problem);
    if (!d)
        return race_fail(race, "startile was built without CUDA");
    if (allocate(race) || make_inputs_with_library(race))
        return -1;
    int failed = race_run(d, race, reference);
    name_peer(s, race->problem, reference->name);
    if (s->peer)
        reference->gemm_gflop_s = gemm_rate(s, race->problem->dtype);
    return failed;
}

void name_peer(const struct bench_settings *s, const struct problem *p, char name[PEER_NAME])
{
    char device[PEER_NAME];
    bool on_cpu = s->where == WHERE_CPU;
    const char *does = on_cpu ? p->routine->cpu_peer_does : p->routine->cuda_peer_does;
    if (on_cpu)
        snprintf(device, sizeof device, "%s", cpu_peer_name() ? cpu_peer_name() : "");
    else
        name_gpu_peer(s, p, device, sizeof device);
    if (p->count && on_cpu && device[0])
        strcat(device, " in a loop on all cores");
    if (p->count && !on_cpu)
        does = NULL;
    bool any = device[0] && does;
    snprintf(name, PEER_NAME, "%s%s%s", device, any ? ": " : "", any ? does : "");
}

/* Above these orders the peer's own residual is not computed: it takes longer than the runs. That
 * of LQ begins with a transposition on the host. */
static bool wants_result(const struct bench_settings *s, const struct problem *p)
{
    bool on_host = s->where == WHERE_CPU || p->routine->traits & REFLECTORS_IN_ROWS;
    return s->check && p->n <= (on_host ? 8192 : 32768);
}

/* The reference owns memory that the check needs; the rest is freed. */
static void hand_over(struct race *race, struct reference *reference, bool keep)
{
    bool keeps_pivots = keep && race->ipiv[0]; /* they count from 1: a zero was never written */
    bool keeps_tau = keep && race->problem->routine->traits & REFLECTORS;
    for (int i = 0; i < race->count; i++) {
        const struct gpu_array *a = &race->arrays.array[i];
        bool keeps_input = keep && !a->out;
        reference->result[i] = keep ? a->out : NULL;
        reference->input[i] = keeps_input ? a->in : NULL;
        free(keep ? NULL : a->out);
        free(keeps_input ? NULL : a->in);
    }
    reference->ipiv = keeps_pivots ? race->ipiv : NULL;
    reference->tau = keeps_tau ? race->tau : NULL;
    free(keeps_pivots ? NULL : race->ipiv);
    free(keeps_tau ? NULL : race->tau);
}

bool reference_measure(const struct bench_settings *s, const struct problem *p,
                       struct reference *reference, char *reason, size_t size)
{
    struct race race = {.settings = s, .problem = p, .reason = reason, .size = size};
    *reference = (struct reference){.seconds = NAN, .gemm_gflop_s = NAN};
    race.keep = wants_result(s, p);
    if ((!s->peer && !race.keep) || (s->where == WHERE_CPU && !cpu_peer_load()))
        return true;
    race.count = describe_operands(p, race.describe);
    bool good = !run_race(&race, reference);
    hand_over(&race, reference, race.keep && good && !reference->info);
    return good;
}

void reference_free(struct reference *reference)
{
    for (int i = 0; i < MAX_OPERANDS; i++) {
        free(reference->result[i]);
        free(reference->input[i]);
    }
    free(reference->ipiv);
    free(reference->tau);
    *reference = (struct reference){.seconds = NAN};
}
