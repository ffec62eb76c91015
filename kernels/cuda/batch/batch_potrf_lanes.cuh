/* Cholesky of matrices in registers, one row per lane (batch_potrf.cu) */
#ifndef STARTILE_BATCH_POTRF_LANES_CUH
#define STARTILE_BATCH_POTRF_LANES_CUH

#include "batch/batch.cuh"
#include "potrf/potrf_strip.cuh"

namespace startile_cuda
{

template <typename T>
struct alignas(16) vector_of {
    static constexpr int size = 16 / static_cast<int>(sizeof(T));
    T value[size];
};

constexpr int potrf_lanes_threads = 64;

/* State of a lane: one row of a matrix of order n in registers. A group of N lanes has a matrix.
 * The argument `order` is the maximal order of all matrices. */
template <typename T, int N>
struct row_of_matrix {
    using real = real_of<T>;
    static constexpr int ld = N + 1;
    T a[N];
    T *smem; /* N · ld elements of these N lanes, aligned for vectors */
    int lane, n;

    /* Returns the lane's element of the identity in column j, the padding outside the matrix. */
    __device__ T padding(int j) const
    {
        return to_element<T>(lane == j, 0);
    }

    /* Returns whether the lane's element in column j is in the lower triangle of the matrix. */
    __device__ bool is_stored(int j) const
    {
        return j <= lane && lane < n;
    }

    __device__ void load(const T *p, int64_t lda, int order)
    {
#pragma unroll
        for (int j = 0; j < N; j++)
            a[j] = j < order && is_stored(j) ? p[lane + j * lda] : padding(j);
    }

    __device__ void store(T *p, int64_t lda, int order) const
    {
#pragma unroll
        for (int j = 0; j < N; j++)
            if (j < order && is_stored(j))
                p[lane + j * lda] = a[j];
    }

    /* Loads the transpose of a matrix, not conjugated, so that an upper triangle becomes a lower
     * one. The elements pass through shared memory, so that the lanes read neighbouring
     * elements. */
    __device__ void load_transposed(const T *p, int64_t lda, int order)
    {
#pragma unroll
        for (int i = 0; i < N; i++)
            if (i < order && lane <= i && i < n)
                a[i] = p[lane + i * lda];
#pragma unroll
        for (int i = 0; i < N; i++)
            if (lane <= i)
                smem[i * ld + lane] = a[i];
        __syncwarp();
#pragma unroll
        for (int j = 0; j < N; j++)
            a[j] = is_stored(j) ? smem[lane * ld + j] : padding(j);
        __syncwarp();
    }

    __device__ void store_transposed(T *p, int64_t lda, int order) const
    {
        __syncwarp();
#pragma unroll
        for (int j = 0; j < N; j++)
            if (is_stored(j))
                smem[lane * ld + j] = a[j];
        __syncwarp();
#pragma unroll
        for (int i = 0; i < N; i++)
            if (i < order && lane <= i && i < n)
                p[lane + i * lda] = smem[i * ld + lane];
    }

    /* Factors the matrix. Returns the 1-based index of the first pivot that is not above 0, or
     * 0. */
    __device__ int factor(int order)
    {
        using vector = vector_of<T>;
        int failed = 0;
#pragma unroll
        for (int j = 0; j < N; j++) {
            if (j >= order)
                break;
            T *const column = smem + j % 2 * N;
            column[lane] = a[j];
            __syncwarp();
            const real pivot = real_part(column[j]), r = reciprocal_root(pivot);
            const T l = scaled<T>(r, a[j]), minus_l_over_root = scaled<T>(-r, l);
#pragma unroll
            for (int k0 = (j + 1) / vector::size * vector::size; k0 < N; k0 += vector::size) {
                const vector v = *reinterpret_cast<const vector *>(column + k0);
#pragma unroll
                for (int e = 0; e < vector::size; e++)
                    if (k0 + e > j)
                        a[k0 + e] =
                            multiply_add(minus_l_over_root, conjugate(v.value[e]), a[k0 + e]);
            }
            a[j] = lane == j ? to_element<T>(root_of(pivot, r), 0) : l;
            if (failed == 0 && !(pivot > 0))
                failed = j + 1;
        }
        return failed;
    }
};

/* Factors matrices of order at most `order`, N lanes per matrix. */
template <typename T, int N>
__global__ void __launch_bounds__(potrf_lanes_threads)
    potrf_lanes_kernel(batch<T> A, bool is_upper, int count, int order, int64_t *info)
{
    constexpr int matrices = potrf_lanes_threads / N;
    __shared__ alignas(16) T smem_of_groups[matrices][N * row_of_matrix<T, N>::ld];
    const int group_index = static_cast<int>(threadIdx.x) / N;
    const int64_t q = blockIdx.x * static_cast<int64_t>(matrices) + group_index;
    typename batch<T>::matrix m = {nullptr, 0, 0, 0};
    if (q < count)
        m = A[static_cast<int>(q)];
    __builtin_assume(__isGlobal(m.p));
    row_of_matrix<T, N> row;
    row.smem = smem_of_groups[group_index];
    row.lane = threadIdx.x % N;
    row.n = m.n;
    if (is_upper)
        row.load_transposed(m.p, m.ld, order);
    else
        row.load(m.p, m.ld, order);
    const int failed = row.factor(order);
    if (is_upper)
        row.store_transposed(m.p, m.ld, order);
    else
        row.store(m.p, m.ld, order);
    if (q < count && row.lane == 0)
        info[q] = failed;
}

} // namespace startile_cuda

#endif
