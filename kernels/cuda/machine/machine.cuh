/* Timing of the micro-benchmarks. Private to kernels/cuda/machine. */
#ifndef STARTILE_MACHINE_CUH
#define STARTILE_MACHINE_CUH

#include "common/exec.cuh"
#include "machine_kernels.h"

#include <algorithm>

namespace startile_cuda
{

constexpr int machine_runs = 5;

/* Sets *seconds to the median time of the work that enqueue(x) enqueues, after one warm-up run. */
template <typename Enqueue>
int machine_time(startile_exec *x, Enqueue enqueue, double *seconds)
{
    cudaEvent_t begin = nullptr, end = nullptr;
    float milliseconds[machine_runs + 1];
    int error = check(cudaEventCreate(&begin));
    if (!error)
        error = check(cudaEventCreate(&end));
    for (int i = 0; i <= machine_runs && !error; i++) {
        error = check(cudaEventRecord(begin, x->stream));
        if (!error)
            error = enqueue(x);
        if (!error)
            error = check(cudaEventRecord(end, x->stream));
        if (!error)
            error = check(cudaEventSynchronize(end));
        if (!error)
            error = check(cudaEventElapsedTime(&milliseconds[i], begin, end));
    }
    if (begin)
        cudaEventDestroy(begin);
    if (end)
        cudaEventDestroy(end);
    if (error)
        return error;
    std::sort(milliseconds + 1, milliseconds + machine_runs + 1);
    *seconds = 1e-3 * milliseconds[1 + machine_runs / 2];
    return 0;
}

inline int multiprocessors()
{
    int device = 0, count = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return count;
}

} // namespace startile_cuda

#endif
