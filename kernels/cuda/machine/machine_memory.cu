/* Micro-benchmarks: bandwidth and latency of memory. */
#include "machine/machine.cuh"

namespace startile_cuda
{

/* Enough threads to fill any device, each with several accesses in flight */
constexpr int machine_threads = 512, machine_blocks_each = 4, machine_unrolled = 4;

/* Copies machine_unrolled elements a thread in each step of the grid; these loads do not wait for
 * each other. */
template <typename T>
static __global__ void __launch_bounds__(machine_threads)
    machine_copy_kernel(const T *from, T *to, int64_t count, int64_t stride)
{
    const int64_t threads = int64_t(gridDim.x) * blockDim.x;
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i < count; i += machine_unrolled * threads) {
        T held[machine_unrolled];
#pragma unroll
        for (int u = 0; u < machine_unrolled; u++)
            if (i + u * threads < count)
                held[u] = from[(i + u * threads) * stride];
#pragma unroll
        for (int u = 0; u < machine_unrolled; u++)
            if (i + u * threads < count)
                to[(i + u * threads) * stride] = held[u];
    }
}

/* Reads all elements. Combines their bits and stores them only if a condition holds that never
 * does, so that the compiler keeps the loads. */
static __global__ void __launch_bounds__(machine_threads)
    machine_read_kernel(const int4 *p, int64_t count, int impossible, int *never)
{
    const int64_t threads = int64_t(gridDim.x) * blockDim.x;
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    int bits = 0;
    for (; i < count; i += machine_unrolled * threads) {
#pragma unroll
        for (int u = 0; u < machine_unrolled; u++)
            if (i + u * threads < count) {
                int4 v = p[i + u * threads];
                bits |= (v.x ^ v.y) | (v.z ^ v.w);
            }
    }
    if (__popc(bits) == impossible)
        *never = bits;
}

static __global__ void __launch_bounds__(machine_threads)
    machine_write_kernel(int4 *p, int64_t count, int value)
{
    const int64_t threads = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += threads)
        p[i] = make_int4(value, value, value, value);
}

static unsigned int machine_grid(int64_t count)
{
    return std::min(ceil_div(count, machine_threads),
                    static_cast<unsigned int>(machine_blocks_each * multiprocessors()));
}

template <typename T>
static int copy_time(startile_exec *x, const void *from, void *to, size_t bytes, int stride,
                     double *seconds)
{
    const int64_t count = static_cast<int64_t>(bytes / (sizeof(T) * stride));
    return machine_time(
        x,
        [=](startile_exec *y) {
            return launch(y, machine_copy_kernel<T>, machine_grid(count), machine_threads,
                          static_cast<const T *>(from), static_cast<T *>(to), count,
                          int64_t(stride));
        },
        seconds);
}

/* -- latency ---------------------------------------------------------------------------------- */

constexpr int min_steps = 1 << 15, max_steps = 1 << 17;

static __global__ void machine_chain_kernel(uint32_t *p, uint32_t places, uint32_t step)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < places)
        p[int64_t(i) * step] = i + 1 == places ? 0 : (i + 1) * step;
}

template <bool past_l1>
static __global__ void machine_chase_kernel(const uint32_t *p, int steps, uint32_t *at)
{
    uint32_t i = *at;
#pragma unroll 16
    for (int s = 0; s < steps; s++)
        i = past_l1 ? __ldcg(p + i) : __ldca(p + i);
    *at = i;
}

constexpr int shared_places = 1024;

static __global__ void machine_chase_shared_kernel(int steps, uint32_t *at)
{
    __shared__ uint32_t next[shared_places];
    for (int i = threadIdx.x; i < shared_places; i += blockDim.x)
        next[i] = (i + 1) % shared_places;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    uint32_t i = *at;
#pragma unroll 16
    for (int s = 0; s < steps; s++)
        i = next[i];
    *at = i;
}

} // namespace startile_cuda

using namespace startile_cuda;

int startile_machine_read(startile_exec *x, const void *p, size_t bytes)
{
    const int64_t count = static_cast<int64_t>(bytes / sizeof(int4));
    const int impossible_bits = 33;
    int *never;
    if (int error = workspace(x, 1, &never))
        return error;
    return launch(x, machine_read_kernel, machine_grid(count), machine_threads,
                  static_cast<const int4 *>(p), count, impossible_bits, never);
}

int startile_machine_read_time(startile_exec *x, const void *p, size_t bytes, double *seconds)
{
    return machine_time(
        x, [=](startile_exec *y) { return startile_machine_read(y, p, bytes); }, seconds);
}

int startile_machine_write_time(startile_exec *x, void *p, size_t bytes, double *seconds)
{
    const int64_t count = static_cast<int64_t>(bytes / sizeof(int4));
    return machine_time(
        x,
        [=](startile_exec *y) {
            return launch(y, machine_write_kernel, machine_grid(count), machine_threads,
                          static_cast<int4 *>(p), count, 1);
        },
        seconds);
}

int startile_machine_copy(startile_exec *x, const void *from, void *to, size_t bytes, int size,
                          int stride, double *seconds)
{
    switch (size) {
    case 4:
        return copy_time<float>(x, from, to, bytes, stride, seconds);
    case 8:
        return copy_time<double>(x, from, to, bytes, stride, seconds);
    default:
        return copy_time<double2>(x, from, to, bytes, stride, seconds);
    }
}

/* Walks as far to warm up as it will be timed, and goes on from there, so that the caches hold all
 * that they can. */
int startile_machine_chase(startile_exec *x, void *p, size_t bytes, size_t stride, int past_l1,
                           double *seconds)
{
    const uint32_t step = static_cast<uint32_t>(stride / sizeof(uint32_t));
    const uint32_t places = static_cast<uint32_t>(bytes / stride);
    const int steps = std::clamp(static_cast<int>(places), min_steps, max_steps);
    uint32_t *at;
    if (int error = workspace(x, 1, &at))
        return error;
    if (int error = check(cudaMemsetAsync(at, 0, sizeof *at, x->stream)))
        return error;
    if (int error = launch(x, machine_chain_kernel, ceil_div(places, machine_threads),
                           machine_threads, static_cast<uint32_t *>(p), places, step))
        return error;
    int error = machine_time(
        x,
        [=](startile_exec *y) {
            return launch(y, past_l1 ? machine_chase_kernel<true> : machine_chase_kernel<false>, 1,
                          1, static_cast<const uint32_t *>(p), steps, at);
        },
        seconds);
    *seconds /= steps;
    return error;
}

int startile_machine_chase_shared(startile_exec *x, double *seconds)
{
    uint32_t *at;
    if (int error = workspace(x, 1, &at))
        return error;
    if (int error = check(cudaMemsetAsync(at, 0, sizeof *at, x->stream)))
        return error;
    int error = machine_time(
        x,
        [=](startile_exec *y) {
            return launch(y, machine_chase_shared_kernel, 1, shared_places, min_steps, at);
        },
        seconds);
    *seconds /= min_steps;
    return error;
}
