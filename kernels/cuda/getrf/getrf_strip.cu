/*
 * LU of one strip of a panel by a thread block cluster of up to 16 blocks. A block has
 * compute_threads / 32 compute warps, whose threads hold `rows` rows and `width` columns in
 * registers, and one bookkeeping warp. One column (step), with b = step % 2:
 *
 *     compute warps of block r                            bookkeeping warp of block r
 *
 *     propose: candidate of the warp                      arrive step_barrier: it has read the
 *       -> warp_candidates[b][warp], warp_keys[b][warp]     block_candidates of the previous step
 *     sync step_barrier  <------------------------------
 *     send_best: best of warp_candidates[b]
 *       --store_async--> block_candidates[b][r] of every
 *                        block, counted on its received[b]
 *     store column step - 1: global memory, l_smem
 *     wait received[b]                                    wait received[b]; expect the messages of
 *                                                           step + 2
 *     choose the pivot from block_candidates[b]           choose the pivot from block_candidates[b]
 *     eliminate: registers -= l * pivot row               start to load the pivot row
 *                                                         rank 0: moves, ipiv, info
 *                                                         finish_row: row step - 1 of U in the
 *                                                           following columns -> u_rows
 *     in the last step of `width` columns, before the wait: load the next columns
 *     sync rows_barrier  <------------------------------  arrive rows_barrier
 *     update_columns: registers -= l_smem * u_rows,       finish_row: the last row
 *       but for the last row
 *     sync strip_barrier  <---------------------------->  sync strip_barrier
 *     update_columns: the last row                        __threadfence
 *     after the last column:
 *     sync strip_barrier  <------------------------------  arrive strip_barrier: top_position
 *     move_neighbours, move_rows
 *
 * All blocks choose the same pivot from the same candidates. No row moves before the end; threads
 * track the positions of their rows. If candidates are equal, the topmost row wins, as in LAPACK.
 * Updates are left-looking, from columns of L (l_smem) and rows of U (u_rows) in shared memory.
 *
 * Bound: the latency of short dependent operations (H100, double, 8192 rows: at most 1510 cycles
 * a step, 1.06 µs a column of a strip of 32; perf_models/NOTES.md, "LU on one GPU"). Hence
 * candidates have keys that need one reduction, where exact comparisons need three; the reciprocal
 * of a candidate is computed before it is known to be the pivot; and the pivot row is loaded a step
 * before its use. All 16 blocks run in one GPC (graphics processing cluster), which has an eighth
 * of the device's bandwidth; so a strip reads and writes its columns only once, except in rows that
 * move.
 *
 * Multipliers come from the reciprocal of the pivot, as in LAPACK, or from divisions if the pivot
 * or its reciprocal is near underflow. The error is that of any order of elimination (Higham,
 * Accuracy and Stability of Numerical Algorithms, 2nd ed., 9.3).
 *
 * Volkov & Demmel, "Benchmarking GPUs to tune dense linear algebra" (SC 2008), bound the time of a
 * panel by the latency of synchronisation, and therefore factored panels on the CPU.
 */
#include "common/strip_shape.cuh"
#include "getrf/strip_bookkeeping.cuh"
#include "getrf/strip_compute.cuh"

namespace startile_cuda
{

template <typename T, int width, int rows, int compute_threads>
__global__ void __launch_bounds__(compute_threads + 32) strip_kernel(strip<T> s, int rows_of_block)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(16) unsigned char shared[];
    /* The shuffles keep these values in registers; otherwise the compiler computes them again at
     * every use. */
    const uint32_t address = __shfl_sync(0xffffffff, shared_address(shared), 0);
    strip_smem<T, width> &smem =
        *static_cast<strip_smem<T, width> *>(__cvta_shared_to_generic(address));
    const int rank = __shfl_sync(0xffffffff, cluster_rank(), 0);
    const int blocks = __shfl_sync(0xffffffff, cluster_size(), 0);
    const int first_row = rank * rows_of_block;
    const int warp = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / 32, 0);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (threadIdx.x == 0) {
        mbarrier::init_for_cluster(&smem.received[0]);
        mbarrier::init_for_cluster(&smem.received[1]);
        smem.moved_rows = 0;
        for (int i = 0; i < 2 * max_warps; i++)
            smem.warp_keys[0][i] = 0;
        if (rank == 0)
            wait_for_previous_kernel();
        if (rank == 0 && s.first == 0)
            *s.info = 0;
    }
    cluster_barrier();
    wait_for_previous_kernel();
    if (warp == compute_threads / 32) {
        strip_bookkeeping_warp<T, width, compute_threads>{s, smem, blocks, rank, lane, lane}.run();
        return;
    }
    strip_compute_thread<T, width, rows, compute_threads> compute = {s,    smem, blocks,   rank,
                                                                     warp, lane, first_row};
    compute.l_smem = reinterpret_cast<T *>(&smem + 1);
#pragma unroll
    for (int r = 0; r < rows; r++) {
        int i = threadIdx.x + r * compute_threads;
        bool mine = i < rows_of_block && first_row + i < s.m;
        compute.position[r] = mine ? first_row + i : -1;
        if (mine && s.first == 0)
            s.row_ids[first_row + i] = first_row + i;
    }
    compute.find_receivers();
    compute.load(0);
    for (int first = 0;; first += width) {
        if (first > 0)
            compute.update(first);
        compute.factor(first, min(width, s.columns - first));
        if (first + width >= s.columns) {
            allow_next_kernel();
            compute.move_rows(first);
            break;
        }
    }
#endif
}

template <typename T>
constexpr int max_rows = max_blocks *max_rows_of_block<T>;

/* Checks the version of the code too: clusters and programmatic launches need code for compute
 * capability 9.0. Code for an older capability also runs on such a device, but its strip kernels
 * are empty. */
int set_cluster_blocks(startile_exec *x)
{
    constexpr int rows = 1, compute_threads = 256;
    cudaFuncAttributes code;
    if (int error =
            check(cudaFuncGetAttributes(&code, strip_kernel<float, 8, rows, compute_threads>)))
        return error;
    x->cluster_blocks = x->capability >= 90 && code.ptxVersion >= 90 ? max_blocks : 0;
    return 0;
}

/* Returns the number of thread blocks for m rows. Many blocks with few threads, down to 128, are
 * faster than few with many (perf_models/NOTES.md, "LU on one GPU"). */
static int blocks_for(int m)
{
    int blocks = 2;
    while (blocks < max_blocks && m > blocks * 128)
        blocks *= 2;
    return blocks;
}

template <typename T>
int strip_columns(const startile_exec *x, int m)
{
    if (x->cluster_blocks == 0 || m > max_rows<T>)
        return max_columns<T>;
    return with_shape<T, 128, 8>(
        ceil_div(m, blocks_for(m)), [&](auto width, auto rows, auto compute_threads) {
            return strip_compute_thread<T, width(), rows(), compute_threads()>::max_columns_here;
        });
}

template <typename T, int width, int rows, int compute_threads>
static int launch_strip(startile_exec *x, const strip<T> &s, int blocks, int rows_of_block)
{
    using compute = strip_compute_thread<T, width, rows, compute_threads>;
    constexpr int base = sizeof(strip_smem<T, width>);
    constexpr int most = base + compute::l_smem_size(compute::max_columns_here);
    if (s.columns > compute::max_columns_here)
        return factor_strip_by_columns<T>(x, s);
    return launch_clusters(x, strip_kernel<T, width, rows, compute_threads>, blocks, blocks,
                           compute_threads + 32, base + compute::l_smem_size(s.columns), most, s,
                           rows_of_block);
}

template <typename T>
int factor_strip(startile_exec *x, const strip<T> &s)
{
    if (x->cluster_blocks == 0 || s.m > max_rows<T>)
        return factor_strip_by_columns<T>(x, s);
    const int blocks = blocks_for(s.m), rows_of_block = static_cast<int>(ceil_div(s.m, blocks));
    return with_shape<T, 128, 8>(rows_of_block, [&](auto width, auto rows, auto compute_threads) {
        return launch_strip<T, width(), rows(), compute_threads()>(x, s, blocks, rows_of_block);
    });
}

INSTANTIATE(factor_strip);
INSTANTIATE(strip_columns);

} // namespace startile_cuda
