/*
 * Cholesky of a matrix, the inverse of its factor and the check of that inverse (as in trtri.cu),
 * in one kernel, without steps on the host. The matrix is cut into tiles that fit registers and
 * shared memory.
 *
 *     thread block (four warps, all blocks alike):           ready flags in global memory
 *
 *         task = list[atomicAdd(ticket)]
 *         wait_until, count_ready: load_acquire  <---------  factor_ready[i][j], diagonal_ready[i],
 *         copy the tiles from global to shared memory        presum_ready[i], inverse_ready[j][i]
 *         multiply, factor or solve, in registers               ^
 *         store the result to global memory                     |
 *         store_release of its own flag  -----------------------+
 *
 *     the list, for steps s = 0 ... nt of a matrix of nt × nt tiles:
 *         diagonal   L(s, s), W(s, s) and L(s, s - 1)                 (potrf_diagonal.cuh)
 *         presum     partial sums of tiles (s + 3, s + 3) and (s + 3, s + 2)
 *         panel      L(i, s - 1) for i > s                            (potrf_tasks.cuh)
 *         inverse    row i = s - 1:
 *                    W(i, j) = -W(i, i) sum of L(i, k) W(k, j) over j <= k < i
 *       and at the end
 *         norms      by columns of tiles (upper: rows)
 *
 * The kernel cannot deadlock: a task needs only results of tasks before it in the list, which
 * running thread blocks have taken already. So at least one thread block can always proceed,
 * however few of them the device runs at a time.
 *
 * Bound: the latency of the diagonal tiles (potrf_block.cuh), which are computed one after the
 * other.
 *
 * The scheme of lists and flags is that of Kurzak, Buttari & Dongarra, "Solving systems of linear
 * equations on the CELL processor using Cholesky factorization", IEEE TPDS 19 (2008).
 */
#include "common/operations.cuh"
#include "potrf/potrf_diagonal.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Largest number of thread blocks: the number of multiprocessors of an H100. With twice as many,
 * two blocks of one multiprocessor slow each other down, and a matrix of order 2048 takes 1.2 times
 * as long. With half as many, it takes 1.3 times as long. */
constexpr int max_potrf_blocks = 132;

enum potrf_kind { diagonal_task, presum_task, panel_task, inverse_task, norms_task, no_task };

struct potrf_task {
    potrf_kind kind;
    int i, j;
};

/* Position of a thread block in the list of tasks. It only moves forward. */
struct potrf_list {
    int tiles;
    bool with_inverse;
    int step = 0, first = 0; /* first: ticket of the step's first task */

    /* Return the number of tasks of each kind in the current step. */
    __device__ int diagonals() const
    {
        return step < tiles;
    }

    __device__ int presums() const
    {
        return step > 1 && step + lookahead < tiles;
    }

    __device__ int panels() const
    {
        return step > 0 ? max(0, tiles - 1 - step) : 0;
    }

    __device__ int inverses() const
    {
        return with_inverse ? max(0, step - 1) : 0;
    }

    /* Returns the task with number `ticket` in the list, and moves to its step. Tickets of
     * successive calls increase. */
    __device__ potrf_task at(int ticket)
    {
        for (; step <= tiles; step++) {
            const int all = diagonals() + presums() + panels() + inverses();
            if (ticket < first + all)
                break;
            first += all;
        }
        int remaining = ticket - first;
        if (step > tiles)
            return {with_inverse && remaining < tiles ? norms_task : no_task, remaining, 0};
        if (remaining < diagonals())
            return {diagonal_task, step, 0};
        remaining -= diagonals();
        if (remaining < presums())
            return {presum_task, step + lookahead, 0};
        remaining -= presums();
        if (remaining < panels())
            return {panel_task, step + 1 + remaining, step - 1};
        return {inverse_task, step - 1, remaining - panels()};
    }
};

/* Checks the norms and writes *job.status, by the last thread block that calls find_norms. Does
 * nothing if job.status is null. */
template <typename T>
__device__ void store_check_result(const potrf_job<T> &job)
{
    if (job.status == nullptr)
        return;
    potrf_control &c = *job.control;
    const double t1 = __longlong_as_double(static_cast<long long>(atomicMax(&c.norm_t, 0ull)));
    const double w1 = __longlong_as_double(static_cast<long long>(atomicMax(&c.norm_w, 0ull)));
    job.status->info = c.info;
    /* The comparison is false for NaN. */
    job.status->use_inverse = c.info == 0 && isfinite(w1) && t1 * w1 <= job.n;
    __threadfence_system();
}

/* Raises job.control's maxima to the 1-norms of the matrix columns in stored column b of tiles, by
 * a thread block. The last thread block then calls store_check_result. */
template <typename T>
__device__ void find_norms(const potrf_job<T> &job, int b)
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
        atomicMax(is_w ? &job.control->norm_w : &job.control->norm_t,
                  static_cast<unsigned long long>(__double_as_longlong(fabs(total))));
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        if (atomicAdd(&job.control->finished_columns, 1) == job.tiles - 1) {
            __threadfence();
            store_check_result(job);
        }
    }
}

/* Runs tasks from the list until it is empty. */
template <typename T>
__global__ void __launch_bounds__(tile_threads, 2)
    potrf_tile_kernel(const __grid_constant__ potrf_job<T> job)
{
    extern __shared__ __align__(16) char smem[];
    __shared__ real_of<T> reciprocals[tile<T>::order];
    __shared__ unsigned int norm_bits[8];
    __shared__ int failed;
    __shared__ potrf_task next;
    const potrf_diagonal<T> tasks = {
        {job, reinterpret_cast<T *>(smem), reciprocals, norm_bits, &failed}};
    potrf_list list = {job.tiles, job.w != nullptr};
    for (;;) {
        __syncthreads();
        if (threadIdx.x == 0)
            next = list.at(atomicAdd(&job.control->ticket, 1));
        __syncthreads();
        const potrf_task task = next;
        if (task.kind == diagonal_task)
            tasks.diagonal(task.i);
        else if (task.kind == presum_task)
            tasks.presum(task.i);
        else if (task.kind == panel_task)
            tasks.panel(task.i, task.j);
        else if (task.kind == inverse_task)
            tasks.inverse(task.i, task.j);
        else if (task.kind == norms_task)
            find_norms(job, task.i);
        else
            return;
    }
}

/* Allocates arrays one after the other, aligned to 256 bytes. With `from` null, only adds up their
 * sizes. */
struct potrf_arrays {
    char *from;
    size_t bytes;

    template <typename E>
    E *allocate(size_t count)
    {
        E *array = reinterpret_cast<E *>(from + bytes);
        bytes += (count * sizeof(E) + 255) / 256 * 256;
        return array;
    }
};

/* Sets the pointers of the job to arrays in the memory at `from`. *cleared: bytes at its beginning
 * that must be 0. Returns the size in bytes of all arrays. */
template <typename T>
static size_t lay_out(potrf_job<T> &job, void *from, size_t *cleared)
{
    const size_t tiles = job.tiles, lower = tiles * (tiles + 1) / 2;
    const size_t with_inverse = job.w != nullptr, elements = tile<T>::elements;
    potrf_arrays arrays = {static_cast<char *>(from), 0};
    job.control = arrays.allocate<potrf_control>(1);
    job.factor_ready = arrays.allocate<int>(tiles * tiles);
    job.inverse_ready = arrays.allocate<int>(tiles * tiles);
    job.diagonal_ready = arrays.allocate<int>(tiles);
    job.presum_ready = arrays.allocate<int>(tiles);
    job.norms_ready = arrays.allocate<int>(tiles);
    *cleared = arrays.bytes;
    job.factors = arrays.allocate<T>(lower * elements);
    job.w_diagonal = arrays.allocate<T>(tiles * elements);
    job.l_diagonal = arrays.allocate<T>(tiles * elements);
    job.inverses = arrays.allocate<T>(with_inverse * lower * elements);
    job.norms_t = arrays.allocate<double>(with_inverse * lower * tile<T>::order);
    job.norms_w = arrays.allocate<double>(with_inverse * lower * tile<T>::order);
    return arrays.bytes;
}

template <typename T>
size_t potrf_tiles_workspace(int n, bool with_inverse)
{
    size_t cleared;
    potrf_job<T> job = {};
    job.tiles = static_cast<int>(ceil_div(n, tile<T>::order));
    job.w = with_inverse ? reinterpret_cast<T *>(&cleared) : nullptr;
    return lay_out(job, nullptr, &cleared);
}

template <typename T>
int potrf_tiles_smem()
{
    constexpr int other_smem =
        2 << 10; /* bytes of static shared memory, and of that which the system reserves */
    return tile_buffers * tile<T>::bytes + other_smem;
}

template <typename T>
int potrf_by_tiles(startile_exec *x, char uplo, int n, T *a, int lda, T *w, int ldw,
                   startile_tile_status *status)
{
    potrf_job<T> job = {};
    job.upper = uplo == 'U';
    job.n = n;
    job.tiles = static_cast<int>(ceil_div(n, tile<T>::order));
    job.a = a;
    job.lda = lda;
    job.w = w;
    job.ldw = ldw;
    job.state = x->status;
    job.status = status;
    size_t cleared;
    if (int error = reserve(x, potrf_tiles_workspace<T>(n, w != nullptr)))
        return error;
    lay_out(job, x->workspace, &cleared);
    if (int error = check(cudaMemsetAsync(x->workspace, 0, cleared, x->stream)))
        return error;
    const int tasks = job.tiles * (job.tiles + 1);
    return launch_with_smem(x, potrf_tile_kernel<T>, std::min(tasks, max_potrf_blocks),
                            tile_threads, tile_buffers * tile<T>::bytes, job);
}

template decltype(potrf_tiles_workspace<float>) potrf_tiles_workspace<float>;
template decltype(potrf_tiles_workspace<double>) potrf_tiles_workspace<double>;
template decltype(potrf_tiles_workspace<cuComplex>) potrf_tiles_workspace<cuComplex>;
template decltype(potrf_tiles_workspace<cuDoubleComplex>) potrf_tiles_workspace<cuDoubleComplex>;

template decltype(potrf_tiles_smem<float>) potrf_tiles_smem<float>;
template decltype(potrf_tiles_smem<double>) potrf_tiles_smem<double>;
template decltype(potrf_tiles_smem<cuComplex>) potrf_tiles_smem<cuComplex>;
template decltype(potrf_tiles_smem<cuDoubleComplex>) potrf_tiles_smem<cuDoubleComplex>;

template decltype(potrf_by_tiles<float>) potrf_by_tiles<float>;
template decltype(potrf_by_tiles<double>) potrf_by_tiles<double>;
template decltype(potrf_by_tiles<cuComplex>) potrf_by_tiles<cuComplex>;
template decltype(potrf_by_tiles<cuDoubleComplex>) potrf_by_tiles<cuDoubleComplex>;

} // namespace startile_cuda
