/*
 * The peer of `startile bench` on GPUs: cuSOLVER and cuBLAS on one, cusolverMg on several.
 */
#include "bench_peer.h"
#include "peer_cuda.h"
#include "scalar.h"

#include <math.h>
#include <starpu.h>

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

#ifdef STARTILE_HAVE_CUDA

/* -- one GPU ---------------------------------------------------------------------------------- */

static size_t bytes_of(const struct race *race, int i)
{
    return operand_bytes(race->problem, &race->describe[i]);
}

/* Keeps the reason of a failed call. */
static int gpu_result(struct race *race, int failed)
{
    return failed ? race_fail(race, "%s", cuda_peer_reason()) : 0;
}

static void pin_all(struct race *race)
{
    for (int i = 0; i < race->count; i++) {
        (void)cuda_peer_pin(race->in[i], bytes_of(race, i));
        if (race->out[i])
            (void)cuda_peer_pin(race->out[i], bytes_of(race, i));
    }
}

static int gpu_open(struct race *race)
{
    const struct problem *p = race->problem;
    struct peer_data *x = &race->device;
    int failed = cuda_peer_open() ||
                 cuda_peer_alloc(&x->ipiv, race_ipiv_bytes(race, sizeof *race->ipiv)) ||
                 cuda_peer_alloc(&x->tau, race_tau_bytes(race));
    pin_all(race);
    for (int i = 0; i < race->count && !failed; i++)
        failed = cuda_peer_alloc(&x->matrix[i], bytes_of(race, i));
    return gpu_result(race, failed || p->routine->cuda_peer(p, x, CUDA_PREPARE));
}

static void gpu_close(struct race *race)
{
    for (int i = 0; i < race->count; i++) {
        cuda_peer_free(race->device.matrix[i]);
        cuda_peer_unpin(race->in[i]);
        if (race->out[i])
            cuda_peer_unpin(race->out[i]);
    }
    cuda_peer_free(race->device.ipiv);
    cuda_peer_free(race->device.tau);
    cuda_peer_close();
}

static int gpu_load(struct race *race, bool all)
{
    unsigned traits = race->problem->routine->traits;
    const struct peer_data *x = &race->device;
    int failed = 0;
    if (traits & PIVOTS)
        failed =
            cuda_peer_to_device(x->ipiv, race->ipiv, race_ipiv_bytes(race, sizeof *race->ipiv));
    if (traits & REFLECTORS && !failed)
        failed = cuda_peer_to_device(x->tau, race->tau, race_tau_bytes(race));
    for (int i = 0; i < race->count && !failed; i++)
        if (race->out[i] || all)
            failed = cuda_peer_to_device(x->matrix[i], race->in[i], bytes_of(race, i));
    return gpu_result(race, failed);
}

static int gpu_run(struct race *race)
{
    const struct problem *p = race->problem;
    return gpu_result(race, p->routine->cuda_peer(p, &race->device, CUDA_RUN));
}

static int gpu_fetch(struct race *race)
{
    unsigned traits = race->problem->routine->traits;
    const struct peer_data *x = &race->device;
    int failed = 0;
    if (traits & PIVOTS)
        failed = cuda_peer_to_host(race->ipiv, x->ipiv, race_ipiv_bytes(race, sizeof *race->ipiv));
    if (traits & REFLECTORS && !failed)
        failed = cuda_peer_to_host(race->tau, x->tau, race_tau_bytes(race));
    for (int i = 0; i < race->count && !failed; i++)
        if (race->out[i])
            failed = cuda_peer_to_host(race->out[i], x->matrix[i], bytes_of(race, i));
    return gpu_result(race, failed);
}

static int gpu_wait(struct race *race)
{
    return gpu_result(race, cuda_peer_wait());
}

static int64_t gpu_info(struct race *race)
{
    (void)race;
    return cuda_peer_info();
}

static const struct peer_device one_gpu = {false,   gpu_open,  gpu_close, gpu_load,
                                           gpu_run, gpu_fetch, gpu_wait,  gpu_info};

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

#else

static const char *cuda_peer_name(void)
{
    return "";
}

double gemm_rate_on_gpu(startile_dtype dtype)
{
    (void)dtype;
    return NAN;
}

#endif

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

static int mg_result(struct race *race, int failed)
{
    return failed ? race_fail(race, "cusolverMg: %s", cuda_peer_reason()) : 0;
}

/* Page-locking takes longer than a run: results are page-locked where they are fetched. */
static bool mg_fetches(const struct race *race)
{
    return race->keep || !race->settings->resident_on_gpu;
}

static int mg_open(struct race *race)
{
    const struct problem *p = race->problem;
    (void)cuda_peer_pin(race->in[0], bytes_of(race, 0));
    if (mg_fetches(race))
        (void)cuda_peer_pin(race->out[0], bytes_of(race, 0));
    return mg_result(race, cuda_mg_open(p->routine->several_gpus, gpus_in_use(race->settings),
                                        p->dtype, p->m, p->n));
}

static void mg_close(struct race *race)
{
    cuda_mg_close();
    cuda_peer_unpin(race->in[0]);
    if (mg_fetches(race))
        cuda_peer_unpin(race->out[0]);
}

static int mg_load(struct race *race, bool all)
{
    (void)all;
    return mg_result(race, cuda_mg_to_devices(race->in[0]));
}

static int mg_run(struct race *race)
{
    return mg_result(race, cuda_mg_factor());
}

static int mg_fetch(struct race *race)
{
    return mg_result(race, cuda_mg_to_host(race->out[0], race->ipiv));
}

/* Each call returns when it is done. */
static int mg_wait(struct race *race)
{
    (void)race;
    return 0;
}

static int64_t mg_info(struct race *race)
{
    (void)race;
    return cuda_mg_info();
}

static const struct peer_device several_gpus = {false,  mg_open,  mg_close, mg_load,
                                                mg_run, mg_fetch, mg_wait,  mg_info};

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
#ifdef STARTILE_HAVE_CUSOLVERMG
    if (gpus_in_use(s) > 1 && !lacks_several_gpus(s, p))
        return &several_gpus;
#endif
#ifdef STARTILE_HAVE_CUDA
    return &one_gpu;
#else
    (void)s;
    (void)p;
    return NULL;
#endif
}

void name_gpu_peer(const struct bench_settings *s, const struct problem *p, char *name, size_t size)
{
    int gpus = gpus_in_use(s);
    const char *lack = gpus > 1 ? lacks_several_gpus(s, p) : NULL;
    snprintf(name, size, "%s", cuda_peer_name());
    if (lack)
        snprintf(name, size, "%s on one GPU (%s)", cuda_peer_name(), lack);
#ifdef STARTILE_HAVE_CUSOLVERMG
    if (gpus > 1 && !lack)
        snprintf(name, size, "%s on %d GPUs (%d)", cuda_mg_name(), gpus, CUDA_MG_BLOCK);
#endif
}
