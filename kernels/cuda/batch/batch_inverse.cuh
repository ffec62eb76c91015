/*
 * Computes A⁻¹ = U⁻¹ L⁻¹ P from the LU factors, for matrices that fit registers or shared memory.
 *
 * Error: that of substitution, |A X − I| ≤ c n eps |L| |U| |X|, where c is a small constant and P
 * is left out, with one more rounding for the reciprocals of U's diagonal (Higham, Accuracy and
 * Stability of Numerical Algorithms, 2nd ed., 14.3).
 */
#ifndef STARTILE_BATCH_INVERSE_CUH
#define STARTILE_BATCH_INVERSE_CUH

#include "batch/batch_lu_group.cuh"
#include "batch/batch_permutation.cuh"
#include "common/hopper.cuh"

namespace startile_cuda
{

/* Inverts matrices of order at most N, N lanes per matrix, one column of the inverse per lane.
 * pivots: P has interchanges; otherwise P is not read. */
template <typename T, int N>
__global__ void __launch_bounds__(lu_group_threads<T, N>)
    inverse_warp_kernel(int count, batch<T> A, batch<int64_t> P, bool pivots, int64_t *info)
{
    __shared__ lu_group_smem<T, N> smem_of_groups[lu_group_threads<T, N> / N];
    lu_group<T, N> group(smem_of_groups, blockIdx.x, count, A);
    const typename batch<T>::matrix &matrix = group.matrix;
    const int n = matrix.n, lane = group.lane, first_zero = group.load(false, false);
    group.find_sources(pivots ? P[group.q].p : nullptr);
    T x[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        x[i] = to_element<T>(group.smem.sources[i] == lane, 0);
    group.solve(x, false);

    /* Transposes back to one row per lane. */
    __syncwarp();
#pragma unroll
    for (int i = 0; i < N; i++)
        group.smem.factors[i + lane * group.ld] = x[i];
    __syncwarp();
#pragma unroll
    for (int j = 0; j < N; j++)
        if (first_zero == 0 && lane < n && j < n)
            matrix(lane, j) = group.smem.factors[lane + j * group.ld];
    if (group.exists && lane == 0)
        info[group.q] = first_zero;
}

constexpr int inverse_width = 8, max_inverse_threads = 256;

/* Inverts a matrix in shared memory by a thread block, one row per thread, eight columns at a time.
 * First U⁻¹ overwrites U, from the left column to the right; then U⁻¹ L⁻¹ overwrites both factors,
 * from the right column to the left. */
template <typename T>
struct inverse_block {
    T *s, *panel; /* the matrix; eight of its columns, stored by rows */
    int n, ld;

    static __host__ __device__ int ld_of(int n)
    {
        return n | 1;
    }

    static __host__ __device__ int elements(int n)
    {
        return (ld_of(n) * n + 1) / 2 * 2;
    }

    static __host__ size_t bytes(int n)
    {
        const int columns = (n + inverse_width - 1) / inverse_width * inverse_width;
        return (elements(n) + static_cast<size_t>(columns) * inverse_width) * sizeof(T) +
               static_cast<size_t>(n) * sizeof(int);
    }

    /* Copies columns c0 … c0 + 7 to panel. `upper`: of U, padded with the identity; otherwise of L
     * below its diagonal, padded with zeros. */
    __device__ void copy_columns(int c0, bool upper)
    {
        const int columns = (n + inverse_width - 1) / inverse_width * inverse_width;
        for (int i = threadIdx.x; i < columns; i += blockDim.x)
#pragma unroll
            for (int j = 0; j < inverse_width; j++) {
                const int column = c0 + j;
                const bool is_in = i < n && column < n && (upper ? i <= column : i > column);
                panel[i * inverse_width + j] =
                    is_in ? s[i + column * ld] : to_element<T>(upper && i == column, 0);
            }
    }

    /* Subtracts from x the product of the thread's row, in columns first … last − 1, and rows first
     * … last − 1 of panel. Elements of the thread's row before column first_nonzero count as 0. */
    __device__ void subtract_columns(T (&x)[inverse_width], int first, int last,
                                     int first_nonzero) const
    {
        const T *const row = s + threadIdx.x;
#pragma unroll 4
        for (int k = first; k < last; k++) {
            const T y = k >= first_nonzero ? row[k * ld] : to_element<T>(0, 0);
#pragma unroll
            for (int j = 0; j < inverse_width; j++)
                x[j] = subtract_product(x[j], y, panel[k * inverse_width + j]);
        }
    }

    /* Overwrites U with U⁻¹. */
    __device__ void invert_u()
    {
        const int t = threadIdx.x;
        for (int c0 = 0; c0 < n; c0 += inverse_width) {
            copy_columns(c0, true);
            __syncthreads();
            if (t < min(n, c0 + inverse_width)) {
                const T *const block = panel + c0 * inverse_width;
                T x[inverse_width];
#pragma unroll
                for (int j = 0; j < inverse_width; j++)
                    x[j] = to_element<T>(t == c0 + j, 0);
                subtract_columns(x, t / 32 * 32, c0, t);
#pragma unroll
                for (int j = 0; j < inverse_width; j++) {
#pragma unroll
                    for (int k = 0; k < j; k++)
                        x[j] = subtract_product(x[j], x[k], block[k * inverse_width + j]);
                    x[j] = product(x[j], reciprocal(block[j * inverse_width + j]));
                    if (c0 + j < n && t <= c0 + j)
                        s[t + (c0 + j) * ld] = x[j];
                }
            }
            __syncthreads();
        }
    }

    /* Overwrites U⁻¹ and L with U⁻¹ L⁻¹. */
    __device__ void multiply_by_inverse_of_l()
    {
        const int t = threadIdx.x;
        for (int c0 = (n - 1) / inverse_width * inverse_width; c0 >= 0; c0 -= inverse_width) {
            copy_columns(c0, false);
            __syncthreads();
            if (t < n) {
                const T *const block = panel + c0 * inverse_width;
                T x[inverse_width];
#pragma unroll
                for (int j = 0; j < inverse_width; j++)
                    x[j] = c0 + j < n && t <= c0 + j ? s[t + (c0 + j) * ld] : to_element<T>(0, 0);
                subtract_columns(x, c0 + inverse_width, n, 0);
#pragma unroll
                for (int j = inverse_width - 1; j >= 0; j--) {
#pragma unroll
                    for (int k = j + 1; k < inverse_width; k++)
                        x[j] = subtract_product(x[j], x[k], block[k * inverse_width + j]);
                    if (c0 + j < n)
                        s[t + (c0 + j) * ld] = x[j];
                }
            }
            __syncthreads();
        }
    }
};

/* Returns the 1-based index of the first zero on the diagonal, or n + 1, to all threads of the
 * block. */
template <typename T>
__device__ inline int first_zero_of_diagonal(const typename batch<T>::matrix &a)
{
    __shared__ int first;
    if (threadIdx.x == 0)
        first = a.n + 1;
    __syncthreads();
    for (int i = threadIdx.x; i < a.n; i += blockDim.x)
        if (is_zero(a(i, i)))
            atomicMin(&first, i + 1);
    __syncthreads();
    return first;
}

/* Inverts matrices in shared memory, one per thread block. Permutes the columns when it stores
 * them. pivots: P has interchanges; otherwise P is not read. */
template <typename T>
__global__ void __launch_bounds__(max_inverse_threads)
    inverse_block_kernel(batch<T> A, batch<int64_t> P, bool pivots, int64_t *info)
{
    extern __shared__ double2 shared[];
    const int q = blockIdx.x, t = threadIdx.x;
    const auto matrix = A[q];
    const int n = matrix.n, first_zero = first_zero_of_diagonal<T>(matrix);
    if (t == 0)
        info[q] = first_zero <= n ? first_zero : 0;
    if (first_zero <= n || n == 0)
        return;
    T *const s = reinterpret_cast<T *>(shared);
    inverse_block<T> inverse = {s, s + inverse_block<T>::elements(n), n,
                                inverse_block<T>::ld_of(n)};
    int *const sources = reinterpret_cast<int *>(
        inverse.panel + (n + inverse_width - 1) / inverse_width * inverse_width * inverse_width);
    if (t < n)
        for (int j = 0; j < n; j++)
            copy_async(s + t + j * inverse.ld, &matrix(t, j));
    if (t < n)
        sources[t] = pivots ? source_of_row(P[q].p, n, t) : t;
    wait_for_copies();
    __syncthreads();
    inverse.invert_u();
    inverse.multiply_by_inverse_of_l();
    if (t < n)
#pragma unroll 4
        for (int j = 0; j < n; j++)
            matrix(t, sources[j]) = s[t + j * inverse.ld];
}

} // namespace startile_cuda

#endif
