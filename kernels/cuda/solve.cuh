/*
 * A triangular solve for one right-hand side in the registers of a warp: row i is in lane i % 32.
 * By substitution, four rows at a time, because what a row waits for is the shuffle that spreads
 * it.
 */
#ifndef STARTILE_SOLVE_CUH
#define STARTILE_SOLVE_CUH

#include "element.cuh"

namespace startile_cuda
{

template <typename T>
__device__ inline T from_lane(T y, int k)
{
    constexpr unsigned int all = 0xffffffff;
    if constexpr (element<T>::is_complex)
        return T{__shfl_sync(all, y.x, k), __shfl_sync(all, y.y, k)};
    else
        return __shfl_sync(all, y, k);
}

/* y := L⁻¹ y for the unit lower triangle L of order n ≤ 32 parts; l(i, k) is an element of it */
template <int unroll, int parts, typename T, typename L>
__device__ inline void solve_unit_lower(int n, T (&y)[parts], L l)
{
    const int lane = threadIdx.x % 32;
    const T zero = to_element<T>(0, 0);
#pragma unroll
    for (int q = 0; q < parts; q++) {
#pragma unroll unroll
        for (int k = 32 * q; k < 32 * (q + 1); k += 4) {
            if (k >= n)
                break;
            T inner[4][4], column[parts][4], x[4];
#pragma unroll
            for (int j = 0; j < 4; j++) {
#pragma unroll
                for (int i = j + 1; i < 4; i++)
                    inner[i][j] = k + i < n ? l(k + i, k + j) : zero;
#pragma unroll
                for (int p = q; p < parts; p++) {
                    int row = lane + 32 * p;
                    column[p][j] = row >= k + 4 && row < n ? l(row, k + j) : zero;
                }
            }
#pragma unroll
            for (int j = 0; j < 4; j++)
                x[j] = from_lane(y[q], k % 32 + j);
#pragma unroll
            for (int j = 0; j < 4; j++)
#pragma unroll
                for (int i = j + 1; i < 4; i++)
                    x[i] = subtract_product(x[i], inner[i][j], x[j]);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (lane == k % 32 + j)
                    y[q] = x[j];
#pragma unroll
                for (int p = q; p < parts; p++)
                    if (lane + 32 * p >= k + 4)
                        y[p] = subtract_product(y[p], column[p][j], x[j]);
            }
        }
    }
}

} // namespace startile_cuda

#endif
