/*
 * The four element types and their device arithmetic. Complex elements are cuComplex and
 * cuDoubleComplex. Their product is the plain formula, as in BLAS, without C's special treatment of
 * infinities.
 */
#ifndef STARTILE_ELEMENT_CUH
#define STARTILE_ELEMENT_CUH

#include "kernels.h"

#include <cfloat>
#include <cuComplex.h>
#include <math.h>

/* Instantiates a function template for the four element types. */
#define INSTANTIATE(function)                                                                      \
    template decltype(function<float>) function<float>;                                            \
    template decltype(function<double>) function<double>;                                          \
    template decltype(function<cuComplex>) function<cuComplex>;                                    \
    template decltype(function<cuDoubleComplex>) function<cuDoubleComplex>

namespace startile_cuda
{

template <typename T>
struct element;

template <>
struct element<float> {
    using real = float;
    using other_precision = double;
    static constexpr bool is_complex = false;
};

template <>
struct element<double> {
    using real = double;
    using other_precision = float;
    static constexpr bool is_complex = false;
};

template <>
struct element<cuComplex> {
    using real = float;
    using other_precision = cuDoubleComplex;
    static constexpr bool is_complex = true;
};

template <>
struct element<cuDoubleComplex> {
    using real = double;
    using other_precision = cuComplex;
    static constexpr bool is_complex = true;
};

/* Single and complex single precision */
template <typename T>
constexpr bool is_single = sizeof(typename element<T>::real) == sizeof(float);

/* Real numbers of an element */
template <typename T>
constexpr int parts_of = element<T>::is_complex ? 2 : 1;

template <typename T>
__host__ __device__ inline T to_element(double re, double im)
{
    using real = typename element<T>::real;
    if constexpr (element<T>::is_complex)
        return T{static_cast<real>(re), static_cast<real>(im)};
    else
        return static_cast<T>(re);
}

template <typename T>
inline T to_element(startile_scalar s)
{
    return to_element<T>(s.re, s.im);
}

template <typename T>
__host__ __device__ inline typename element<T>::real real_part(T x)
{
    if constexpr (element<T>::is_complex)
        return x.x;
    else
        return x;
}

template <typename T>
__device__ inline T plus(T x, T y)
{
    if constexpr (element<T>::is_complex)
        return T{x.x + y.x, x.y + y.y};
    else
        return x + y;
}

/* Returns |re| + |im| in double precision. */
template <typename T>
__device__ inline double magnitude1(T x)
{
    if constexpr (element<T>::is_complex)
        return fabs(static_cast<double>(x.x)) + fabs(static_cast<double>(x.y));
    else
        return fabs(static_cast<double>(x));
}

/* Returns |x| in double precision. */
template <typename T>
__device__ inline double magnitude(T x)
{
    if constexpr (element<T>::is_complex)
        return hypot(static_cast<double>(x.x), static_cast<double>(x.y));
    else
        return fabs(static_cast<double>(x));
}

/* Returns v with its imaginary part set to 0 if is_real. */
template <typename T>
__device__ inline T real_if(bool is_real, T v)
{
    if constexpr (element<T>::is_complex)
        v.y = is_real ? 0 : v.y;
    return v;
}

template <typename T>
__host__ __device__ inline bool is_zero(T x)
{
    if constexpr (element<T>::is_complex)
        return x.x == 0 && x.y == 0;
    else
        return x == 0;
}

template <typename T>
__device__ inline T conjugate(T x)
{
    if constexpr (element<T>::is_complex)
        return T{x.x, -x.y};
    else
        return x;
}

/* Overflow threshold, and a number slightly below its square root */
template <typename T>
constexpr
    typename element<T>::real largest = sizeof(typename element<T>::real) == 8 ? DBL_MAX : FLT_MAX;
template <typename T>
constexpr typename element<T>::real nearly_root_of_largest = sizeof(typename element<T>::real) == 8
                                                                 ? 1.3401e154
                                                                 : 1.8437e19f;

/* Returns s x for a real s. */
template <typename T>
__device__ inline T scaled(typename element<T>::real s, T x)
{
    if constexpr (element<T>::is_complex)
        return T{s * x.x, s * x.y};
    else
        return s * x;
}

/* Returns x y + z. */
template <typename T>
__device__ inline T multiply_add(T x, T y, T z)
{
    if constexpr (element<T>::is_complex)
        return T{fma(-x.y, y.y, fma(x.x, y.x, z.x)), fma(x.y, y.x, fma(x.x, y.y, z.y))};
    else
        return fma(x, y, z);
}

/* Returns z − x y. */
template <typename T>
__device__ inline T subtract_product(T z, T x, T y)
{
    return multiply_add(scaled<T>(-1, x), y, z);
}

/* Returns 1/x; for complex x by Smith's algorithm, which avoids overflow in intermediate results.
 */
template <typename T>
__device__ inline T reciprocal(T x)
{
    if constexpr (!element<T>::is_complex) {
        return 1 / x;
    } else if (fabs(x.x) >= fabs(x.y)) {
        auto ratio = x.y / x.x, denominator = x.x + x.y * ratio;
        return T{1 / denominator, -ratio / denominator};
    } else {
        auto ratio = x.x / x.y, denominator = x.x * ratio + x.y;
        return T{ratio / denominator, -1 / denominator};
    }
}

/* Returns x / y; for complex y by Smith's algorithm, as reciprocal(), and not by way of 1/y, which
 * overflows for subnormal y. The result for conjugates is the conjugate of the result. Not inlined,
 * because calls are rare and the code is long. */
template <typename T>
__device__ __noinline__ T divide(T x, T y)
{
    if constexpr (!element<T>::is_complex) {
        return x / y;
    } else {
        if (fabs(y.x) < fabs(y.y)) {
            /* x / y = (−i x) / (−i y) */
            x = {x.y, -x.x};
            y = {y.y, -y.x};
        }
        const auto ratio = y.y / y.x, denominator = y.x + y.y * ratio;
        return T{(x.x + x.y * ratio) / denominator, (x.y - x.x * ratio) / denominator};
    }
}

} // namespace startile_cuda

#endif
