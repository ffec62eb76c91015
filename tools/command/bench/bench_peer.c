/*
 * The peer of `startile bench`: the vendor's routine on the same matrix, and the vendor's gemm.
 * Both are timed while StarPU is stopped: its idle workers would take the cores, and its caches the
 * GPU's memory.
 */
#include "bench_peer.h"
#include "bench_lapack.h"
#include "flops.h"
#include "peer/peer_cpu.h"
#include "scalar.h"

#include <math.h>
#include <starpu.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* As in StarPU, the environment variable takes precedence over the option. */
int gpus_in_use(const struct bench_settings *s)
{
    int here = cuda_count(), from_environment = starpu_getenv_number("STARPU_NCUDA");
    int wanted = from_environment >= 0   ? from_environment
                 : s->library.ncuda >= 0 ? s->library.ncuda
                                         : here;
    int most = here < STARPU_MAXCUDADEVS ? here : STARPU_MAXCUDADEVS;
    return s->where == WHERE_CPU ? 0 : wanted < most ? wanted : most;
}

int peer_fail(struct peer_run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->reason, run->size, format, arguments);
    va_end(arguments);
    return -1;
}

/* -- CPUs ------------------------------------------------------------------------------------- */

/* Passes the arrays to the peer; copies pivots to int. */
static int cpu_open(struct peer_run *run)
{
    const struct problem *p = run->problem;
    int64_t pivots = pivot_count(p);
    if (p->m > INT32_MAX / 2 || p->n > INT32_MAX / 2)
        return peer_fail(run, "too large for the peer");
    /* LAPACK's pivots have 32 bits. */
    int *narrow = malloc((size_t)pivots * sizeof *narrow);
    run->device.ipiv = narrow;
    run->device.tau = run->tau;
    if (narrow)
        for (int64_t i = 0; i < pivots; i++)
            narrow[i] = (int)run->ipiv[i];
    for (int i = 0; i < run->count; i++) {
        const struct gpu_array *a = &run->arrays.array[i];
        run->device.matrix[i] = a->out ? a->out : a->in;
    }
    return narrow ? 0 : peer_fail(run, "no host memory for the peer");
}

/* Copies the pivots back. */
static void cpu_close(struct peer_run *run)
{
    const int *narrow = run->device.ipiv;
    if (narrow)
        for (int64_t i = 0; i < pivot_count(run->problem); i++)
            run->ipiv[i] = narrow[i];
    free(run->device.ipiv);
}

/* Restores the arrays that the peer overwrites. */
static int cpu_load(struct peer_run *run, bool all)
{
    (void)all; /* the other arrays are always in place */
    for (const struct gpu_array *a = run->arrays.array; a < run->arrays.array + run->count; a++)
        if (a->out)
            memcpy(a->out, a->in, a->bytes);
    return 0;
}

static int cpu_run(struct peer_run *run)
{
    run->info = run->problem->routine->cpu_peer(run->problem, &run->device);
    return 0;
}

static const struct peer_device cpu_device = {
    .takes_in_place = true, .open = cpu_open, .close = cpu_close, .load = cpu_load, .run = cpu_run};

/* Returns the gemm rate of the CPU in GFlop/s at order 512, 1024 or 2048: the largest one whose
 * four runs take at most 4 seconds at the rate of the order before. Order 512 always runs, because
 * the comparison with the initial NaN is false. */
static double gemm_rate_on_cpu(startile_dtype dtype)
{
    double rate = NAN;
    for (int64_t n = 512; n <= 2048; n *= 2) {
        size_t count = (size_t)n * (size_t)n;
        if (4e-9 * flops_gemm(dtype, n, n, n) / rate > 4)
            break;
        char *a = malloc(3 * count * dtype_size(dtype));
        if (a)
            for (size_t i = 0; i < 3 * count; i++)
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
    enum { RUNS = 4 }; /* the first is a warm-up */
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

/* Returns the gemm rate in GFlop/s, for GPUs multiplied by their number. Measures it once per
 * device and precision, because it does not depend on the problem. */
static double gemm_rate(const struct bench_settings *s, startile_dtype dtype)
{
    static double known[2][4]; /* by device, 1 for CPUs, and precision */
    bool on_cpu = s->where == WHERE_CPU;
    double *rate = &known[on_cpu][dtype];
    if (*rate == 0)
        *rate = on_cpu ? gemm_rate_on_cpu(dtype) : gemm_rate_on_gpu(dtype);
    return *rate * (on_cpu ? 1 : gpus_in_use(s));
}

/* -- inputs ----------------------------------------------------------------------------------- */

static void *allocate_pages(size_t bytes)
{
    return aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
}

/* Allocates the operands, pivots and tau. Pivots and tau are copied to and from a GPU only if the
 * routine has them. */
static int allocate(struct peer_run *run)
{
    const struct problem *p = run->problem;
    unsigned traits = p->routine->traits;
    size_t least = (size_t)pivot_count(p);
    struct gpu_array *a = run->arrays.array;
    run->ipiv = calloc(least, sizeof *run->ipiv);
    run->tau = calloc(least, dtype_size(p->dtype));
    bool good = run->ipiv && run->tau;
    for (int i = 0; i < run->count; i++, a++) {
        bool result = run->description[i].result;
        a->bytes = operand_bytes(p, &run->description[i]);
        a->in = allocate_pages(a->bytes);
        a->out = result ? allocate_pages(a->bytes) : NULL;
        good = good && a->in && (a->out || !result);
    }
    /* a: the elements of the list behind the operands */
    a[0].bytes = least * sizeof *run->ipiv;
    a[0].in = a[0].out = traits & (PIVOTS | SYMMETRIC_PIVOTS) ? run->ipiv : NULL;
    a[1].bytes = least * dtype_size(p->dtype);
    a[1].in = a[1].out = traits & REFLECTORS ? run->tau : NULL;
    run->arrays.count = run->count + 2;
    return good ? 0 : peer_fail(run, "no host memory for the peer");
}

/* Generates the peer's inputs with the library, equal to those of the library's run, and copies
 * them. */
static int64_t make_inputs(struct peer_run *run)
{
    struct problem p = *run->problem;
    struct operands x;
    const struct bench_settings in_main_memory = {.disk = NULL};
    p.mb = p.nb = 0;
    int64_t status = operands_open(&x, &p, &in_main_memory);
    if (!status)
        status = operands_fill(&x);
    if (!status && p.routine->prepare && x.data.reflectors)
        status = startile_reflectors_to_lapack(x.data.reflectors, run->tau);
    for (int i = 0; i < x.count && !status; i++) {
        startile_matrix_destroy(x.data.matrix[i]);
        x.data.matrix[i] = NULL;
        memcpy(run->arrays.array[i].in, x.host[i], run->arrays.array[i].bytes);
    }
    if (!status)
        memcpy(run->ipiv, x.ipiv, (size_t)pivot_count(&p) * sizeof *x.ipiv);
    operands_close(&x);
    return status;
}

/* Starts the library, makes the inputs, and stops the library. The CPU peer gets as many threads as
 * the library has CPU workers. */
static int make_inputs_with_library(struct peer_run *run)
{
    int64_t status = startile_init(&run->settings->library);
    if (status)
        return peer_fail(run, "%s", startile_strerror(status));
    if (run->settings->where == WHERE_CPU)
        cpu_peer_set_threads(startile_cpu_workers());
    status = make_inputs(run);
    startile_finalize();
    return !status ? 0 : peer_fail(run, "making the peer's matrix: %s", startile_strerror(status));
}

/* -- runs ------------------------------------------------------------------------------------- */

/* Copies the results to main memory, if the device needs that. */
static int fetch(const struct peer_device *d, struct peer_run *run)
{
    return d->fetch && d->fetch(run);
}

/* Waits for the device, if it enqueues its work. */
static int wait_for(const struct peer_device *d)
{
    return d->wait && d->wait();
}

/* Times one run. If the matrix resides in main memory, the time of a GPU peer includes the
 * transfers to the GPUs and back. */
static int time_run(const struct peer_device *d, struct peer_run *run, double *seconds)
{
    bool resident = d->takes_in_place || run->settings->resident_on_gpu;
    if ((resident && d->load(run, false)) || wait_for(d))
        return -1;
    double start = now_seconds();
    int failed = (!resident && d->load(run, true)) || d->run(run) || (!resident && fetch(d, run)) ||
                 wait_for(d);
    *seconds = now_seconds() - start;
    return failed;
}

/* Times the runs after a warm-up run. Without --peer makes only the warm-up run, for the check. */
static int time_runs(const struct peer_device *d, struct peer_run *run, struct reference *reference)
{
    int repeats = run->settings->peer ? run->settings->repeats : 0;
    double seconds[repeats + 1];
    int failed = d->load(run, true) || wait_for(d);
    for (int i = 0; i <= repeats && !failed; i++)
        failed = time_run(d, run, &seconds[i]);
    if (repeats && !failed)
        reference->seconds = spread_of(seconds + 1, (size_t)repeats);
    reference->info = failed ? 0 : d->info ? d->info() : run->info;
    return failed || (run->keep && (fetch(d, run) || wait_for(d)));
}

int time_peer(const struct peer_device *d, struct peer_run *run, struct reference *reference)
{
    run->reason[0] = '\0';
    int failed = d->open(run) || time_runs(d, run, reference);
    d->close(run);
    if (failed && !run->reason[0])
        peer_fail(run, "%s", d->reason());
    return failed;
}

/* Times the routine's second peer, without its results, and keeps the shorter time. */
static int time_second_peer(const struct peer_device *d, struct peer_run *run,
                            struct reference *reference)
{
    const struct problem *first = run->problem;
    struct routine routine = *first->routine;
    struct problem p = *first;
    struct reference second = {.seconds = {NAN, NAN, NAN}};
    bool keep = run->keep;
    routine.cuda_peer = routine.second_cuda_peer;
    p.routine = &routine;
    run->problem = &p;
    run->keep = false;
    int failed = time_peer(d, run, &second);
    run->problem = first;
    run->keep = keep;
    if (second.seconds.median < reference->seconds.median)
        reference->seconds = second.seconds;
    return failed;
}

/* Makes the inputs, and runs and times the peer and its gemm. Returns 0; after a failure not 0,
 * with the reason in the run. */
static int run_peer(struct peer_run *run, struct reference *reference)
{
    const struct bench_settings *s = run->settings;
    const struct peer_device *d = s->where == WHERE_CPU ? &cpu_device : gpu_device(s, run->problem);
    if (!d)
        return peer_fail(run, "startile was built without CUDA");
    if (allocate(run) || make_inputs_with_library(run))
        return -1;
    int failed = time_peer(d, run, reference);
    if (!failed && s->peer && s->where != WHERE_CPU && run->problem->routine->second_cuda_peer)
        failed = time_second_peer(d, run, reference);
    name_peer(s, run->problem, reference->name);
    if (s->peer)
        reference->gemm_gflop_s = gemm_rate(s, run->problem->dtype);
    return failed;
}

void name_peer(const struct bench_settings *s, const struct problem *p, char name[PEER_NAME])
{
    char device[PEER_NAME] = "";
    bool on_cpu = s->where == WHERE_CPU;
    const char *stand_in = on_cpu ? p->routine->cpu_stand_in : p->routine->cuda_stand_in;
    if (on_cpu)
        snprintf(device, sizeof device, "%s", cpu_peer_name() ? cpu_peer_name() : "");
    else if (p->count || p->routine->cuda_peer)
        name_gpu_peer(s, p, device, sizeof device);
    if (p->count && on_cpu && device[0])
        strcat(device, " in a loop on all cores");
    if (p->count && !on_cpu)
        stand_in = NULL;
    bool has_stand_in = device[0] && stand_in;
    snprintf(name, PEER_NAME, "%s%s%s", device, has_stand_in ? ": " : "",
             has_stand_in ? stand_in : "");
}

bool check_needs_peer(const struct bench_settings *s, const struct problem *p)
{
    bool on_host = s->where == WHERE_CPU || p->routine->traits & REFLECTORS_IN_ROWS;
    return s->check && p->n <= (on_host ? 8192 : 32768);
}

/* Moves the memory that the check needs to the reference, and frees the rest. keep: true if the
 * check needs the results */
static void hand_over(struct peer_run *run, struct reference *reference, bool keep)
{
    bool keeps_pivots = keep && run->ipiv[0]; /* pivots count from 1: 0 was never written */
    bool keeps_tau = keep && run->problem->routine->traits & REFLECTORS;
    for (int i = 0; i < run->count; i++) {
        const struct gpu_array *a = &run->arrays.array[i];
        bool keeps_input = keep && !a->out;
        reference->result[i] = keep ? a->out : NULL;
        reference->input[i] = keeps_input ? a->in : NULL;
        free(keep ? NULL : a->out);
        free(keeps_input ? NULL : a->in);
    }
    reference->ipiv = keeps_pivots ? run->ipiv : NULL;
    reference->tau = keeps_tau ? run->tau : NULL;
    free(keeps_pivots ? NULL : run->ipiv);
    free(keeps_tau ? NULL : run->tau);
}

/* Returns whether the peer has the routine. A build without CUDA has no peer on GPUs, which
 * run_peer() reports. */
static bool has_peer(const struct bench_settings *s, const struct problem *p)
{
    if (s->where == WHERE_CPU)
        return load_cpu_routine(p->routine, p->dtype);
    return p->count || p->routine->cuda_peer || cuda_count() == 0;
}

bool reference_measure(const struct bench_settings *s, const struct problem *p,
                       struct reference *reference, char *reason, size_t size)
{
    struct peer_run run = {.settings = s, .problem = p, .reason = reason, .size = size};
    *reference = (struct reference){.seconds = {NAN, NAN, NAN}, .gemm_gflop_s = NAN};
    run.keep = check_needs_peer(s, p);
    if ((!s->peer && !run.keep) || !has_peer(s, p))
        return true;
    run.count = describe_operands(p, run.description);
    bool good = !run_peer(&run, reference);
    hand_over(&run, reference, run.keep && good && !reference->info);
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
    *reference = (struct reference){.seconds = {NAN, NAN, NAN}};
}
