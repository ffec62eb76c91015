/*
 * What `startile bench` compares the library with: the vendor's routine on the same matrix, and
 * the vendor's gemm. Both are timed while StarPU is down: its idle workers would take the cores,
 * and its caches the GPU's memory.
 */
#include "bench.h"
#include "flops.h"
#include "measure.h"
#include "peer_cpu.h"
#include "peer_cuda.h"
#include "scalar.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* One peer's run over a problem. */
struct race {
    const struct bench_settings *settings;
    const struct problem *problem;
    struct operand describe[MAX_OPERANDS];
    void *in[MAX_OPERANDS];  /* as the routine takes it */
    void *out[MAX_OPERANDS]; /* for results */
    int64_t *ipiv;           /* what the routine takes or makes of row interchanges */
    void *tau;               /* and of reflectors */
    int repeats;             /* 0: once, untimed, for the check only */
    char *reason;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct race *race, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(race->reason, race->size, format, arguments);
    va_end(arguments);
    return false;
}

/* -- inputs --------------------------------------------------------------------------------- */

static size_t ipiv_bytes(const struct race *race, size_t size)
{
    return (size_t)pivot_count(race->problem) * size;
}

static size_t tau_bytes(const struct race *race)
{
    return (size_t)pivot_count(race->problem) * dtype_size(race->problem->dtype);
}

static bool allocate(struct race *race)
{
    race->ipiv = calloc(1, ipiv_bytes(race, sizeof *race->ipiv));
    race->tau = calloc(1, tau_bytes(race));
    if (!race->ipiv || !race->tau)
        return fail(race, "no host memory for the peer");
    for (int i = 0; i < race->problem->routine->operands; i++) {
        size_t bytes = operand_bytes(race->problem, &race->describe[i]);
        if (posix_memalign(&race->in[i], 4096, bytes))
            race->in[i] = NULL;
        if (race->describe[i].result && posix_memalign(&race->out[i], 4096, bytes))
            race->out[i] = NULL;
        if (!race->in[i] || (race->describe[i].result && !race->out[i]))
            return fail(race, "no host memory for the peer");
    }
    return true;
}

/* The library makes the same matrices as in its own run and hands them over. */
static bool make_inputs(struct race *race)
{
    struct problem p = *race->problem;
    struct operands x;
    p.mb = p.nb = 0;
    int64_t status = operands_open(&x, &p, false);
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
        memcpy(race->ipiv, x.ipiv, ipiv_bytes(race, sizeof *x.ipiv));
    operands_close(&x);
    return status ? fail(race, "making the peer's matrix: %s", startile_strerror(status)) : true;
}

static void restore(struct race *race)
{
    for (int i = 0; i < race->problem->routine->operands; i++)
        if (race->out[i])
            memcpy(race->out[i], race->in[i], operand_bytes(race->problem, &race->describe[i]));
}

/* -- CPU ------------------------------------------------------------------------------------ */

/* LAPACK's indices have 32 bits. NULL: no memory */
static int *narrow_ipiv(const struct race *race)
{
    int *narrow = malloc(ipiv_bytes(race, sizeof *narrow));
    for (int64_t i = 0; narrow && i < pivot_count(race->problem); i++)
        narrow[i] = (int)race->ipiv[i];
    return narrow;
}

static void widen_ipiv(struct race *race, const int *narrow)
{
    for (int64_t i = 0; i < pivot_count(race->problem); i++)
        race->ipiv[i] = narrow[i];
}

static bool race_on_cpu(struct race *race, struct reference *reference)
{
    const struct problem *p = race->problem;
    double seconds[race->repeats + 1];
    if (p->m > INT32_MAX / 2 || p->n > INT32_MAX / 2)
        return fail(race, "too large for the peer");
    struct peer_data x = {.ipiv = narrow_ipiv(race), .tau = race->tau};
    if (!x.ipiv)
        return fail(race, "no host memory for the peer");
    for (int i = 0; i < MAX_OPERANDS; i++)
        x.matrix[i] = race->out[i] ? race->out[i] : race->in[i];
    /* The first run warms up. */
    for (int i = 0; i <= race->repeats; i++) {
        restore(race);
        double start = now_seconds();
        reference->info = p->routine->cpu_peer(p, &x);
        seconds[i] = now_seconds() - start;
    }
    widen_ipiv(race, x.ipiv);
    free(x.ipiv);
    if (race->repeats)
        reference->seconds = median(seconds + 1, (size_t)race->repeats);
    return true;
}

/* Large enough for the full rate, small enough for about a second. */
static double gemm_rate_on_cpu(startile_dtype dtype)
{
    enum { RUNS = 4 };
    double rate = 0, rates[RUNS];
    for (int n = 512; n <= 2048; n *= 2) {
        size_t count = (size_t)n * (size_t)n;
        double flops = flops_gemm(dtype, n, n, n);
        if (rate > 0 && RUNS * flops / rate > 4)
            break;
        char *a = malloc(3 * count * dtype_size(dtype));
        if (!a)
            break;
        for (size_t i = 0; i < 3 * count; i++)
            element_set(dtype, a, i, (double)((i * 7919) % 10007) / 10007 - 0.5);
        char *b = a + count * dtype_size(dtype), *c = b + count * dtype_size(dtype);
        for (int i = 0; i < RUNS; i++) {
            double start = now_seconds();
            cpu_peer_gemm(dtype, n, n, n, a, b, c);
            rates[i] = flops / (now_seconds() - start);
        }
        free(a);
        rate = median(rates + 1, RUNS - 1);
    }
    return rate > 0 ? rate * 1e-9 : NAN;
}

/* -- GPU ------------------------------------------------------------------------------------ */

#ifdef STARTILE_HAVE_CUDA

static bool cuda_fail(struct race *race)
{
    return fail(race, "%s", cuda_peer_reason());
}

static int copy_in(const struct race *race, const struct peer_data *device, bool only_results)
{
    int failed =
        cuda_peer_to_device(device->ipiv, race->ipiv, ipiv_bytes(race, sizeof *race->ipiv)) ||
        cuda_peer_to_device(device->tau, race->tau, tau_bytes(race));
    for (int i = 0; i < race->problem->routine->operands && !failed; i++)
        if (race->out[i] || !only_results)
            failed = cuda_peer_to_device(device->matrix[i], race->in[i],
                                         operand_bytes(race->problem, &race->describe[i]));
    return failed;
}

static int copy_out(const struct race *race, const struct peer_data *device)
{
    int failed =
        cuda_peer_to_host(race->ipiv, device->ipiv, ipiv_bytes(race, sizeof *race->ipiv)) ||
        cuda_peer_to_host(race->tau, device->tau, tau_bytes(race));
    for (int i = 0; i < race->problem->routine->operands && !failed; i++)
        if (race->out[i])
            failed = cuda_peer_to_host(race->out[i], device->matrix[i],
                                       operand_bytes(race->problem, &race->describe[i]));
    return failed;
}

/* Where the matrix resides in main memory, its way to the GPU and back is part of the time. */
static int time_on_gpu(const struct race *race, const struct peer_data *device, double *seconds)
{
    const struct problem *p = race->problem;
    bool resident = race->settings->resident_on_gpu;
    if ((resident && copy_in(race, device, true)) || cuda_peer_wait())
        return -1;
    double start = now_seconds();
    int failed = (!resident && copy_in(race, device, false)) || p->routine->cuda_peer(p, device) ||
                 (!resident && copy_out(race, device)) || cuda_peer_wait();
    *seconds = now_seconds() - start;
    return failed;
}

static bool run_on_gpu(struct race *race, struct reference *reference,
                       const struct peer_data *device)
{
    const struct problem *p = race->problem;
    double seconds[race->repeats + 1];
    if (p->routine->cuda_prepare && p->routine->cuda_prepare(p, device))
        return cuda_fail(race);
    if (copy_in(race, device, false) || cuda_peer_wait())
        return cuda_fail(race);
    for (int i = 0; i <= race->repeats; i++)
        if (time_on_gpu(race, device, &seconds[i]))
            return cuda_fail(race);
    reference->info = cuda_peer_info();
    if (copy_out(race, device) || cuda_peer_wait())
        return cuda_fail(race);
    if (race->repeats)
        reference->seconds = median(seconds + 1, (size_t)race->repeats);
    return true;
}

static void pin_all(struct race *race, bool on)
{
    for (int i = 0; i < MAX_OPERANDS; i++)
        for (int k = 0; k < 2; k++) {
            void *memory = k ? race->out[i] : race->in[i];
            if (memory && on)
                (void)cuda_peer_pin(memory, operand_bytes(race->problem, &race->describe[i]));
            else if (memory)
                cuda_peer_unpin(memory);
        }
}

static bool race_on_gpu(struct race *race, struct reference *reference)
{
    struct peer_data device = {.ipiv = NULL};
    bool good = !cuda_peer_open() &&
                !cuda_peer_alloc(&device.ipiv, ipiv_bytes(race, sizeof *race->ipiv)) &&
                !cuda_peer_alloc(&device.tau, tau_bytes(race));
    pin_all(race, true);
    for (int i = 0; i < race->problem->routine->operands && good; i++)
        good =
            !cuda_peer_alloc(&device.matrix[i], operand_bytes(race->problem, &race->describe[i]));
    good = good ? run_on_gpu(race, reference, &device) : cuda_fail(race);
    for (int i = 0; i < MAX_OPERANDS; i++)
        cuda_peer_free(device.matrix[i]);
    cuda_peer_free(device.ipiv);
    cuda_peer_free(device.tau);
    pin_all(race, false);
    cuda_peer_close();
    return good;
}

static double time_gemm_on_gpu(startile_dtype dtype, int64_t n, char *a)
{
    enum { RUNS = 4 };
    double rates[RUNS];
    size_t bytes = (size_t)n * (size_t)n * dtype_size(dtype);
    if (cuda_peer_fill(a, dtype, 3 * (size_t)n * (size_t)n))
        return NAN;
    for (int i = 0; i < RUNS; i++) {
        double start = now_seconds();
        if (cuda_peer_gemm(dtype, n, n, n, a, a + bytes, a + 2 * bytes) || cuda_peer_wait())
            return NAN;
        rates[i] = flops_gemm(dtype, (double)n, (double)n, (double)n) / (now_seconds() - start);
    }
    return 1e-9 * median(rates + 1, RUNS - 1);
}

static double gemm_rate_on_gpu(startile_dtype dtype)
{
    const int64_t n = 8192;
    void *a = NULL;
    double rate = NAN;
    if (!cuda_peer_open() && !cuda_peer_alloc(&a, 3 * (size_t)n * (size_t)n * dtype_size(dtype)))
        rate = time_gemm_on_gpu(dtype, n, a);
    cuda_peer_free(a);
    cuda_peer_close();
    return rate;
}

static const char *gpu_name(void)
{
    return cuda_peer_name();
}

#else

static bool race_on_gpu(struct race *race, struct reference *reference)
{
    (void)reference;
    return fail(race, "startile was built without CUDA");
}

static double gemm_rate_on_gpu(startile_dtype dtype)
{
    (void)dtype;
    return NAN;
}

static const char *gpu_name(void)
{
    return "";
}

#endif

/* -- together ------------------------------------------------------------------------------- */

/* Once a precision: it does not depend on the problem. */
static double gemm_rate(enum bench_where where, startile_dtype dtype)
{
    static double known[4];
    if (known[dtype] == 0)
        known[dtype] = where == WHERE_CPU ? gemm_rate_on_cpu(dtype) : gemm_rate_on_gpu(dtype);
    return known[dtype];
}

/* Above these orders the peer's own residual is not computed: it takes longer than the runs. */
static bool wants_result(const struct bench_settings *s, const struct problem *p)
{
    return s->check && p->n <= (s->where == WHERE_CPU ? 8192 : 32768);
}

static bool make_inputs_with_library(struct race *race, int *threads)
{
    int status = startile_init(&race->settings->library);
    if (status)
        return fail(race, "%s", startile_strerror(status));
    *threads = startile_cpu_workers();
    bool good = make_inputs(race);
    startile_finalize();
    return good;
}

static void name_peer(const struct race *race, struct reference *reference)
{
    bool on_cpu = race->settings->where == WHERE_CPU;
    const struct routine *routine = race->problem->routine;
    const char *does = on_cpu ? routine->cpu_peer_does : routine->cuda_peer_does;
    snprintf(reference->name, sizeof reference->name, "%s%s%s",
             on_cpu ? cpu_peer_name() : gpu_name(), does ? ": " : "", does ? does : "");
}

static bool run_race(struct race *race, struct reference *reference)
{
    int threads = 1;
    bool on_cpu = race->settings->where == WHERE_CPU;
    if (!allocate(race) || !make_inputs_with_library(race, &threads))
        return false;
    if (on_cpu)
        cpu_peer_set_threads(threads);
    bool good = on_cpu ? race_on_cpu(race, reference) : race_on_gpu(race, reference);
    name_peer(race, reference);
    if (race->settings->peer)
        reference->gemm_gflop_s = gemm_rate(race->settings->where, race->problem->dtype);
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
