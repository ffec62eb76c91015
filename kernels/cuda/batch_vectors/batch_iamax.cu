/*
 * 1-based index of the first element with the largest |re| + |im|, for each of many vectors. NaN
 * counts as larger than any number.
 */
#include "batch_vectors/batch_reduce.cuh"

namespace startile_cuda
{

/* Returns an integer that compares as v ≥ 0 does, with NaN above infinity. All NaN are equal. */
__device__ inline int order_of(float v)
{
    return min(__float_as_int(v) & 0x7fffffff, 0x7f800001);
}

__device__ inline long long order_of(double v)
{
    return min(__double_as_longlong(v) & 0x7fffffffffffffff, 0x7ff0000000000001ll);
}

template <typename T>
struct largest_of {
    using value = int64_t;
    using order = decltype(order_of(typename element<T>::real()));

    order largest_order = -1;
    unsigned int index = 0; /* 1-based */

    __device__ void add(const T *v, unsigned int i)
    {
        auto size = fabs(real_part(v[0]));
        if constexpr (element<T>::is_complex)
            size += fabs(v[0].y);
        if (order_of(size) > largest_order) {
            largest_order = order_of(size);
            index = i + 1;
        }
    }
    __device__ void combine(const largest_of &other)
    {
        if (other.largest_order > largest_order ||
            (other.largest_order == largest_order && other.index < index)) {
            largest_order = other.largest_order;
            index = other.index;
        }
    }
    __device__ int64_t result() const
    {
        return index;
    }
};

template <typename T>
int iamax_batch(startile_exec *x, int count, const startile_matrices *X, int64_t *result)
{
    return reduce_vectors<largest_of<T>, T, 1>(x, count, X, X, result);
}

INSTANTIATE(iamax_batch);

} // namespace startile_cuda
