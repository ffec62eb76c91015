/* Sum of |re| + |im| for each of many vectors. Relative error at most (n + 1) eps. */
#include "batch_vectors/batch_reduce.cuh"

namespace startile_cuda
{

template <typename T>
struct magnitudes {
    using value = typename element<T>::real;

    value sum;

    __device__ void add(const T *v, unsigned int)
    {
        sum += fabs(real_part(v[0]));
        if constexpr (element<T>::is_complex)
            sum += fabs(v[0].y);
    }
    __device__ void combine(const magnitudes &other)
    {
        sum += other.sum;
    }
    __device__ value result() const
    {
        return sum;
    }
};

template <typename T>
int asum_batch(startile_exec *x, int count, const startile_matrices *X, void *result)
{
    return reduce_vectors<magnitudes<T>, T, 1>(x, count, X, X, result);
}

INSTANTIATE(asum_batch);

} // namespace startile_cuda
