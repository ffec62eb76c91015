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

/* Four columns of a panel of 32 columns of a unit lower triangle, distributed over the lanes of a
 * warp. Rows and columns count from the panel's diagonal block. */
template <typename T, int parts>
struct four_columns {
    T inner[4][4]; /* 4 × 4 block on the diagonal, the same in all lanes */
    /* outer[p][j]: element of row 32 p + lane in column k + j; zero on and above the diagonal, and
     * below the panel */
    T outer[parts][4];

    /* Loads columns k … k + 3 of a panel of ld rows. */
    __device__ void load(int k, const T *l, int ld)
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int j = 0; j < 4; j++) {
#pragma unroll
            for (int i = j + 1; i < 4; i++)
                inner[i][j] = l[k + i + (k + j) * ld];
#pragma unroll
            for (int p = 0; p < parts; p++)
                outer[p][j] = 32 * p < ld && (p > 0 || lane > k + j)
                                  ? l[32 * p + lane + (k + j) * ld]
                                  : to_element<T>(0, 0);
        }
    }

    /* Eliminates unknowns k … k + 3 from y. Row 32 p + i of y is y[p] in lane i. */
    __device__ void eliminate(int k, T *y) const
    {
        T x[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            x[j] = from_lane(y[0], k + j);
#pragma unroll
            for (int i = 0; i < j; i++)
                x[j] = subtract_product(x[j], inner[j][i], x[i]);
        }
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int p = 0; p < parts; p++)
                y[p] = subtract_product(y[p], outer[p][j], x[j]);
    }
};

/* Eliminates the n ≤ 32 unknowns of a panel of a unit lower triangle from y, by a warp. l: the
 * panel from its diagonal block down, ld rows, a multiple of 32, at most 32 · parts; rows and
 * columns from n on are zero. Each step waits for the shuffle that broadcasts an unknown. So the
 * warp eliminates four unknowns at a time, and loads the next four columns meanwhile. */
template <int parts, typename T>
__device__ inline void eliminate_panel(int n, T *y, const T *l, int ld)
{
    four_columns<T, parts> now, next;
    now.load(0, l, ld);
#pragma unroll 1
    for (int k = 0; k < n; k += 4) {
        if (k + 4 < n)
            next.load(k + 4, l, ld);
        now.eliminate(k, y);
        now = next;
    }
}

} // namespace startile_cuda

#endif
