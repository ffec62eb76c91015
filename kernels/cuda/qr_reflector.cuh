/*
 * One Householder reflector, as LAPACK's xLARFG makes it: H = I − tau v vᴴ with v = (1, scale a),
 * Hᴴ (alpha, a) = (beta, 0), beta real. Scalars and sums are in double for all types, so that
 * for single precision nothing on the way can overflow or vanish.
 */
#ifndef STARTILE_QR_REFLECTOR_CUH
#define STARTILE_QR_REFLECTOR_CUH

#include "element.cuh"

#include <type_traits>

namespace startile_cuda
{

template <typename T>
using wide = std::conditional_t<element<T>::is_complex, cuDoubleComplex, double>;

/* From one precision to the other */
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

/* The larger of |re| and |im|; NaN counts as 0 */
template <typename S>
__device__ inline double largest_part(S x)
{
    return fmax(fmax(fabs(real_part(x)), fabs(imaginary_part(x))), 0.0);
}

template <typename S>
struct reflector {
    double beta, minus_reciprocal; /* −1/beta */
    S tau, scale;
};

/* square is the sum of the squares of a, of which a = 0 has to be told: it might vanish. For
 * double, |alpha| and the root of square have to be away from the ends of the range. */
template <typename S>
__device__ inline reflector<S> reflector_of(S alpha, double square, bool is_zero)
{
    const double re = real_part(alpha), im = imaginary_part(alpha);
    if (is_zero && im == 0)
        return {re, 0, to_element<S>(0, 0), to_element<S>(0, 0)};
    const double whole = fma(re, re, fma(im, im, square));
    const double reciprocal = rsqrt(whole);
    const double beta = -copysign(whole * reciprocal, re);
    const double minus_reciprocal = copysign(reciprocal, re);
    const double difference = re - beta;
    if constexpr (element<S>::is_complex) {
        const double factor = 1 / fma(difference, difference, im * im);
        return {beta,
                minus_reciprocal,
                {fma(re, minus_reciprocal, 1.0), im * minus_reciprocal},
                {difference * factor, -im * factor}};
    } else {
        return {beta, minus_reciprocal, fma(re, minus_reciprocal, 1.0), 1 / difference};
    }
}

/* What Hᴴ subtracts from a column, as multiple of v: conj(tau) vᴴ (top, c), where product = aᴴ c;
 * that scale cancels against tau is why nothing here waits for a division. */
template <typename S>
__device__ inline S multiple_of(const reflector<S> &h, S top, S product)
{
    return multiply_add(conjugate(h.tau), top, scaled<S>(h.minus_reciprocal, product));
}

} // namespace startile_cuda

#endif
