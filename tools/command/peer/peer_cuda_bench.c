/*
 * The peer of `startile bench` on GPUs: cuSOLVER and cuBLAS on one GPU, cusolverMg on several.
 * Compiled only with CUDA.
 */
#include "bench/bench_peer.h"
#include "scalar.h"

#include <math.h>

/* -- one GPU ---------------------------------------------------------------------------------- */

static int gpu_open(struct peer_run *run)
{
    const struct problem *p = run->problem;
    const struct gpu_array *a = run->arrays.array;
    struct peer_data *x = &run->device;
    int failed = cuda_peer_open() || gpu_arrays_open(&run->arrays);
    gpu_arrays_pin(&run->arrays, true);
    for (int i = 0; i < run->count; i++)
        x->matrix[i] = a[i].device;
    x->ipiv = a[run->count].device;
    x->tau = a[run->count + 1].device;
    return failed || p->routine->cuda_peer(p, x, CUDA_PREPARE);
}

static void gpu_close(struct peer_run *run)
{
    gpu_arrays_close(&run->arrays);
    gpu_arrays_pin(&run->arrays, false);
    cuda_peer_close();
}

static int gpu_load(struct peer_run *run, bool all)
{
    return gpu_arrays_load(&run->arrays, all);
}

static int gpu_run(struct peer_run *run)
{
    const struct problem *p = run->problem;
    return p->routine->cuda_peer(p, &run->device, CUDA_RUN);
}

static int gpu_fetch(struct peer_run *run)
{
    return gpu_arrays_fetch(&run->arrays);
}

static const struct peer_device one_gpu = {false,          gpu_open,       gpu_close,
                                           gpu_load,       gpu_run,        gpu_fetch,
                                           cuda_peer_wait, cuda_peer_info, cuda_peer_reason};

static int gpu_gemm(startile_dtype dtype, int64_t n, void *a, void *b, void *c)
{
    const struct problem p = {.dtype = dtype, .size = {n, n, n}};
    const struct peer_data x = {.matrix = {a, b, c}};
    return cuda_gemm(&p, &x, CUDA_RUN) || cuda_peer_wait();
}

double gemm_rate_on_gpu(startile_dtype dtype)
{
    const int64_t n = 8192;
    const size_t count = 3 * (size_t)n * (size_t)n;
    void *a = NULL;
    double rate = NAN;
    if (!cuda_peer_open() && !cuda_peer_alloc(&a, count * dtype_size(dtype)) &&
        !cuda_peer_fill(a, dtype, count))
        rate = gemm_rate_of(dtype, n, a, gpu_gemm);
    cuda_peer_free(a);
    cuda_peer_close();
    return rate;
}

/* -- several GPUs ----------------------------------------------------------------------------- */

#ifdef STARTILE_HAVE_CUSOLVERMG

/* Returns why the peer uses one GPU although the library uses several; NULL: cusolverMg can use
 * them. */
static const char *reason_for_one_gpu(const struct bench_settings *s, const struct problem *p)
{
    int gpus = gpus_in_use(s);
    return p->routine->several_gpus == MG_NONE ? "cusolverMg has no such routine"
           : p->routine->several_gpus == MG_POTRF && p->uplo != 'L' ? "cusolverMg takes uplo L only"
           : gpus > CUDA_MG_GPUS                                    ? "too many for cusolverMg"
           : p->n < (int64_t)gpus * CUDA_MG_BLOCK ? "too few columns for cusolverMg"
                                                  : NULL;
}

/* Page-locks the matrix, or undoes that if not `on`. Skips the result if it is not fetched, because
 * page-locking takes longer than a run. */
static void mg_pin(const struct peer_run *run, bool on)
{
    bool fetches = run->keep || !run->settings->resident_on_gpu;
    struct gpu_arrays matrix = {.count = 1, .array = {run->arrays.array[0]}};
    matrix.array[0].out = fetches ? matrix.array[0].out : NULL;
    gpu_arrays_pin(&matrix, on);
}

static int mg_open(struct peer_run *run)
{
    const struct problem *p = run->problem;
    mg_pin(run, true);
    return cuda_mg_open(p->routine->several_gpus, gpus_in_use(run->settings), p->dtype, p->m, p->n);
}

static void mg_close(struct peer_run *run)
{
    cuda_mg_close();
    mg_pin(run, false);
}

static int mg_load(struct peer_run *run, bool all)
{
    (void)all; /* the routine overwrites its only matrix */
    return cuda_mg_to_devices(run->arrays.array[0].in);
}

static int mg_run(struct peer_run *run)
{
    (void)run;
    return cuda_mg_factor();
}

static int mg_fetch(struct peer_run *run)
{
    return cuda_mg_to_host(run->arrays.array[0].out, run->ipiv);
}

static const struct peer_device several_gpus = {
    false, mg_open, mg_close, mg_load, mg_run, mg_fetch, NULL, cuda_mg_info, cuda_peer_reason};

#else

static const char *reason_for_one_gpu(const struct bench_settings *s, const struct problem *p)
{
    (void)s;
    (void)p;
    return "built without cusolverMg";
}

#endif

const struct peer_device *gpu_device(const struct bench_settings *s, const struct problem *p)
{
    if (p->count)
        return batch_gpu_device(p);
#ifdef STARTILE_HAVE_CUSOLVERMG
    if (gpus_in_use(s) > 1 && !reason_for_one_gpu(s, p))
        return &several_gpus;
#endif
    return &one_gpu;
}

void name_gpu_peer(const struct bench_settings *s, const struct problem *p, char *name, size_t size)
{
    int gpus = gpus_in_use(s);
    const char *lack = gpus > 1 ? reason_for_one_gpu(s, p) : NULL;
    if (p->count)
        snprintf(name, size, "%s", batch_gpu_peer_name(p));
    else if (lack)
        snprintf(name, size, "%s on one GPU (%s)", cuda_peer_name(), lack);
    else
        snprintf(name, size, "%s", cuda_peer_name());
#ifdef STARTILE_HAVE_CUSOLVERMG
    if (gpus > 1 && !lack && !p->count)
        snprintf(name, size, "%s on %d GPUs (%d)", cuda_mg_name(), gpus, CUDA_MG_BLOCK);
#endif
}
