/* Forward substitution in the registers of a warp */
#ifndef STARTILE_WARP_SOLVE_CUH
#define STARTILE_WARP_SOLVE_CUH

#include "common/element.cuh"

namespace startile_cuda
{

/* Returns y of lane k, to all lanes of the warp. */
template <typename T>
__device__ inline T from_lane(T y, int k)
{
    constexpr unsigned int all = 0xffffffff;
    if constexpr (element<T>::is_complex)
        return T{__shfl_sync(all, y.x, k), __shfl_sync(all, y.y, k)};
    else
        return __shfl_sync(all, y, k);
}

/* Columns k … k + 3 of a unit lower triangle, distributed over the lanes of a warp */
template <typename T, int parts>
struct four_columns {
    T inner[4][4]; /* 4 × 4 block on the diagonal, the same in all lanes */
    /* outer[p][j]: element of row 32 p + lane in column k + j, for p ≥ k / 32; zero on and above
     * the diagonal */
    T outer[parts][4];

    /* Loads columns k … k + 3; q = k / 32. Elements of rows ≥ n become zero. */
    __device__ void load(int q, int k, int n, const T *l, int64_t ldl)
    {
        const T zero = to_element<T>(0, 0);
        const T *square = l + k + k * ldl;
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int i = j + 1; i < 4; i++)
                inner[i][j] = k + i < n ? square[i + j * ldl] : zero;
#pragma unroll
        for (int p = q; p < parts; p++) {
            const int row = 32 * p + threadIdx.x % 32;
#pragma unroll
            for (int j = 0; j < 4; j++)
                outer[p][j] = row > k + j && row < n ? l[row + (k + j) * ldl] : zero;
        }
    }

    /* Eliminates unknowns k … k + 3 from y; q = k / 32. Row 32 p + i of y is y[p] in lane i. */
    __device__ void eliminate(int q, int k, T (&y)[parts]) const
    {
        T x[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            x[j] = from_lane(y[q], k % 32 + j);
#pragma unroll
            for (int i = 0; i < j; i++)
                x[j] = subtract_product(x[j], inner[j][i], x[i]);
        }
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int p = q; p < parts; p++)
                y[p] = subtract_product(y[p], outer[p][j], x[j]);
    }
};

/* Computes y := L⁻¹ y for the unit lower triangle L of order n, by a warp. y is distributed as in
 * eliminate(). Each step waits for the shuffle that broadcasts an unknown. So the warp eliminates
 * four unknowns at a time, and loads the next four columns meanwhile. */
template <int parts, typename T>
__device__ inline void solve_unit_lower(int n, T (&y)[parts], const T *l, int64_t ldl)
{
#pragma unroll
    for (int q = 0; q < parts; q++) {
        if (32 * q >= n)
            break;
        const int end = min(32 * (q + 1), n);
        four_columns<T, parts> now, next;
        now.load(q, 32 * q, n, l, ldl);
#pragma unroll 1
        for (int k = 32 * q; k < end; k += 4) {
            if (k + 4 < end)
                next.load(q, k + 4, n, l, ldl);
            now.eliminate(q, k, y);
            now = next;
        }
    }
}

} // namespace startile_cuda

#endif
