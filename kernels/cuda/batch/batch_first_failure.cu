/* The first matrix of a batch whose info is not 0. The infos are on the GPU, and only their summary
 * goes to main memory: a call for 100,000 matrices of order 8 took 0.7 ms more with a copy of the
 * infos (H100). */
#include "batch/batch.cuh"

namespace startile_cuda
{

constexpr int threads = 256, infos_of_thread = 8;

/* The thread block that finishes last writes *status and prepares `state` for the next call. */
__global__ void __launch_bounds__(threads)
    first_failure_kernel(int count, const int64_t *info, tile_status *state,
                         startile_tile_status *status)
{
    const int64_t first = int64_t(blockIdx.x) * threads * infos_of_thread + threadIdx.x;
    int failed = 0;
#pragma unroll
    for (int j = infos_of_thread - 1; j >= 0; j--) {
        const int64_t q = first + int64_t(j) * threads;
        if (q < count && info[q] != 0)
            failed = static_cast<int>(count - q);
    }
    if (failed > 0)
        atomicMax(&state->failed_matrix, failed);
    __threadfence();
    __syncthreads();
    if (threadIdx.x != 0 || atomicAdd(&state->finished, 1) != gridDim.x - 1)
        return;
    __threadfence();
    failed = atomicExch(&state->failed_matrix, 0);
    atomicExch(&state->finished, 0);
    if (failed > 0)
        status->info = count - failed + 1;
    __threadfence_system();
}

template <typename T>
int first_failure_batch(startile_exec *x, int count, const int64_t *info,
                        startile_tile_status *status)
{
    if (count == 0)
        return 0;
    return launch(x, first_failure_kernel, ceil_div(count, threads * infos_of_thread), threads,
                  count, info, x->status, status);
}

INSTANTIATE(first_failure_batch);

} // namespace startile_cuda
