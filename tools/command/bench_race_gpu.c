/*
 * The peer of `startile bench` on a GPU.
 */
#include "bench_race.h"
#include "flops.h"
#include "measure.h"
#include "peer_cuda.h"
#include "scalar.h"

#include <math.h>

#ifdef STARTILE_HAVE_CUDA

static bool cuda_fail(struct race *race)
{
    return race_fail(race, "%s", cuda_peer_reason());
}

static int copy_in(const struct race *race, const struct peer_data *device, bool only_results)
{
    const struct routine *routine = race->problem->routine;
    int failed = 0;
    if (routine->pivots)
        failed = cuda_peer_to_device(device->ipiv, race->ipiv,
                                     race_ipiv_bytes(race, sizeof *race->ipiv));
    if (routine->reflectors && !failed)
        failed = cuda_peer_to_device(device->tau, race->tau, race_tau_bytes(race));
    for (int i = 0; i < routine->operands && !failed; i++)
        if (race->out[i] || !only_results)
            failed = cuda_peer_to_device(device->matrix[i], race->in[i],
                                         operand_bytes(race->problem, &race->describe[i]));
    return failed;
}

static int copy_out(const struct race *race, const struct peer_data *device)
{
    const struct routine *routine = race->problem->routine;
    int failed = 0;
    if (routine->pivots)
        failed =
            cuda_peer_to_host(race->ipiv, device->ipiv, race_ipiv_bytes(race, sizeof *race->ipiv));
    if (routine->reflectors && !failed)
        failed = cuda_peer_to_host(race->tau, device->tau, race_tau_bytes(race));
    for (int i = 0; i < routine->operands && !failed; i++)
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

bool race_on_gpu(struct race *race, struct reference *reference)
{
    struct peer_data device = {.ipiv = NULL};
    bool good = !cuda_peer_open() &&
                !cuda_peer_alloc(&device.ipiv, race_ipiv_bytes(race, sizeof *race->ipiv)) &&
                !cuda_peer_alloc(&device.tau, race_tau_bytes(race));
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

double gemm_rate_on_gpu(startile_dtype dtype)
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

const char *gpu_name(void)
{
    return cuda_peer_name();
}

#else

bool race_on_gpu(struct race *race, struct reference *reference)
{
    (void)reference;
    return race_fail(race, "startile was built without CUDA");
}

double gemm_rate_on_gpu(startile_dtype dtype)
{
    (void)dtype;
    return NAN;
}

const char *gpu_name(void)
{
    return "";
}

#endif
