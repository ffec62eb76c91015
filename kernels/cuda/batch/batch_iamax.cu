/*
 * Index of the first of the largest |re| + |im| of each of many vectors; NaN is larger than all
 * else.
 */
#include "batch/batch_reduce.cuh"

namespace startile_cuda
{

/* Returns bits that have the order of numbers ≥ 0, with NaN above infinity; all NaN are equal. */
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

    order most = -1;
    unsigned int index = 0; /* from 1 */

    __device__ void add(const T *v, unsigned int i)
    {
        auto size = fabs(real_part(v[0]));
        if constexpr (element<T>::is_complex)
            size += fabs(v[0].y);
        if (order_of(size) > most) {
            most = order_of(size);
            index = i + 1;
        }
    }
    __device__ void combine(const largest_of &other)
    {
        if (other.most > most || (other.most == most && other.index < index)) {
            most = other.most;
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
    return sum_vectors<largest_of<T>, T, 1>(x, count, X, X, result);
}

template int iamax_batch<float>(startile_exec *, int, const startile_matrices *, int64_t *);
template int iamax_batch<double>(startile_exec *, int, const startile_matrices *, int64_t *);
template int iamax_batch<cuComplex>(startile_exec *, int, const startile_matrices *, int64_t *);
template int iamax_batch<cuDoubleComplex>(startile_exec *, int, const startile_matrices *,
                                          int64_t *);

} // namespace startile_cuda
