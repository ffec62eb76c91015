/*
 * QR of one strip of a panel by a thread block cluster of up to 16 blocks. A block has
 * compute_threads / 32 compute warps, each thread of which holds `rows` rows of `width` columns in
 * registers, and one bookkeeping warp, which computes T. A strip has one group of `width` columns
 * or several; one group is in registers at a time. Below, b = messages % 2 is the buffer of the
 * current message. One column:
 *
 *     compute warps of block r                            bookkeeping warp of block r
 *
 *     sums of the products of the column with all         arrive qr_step_barrier: it has read the
 *       columns in registers -> warp_sums[b][warp]          previous message
 *     sync qr_step_barrier  <--------------------------
 *     thread 0: arrive_expect_tx received[b]
 *     broadcast: sums of the block
 *       --store_async--> block_sums[b][r] of every block,
 *       rank 0 also the diagonal's row -> top[b]
 *     wait received[b]                                    wait received[b]
 *     compute_reflector from block_sums[b], top[b]        compute_reflector from the same values
 *     reflect: registers -= v * multiples                 extend_triangle: a column of T
 *
 *     after the `width` columns of a group:
 *     store_group: V to global and shared memory          arrive qr_group_barrier: the group's T
 *     partial products V^H C of the warps                   is complete
 *     sync qr_compute_barrier
 *     sums --store_async--> products_in of the block that adds them up, products_received
 *     sync qr_group_barrier  <-------------------------
 *     wait products_received; T^H times the sums
 *       --store_async--> multiples of every block, multiples_received
 *     wait multiples_received
 *     columns in shared memory -= V * multiples           (qr_strip_groups.cuh)
 *
 * The products aᴴ c of the column a with the columns c on its right give vᴴ c (reflector.cuh). The
 * products with the columns on the left, which are V by then, give T. All blocks sum in the same
 * order, so that their results agree bit by bit. Column norms are computed anew for each column,
 * not updated.
 *
 * Error: that of Householder's method, ‖Δa_j‖ ≤ c m n eps ‖a_j‖ for each column j with a small
 * constant c, and Q is orthogonal up to the same bound (Higham, Accuracy and Stability of Numerical
 * Algorithms, 2nd ed., 19.3). For single precision the products are in double. For double, squares
 * might overflow or underflow; then two more messages follow: the columns' largest elements, and
 * the products of the columns divided by powers of two near these.
 */
#include "common/strip_shape.cuh"
#include "geqrf/qr_strip_bookkeeping.cuh"
#include "geqrf/qr_strip_groups.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Stores T from shared memory to s.t. */
template <typename T, int width, int rows, int compute_threads>
__device__ void write_triangle(const qr_strip<T> &s, const qr_strip_smem<T, width> &smem)
{
    for (int i = threadIdx.x; i < s.columns * s.columns; i += compute_threads) {
        const int row = i % s.columns, column = i / s.columns;
        if (row <= column)
            s.t[row + column * s.ldt] = smem.triangle[row][column];
    }
}

template <typename T, int width, int rows, int compute_threads>
__global__ void __launch_bounds__(compute_threads + 32, 1)
    qr_strip_kernel(qr_strip<T> s, int rows_of_block)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(16) unsigned char shared[];
    /* The shuffles keep these values in registers; otherwise the compiler would compute them again
     * at every use. */
    const uint32_t address = __shfl_sync(0xffffffff, shared_address(shared), 0);
    qr_strip_smem<T, width> &smem =
        *static_cast<qr_strip_smem<T, width> *>(__cvta_shared_to_generic(address));
    const int rank = __shfl_sync(0xffffffff, cluster_rank(), 0);
    const int blocks = __shfl_sync(0xffffffff, cluster_size(), 0);
    const int warp = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / 32, 0);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (threadIdx.x == 0) {
        mbarrier::init_for_cluster(&smem.received[0]);
        mbarrier::init_for_cluster(&smem.received[1]);
        mbarrier::init_for_cluster(&smem.products_received);
        mbarrier::init_for_cluster(&smem.multiples_received);
    }
    cluster_barrier();
    wait_for_previous_kernel();
    if (warp == compute_threads / 32) {
        qr_bookkeeping_warp<T, width, compute_threads>{s, smem, blocks, rank, lane}.run();
        return;
    }
    qr_group_update<T, width, rows, compute_threads> compute = {
        s, smem, blocks, rank, warp, lane, rank * rows_of_block};
    compute.columns = reinterpret_cast<T *>(&smem + 1);
    compute.load(rows_of_block);
    for (int first = 0; first < s.columns; first += width) {
        if (first > 0)
            compute.load_group(first);
        compute.factor(first);
        compute.store_group(first, rows_of_block);
        if (s.columns <= width)
            sync(qr_group_barrier, compute_threads + 32);
        else if constexpr (qr_strip_smem<T, width>::max_others > 0)
            compute.update_other_columns(first);
    }
    allow_next_kernel();
    if (rank > 0)
        return;
    if constexpr (qr_strip_smem<T, width>::max_others > 0)
        compute.finish_triangle();
    write_triangle<T, width, rows, compute_threads>(s, smem);
#endif
}

template <typename T>
constexpr int max_qr_rows = max_qr_blocks *max_rows_of_block<T>;

/* Maximal bytes of shared memory of a thread block on Hopper */
constexpr int all_shared_bytes = 227 << 10;

/* Returns the maximal number of columns of a strip for a shape (strip_shape.cuh). */
template <typename T, int width, int rows, int compute_threads>
constexpr int max_columns_of_shape()
{
    constexpr int available = all_shared_bytes - static_cast<int>(sizeof(qr_strip_smem<T, width>));
    constexpr int fit = available /
                        qr_compute_thread<T, width, rows, compute_threads>::column_bytes / width *
                        width;
    return width == 8 ? std::max(width, std::min(max_strip_columns, fit)) : width;
}

/* Returns the number of thread blocks for m rows, at least two; the second one may have no rows.
 * With clusters of one block, compute-sanitizer of CUDA 13.0 reports stores to a cluster's shared
 * memory as errors. */
static int blocks_for(int m)
{
    int blocks = 2;
    while (blocks < max_qr_blocks && m > blocks * 256)
        blocks *= 2;
    return blocks;
}

/* Returns the number of rows of a block: at least max_strip_columns, because the first block has
 * all diagonal elements of the strip. */
static int rows_of_block_for(int m, int blocks)
{
    return std::max(static_cast<int>(ceil_div(m, blocks)), max_strip_columns);
}

template <typename T>
int qr_strip_columns(const startile_exec *x, int m)
{
    if (x->cluster_blocks == 0 || m > max_qr_rows<T>)
        return max_strip_columns;
    return with_shape<T, 256, 4>(
        rows_of_block_for(m, blocks_for(m)), [&](auto width, auto rows, auto compute_threads) {
            return max_columns_of_shape<T, width(), rows(), compute_threads()>();
        });
}

template <typename T, int width, int rows, int compute_threads>
static int launch_strip(startile_exec *x, const qr_strip<T> &s, int blocks, int rows_of_block)
{
    constexpr int most = max_columns_of_shape<T, width, rows, compute_threads>();
    constexpr int base = sizeof(qr_strip_smem<T, width>);
    constexpr int column = qr_compute_thread<T, width, rows, compute_threads>::column_bytes;
    if (s.columns > most)
        return factor_qr_strip_by_columns<T>(x, s);
    const int padded = static_cast<int>(ceil_div(s.columns, width)) * width;
    return launch_clusters(x, qr_strip_kernel<T, width, rows, compute_threads>, blocks, blocks,
                           compute_threads + 32, base + (padded > width ? padded * column : 0),
                           base + (most > width ? most * column : 0), s, rows_of_block);
}

template <typename T>
int factor_qr_strip(startile_exec *x, const qr_strip<T> &s)
{
    if (x->cluster_blocks == 0 || s.m > max_qr_rows<T>)
        return factor_qr_strip_by_columns<T>(x, s);
    const int blocks = blocks_for(s.m), rows_of_block = rows_of_block_for(s.m, blocks);
    return with_shape<T, 256, 4>(rows_of_block, [&](auto width, auto rows, auto compute_threads) {
        return launch_strip<T, width(), rows(), compute_threads()>(x, s, blocks, rows_of_block);
    });
}

INSTANTIATE(factor_qr_strip);
INSTANTIATE(qr_strip_columns);

} // namespace startile_cuda
