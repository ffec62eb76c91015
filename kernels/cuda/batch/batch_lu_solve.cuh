/*
 * B := op(A)⁻¹ B from the LU factors, for orders above 32. A thread block holds `columns` columns
 * of B in shared memory for the interchanges and both triangles. The block goes over the matrix 32
 * columns at a time:
 *
 *     substitute    diagonal block: one warp per column of B, one row per lane (shuffles)
 *     __syncthreads
 *     update        all other rows -= block times the 32 unknowns: one row per thread
 *     __syncthreads
 */
#ifndef STARTILE_BATCH_LU_SOLVE_CUH
#define STARTILE_BATCH_LU_SOLVE_CUH

#include "batch/batch.cuh"
#include "batch/batch_permutation.cuh"
#include "batch/batch_pivot.cuh"

namespace startile_cuda
{

constexpr int getrs_width = 32, getrs_warps = 4;

/* op(A), of order n */
template <typename T>
struct getrs_matrix {
    typename batch<T>::matrix a;
    bool transposed, conjugated;

    /* Loads element (i0 + lane, k0 + k) to row[k], or 0 outside the matrix. If transposed, the
     * elements pass through the warp's stage in shared memory. */
    __device__ void load(T (&row)[getrs_width], int i0, int k0, T *stage) const
    {
        constexpr int ld = getrs_width + 1;
        const int lane = threadIdx.x % 32, n = a.n;
        const T zero = to_element<T>(0, 0);
        if (!transposed) {
#pragma unroll
            for (int k = 0; k < getrs_width; k++)
                row[k] = i0 + lane < n && k0 + k < n ? a(i0 + lane, k0 + k) : zero;
            return;
        }
        __syncwarp();
#pragma unroll 8
        for (int i = 0; i < getrs_width; i++)
            stage[lane + i * ld] = i0 + i < n && k0 + lane < n ? a(k0 + lane, i0 + i) : zero;
        __syncwarp();
#pragma unroll
        for (int k = 0; k < getrs_width; k++) {
            const T x = stage[k + lane * ld];
            row[k] = conjugated ? conjugate(x) : x;
        }
    }

    __device__ T diagonal(int i) const
    {
        return i >= a.n ? to_element<T>(1, 0) : conjugated ? conjugate(a(i, i)) : a(i, i);
    }
};

/* State of a thread: x[i * columns + c] is element (i, c) of the block's columns of B in shared
 * memory; `stage` is the warp's buffer */
template <typename T, int columns>
struct getrs_block {
    getrs_matrix<T> matrix;
    T *x, *stage;
    int n;

    __device__ T from_lane(T value, int lane) const
    {
        if constexpr (element<T>::is_complex)
            return T{__shfl_sync(all_lanes, value.x, lane), __shfl_sync(all_lanes, value.y, lane)};
        else
            return __shfl_sync(all_lanes, value, lane);
    }

    /* Solves with the diagonal block at k0, one column of B per warp. unit: the diagonal is 1 and
     * is not read */
    __device__ void substitute(int k0, bool upper, bool unit) const
    {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
        if (warp >= columns)
            return;
        T row[getrs_width];
        matrix.load(row, k0, k0, stage);
        const divisor<T> divide(unit ? to_element<T>(1, 0) : matrix.diagonal(k0 + lane));
        for (int c = warp; c < columns; c += warps) {
            T *const at = x + (k0 + lane) * columns + c;
            T value = k0 + lane < n ? *at : to_element<T>(0, 0);
            if (upper) {
#pragma unroll
                for (int k = getrs_width - 1; k >= 0; k--) {
                    const T y = from_lane(unit ? value : divide(value), k);
                    value = lane == k ? y : lane < k ? subtract_product(value, row[k], y) : value;
                }
            } else {
#pragma unroll
                for (int k = 0; k < getrs_width; k++) {
                    const T y = from_lane(unit ? value : divide(value), k);
                    value = lane == k ? y : lane > k ? subtract_product(value, row[k], y) : value;
                }
            }
            if (k0 + lane < n)
                *at = value;
        }
    }

    /* Computes x(i) −= Σ op(A)(i, k) x(k) for rows i = first … last − 1 and k = k0 … k0 + 31. */
    __device__ void update(int k0, int first, int last) const
    {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
        for (int i0 = first + 32 * warp; i0 < last; i0 += 32 * warps) {
            T row[getrs_width], sum[columns];
            matrix.load(row, i0, k0, stage);
            T *const mine = x + (i0 + lane) * columns;
            const bool exists = i0 + lane < n;
#pragma unroll
            for (int c = 0; c < columns; c++)
                sum[c] = exists ? mine[c] : to_element<T>(0, 0);
            const T *y = x + k0 * columns;
#pragma unroll
            for (int k = 0; k < getrs_width; k++)
                if (k0 + k < n)
#pragma unroll
                    for (int c = 0; c < columns; c++)
                        sum[c] = subtract_product(sum[c], row[k], y[k * columns + c]);
#pragma unroll
            for (int c = 0; c < columns; c++)
                if (exists)
                    mine[c] = sum[c];
        }
    }

    /* Solves with one triangle of op(A). */
    __device__ void solve(bool upper, bool unit) const
    {
        const int blocks = (n + getrs_width - 1) / getrs_width;
        for (int b = 0; b < blocks; b++) {
            const int k0 = getrs_width * (upper ? blocks - 1 - b : b);
            __syncthreads();
            substitute(k0, upper, unit);
            __syncthreads();
            update(k0, upper ? 0 : k0 + getrs_width, upper ? k0 : n);
        }
        __syncthreads();
    }
};

/* Returns the bytes of dynamic shared memory: x, the interchanges and, if transposed, the warps'
 * stages. */
template <typename T>
static size_t getrs_bytes(int n, int columns, bool transposed, int warps)
{
    const size_t x = static_cast<size_t>(n) * columns * sizeof(T);
    const size_t stages = transposed ? sizeof(T) * warps * getrs_width * (getrs_width + 1) : 0;
    return x + stages + static_cast<size_t>(n) * sizeof(int);
}

/* Solves, in block (q, b), for strips b, b + gridDim.y, … of B of matrix q; a strip has `columns`
 * columns. pivots: P has interchanges; otherwise P is not read. */
template <typename T, int columns>
__global__ void __launch_bounds__(32 * getrs_warps)
    getrs_kernel(char trans, batch<T> A, batch<int64_t> P, bool pivots, batch<T> B,
                 const int64_t *factor_info)
{
    extern __shared__ double2 shared[];
    const int q = blockIdx.x, warps = blockDim.x / 32;
    if (factor_info != nullptr && factor_info[q] != 0)
        return;
    const auto b = B[q];
    const auto a = A[q];
    const int n = a.n;
    const bool transposed = trans != 'N';
    constexpr int stage_elements = getrs_width * (getrs_width + 1);
    T *const stages = reinterpret_cast<T *>(shared);
    T *const x = stages + (transposed ? warps * stage_elements : 0);
    int *const ipiv = reinterpret_cast<int *>(x + n * columns);
    for (int i = threadIdx.x; pivots && i < n; i += blockDim.x)
        ipiv[i] = static_cast<int>(P[q].p[i]);
    const getrs_block<T, columns> solver = {
        {a, transposed, trans == 'C'}, x, stages + threadIdx.x / 32 * stage_elements, n};
    for (int c0 = blockIdx.y * columns; c0 < b.n; c0 += gridDim.y * columns) {
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            const int from = pivots && !transposed ? source_of_row(ipiv, n, i) : i;
#pragma unroll
            for (int c = 0; c < columns; c++)
                x[i * columns + c] = c0 + c < b.n ? b(from, c0 + c) : to_element<T>(0, 0);
        }
        /* Solves with the lower triangle, then with the upper one. The loop is not unrolled,
         * because the code is long. */
#pragma unroll 1
        for (int upper = 0; upper < 2; upper++)
            solver.solve(upper != 0, transposed == (upper != 0));
        for (int i = threadIdx.x; i < n; i += blockDim.x) {
            const int to = pivots && transposed ? source_of_row(ipiv, n, i) : i;
#pragma unroll
            for (int c = 0; c < columns; c++)
                if (c0 + c < b.n)
                    b(to, c0 + c) = x[i * columns + c];
        }
    }
}

} // namespace startile_cuda

#endif
