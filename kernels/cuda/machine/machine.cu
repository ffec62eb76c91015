/* Micro-benchmarks: launches, barriers, atomic additions. */
#include "common/hopper.cuh"
#include "machine/machine.cuh"

#include <chrono>
#include <cmath>

namespace startile_cuda
{

constexpr int launches = 1000, barriers = 1000, atomics = 256;

static __global__ void machine_empty_kernel()
{
}

static int launch_empty(startile_exec *x, bool wait)
{
    int error = 0;
    for (int i = 0; i < launches && !error; i++) {
        error = launch(x, machine_empty_kernel, 1, 32);
        if (!error && wait)
            error = check(cudaStreamSynchronize(x->stream));
    }
    return error;
}

/* Runs grid barriers: every block adds 1 to a counter and waits until all have. The counter only
 * grows, so that it needs no reset. */
static __global__ void machine_grid_barrier_kernel(unsigned int *count)
{
    for (unsigned int i = 1; i <= barriers; i++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned int seen, all = i * gridDim.x;
            asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(count) : "memory");
            do
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                             : "=r"(seen)
                             : "l"(count)
                             : "memory");
            while (seen < all);
        }
        __syncthreads();
    }
}

static int launch_grid_barriers(startile_exec *x, int blocks, int threads, unsigned int *count)
{
    cudaLaunchAttribute together = {};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.stream = x->stream;
    config.attrs = &together;
    config.numAttrs = 1;
    if (int error = check(cudaMemsetAsync(count, 0, sizeof *count, x->stream)))
        return error;
    return check(cudaLaunchKernelEx(&config, machine_grid_barrier_kernel, count));
}

static __global__ void machine_cluster_barrier_kernel()
{
    for (int i = 0; i < barriers; i++)
        cluster_barrier();
}

static __global__ void machine_atomic_kernel(unsigned int *p, int addresses)
{
    int place = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) % addresses);
    for (int i = 0; i < atomics; i++)
        atomicAdd(p + 32 * size_t(place), threadIdx.x + i);
}

} // namespace startile_cuda

using namespace startile_cuda;

/* Measures with the host's clock, because launching occupies the host. */
int startile_machine_launch(startile_exec *x, int wait, double *seconds)
{
    using clock = std::chrono::steady_clock;
    *seconds = HUGE_VAL;
    for (int i = 0; i <= machine_runs; i++) {
        clock::time_point start = clock::now();
        if (int error = launch_empty(x, wait))
            return error;
        if (int error = check(cudaStreamSynchronize(x->stream)))
            return error;
        std::chrono::duration<double> passed = clock::now() - start;
        *seconds = i == 0 ? *seconds : std::min(*seconds, passed.count() / launches);
    }
    return 0;
}

int startile_machine_grid_barrier(startile_exec *x, int blocks, int threads, double *seconds)
{
    unsigned int *count;
    int error = workspace(x, 1, &count);
    if (!error)
        error = machine_time(
            x, [=](startile_exec *y) { return launch_grid_barriers(y, blocks, threads, count); },
            seconds);
    *seconds /= barriers;
    return error;
}

int startile_machine_cluster_barrier(startile_exec *x, int blocks, int threads, double *seconds)
{
    *seconds = NAN;
    if (blocks > x->cluster_blocks)
        return 0;
    int error = machine_time(
        x,
        [=](startile_exec *y) {
            return launch_clusters(y, machine_cluster_barrier_kernel, blocks, blocks, threads, 0,
                                   0);
        },
        seconds);
    *seconds /= barriers;
    return error;
}

int startile_machine_atomic(startile_exec *x, void *p, int addresses, double *seconds)
{
    const int threads = 256, blocks = 4 * multiprocessors();
    int error = machine_time(
        x,
        [=](startile_exec *y) {
            return launch(y, machine_atomic_kernel, blocks, threads, static_cast<unsigned int *>(p),
                          addresses);
        },
        seconds);
    *seconds /= double(blocks) * threads * atomics;
    return error;
}
