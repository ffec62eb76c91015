/* Comparing pivots and dividing by them, as LAPACK does. Private to the files getrf*.cu. */
#ifndef STARTILE_PIVOT_CUH
#define STARTILE_PIVOT_CUH

#include "element.cuh"

#include <climits>

namespace startile_cuda
{

/* The position of no row */
constexpr int nowhere = INT_MAX;

template <typename T>
using real = typename element<T>::real;

/* |re| + |im| as an integer of the same order; NaN counts as nothing, except in the topmost row,
 * where it wins: so does LAPACK's comparison of the maximum so far with each further element. */
template <typename T>
__device__ inline unsigned long long pivot_order(T x, bool topmost)
{
    const unsigned long long nan = topmost ? ~0ull : 0;
    real<T> size;
    if constexpr (element<T>::is_complex)
        size = fabs(x.x) + fabs(x.y);
    else
        size = x;
    if constexpr (sizeof size == 8) {
        unsigned long long bits = __double_as_longlong(size) & 0x7fffffffffffffff;
        return bits > 0x7ff0000000000000 ? nan : bits;
    } else {
        unsigned int bits = __float_as_uint(size) & 0x7fffffff;
        return bits > 0x7f800000 ? nan : static_cast<unsigned long long>(bits) << 32;
    }
}

/* 1/x, to a unit or two in the last place unless x or 1/x is near underflow */
__device__ inline float quick_reciprocal(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return fma(fma(-x, y, 1.0f), y, y);
}

__device__ inline double quick_reciprocal(double x)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    y = fma(fma(-x, y, 1.0), y, y);
    return fma(fma(-x, y, 1.0), y, y);
}

template <typename C>
__device__ inline C quick_reciprocal(C z)
{
    bool turn = fabs(z.x) < fabs(z.y);
    auto large = turn ? z.y : z.x, small = turn ? z.x : z.y;
    auto ratio = small * quick_reciprocal(large);
    auto a = quick_reciprocal(fma(small, ratio, large)), b = ratio * a;
    return turn ? C{b, -a} : C{a, -b};
}

/* Whether quick_reciprocal will do for an element of this order */
template <typename T>
__device__ inline bool is_quick(unsigned long long order)
{
    unsigned int high = static_cast<unsigned int>(order >> 32);
    return sizeof(real<T>) == 8 ? high - 0x03000000 < 0x7a000000 : high - 0x08000000 < 0x6f000000;
}

/* Out of line: rare, and long */
template <typename T>
__device__ __noinline__ T divide(T x, T y)
{
    if constexpr (!element<T>::is_complex)
        return x / y;
    else if constexpr (sizeof(T) == sizeof(cuDoubleComplex))
        return cuCdiv(x, y);
    else
        return cuCdivf(x, y);
}

} // namespace startile_cuda

#endif
