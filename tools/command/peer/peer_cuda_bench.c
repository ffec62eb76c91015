/*
 * The peer of `startile bench` on GPUs: cuSOLVER and cuBLAS on one, cusolverMg on several. Compiled
 * only where CUDA is.
 */
#include "bench/bench_peer.h"
#include "scalar.h"

#include <math.h>

/* -- one GPU ---------------------------------------------------------------------------------- */

static int gpu_open(struct race *race)
{
    const struct problem *p = race->problem;
    const struct gpu_array *a = race->arrays.array;
    struct peer_data *x = &race->device;
    int failed = cuda_peer_open() || gpu_arrays_open(&race->arrays);
    gpu_arrays_pin(&race->arrays, true);
    for (int i = 0; i < race->count; i++)
        x->matrix[i] = a[i].device;
    x->ipiv = a[race->count].device;
    x->tau = a[race->count + 1].device;
    return failed || p->routine->cuda_peer(p, x, CUDA_PREPARE);
}

static void gpu_close(struct race *race)
{
    gpu_arrays_close(&race->arrays);
    gpu_arrays_pin(&race->arrays, false);
    cuda_peer_close();
}

static int gpu_load(struct race *race, bool all)
{
    return gpu_arrays_load(&race->arrays, all);
}

static int gpu_run(struct race *race)
{
    const struct problem *p = race->problem;
    return p->routine->cuda_peer(p, &race->device, CUDA_RUN);
}

static int gpu_fetch(struct race *race)
{
    return gpu_arrays_fetch(&race->arrays);
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

/* Returns why one GPU stands in for several; NULL: it does not. */
static const char *lacks_several_gpus(const struct bench_settings *s, const struct problem *p)
{
    int gpus = gpus_in_use(s);
    return p->routine->several_gpus == MG_NONE ? "cusolverMg has no such routine"
           : p->routine->several_gpus == MG_POTRF && p->uplo != 'L' ? "cusolverMg takes uplo L only"
           : gpus > CUDA_MG_GPUS                                    ? "too many for cusolverMg"
           : p->n < (int64_t)gpus * CUDA_MG_BLOCK ? "too few columns for cusolverMg"
                                                  : NULL;
}

/* Page-locking takes longer than a run: results are page-locked where they are fetched. */
static void mg_pin(const struct race *race, bool on)
{
    bool fetches = race->keep || !race->settings->resident_on_gpu;
    struct gpu_arrays matrix = {.count = 1, .array = {race->arrays.array[0]}};
    matrix.array[0].out = fetches ? matrix.array[0].out : NULL;
    gpu_arrays_pin(&matrix, on);
}

static int mg_open(struct race *race)
{
    const struct problem *p = race->problem;
    mg_pin(race, true);
    return cuda_mg_open(p->routine->several_gpus, gpus_in_use(race->settings), p->dtype, p->m,
                        p->n);
}

static void mg_close(struct race *race)
{
    cuda_mg_close();
    mg_pin(race, false);
}

static int mg_load(struct race *race, bool all)
{
    (void)all;
    return cuda_mg_to_devices(race->arrays.array[0].in);
}

static int mg_run(struct race *race)
{
    (void)race;
    return cuda_mg_factor();
}

static int mg_fetch(struct race *race)
{
    return cuda_mg_to_host(race->arrays.array[0].out, race->ipiv);
}

static const struct peer_device several_gpus = {
    false, mg_open, mg_close, mg_load, mg_run, mg_fetch, NULL, cuda_mg_info, cuda_peer_reason};

#else

static const char *lacks_several_gpus(const struct bench_settings *s, const struct problem *p)
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
    if (gpus_in_use(s) > 1 && !lacks_several_gpus(s, p))
        return &several_gpus;
#endif
    return &one_gpu;
}

void name_gpu_peer(const struct bench_settings *s, const struct problem *p, char *name, size_t size)
{
    int gpus = gpus_in_use(s);
    const char *lack = gpus > 1 ? lacks_several_gpus(s, p) : NULL;
    if (p->count)
        snprintf(name, size, "%s", batch_gpu_peer(p));
    else if (lack)
        snprintf(name, size, "%s on one GPU (%s)", cuda_peer_name(), lack);
    else
        snprintf(name, size, "%s", cuda_peer_name());
#ifdef STARTILE_HAVE_CUSOLVERMG
    if (gpus > 1 && !lack && !p->count)
        snprintf(name, size, "%s on %d GPUs (%d)", cuda_mg_name(), gpus, CUDA_MG_BLOCK);
#endif
}
