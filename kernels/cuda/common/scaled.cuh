/* Elements scaled by powers of two, in double precision */
#ifndef STARTILE_SCALED_CUH
#define STARTILE_SCALED_CUH

#include "common/element.cuh"
#include "power_of_two.h"

namespace startile_cuda
{

/* Returns 2^p v as double or cuDoubleComplex. */
template <typename T>
__device__ inline auto scaled_by_power(T v, int p)
{
    if constexpr (element<T>::is_complex)
        return cuDoubleComplex{startile_scaled(v.x, p), startile_scaled(v.y, p)};
    else
        return startile_scaled(v, p);
}

} // namespace startile_cuda

#endif
