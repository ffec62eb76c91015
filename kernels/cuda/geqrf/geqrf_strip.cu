/*
 * One strip of a QR panel, by one thread block cluster: up to 16 multiprocessors that write into
 * each other's shared memory.
 *
 * A thread has a few rows, and of these `width` columns at a time in registers. A column takes one
 * exchange: every block tells every other its part of the products of the column with all columns
 * at hand, itself included, below the diagonal; the first block adds the row of the diagonal. From
 * these each warp computes the reflector and what the columns right of it lose, since vᴴ c follows
 * from aᴴ c (reflector.cuh); the products with columns on the left, which are V by then, give
 * T. All sums are taken in the same order everywhere, so that all blocks agree bit by bit. Norms
 * are never updated, always computed.
 *
 * When `width` columns are done, their block reflector is applied to the rest of the strip, which
 * waits in shared memory, with one exchange more (qr_strip_groups.cuh).
 *
 * Error: that of Householder's method, |ΔA| ≤ c m n eps |A| columnwise in norm and Q orthogonal to
 * the same (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 19.3). For single
 * precision the products are in double; for double, where squares might overflow or vanish, two
 * more exchanges repeat them with columns divided by powers of two near their largest elements.
 */
#include "common/strip_shape.cuh"
#include "geqrf/qr_strip_bookkeeping.cuh"
#include "geqrf/qr_strip_groups.cuh"

#include <algorithm>

namespace startile_cuda
{

template <typename T, int width, int rows, int team>
__device__ void write_triangle(const qr_strip<T> &s, const qr_room<T, width> &shop)
{
    for (int i = threadIdx.x; i < s.columns * s.columns; i += team) {
        const int row = i % s.columns, column = i / s.columns;
        if (row <= column)
            s.t[row + column * s.ldt] = shop.triangle[row][column];
    }
}

template <typename T, int width, int rows, int team>
__global__ void __launch_bounds__(team + 32, 1) qr_strip_kernel(qr_strip<T> s, int rows_of_block)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(16) unsigned char shared[];
    /* Shuffles, so that the compiler keeps these in registers */
    const uint32_t address = __shfl_sync(0xffffffff, shared_address(shared), 0);
    qr_room<T, width> &shop = *static_cast<qr_room<T, width> *>(__cvta_shared_to_generic(address));
    const int rank = __shfl_sync(0xffffffff, cluster_rank(), 0);
    const int blocks = __shfl_sync(0xffffffff, cluster_size(), 0);
    const int warp = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / 32, 0);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (threadIdx.x == 0) {
        mbarrier::init_for_cluster(&shop.received[0]);
        mbarrier::init_for_cluster(&shop.received[1]);
        mbarrier::init_for_cluster(&shop.products_received);
        mbarrier::init_for_cluster(&shop.multiples_received);
    }
    cluster_barrier();
    wait_for_kernel_before();
    if (warp == team / 32) {
        qr_clerk<T, width, team>{s, shop, blocks, rank, lane}.keep_books();
        return;
    }
    qr_groups<T, width, rows, team> worker = {
        s, shop, blocks, rank, warp, lane, rank * rows_of_block};
    worker.columns = reinterpret_cast<T *>(&shop + 1);
    worker.load(rows_of_block);
    for (int first = 0; first < s.columns; first += width) {
        if (first > 0)
            worker.take(first);
        worker.factor(first);
        worker.put(first, rows_of_block);
        if (s.columns <= width)
            sync(qr_group_barrier, team + 32);
        else if constexpr (qr_room<T, width>::most_others > 0)
            worker.share(first);
    }
    let_next_kernel_start();
    if (rank > 0)
        return;
    if constexpr (qr_room<T, width>::most_others > 0)
        worker.finish_triangle();
    write_triangle<T, width, rows, team>(s, shop);
#endif
}

template <typename T>
constexpr int most_qr_rows = most_qr_blocks *most_rows_of_block<T>;

/* Shared memory that one block may have on Hopper */
constexpr int all_shared_bytes = 227 << 10;

template <typename T, int width, int rows, int team>
constexpr int most_columns_of_shape()
{
    constexpr int left = all_shared_bytes - static_cast<int>(sizeof(qr_room<T, width>));
    constexpr int fit = left / qr_worker<T, width, rows, team>::column_bytes / width * width;
    return width == 8 ? std::max(width, std::min(most_strip_columns, fit)) : width;
}

/* Two at least, the second perhaps without rows: compute-sanitizer takes a store to a cluster's
 * shared memory for an error where the cluster is one block. */
static int blocks_for(int m)
{
    int blocks = 2;
    while (blocks < most_qr_blocks && m > blocks * 256)
        blocks *= 2;
    return blocks;
}

/* The first block has the diagonal of every strip. */
static int rows_of_block_for(int m, int blocks)
{
    return std::max(static_cast<int>(ceil_div(m, blocks)), most_strip_columns);
}

template <typename T>
int qr_strip_columns(const startile_exec *x, int m)
{
    if (x->cluster_blocks == 0 || m > most_qr_rows<T>)
        return most_strip_columns;
    return with_shape<T, 4>(rows_of_block_for(m, blocks_for(m)),
                            [&](auto width, auto rows, auto team) {
                                return most_columns_of_shape<T, width(), rows(), team()>();
                            });
}

template <typename T, int width, int rows, int team>
static int launch_strip(startile_exec *x, const qr_strip<T> &s, int blocks, int rows_of_block)
{
    constexpr int most = most_columns_of_shape<T, width, rows, team>();
    constexpr int base = sizeof(qr_room<T, width>);
    constexpr int column = qr_worker<T, width, rows, team>::column_bytes;
    if (s.columns > most)
        return factor_qr_strip_by_columns<T>(x, s);
    const int padded = static_cast<int>(ceil_div(s.columns, width)) * width;
    return launch_clusters(x, qr_strip_kernel<T, width, rows, team>, blocks, blocks, team + 32,
                           base + (padded > width ? padded * column : 0),
                           base + (most > width ? most * column : 0), s, rows_of_block);
}

template <typename T>
int factor_qr_strip(startile_exec *x, const qr_strip<T> &s)
{
    if (x->cluster_blocks == 0 || s.m > most_qr_rows<T>)
        return factor_qr_strip_by_columns<T>(x, s);
    const int blocks = blocks_for(s.m), rows_of_block = rows_of_block_for(s.m, blocks);
    return with_shape<T, 4>(rows_of_block, [&](auto width, auto rows, auto team) {
        return launch_strip<T, width(), rows(), team()>(x, s, blocks, rows_of_block);
    });
}

template decltype(factor_qr_strip<float>) factor_qr_strip<float>;
template decltype(factor_qr_strip<double>) factor_qr_strip<double>;
template decltype(factor_qr_strip<cuComplex>) factor_qr_strip<cuComplex>;
template decltype(factor_qr_strip<cuDoubleComplex>) factor_qr_strip<cuDoubleComplex>;

template decltype(qr_strip_columns<float>) qr_strip_columns<float>;
template decltype(qr_strip_columns<double>) qr_strip_columns<double>;
template decltype(qr_strip_columns<cuComplex>) qr_strip_columns<cuComplex>;
template decltype(qr_strip_columns<cuDoubleComplex>) qr_strip_columns<cuDoubleComplex>;

} // namespace startile_cuda
