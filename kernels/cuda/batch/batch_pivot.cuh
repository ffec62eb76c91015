/* Pivot search in a column with one element per lane, and division by the pivot. Private to
 * batch/. */
#ifndef STARTILE_BATCH_PIVOT_CUH
#define STARTILE_BATCH_PIVOT_CUH

#include "getrf/pivot.cuh"

namespace startile_cuda
{

constexpr unsigned int all_lanes = 0xffffffff;

template <typename T>
__device__ inline T product(T x, T y)
{
    return multiply_add(x, y, to_element<T>(0, 0));
}

/* Returns the maximum of x over each group of N neighbouring lanes. */
template <int N>
__device__ inline unsigned int largest_of_group(unsigned int x)
{
    if constexpr (N == 32) {
        return __reduce_max_sync(all_lanes, x);
    } else {
#pragma unroll
        for (int step = N / 2; step > 0; step /= 2)
            x = max(x, __shfl_xor_sync(all_lanes, x, step));
        return x;
    }
}

/* Returns the lane, as its index in the warp, with the group's largest order (pivot.cuh); if orders
 * are equal, the one with the smallest position. Order 0: no candidate; a group without candidates
 * gets any lane. The high words of the orders decide nearly always. */
template <int N>
__device__ inline int lane_of_pivot(unsigned long long order, int position)
{
    const int first = threadIdx.x % 32 / N * N;
    const unsigned int group = N == 32 ? all_lanes : ((1u << N % 32) - 1) << first;
    const unsigned int high = static_cast<unsigned int>(order >> 32);
    const unsigned int largest_high = largest_of_group<N>(high);
    bool is_best = high == largest_high;
    unsigned int best = __ballot_sync(all_lanes, is_best) & group;
    if (__any_sync(all_lanes, largest_high > 0 && (best & (best - 1)) != 0)) {
        const unsigned int low = is_best ? static_cast<unsigned int>(order) : 0;
        is_best &= low == largest_of_group<N>(low);
        const unsigned int inverted_position = is_best ? ~static_cast<unsigned int>(position) : 0;
        is_best &= inverted_position == largest_of_group<N>(inverted_position);
        best = __ballot_sync(all_lanes, is_best) & group;
    }
    return __ffs(static_cast<int>(best)) - 1;
}

/* Divides by a pivot: x / pivot = (scale x) reciprocal. Division by zero leaves x unchanged, as in
 * LAPACK. */
template <typename T>
struct divisor {
    real<T> scale;
    T reciprocal;

    __device__ divisor(T pivot) : scale(1)
    {
        if (quick_reciprocal_is_accurate<T>(static_cast<unsigned long long>(quick_order(pivot))
                                            << 32)) {
            reciprocal = quick_reciprocal(pivot);
            return;
        }
        if (is_zero(pivot)) {
            reciprocal = to_element<T>(1, 0);
            return;
        }
        /* 1/pivot could overflow; so a small pivot is scaled first. */
        if (fabs(size_up_to_sign(pivot)) < 1)
            scale = sizeof(real<T>) == 8 ? real<T>(0x1p200) : real<T>(0x1p60f);
        reciprocal = startile_cuda::reciprocal(scaled<T>(scale, pivot));
    }

    __device__ T operator()(T x) const
    {
        return product(scaled<T>(scale, x), reciprocal);
    }
};

} // namespace startile_cuda

#endif
