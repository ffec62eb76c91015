/*
 * One Householder reflector, as in LAPACK's xLARFG: H = I − tau v vᴴ with v = (1, scale a), Hᴴ
 * (alpha, a) = (beta, 0), beta real. Scalars and sums are in double for all types, so that no
 * intermediate result overflows or underflows in single precision.
 */
#ifndef STARTILE_REFLECTOR_CUH
#define STARTILE_REFLECTOR_CUH

#include "common/element.cuh"

#include <type_traits>

namespace startile_cuda
{

/* Type of scalars and sums: double, or double complex for complex elements */
template <typename T>
using wide = std::conditional_t<element<T>::is_complex, cuDoubleComplex, double>;

/* Converts x to another precision. */
template <typename To, typename From>
__device__ inline To convert(From x)
{
    if constexpr (std::is_same_v<To, From>)
        return x;
    else if constexpr (element<To>::is_complex)
        return To{static_cast<typename element<To>::real>(x.x),
                  static_cast<typename element<To>::real>(x.y)};
    else
        return static_cast<To>(x);
}

template <typename S>
__device__ inline double imaginary_part(S x)
{
    if constexpr (element<S>::is_complex)
        return x.y;
    else
        return 0;
}

template <typename T>
__device__ inline T multiply(T x, T y)
{
    return multiply_add(x, y, to_element<T>(0, 0));
}

/* Returns x of lane `lane` of the warp. */
template <typename T>
__device__ inline T shuffle(T x, int lane)
{
    if constexpr (element<T>::is_complex)
        return T{__shfl_sync(0xffffffff, x.x, lane), __shfl_sync(0xffffffff, x.y, lane)};
    else
        return __shfl_sync(0xffffffff, x, lane);
}

/* Returns the larger of |re| and |im|; NaN counts as 0. */
template <typename S>
__device__ inline double largest_part(S x)
{
    return fmax(fmax(fabs(real_part(x)), fabs(imaginary_part(x))), 0.0);
}

/* Returns 1/√x to 2 units in the last place, for x > 0 away from the ends of the range, by one step
 * of third order from an estimate of 20 bits. Takes half the latency of CUDA's function, as does
 * quick_inverse. */
__device__ inline double quick_rsqrt(double x)
{
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(-x * y, y, 1.0);
    return fma(y * e, fma(0.375, e, 0.5), y);
}

/* Returns 1/x by the method of quick_rsqrt, for x away from the ends of the range. */
__device__ inline double quick_inverse(double x)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(-x, y, 1.0);
    return fma(y, fma(e, e, e), y);
}

template <typename S>
struct reflector {
    double beta, minus_reciprocal; /* minus_reciprocal: −1/beta; 0 if H = I */
    S tau, scale;
};

/* Returns the reflector of a column (alpha, a). square: the sum of squares of a. is_zero: a = 0;
 * needed because the square may underflow. If a contains NaN, is_zero may be true, but the square
 * is NaN. |alpha| and the root of square must be away from the ends of the range of double. */
template <typename S>
__device__ inline reflector<S> reflector_of(S alpha, double square, bool is_zero)
{
    const double re = real_part(alpha), im = imaginary_part(alpha);
    if (is_zero && square == 0 && im == 0)
        return {re, 0, to_element<S>(0, 0), to_element<S>(0, 0)};
    double norm_squared = fma(re, re, square);
    if constexpr (element<S>::is_complex)
        norm_squared = fma(im, im, norm_squared);
    const double reciprocal = quick_rsqrt(norm_squared);
    const double beta = -copysign(norm_squared * reciprocal, re);
    const double minus_reciprocal = copysign(reciprocal, re);
    const double difference = re - beta;
    if constexpr (element<S>::is_complex) {
        const double factor = quick_inverse(fma(difference, difference, im * im));
        return {beta,
                minus_reciprocal,
                {fma(re, minus_reciprocal, 1.0), im * minus_reciprocal},
                {difference * factor, -im * factor}};
    } else {
        return {beta, minus_reciprocal, fma(re, minus_reciprocal, 1.0), quick_inverse(difference)};
    }
}

/* Returns the multiple of v that Hᴴ subtracts from a column (top, c): conj(tau) vᴴ (top, c), where
 * product = aᴴ c. The result does not depend on `scale`, which cancels against tau; so it does not
 * wait for the division in `scale`. */
template <typename S>
__device__ inline S multiple_of(const reflector<S> &h, S top, S product)
{
    return multiply_add(conjugate(h.tau), top, scaled<S>(h.minus_reciprocal, product));
}

} // namespace startile_cuda

#endif
