/*
 * Solves with the LU factors of matrices of order at most N, N ≤ 32, with a group of N lanes per
 * matrix. The factors are in shared memory. Each lane has one right-hand side in registers. Private
 * to batch/.
 *
 * Reciprocals of the diagonal cost one more rounding than divisions. The reciprocal of an element
 * below 1/overflow threshold is infinite.
 */
#ifndef STARTILE_BATCH_LU_GROUP_CUH
#define STARTILE_BATCH_LU_GROUP_CUH

#include "batch/batch.cuh"
#include "batch/batch_permutation.cuh"
#include "batch/batch_pivot.cuh"

namespace startile_cuda
{

/* Threads of a block; N of them have one matrix in shared memory */
template <typename T, int N>
constexpr int lu_group_threads = sizeof(T) * N > 256 ? 64 : 128;

template <typename T, int N>
struct lu_group_smem {
    /* Leading dimension, which aligns columns to 16 bytes */
    static constexpr int ld = N + 16 / static_cast<int>(sizeof(T));
    alignas(16) T factors[N * ld];
    T reciprocals[N];
    int sources[N];
};

/* State of a lane of a group */
template <typename T, int N>
struct lu_group {
    static constexpr int ld = lu_group_smem<T, N>::ld;
    lu_group_smem<T, N> &smem;
    int lane, q;
    /* false: this group has no matrix; `matrix` is empty, and q is the batch's last matrix */
    bool exists;
    typename batch<T>::matrix matrix;

    __device__ lu_group(lu_group_smem<T, N> *smem_of_groups, int block, int count,
                        const batch<T> &A)
        : smem(smem_of_groups[threadIdx.x / N]), lane(threadIdx.x % N),
          q(block * (lu_group_threads<T, N> / N) + static_cast<int>(threadIdx.x) / N),
          exists(q < count), matrix{nullptr, 0, 0, 0}
    {
        if (exists)
            matrix = A[q];
        else
            q = count - 1;
    }

    /* Loads the factors of op(A) to shared memory, padded with the identity to order N, and the
     * reciprocals of the diagonal. Returns the 1-based index of the first zero on the diagonal, or
     * 0. */
    __device__ int load(bool transposed, bool conjugated)
    {
        const int n = matrix.n, step_i = transposed ? ld : 1, step_j = transposed ? 1 : ld;
#pragma unroll
        for (int j = 0; j < N; j++) {
            const T x = lane < n && j < n ? matrix(lane, j) : to_element<T>(lane == j, 0);
            smem.factors[lane * step_i + j * step_j] = conjugated ? conjugate(x) : x;
        }
        __syncwarp();
        const T diagonal = smem.factors[lane + lane * ld];
        const int first = threadIdx.x % 32 / N * N;
        const unsigned int zeros = __ballot_sync(all_lanes, is_zero(diagonal)) >> first &
                                   (N == 32 ? all_lanes : (1u << N % 32) - 1);
        smem.reciprocals[lane] = reciprocal(diagonal);
        return __ffs(static_cast<int>(zeros));
    }

    /* Sets sources[i] to the row that the interchanges move to row i. ipiv = null: no
     * interchanges */
    __device__ void find_sources(const int64_t *ipiv)
    {
        smem.sources[lane] =
            ipiv != nullptr && lane < matrix.n ? source_of_row(ipiv, matrix.n, lane) : lane;
        __syncwarp();
    }

    /* Solves with the lower, then the upper triangle. The lower one is L, or Uᵀ if transposed; Only
     * L has a unit diagonal. */
    __device__ void solve(T (&x)[N], bool transposed) const
    {
#pragma unroll
        for (int k = 0; k < N; k++) {
            if (transposed)
                x[k] = product(x[k], smem.reciprocals[k]);
#pragma unroll
            for (int i = k + 1; i < N; i++)
                x[i] = subtract_product(x[i], smem.factors[i + k * ld], x[k]);
        }
#pragma unroll
        for (int k = N - 1; k >= 0; k--) {
            if (!transposed)
                x[k] = product(x[k], smem.reciprocals[k]);
#pragma unroll
            for (int i = 0; i < k; i++)
                x[i] = subtract_product(x[i], smem.factors[i + k * ld], x[k]);
        }
    }
};

} // namespace startile_cuda

#endif
