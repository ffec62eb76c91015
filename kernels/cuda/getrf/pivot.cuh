/* Comparison of pivots, by integers that compare as |re| + |im| does (orders), and division by
 * pivots. Both agree with LAPACK. */
#ifndef STARTILE_PIVOT_CUH
#define STARTILE_PIVOT_CUH

#include "common/element.cuh"

#include <climits>

namespace startile_cuda
{

template <typename T>
using real = typename element<T>::real;

/* Position of a candidate that does not exist */
constexpr int no_row = INT_MAX;

/* pivot_order of zero, and of NaN below the topmost row */
constexpr unsigned long long order_of_zero = 32ull << 32;

/* Returns |re| + |im| for complex types. Returns x itself for real types; the callers clear its
 * sign. */
template <typename T>
__device__ inline real<T> size_up_to_sign(T x)
{
    if constexpr (element<T>::is_complex)
        return fabs(x.x) + fabs(x.y);
    else
        return x;
}

/* Returns an integer > 0 that compares as |re| + |im| does; 0 stands for no candidate. NaN counts
 * as zero, except in the topmost row, where it wins, as in LAPACK's search for the maximum. */
template <typename T>
__device__ inline unsigned long long pivot_order(T x, bool topmost)
{
    const unsigned long long nan = topmost ? 1ull << 63 : order_of_zero;
    const real<T> size = size_up_to_sign(x);
    if constexpr (sizeof size == 8) {
        unsigned long long bits = __double_as_longlong(size) & 0x7fffffffffffffff;
        return bits > 0x7ff0000000000000 ? nan : bits + order_of_zero;
    } else {
        unsigned int bits = __float_as_uint(size) & 0x7fffffff;
        return bits > 0x7f800000 ? nan : static_cast<unsigned long long>(bits + 32) << 32;
    }
}

/* Returns the high word of pivot_order for a finite element, and at least quick_order_of_infinity
 * for infinity and NaN. */
template <typename T>
__device__ inline unsigned int quick_order(T x)
{
    if constexpr (sizeof(real<T>) == 8)
        return (__double2hiint(size_up_to_sign(x)) & 0x7fffffff) + 32;
    else
        return (__float_as_uint(size_up_to_sign(x)) & 0x7fffffff) + 32;
}

/* Returns the low word of pivot_order for a finite element. */
template <typename T>
__device__ inline unsigned int low_order(T x)
{
    if constexpr (sizeof(real<T>) == 8)
        return __double2loint(size_up_to_sign(x));
    else
        return 0;
}

template <typename T>
constexpr unsigned int quick_order_of_infinity = (sizeof(real<T>) == 8 ? 0x7ff00000 : 0x7f800000);

/* Returns 1/x to one or two units in the last place, unless x or 1/x is near underflow. */
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

/* Smith's algorithm as in reciprocal(); `swapped`: the imaginary part is the larger one. */
template <typename C>
__device__ inline C quick_reciprocal(C z)
{
    bool swapped = fabs(z.x) < fabs(z.y);
    auto large = swapped ? z.y : z.x, small = swapped ? z.x : z.y;
    auto ratio = small * quick_reciprocal(large);
    auto a = quick_reciprocal(fma(small, ratio, large)), b = ratio * a;
    return swapped ? C{b, -a} : C{a, -b};
}

/* Returns whether quick_reciprocal is accurate for an element with this pivot_order. */
template <typename T>
__device__ inline bool quick_reciprocal_is_accurate(unsigned long long order)
{
    unsigned int high = static_cast<unsigned int>(order >> 32);
    return sizeof(real<T>) == 8 ? high - 0x03000000 < 0x7a000000 : high - 0x08000000 < 0x6f000000;
}

} // namespace startile_cuda

#endif
