/*
 * Update of the other columns of a matrix after a panel of LU: row interchanges, and for columns
 * right of the panel also U := L₁₁⁻¹ A₁₂ and A₂₂ := A₂₂ − L₂₁ U. A thread block has all rows of a
 * strip, which has as many columns as a tile.
 *
 * Bound: memory; each panel reads and writes A₂₂ once.
 */
#ifndef STARTILE_BATCH_LU_STRIP_CUH
#define STARTILE_BATCH_LU_STRIP_CUH

#include "batch/batch.cuh"
#include "common/smem_tile.cuh"

namespace startile_cuda
{

constexpr int max_panel_width = 32;

/* Rows that a panel's interchanges move. Row source[i] moves to row i of the panel. Row
 * displaced[e], one of the panel's rows, moves to row place[e] below the panel, for e < count. */
struct lu_moves {
    int source[max_panel_width], displaced[max_panel_width], place[max_panel_width];
    int count;
};

template <typename T>
struct lu_strip_smem {
    lu_moves moves;
    alignas(16) T triangle[max_panel_width][max_panel_width]; /* triangle[k]: column k of L₁₁ */
    alignas(16) T u[tile<T>::ld * max_panel_width];           /* panel's rows, transposed */
    alignas(16) T l[tile<T>::ld * max_panel_width];
};

template <typename T>
struct lu_strip {
    lu_strip_smem<T> &smem;
    T *a; /* the strip's first column, from row 0 on */
    const T *panel;
    int64_t ld;
    int m, columns, first, width;

    /* Writes smem.moves, given the original position of each row. sources = nullptr: no row
     * moves */
    __device__ void find_moves(const int *sources)
    {
        const int t = threadIdx.x;
        if (t == 0)
            smem.moves.count = 0;
        __syncthreads();
        for (int i = first + t; i < m; i += tile_threads) {
            const int source = sources == nullptr ? i : sources[i];
            if (i < first + width) {
                smem.moves.source[i - first] = source;
            } else if (source != i) {
                const int e = atomicAdd(&smem.moves.count, 1);
                smem.moves.displaced[e] = source;
                smem.moves.place[e] = i;
            }
        }
        __syncthreads();
    }

    /* Copies from(i, j) to to(i, j) for i < rows, at most 32, and all columns j of the strip. A
     * thread has several columns in flight; the lanes of a warp are neighbours in a column. */
    template <typename From, typename To>
    __device__ void copy(int rows, From from, To to)
    {
        constexpr int in_flight = 8, warps = tile_threads / 32;
        const int i = threadIdx.x % 32, warp = threadIdx.x / 32;
        for (int j0 = warp; i < rows && j0 < columns; j0 += in_flight * warps) {
            T x[in_flight];
#pragma unroll
            for (int j = 0; j < in_flight; j++)
                if (j0 + j * warps < columns)
                    x[j] = from(i, j0 + j * warps);
#pragma unroll
            for (int j = 0; j < in_flight; j++)
                if (j0 + j * warps < columns)
                    to(i, j0 + j * warps) = x[j];
        }
    }

    /* Moves the panel's new rows to smem.u, and the displaced rows to their places in global
     * memory. */
    __device__ void interchange()
    {
        const lu_moves &moves = smem.moves;
        const auto u = [&](int i, int j) -> T & { return smem.u[j + i * tile<T>::ld]; };
        const auto l = [&](int i, int j) -> T & { return smem.l[j + i * tile<T>::ld]; };
        copy(
            width, [&](int i, int j) { return a[moves.source[i] + j * ld]; }, u);
        copy(
            moves.count, [&](int i, int j) { return a[moves.displaced[i] + j * ld]; }, l);
        __syncthreads();
        copy(moves.count, l, [&](int i, int j) -> T & { return a[moves.place[i] + j * ld]; });
    }

    /* Loads L₁₁ to smem.triangle. */
    __device__ void load_triangle()
    {
        for (int e = threadIdx.x; e < 32 * width; e += tile_threads)
            if (e % 32 < width)
                smem.triangle[e / 32][e % 32] = panel[first + e % 32 + e / 32 * ld];
    }

    /* Computes U := L₁₁⁻¹ U in smem.u, one column per thread, eight rows at a time. */
    __device__ void solve()
    {
        constexpr int step = 8, ldt = tile<T>::ld;
        T *const column = smem.u + threadIdx.x;
        if (static_cast<int>(threadIdx.x) >= columns)
            return;
        for (int i0 = 0; i0 < width; i0 += step) {
            T x[step];
#pragma unroll
            for (int i = 0; i < step; i++)
                x[i] = i0 + i < width ? column[(i0 + i) * ldt] : to_element<T>(0, 0);
#pragma unroll 2
            for (int k = 0; k < i0; k++) {
                const T y = column[k * ldt];
#pragma unroll
                for (int i = 0; i < step; i++)
                    x[i] = subtract_product(x[i], smem.triangle[k][i0 + i], y);
            }
#pragma unroll
            for (int k = 0; k < step; k++)
#pragma unroll
                for (int i = k + 1; i < step; i++)
                    if (i0 + i < width)
                        x[i] = subtract_product(x[i], smem.triangle[i0 + k][i0 + i], x[k]);
#pragma unroll
            for (int i = 0; i < step; i++)
                if (i0 + i < width)
                    column[(i0 + i) * ldt] = x[i];
        }
    }

    /* Stores smem.u to the panel's rows of the strip. */
    __device__ void store_u()
    {
        copy(
            width, [&](int i, int j) { return smem.u[j + i * tile<T>::ld]; },
            [&](int i, int j) -> T & { return a[first + i + j * ld]; });
    }

    /* Conjugates smem.u, because the product conjugates it again, and pads it with zeros to the
     * size of a tile. */
    __device__ void prepare_u()
    {
        constexpr int ldt = tile<T>::ld, order = tile<T>::order;
        for (int e = threadIdx.x; e < order * max_panel_width; e += tile_threads) {
            T *const x = smem.u + e % order + e / order * ldt;
            *x = e % order < columns && e / order < width ? conjugate(*x) : to_element<T>(0, 0);
        }
    }

    /* Computes A₂₂ −= L₂₁ U in the rows from row0 on, as many as a tile has. */
    __device__ void update(int row0)
    {
        constexpr int ldt = tile<T>::ld, order = tile<T>::order;
        for (int e = threadIdx.x; e < order * width; e += tile_threads) {
            const int i = row0 + e % order, j = e / order;
            T *const to = smem.l + e % order + j * ldt;
            if (i < m)
                copy_async(to, panel + i + j * ld);
            else
                *to = to_element<T>(0, 0);
        }
        quadrant<T> x;
        x.for_each_in_tile([&](int i, int j, T &e) {
            e = row0 + i < m && j < columns ? scaled<T>(-1, a[row0 + i + j * ld])
                                            : to_element<T>(0, 0);
        });
        wait_for_copies();
        __syncthreads();
        x.add(smem.l, smem.u, width);
        x.for_each_in_tile([&](int i, int j, T &e) {
            if (row0 + i < m && j < columns)
                a[row0 + i + j * ld] = scaled<T>(-1, e);
        });
        __syncthreads();
    }
};

/* Updates strip b of matrix q in block (q, b). The panel's columns belong to no strip. The width of
 * a panel that is not the last one is a multiple of 8. */
template <typename T>
__global__ void __launch_bounds__(tile_threads, 3)
    lu_strip_kernel(batch<T> A, int first, int panel_width, const int *sources)
{
    extern __shared__ double2 shared[];
    constexpr int order = tile<T>::order;
    const auto matrix = A[blockIdx.x];
    const int width = min(panel_width, min(matrix.m, matrix.n) - first);
    /* Strips left of the panel end before it. Strips right of the panel begin after it. */
    const int left_strips = (first + order - 1) / order, b = blockIdx.y;
    const bool is_left = b < left_strips;
    const int column = is_left ? b * order : first + panel_width + (b - left_strips) * order;
    const int columns = min(order, (is_left ? first : matrix.n) - column);
    if (width <= 0 || columns <= 0)
        return;
    lu_strip<T> strip = {*reinterpret_cast<lu_strip_smem<T> *>(shared),
                         &matrix(0, column),
                         &matrix(0, first),
                         matrix.ld,
                         matrix.m,
                         columns,
                         first,
                         width};
    strip.find_moves(sources == nullptr ? nullptr
                                        : sources + static_cast<int64_t>(blockIdx.x) * A.m);
    strip.interchange();
    if (!is_left) {
        strip.load_triangle();
        __syncthreads();
        strip.solve();
    }
    __syncthreads();
    strip.store_u();
    if (is_left || first + width >= matrix.m)
        return;
    __syncthreads();
    strip.prepare_u();
    __syncthreads();
    for (int row0 = first + width; row0 < matrix.m; row0 += order)
        strip.update(row0);
}

} // namespace startile_cuda

#endif
