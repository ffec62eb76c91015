/*
 * x := alpha x for many vectors. Error at most eps |alpha x| for real elements, γ₂ |alpha| |x| for
 * complex ones.
 */
#include "batch_vectors/batch_map.cuh"

namespace startile_cuda
{

template <typename T>
struct scaling {
    T alpha;

    __device__ bool changes_nothing() const
    {
        return false;
    }
    __device__ void operator()(T *v) const
    {
        if constexpr (element<T>::is_complex)
            v[0] = T{alpha.x * v[0].x - alpha.y * v[0].y, alpha.x * v[0].y + alpha.y * v[0].x};
        else
            v[0] *= alpha;
    }
};

template <typename T>
int scal_batch(startile_exec *x, int count, const void *alpha, int step, const startile_matrices *X)
{
    return map_vectors<scaling<T>, T, 1>(x, count, alpha, step, X, X);
}

INSTANTIATE(scal_batch);

} // namespace startile_cuda
