/* Exchange of solved numbers between the thread blocks of solve.cu: readers wait until a number is
 * not the NaN with which the array was filled. */
#ifndef STARTILE_SOLVE_EXCHANGE_CUH
#define STARTILE_SOLVE_EXCHANGE_CUH

#include "common/element.cuh"

namespace startile_cuda
{

/* A number whose bits are all 1 is a NaN. No other result has these bits. */
__device__ inline bool is_unsolved(float x)
{
    return __float_as_uint(x) == ~0u;
}

__device__ inline bool is_unsolved(double x)
{
    return __double_as_longlong(x) == -1;
}

template <typename T>
__device__ inline T solved(T x)
{
    return is_unsolved(x) ? static_cast<T>(NAN) : x;
}

/* Waits for a number, and returns it. */
template <typename T>
__device__ inline T wait_for_number(const T *x)
{
    const volatile T *place = x;
    T value;
    while (is_unsolved(value = *place))
        ;
    return value;
}

template <typename T>
__device__ inline T wait_for(const T *x)
{
    if constexpr (element<T>::is_complex)
        return T{wait_for_number(&x->x), wait_for_number(&x->y)};
    else
        return wait_for_number(x);
}

template <typename T>
__device__ inline void publish(T *to, T x)
{
    if constexpr (element<T>::is_complex) {
        *const_cast<volatile typename element<T>::real *>(&to->x) = solved(x.x);
        *const_cast<volatile typename element<T>::real *>(&to->y) = solved(x.y);
    } else {
        *const_cast<volatile T *>(to) = solved(x);
    }
}

} // namespace startile_cuda

#endif
