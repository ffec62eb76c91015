/*
 * Tiles of the matrices of a batch, for kernels in which a thread block computes a tile: matrices
 * seen through strides, so that one kernel does for all of upper, lower, left, right and trans;
 * their parts on the way to shared memory; sums of products of such parts in registers.
 */
#ifndef STARTILE_BATCH_TILE_CUH
#define STARTILE_BATCH_TILE_CUH

#include "batch/batch.cuh"
#include "common/smem_tile.cuh"

namespace startile_cuda
{

/* The largest order of which a lane has a line in registers: 32 elements in double complex would
 * leave none for anything else. */
template <typename T>
constexpr int largest_in_registers = sizeof(T) > 8 ? 16 : 32;

/* A matrix with any distance between neighbours: stored, transposed, or seen from its end */
template <typename T>
struct strided {
    T *p;
    int64_t row, column; /* to the next row, to the next column */
    int m, n;

    __device__ T &operator()(int i, int j) const
    {
        return p[i * row + j * column];
    }

    /* rows i0 … and columns j0 …, which may be none */
    __device__ strided from(int i0, int j0) const
    {
        return {p + i0 * row + j0 * column, row, column, m - i0, n - j0};
    }

    __device__ strided transposed() const
    {
        return {p, column, row, n, m};
    }

    /* the last row first */
    __device__ strided upside_down() const
    {
        return {p + (m - 1) * row, -row, column, m, n};
    }

    /* whether it is rows that lie together in memory */
    __device__ bool lies_by_rows() const
    {
        return column == 1 || column == -1;
    }
};

/* Where pointers come from memory the compiler has to be told that they never point into shared
 * memory: only then does it load ahead of stores there. */
template <typename T>
__device__ inline strided<T> as_stored(const typename batch<T>::matrix &a)
{
    __builtin_assume(__isGlobal(a.p));
    return {a.p, 1, a.ld, a.m, a.n};
}

/* To shared memory, without waiting; not there: zero */
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

/* The elements of a part of a tile, `columns` wide, shared out over the thread block: f(row,
 * column), so that the lanes of a warp have what lies together in memory, and few of them meet in
 * a bank of a tile. */
template <typename T, int columns, bool by_rows, typename F>
__device__ inline void for_each_in_part_ordered(F f)
{
    constexpr int wide = by_rows ? 32 / static_cast<int>(sizeof(T)) : 1, high = 32 / wide;
    constexpr int warps = tile_threads / 32, patches = tile<T>::order / high;
    constexpr int warps_down = patches < warps ? patches : warps, warps_across = warps / warps_down;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = warp % warps_down * high + lane / wide;
#pragma unroll 8
    for (int j = warp / warps_down * wide + lane % wide; j < columns; j += warps_across * wide)
#pragma unroll
        for (int i = 0; i < tile<T>::order; i += warps_down * high)
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

/* The part of A that begins at its first element, to a tile in shared memory, without waiting */
template <typename T, int columns>
__device__ inline void copy_part_async(T *to, const strided<T> &a)
{
    for_each_in_part<T, columns>(a.lies_by_rows(), [&](int i, int j) {
        const bool is_inside = i < a.m && j < a.n;
        copy_element_async(to + i + j * tile<T>::ld, is_inside ? &a(i, j) : a.p, is_inside);
    });
}

/* The same elements by the same threads, which need not wait for others */
template <typename T, int columns>
__device__ inline void conjugate_part(T *of, const strided<T> &a)
{
    if constexpr (element<T>::is_complex)
        for_each_in_part<T, columns>(a.lies_by_rows(), [&](int i, int j) {
            of[i + j * tile<T>::ld] = conjugate(of[i + j * tile<T>::ld]);
        });
}

/* A factor of a product: rows of a matrix, as many as a tile has, by way of a tile in shared
 * memory, which holds two parts of half as many columns */
template <typename T>
struct tile_factor {
    static constexpr int step = tile<T>::half;
    strided<T> a;
    bool conjugated;
    T *buffer;

    __device__ T *part(int k) const
    {
        return buffer + k / step % 2 * step * tile<T>::ld;
    }

    __device__ void begin(int k) const
    {
        copy_part_async<T, step>(part(k), a.from(0, k));
    }

    __device__ void end(int k) const
    {
        if (conjugated)
            conjugate_part<T, step>(part(k), a.from(0, k));
    }
};

/* sum += A Bᴴ, of k columns each, where it is wanted. With a and b in the same room they are the
 * same. Ends in a barrier; what was in the rooms must be out of use. */
template <typename T>
__device__ inline void add_product_of_factors(quadrant<T> &sum, const tile_factor<T> &a,
                                              const tile_factor<T> &b, int k, bool is_wanted = true)
{
    constexpr int step = tile_factor<T>::step;
    const bool are_two = a.buffer != b.buffer;
    auto begin = [&](int at) {
        if (at < k) {
            a.begin(at);
            if (are_two)
                b.begin(at);
        }
        commit_copies();
    };
    begin(0);
#pragma unroll 1
    for (int at = 0; at < k; at += step) {
        begin(at + step);
        wait_for_copies_except<1>();
        a.end(at);
        if (are_two)
            b.end(at);
        __syncthreads();
        if (is_wanted)
            sum.add(a.part(at), b.part(at), step);
        __syncthreads();
    }
}

} // namespace startile_cuda

#endif
