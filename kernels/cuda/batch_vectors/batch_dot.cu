/* Inner products Σ x y or Σ x̄ y of many pairs of vectors. |error| ≤ γ_n Σ |x| |y| (Higham 2002,
 * section 3.1). */
#include "batch_vectors/batch_reduce.cuh"

namespace startile_cuda
{

template <typename T, bool conjugates>
struct products {
    using value = T;

    T sum;

    __device__ void add(const T *v, unsigned int)
    {
        sum = multiply_add(conjugates ? conjugate(v[0]) : v[0], v[1], sum);
    }
    __device__ void combine(const products &other)
    {
        if constexpr (element<T>::is_complex)
            sum = {sum.x + other.sum.x, sum.y + other.sum.y};
        else
            sum += other.sum;
    }
    __device__ T result() const
    {
        return sum;
    }
};

template <typename T>
int dot_batch(startile_exec *x, int conjugate, int count, const startile_matrices *X,
              const startile_matrices *Y, void *result)
{
    if (element<T>::is_complex && conjugate)
        return reduce_vectors<products<T, element<T>::is_complex>, T, 2>(x, count, X, Y, result);
    return reduce_vectors<products<T, false>, T, 2>(x, count, X, Y, result);
}

INSTANTIATE(dot_batch);

} // namespace startile_cuda
