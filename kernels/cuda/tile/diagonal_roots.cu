/* Square roots of the diagonal of a Hermitian matrix */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

template <typename T>
struct diagonal_root {
    const T *a;
    int64_t lda;
    double *d;

    __device__ void operator()(int i, int) const
    {
        d[i] = sqrt(fabs(static_cast<double>(real_part(a[i + i * lda]))));
    }
};

template <typename T>
int diagonal_roots(startile_exec *x, int n, const void *a, int lda, double *d)
{
    return apply_elementwise(x, 'G', n, 1, diagonal_root<T>{static_cast<const T *>(a), lda, d});
}

INSTANTIATE(diagonal_roots);

} // namespace startile_cuda
