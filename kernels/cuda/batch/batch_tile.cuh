/*
 * Building blocks of kernels in which a thread block computes a tile of a matrix of a batch:
 * - copies of parts of a matrix to shared memory
 * - sums of products of these parts in registers
 */
#ifndef STARTILE_BATCH_TILE_CUH
#define STARTILE_BATCH_TILE_CUH

#include "batch/batch.cuh"
#include "common/smem_tile.cuh"
#include "common/strided.cuh"

namespace startile_cuda
{

/* Maximal order of a triangle for which a lane has a right-hand side in registers. 32 elements in
 * double complex would leave no registers for anything else. */
template <typename T>
constexpr int largest_in_registers = sizeof(T) > 8 ? 16 : 32;

/* Returns the view of a matrix as stored. The assumption tells the compiler that a pointer loaded
 * from memory never points to shared memory; otherwise it would not move loads ahead of stores to
 * shared memory. */
template <typename T>
__device__ inline strided<T> as_stored(const typename batch<T>::matrix &a)
{
    __builtin_assume(__isGlobal(a.p));
    return {a.p, 1, a.ld, a.m, a.n};
}

/* Starts a copy of one element to shared memory. If not is_inside, the element becomes zero. */
template <typename T>
__device__ inline void copy_element_async(T *to, const T *from, bool is_inside)
{
#if __CUDA_ARCH__ >= 800
    constexpr int bytes = sizeof(T);
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)),
                 "l"(from), "n"(bytes), "r"(is_inside ? bytes : 0)
                 : "memory");
#endif
}

/* Calls f(row, column) for the elements of a part of a tile, `columns` columns wide, by the thread
 * block. by_rows: the rows of the matrix are contiguous in global memory, otherwise its columns.
 * The lanes of a warp have neighbouring elements in memory, and few of them access the same bank of
 * a tile. */
template <typename T, int columns, bool by_rows, typename F>
__device__ inline void for_each_in_part_ordered(F f)
{
    constexpr int patch_columns = by_rows ? 32 / static_cast<int>(sizeof(T)) : 1,
                  patch_rows = 32 / patch_columns;
    constexpr int warps = tile_threads / 32, patches = tile<T>::order / patch_rows;
    constexpr int warps_down = patches < warps ? patches : warps, warps_across = warps / warps_down;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = warp % warps_down * patch_rows + lane / patch_columns;
#pragma unroll 8
    for (int j = warp / warps_down * patch_columns + lane % patch_columns; j < columns;
         j += warps_across * patch_columns)
#pragma unroll
        for (int i = 0; i < tile<T>::order; i += warps_down * patch_rows)
            f(row + i, j);
}

template <typename T, int columns, typename F>
__device__ inline void for_each_in_part(bool by_rows, F f)
{
    if (by_rows)
        for_each_in_part_ordered<T, columns, true>(f);
    else
        for_each_in_part_ordered<T, columns, false>(f);
}

/* Starts copying to a tile in shared memory the first `columns` columns of A, in as many rows as a
 * tile has. Elements outside A become zero. */
template <typename T, int columns>
__device__ inline void copy_part_async(T *to, const strided<T> &a)
{
    for_each_in_part<T, columns>(a.is_row_major(), [&](int i, int j) {
        const bool is_inside = i < a.m && j < a.n;
        copy_element_async(to + i + j * tile<T>::ld, is_inside ? &a(i, j) : a.p, is_inside);
    });
}

/* Conjugates the elements that copy_part_async copied. Each thread has the elements that it copied,
 * so that no barrier is needed. */
template <typename T, int columns>
__device__ inline void conjugate_part(T *smem, const strided<T> &a)
{
    if constexpr (element<T>::is_complex)
        for_each_in_part<T, columns>(a.is_row_major(), [&](int i, int j) {
            smem[i + j * tile<T>::ld] = conjugate(smem[i + j * tile<T>::ld]);
        });
}

/* A factor of a product: as many rows of a matrix as a tile has. Half as many columns at a time (a
 * part) pass through `buffer`, a tile in shared memory that holds two parts. */
template <typename T>
struct tile_factor {
    static constexpr int step = tile<T>::half;
    strided<T> a;
    bool conjugated;
    T *buffer;

    /* Returns the address of the part that begins at column k. */
    __device__ T *part(int k) const
    {
        return buffer + k / step % 2 * step * tile<T>::ld;
    }

    /* Starts copying the part that begins at column k. */
    __device__ void start_copy(int k) const
    {
        copy_part_async<T, step>(part(k), a.from(0, k));
    }

    /* Conjugates the copied part, if `conjugated`. */
    __device__ void conjugate_copy(int k) const
    {
        if (conjugated)
            conjugate_part<T, step>(part(k), a.from(0, k));
    }
};

/* Adds A Bᴴ to sum, in the threads with is_wanted. A and B have k columns each. If a and b have the
 * same buffer, A is B. The buffers must be free on entry. Ends with a barrier if k > 0. */
template <typename T>
__device__ inline void add_product_of_factors(quadrant<T> &sum, const tile_factor<T> &a,
                                              const tile_factor<T> &b, int k, bool is_wanted = true)
{
    constexpr int step = tile_factor<T>::step;
    const bool differ = a.buffer != b.buffer;
    auto start_copies = [&](int at) {
        if (at < k) {
            a.start_copy(at);
            if (differ)
                b.start_copy(at);
        }
        commit_copies();
    };
    start_copies(0);
#pragma unroll 1
    for (int at = 0; at < k; at += step) {
        start_copies(at + step);
        wait_for_copies_except<1>();
        a.conjugate_copy(at);
        if (differ)
            b.conjugate_copy(at);
        __syncthreads();
        if (is_wanted)
            sum.add(a.part(at), b.part(at), step);
        __syncthreads();
    }
}

} // namespace startile_cuda

#endif
