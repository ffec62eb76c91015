/* The kernel of task_list.cuh, the check of the inverses, and the launch */
#ifndef STARTILE_TILE_KERNEL_CUH
#define STARTILE_TILE_KERNEL_CUH

#include "tile_tasks/diagonal_task.cuh"
#include "tile_tasks/task_list.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Returns the double ≥ 0 with these bits. */
__device__ inline double to_norm(unsigned long long bits)
{
    return __longlong_as_double(static_cast<long long>(bits));
}

/* Checks the norms and writes *job.status, by the last thread block that calls find_norms. Does
 * nothing if job.status is null. */
template <typename T, int sides>
__device__ void store_check_result(const tile_job<T, sides> &job)
{
    if (job.status == nullptr)
        return;
    tile_control<sides> &c = *job.control;
    int use_inverse = c.info == 0;
    for (int side = 0; side < sides; side++) {
        const double t1 = to_norm(atomicMax(&c.norm_t[side], 0ull)),
                     w1 = to_norm(atomicMax(&c.norm_w[side], 0ull));
        const bool is_unit = sides == 2 && side == 0;
        /* Comparisons with NaN are false. */
        const bool is_moderate = w1 <= job.largest_norm;
        if (use_inverse == 0 || (is_moderate && t1 * w1 <= job.n))
            continue;
        use_inverse = is_unit && is_moderate && t1 * w1 <= double(STARTILE_UNIT_CONDITION) * job.n
                          ? STARTILE_INVERSE_BLOCKS
                          : 0;
    }
    job.status->info = c.info;
    job.status->use_inverse = use_inverse;
    __threadfence_system();
}

/* Raises job.control's maxima to the 1-norms of the matrix columns in stored column b of tiles, by
 * each side of a thread block. The last thread block then calls store_check_result. */
template <typename T, int sides>
__device__ void find_norms(const tile_job<T, sides> &job, int b)
{
    constexpr int order = tile<T>::order;
    const int count = job.upper ? b + 1 : job.tiles - b;
    if (threadIdx.x % 32 == 0)
        while (load_acquire(job.norms_ready + b) < 2 * count)
            ;
    __syncwarp();
    const bool is_w = threadIdx.x / order == 1;
    const int q = threadIdx.x % order;
    double total = 0;
    if (threadIdx.x < 2 * order && b * order + q < job.n) {
        const double *const norms = is_w ? job.norms_w : job.norms_t;
#pragma unroll 8
        for (int e = 0; e < count; e++) {
            const int64_t at = job.upper ? job.lower(b, e) : job.lower(b + e, b);
            total += __ldcg(norms + at * order + q);
        }
    }
    /* The bits of doubles ≥ 0 compare as the doubles do, with NaN above infinity. */
    if (threadIdx.x < 2 * order)
        atomicMax((is_w ? job.control->norm_w : job.control->norm_t) + own_side<sides>(),
                  static_cast<unsigned long long>(__double_as_longlong(fabs(total))));
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && own_side<sides>() == 0) {
        if (atomicAdd(&job.control->finished_columns, 1) == job.tiles - 1) {
            __threadfence();
            store_check_result(job);
        }
    }
}

/* Runs tasks from the list until it is empty. */
template <typename T, typename Strips>
__global__ void __launch_bounds__(tile_threads *Strips::sides, 2 / Strips::sides)
    tile_kernel(const __grid_constant__ tile_jobs<T, Strips::sides> jobs)
{
    constexpr int sides = Strips::sides;
    extern __shared__ __align__(16) char smem[];
    __shared__ typename Strips::pivot reciprocals[sides][tile<T>::order];
    __shared__ unsigned int norm_bits[sides][8];
    __shared__ int failed[sides];
    __shared__ tile_task next;
    const int side = own_side<sides>();
    const tile_job<T, sides> &job = jobs.side[side], &other = jobs.side[sides - 1 - side];
    T *const buffers = reinterpret_cast<T *>(smem + side * tile_buffers * tile<T>::bytes);
    const diagonal_task<T, Strips> tasks = {
        {job, other, buffers, norm_bits[side]}, reciprocals[side], failed + side};
    task_list list = {job.tiles, job.w != nullptr};
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0 && side == 0)
            next = list.at(atomicAdd(&job.control->ticket, 1));
        __syncthreads();
        const tile_task task = next;
        if (task.kind == diagonal_kind)
            tasks.diagonal(task.i);
        else if (task.kind == presum_kind)
            tasks.presum(task.i);
        else if (task.kind == panel_kind)
            tasks.panel(task.i, task.j);
        else if (task.kind == inverse_kind)
            tasks.inverse(task.i, task.j);
        else if (task.kind == norms_kind)
            find_norms(job, task.i);
        else
            return;
    }
}

/* Allocates arrays one after the other, aligned to 256 bytes. With `from` null, only adds up their
 * sizes. */
struct job_arrays {
    char *from;
    size_t bytes;

    template <typename E>
    E *allocate(size_t count)
    {
        E *array = reinterpret_cast<E *>(from + bytes);
        bytes += aligned_size(count * sizeof(E));
        return array;
    }
};

/* Sets the pointers of a side's job to arrays that must be 0 before a call. */
template <typename T, int sides>
void lay_out_flags(tile_job<T, sides> &job, job_arrays &arrays)
{
    const size_t tiles = job.tiles;
    job.factor_ready = arrays.allocate<int>(tiles * tiles);
    job.inverse_ready = arrays.allocate<int>(tiles * tiles);
    job.diagonal_ready = arrays.allocate<int>(tiles);
    job.presum_ready = arrays.allocate<int>(tiles);
    job.norms_ready = arrays.allocate<int>(tiles);
}

/* Sets the pointers of a side's job to arrays of tiles and norms. */
template <typename T, int sides>
void lay_out_tiles(tile_job<T, sides> &job, job_arrays &arrays)
{
    const size_t tiles = job.tiles, lower = tiles * (tiles + 1) / 2;
    const size_t with_inverse = job.w != nullptr, elements = tile<T>::elements;
    job.factors = arrays.allocate<T>(lower * elements);
    job.w_diagonal = arrays.allocate<T>(tiles * elements);
    job.l_diagonal = arrays.allocate<T>(tiles * elements);
    job.inverses = arrays.allocate<T>(with_inverse * lower * elements);
    job.norms_t = arrays.allocate<double>(with_inverse * lower * tile<T>::order);
    job.norms_w = arrays.allocate<double>(with_inverse * lower * tile<T>::order);
}

/* Sets the pointers of the jobs to arrays in the memory at `from`. *cleared: bytes at its beginning
 * that must be 0. Returns the size in bytes of all arrays. */
template <typename T, int sides>
size_t lay_out(tile_jobs<T, sides> &jobs, void *from, size_t *cleared)
{
    job_arrays arrays = {static_cast<char *>(from), 0};
    auto *const control = arrays.allocate<tile_control<sides>>(1);
    for (tile_job<T, sides> &job : jobs.side) {
        job.control = control;
        lay_out_flags(job, arrays);
    }
    *cleared = arrays.bytes;
    for (tile_job<T, sides> &job : jobs.side)
        lay_out_tiles(job, arrays);
    return arrays.bytes;
}

/* Returns the bytes of workspace that launch_tile_kernel uses for a matrix of order n. */
template <typename T, int sides>
size_t tile_kernel_workspace(int n, bool with_inverse)
{
    size_t cleared;
    tile_jobs<T, sides> jobs = {};
    for (tile_job<T, sides> &job : jobs.side) {
        job.tiles = static_cast<int>(ceil_div(n, tile<T>::order));
        job.w = with_inverse ? reinterpret_cast<T *>(&cleared) : nullptr;
    }
    return lay_out(jobs, nullptr, &cleared);
}

/* Returns the bytes of shared memory that a thread block of tile_kernel uses at most. */
template <typename T, int sides>
int tile_kernel_smem()
{
    constexpr int other_smem =
        (2 << 10) *
        sides; /* bytes of static shared memory, and of that which the system reserves */
    return sides * tile_buffers * tile<T>::bytes + other_smem;
}

/* Launches tile_kernel with at most max_blocks thread blocks. The caller has set the arguments in
 * the jobs: upper, a, lda, w, ldw, largest_norm, status. */
template <typename T, typename Strips>
int launch_tile_kernel(startile_exec *x, int n, tile_jobs<T, Strips::sides> &jobs, int max_blocks)
{
    constexpr int sides = Strips::sides;
    for (tile_job<T, sides> &job : jobs.side) {
        job.n = n;
        job.tiles = static_cast<int>(ceil_div(n, tile<T>::order));
        job.state = x->status;
    }
    size_t cleared;
    if (int error = reserve(x, tile_kernel_workspace<T, sides>(n, jobs.side[0].w != nullptr)))
        return error;
    lay_out(jobs, x->workspace, &cleared);
    if (int error = check(cudaMemsetAsync(x->workspace, 0, cleared, x->stream)))
        return error;
    const int tasks = jobs.side[0].tiles * (jobs.side[0].tiles + 1);
    return launch_with_smem(x, tile_kernel<T, Strips>, std::min(tasks, max_blocks),
                            dim3(tile_threads, sides), sides * tile_buffers * tile<T>::bytes, jobs);
}

} // namespace startile_cuda

#endif
