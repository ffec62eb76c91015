/*
 * Triangular solves in the registers of a warp.
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

/* Steps first, first + 1, … of y := L⁻¹ y by forward substitution for a unit lower triangle L,
 * where y[p] in lane i is row 32 p + i and l(i, k) an element of L. Four steps at a time, because
 * what a step waits for is the shuffle that spreads its row. `first` is to be known when compiling.
 */
template <int parts, typename T, typename L>
__device__ inline void substitute(int first, int count, T (&y)[parts], L l)
{
    const int lane = threadIdx.x % 32, q = first / 32;
#pragma unroll 2
    for (int k = first; k < first + count; k += 4) {
        T x[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            x[j] = from_lane(y[q], k % 32 + j);
#pragma unroll
            for (int i = 0; i < j; i++)
                x[j] = subtract_product(x[j], l(k + j, k + i), x[i]);
        }
#pragma unroll
        for (int p = q; p < parts; p++) {
            const int row = 32 * p + lane;
            T sum = y[p];
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (row > k + j)
                    sum = subtract_product(sum, l(row, k + j), x[j]);
            y[p] = sum;
        }
    }
}

} // namespace startile_cuda

#endif
