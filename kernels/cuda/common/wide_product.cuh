/* Products of diagonal elements as numbers with an exponent of their own (wide.h), for
 * determinants. */
#ifndef STARTILE_WIDE_PRODUCT_CUH
#define STARTILE_WIDE_PRODUCT_CUH

#include "common/element.cuh"
#include "wide.h"

namespace startile_cuda
{

/* Returns d, or −d if `negative`. */
template <typename T>
__device__ inline startile_wide wide_element(T d, bool negative)
{
    const double sign = negative ? -1 : 1;
    if constexpr (element<T>::is_complex)
        return startile_wide_of(sign * d.x, sign * d.y, 0);
    else
        return startile_wide_of(sign * d, 0, 0);
}

/* Returns, to lane 0, the product of the numbers of all lanes of a warp. */
__device__ inline startile_wide product_of_warp(startile_wide w)
{
    for (int offset = 16; offset > 0; offset /= 2) {
        const startile_wide other = {__shfl_down_sync(0xffffffff, w.re, offset),
                                     __shfl_down_sync(0xffffffff, w.im, offset),
                                     __shfl_down_sync(0xffffffff, w.exponent, offset)};
        w = startile_wide_product(w, other);
    }
    return w;
}

} // namespace startile_cuda

#endif
