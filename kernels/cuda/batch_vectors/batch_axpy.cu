/* y := alpha x + y for many pairs of vectors. As in BLAS, y is not accessed where alpha is 0. */
#include "batch_vectors/batch_map.cuh"

namespace startile_cuda
{

template <typename T>
struct addition {
    T alpha;

    __device__ bool changes_nothing() const
    {
        return is_zero(alpha);
    }
    __device__ void operator()(T *v) const
    {
        v[1] = multiply_add(alpha, v[0], v[1]);
    }
};

template <typename T>
int axpy_batch(startile_exec *x, int count, const void *alpha, int step, const startile_matrices *X,
               const startile_matrices *Y)
{
    return map_vectors<addition<T>, T, 2>(x, count, alpha, step, X, Y);
}

INSTANTIATE(axpy_batch);

} // namespace startile_cuda
