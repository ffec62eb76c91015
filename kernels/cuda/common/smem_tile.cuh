/*
 * Square tiles in shared memory, and products of tiles by a thread block of four warps. The result
 * stays in registers, distributed over the warps in one of two ways:
 *
 *     quadrant                  tile_by_rows
 *
 *     | warp 0 | warp 2 |       |     warp 0      |
 *     |        |        |       |     warp 1      |
 *     |--------|--------|       |     warp 2      |
 *     | warp 1 | warp 3 |       |     warp 3      |
 *     |        |        |
 *
 *     global memory --copy_bytes_async--> tile in shared memory --add--> registers --> caller
 *
 * Double uses tensor cores; the other types use FMA.
 */
#ifndef STARTILE_SMEM_TILE_CUH
#define STARTILE_SMEM_TILE_CUH

#include "common/element.cuh"
#include "common/hopper.cuh"

namespace startile_cuda
{

constexpr int tile_threads = 128; /* threads of a thread block */

/* Shape of a tile, which is column-major. The leading dimension is 4 modulo 16, so that the lanes
 * that load a fragment of doubles access different banks. */
template <typename T>
struct tile {
    static constexpr int order = sizeof(T) > 8 ? 32 : 64;
    static constexpr int half = order / 2;
    static constexpr int ld = order + 4;
    static constexpr int elements = order * ld;
    static constexpr int bytes = elements * static_cast<int>(sizeof(T));
};

/* A block of a tile in the registers of a warp: rows × columns elements */
template <typename T, int rows, int columns>
struct warp_block {
    T value[rows / 8][columns / 4];

    /* Calls f(row, column, element &) for every element of the lane. */
    template <typename F>
    __device__ void for_each(F f)
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < rows / 8; i++)
#pragma unroll
            for (int j = 0; j < columns / 4; j++)
                f(lane % 8 + 8 * i, lane / 8 + 4 * j, value[i][j]);
    }

    /* Adds A Bᴴ to the columns from `first` on, a multiple of 8. A and B have 8 columns each; a and
     * b point to the lane's first elements (offset_in_a, offset_in_b). */
    __device__ void add_columns(const T *a, const T *b, int first)
    {
        /* The loads of unrolled steps are in flight at the same time. Larger blocks unroll fewer
         * steps, to save registers. */
        constexpr int bytes = rows * columns * static_cast<int>(sizeof(T));
        constexpr int unrolled = bytes <= 2048 ? 8 : bytes <= 4096 ? 4 : 2;
#pragma unroll unrolled
        for (int p = 0; p < 8; p++, a += tile<T>::ld, b += tile<T>::ld) {
            T x[rows / 8], y[columns / 4];
#pragma unroll
            for (int i = 0; i < rows / 8; i++)
                x[i] = a[8 * i];
#pragma unroll
            for (int j = first / 4; j < columns / 4; j++)
                y[j] = conjugate(b[4 * j]);
#pragma unroll
            for (int i = 0; i < rows / 8; i++)
#pragma unroll
                for (int j = first / 4; j < columns / 4; j++)
                    value[i][j] = multiply_add(x[i], y[j], value[i][j]);
        }
    }

    /* Adds the elements of y. */
    __device__ void add(const warp_block &y)
    {
#pragma unroll
        for (int i = 0; i < rows / 8; i++)
#pragma unroll
            for (int j = 0; j < columns / 4; j++)
                value[i][j] = multiply_add(to_element<T>(1, 0), y.value[i][j], value[i][j]);
    }

    static __device__ int offset_in_a()
    {
        return threadIdx.x % 8;
    }

    static __device__ int offset_in_b()
    {
        return threadIdx.x % 32 / 8;
    }
};

template <int rows, int columns>
struct warp_block<double, rows, columns> {
    double value[rows / 16][columns / 8][4];

    template <typename F>
    __device__ void for_each(F f)
    {
        const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
        for (int i = 0; i < rows / 16; i++)
#pragma unroll
            for (int j = 0; j < columns / 8; j++)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    f(16 * i + g + 8 * (q / 2), 8 * j + 2 * t + q % 2, value[i][j][q]);
    }

    __device__ void add_columns(const double *a, const double *b, int first)
    {
        constexpr int ld = tile<double>::ld;
        double x[rows / 16][4], y[columns / 8][2];
#pragma unroll
        for (int i = 0; i < rows / 16; i++)
#pragma unroll
            for (int q = 0; q < 4; q++)
                x[i][q] = a[16 * i + 8 * (q % 2) + 4 * ld * (q / 2)];
#pragma unroll
        for (int j = first / 8; j < columns / 8; j++)
#pragma unroll
            for (int q = 0; q < 2; q++)
                y[j][q] = b[8 * j + 4 * ld * q];
#pragma unroll
        for (int i = 0; i < rows / 16; i++)
#pragma unroll
            for (int j = first / 8; j < columns / 8; j++)
                multiply_16_8_8(value[i][j], x[i], y[j]);
    }

    __device__ void add(const warp_block &y)
    {
#pragma unroll
        for (int i = 0; i < rows / 16; i++)
#pragma unroll
            for (int j = 0; j < columns / 8; j++)
#pragma unroll
                for (int q = 0; q < 4; q++)
                    value[i][j][q] += y.value[i][j][q];
    }

    static __device__ int offset_in_a()
    {
        return threadIdx.x % 32 / 4 + threadIdx.x % 4 * tile<double>::ld;
    }

    static __device__ int offset_in_b()
    {
        return offset_in_a();
    }
};

/* Adds A Bᴴ to a warp's block. A and B have k columns each, a multiple of 8. */
template <typename T, int rows, int columns>
__device__ inline void add_product(warp_block<T, rows, columns> &x, const T *a, const T *b, int k)
{
    a += x.offset_in_a();
    b += x.offset_in_b();
#pragma unroll 2
    for (int p = 0; p < k; p += 8, a += 8 * tile<T>::ld, b += 8 * tile<T>::ld)
        x.add_columns(a, b, 0);
}

/* Adds A Bᴴ as add_product does, but in two accumulators in turn. In a small block one accumulator
 * would wait for the latency of each product. */
template <typename T, int rows, int columns>
__device__ inline void add_product_twofold(warp_block<T, rows, columns> &x, const T *a, const T *b,
                                           int k)
{
    constexpr int step = 8 * tile<T>::ld;
    warp_block<T, rows, columns> y;
    y.for_each([](int, int, T &e) { e = to_element<T>(0, 0); });
    a += x.offset_in_a();
    b += x.offset_in_b();
    const bool is_long = k >= 16;
#pragma unroll 2
    for (; k >= 16; k -= 16, a += 2 * step, b += 2 * step) {
        x.add_columns(a, b, 0);
        y.add_columns(a + step, b + step, 0);
    }
    if (k > 0)
        x.add_columns(a, b, 0);
    if (is_long)
        x.add(y);
}

/* Adds A Bᴴ for a lower triangle B of order `columns`. */
template <typename T, int rows, int columns>
__device__ inline void add_product_of_triangle(warp_block<T, rows, columns> &x, const T *a,
                                               const T *b)
{
    a += x.offset_in_a();
    b += x.offset_in_b();
#pragma unroll
    for (int p = 0; p < columns; p += 8)
        x.add_columns(a + p * tile<T>::ld, b + p * tile<T>::ld, p);
}

/* The elements of a thread in a tile of order 2 · half: a warp has half × half / groups elements.
 * With groups = 2, the four warps with threadIdx.y = 0 have the left half of the tile. */
template <typename T, int half = tile<T>::half, int groups = 1>
struct quadrant : warp_block<T, half, half / groups> {
    static __device__ int row0()
    {
        return threadIdx.x / 32 % 2 * half;
    }

    static __device__ int column0()
    {
        return (threadIdx.x / 64 + (groups == 1 ? 0 : 2 * threadIdx.y)) * (half / groups);
    }

    __device__ void clear()
    {
        this->for_each([](int, int, T &x) { x = to_element<T>(0, 0); });
    }

    /* Calls f(row, column, element &) for the thread's elements, with positions in the tile. */
    template <typename F>
    __device__ void for_each_in_tile(F f)
    {
        const int i0 = row0(), j0 = column0();
        this->for_each([&](int i, int j, T &x) { f(i0 + i, j0 + j, x); });
    }

    /* Adds A Bᴴ for tiles in shared memory with k columns each. */
    __device__ void add(const T *a, const T *b, int k)
    {
        add_product<T>(*this, a + row0(), b + column0(), k);
    }
};

/* The elements of a thread in a tile. Each warp has a quarter of the rows. */
template <typename T>
struct tile_by_rows : warp_block<T, tile<T>::order / 4, tile<T>::order> {
    /* Calls f(row, column, element &) for the thread's elements, with positions in the tile. */
    template <typename F>
    __device__ void for_each_in_tile(F f)
    {
        const int i0 = threadIdx.x / 32 * (tile<T>::order / 4);
        this->for_each([&](int i, int j, T &x) { f(i0 + i, j, x); });
    }

    /* Sets the elements to A Bᴴ for tiles in shared memory; B is a lower triangle. */
    __device__ void multiply_by_triangle(const T *a, const T *b)
    {
        this->for_each([](int, int, T &x) { x = to_element<T>(0, 0); });
        add_product_of_triangle<T>(*this, a + threadIdx.x / 32 * (tile<T>::order / 4), b);
    }
};

/* Starts copying `bytes` bytes, a multiple of 16, to shared memory, by the whole thread block.
 * Bypasses the L1 cache, which may hold outdated data. */
__device__ inline void copy_bytes_async(void *to, const void *from, int bytes)
{
#if __CUDA_ARCH__ >= 800
    const uint32_t to_address = shared_address(to);
    for (int i = 16 * threadIdx.x; i < bytes; i += 16 * tile_threads)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to_address + i),
                     "l"(static_cast<const char *>(from) + i)
                     : "memory");
#endif
}

__device__ inline void commit_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until at most the thread's latest `groups` groups of copies are in flight. */
template <int groups>
__device__ inline void wait_for_copies_except()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
}

} // namespace startile_cuda

#endif
