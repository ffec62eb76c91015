/*
 * A := offdiag off the diagonal, diag on it (LAPACK xLASET). The diagonal may be outside the tile.
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

template <typename T>
struct laset_element {
    int64_t shift;
    T offdiag, diag;
    T *a;
    int64_t lda;

    __device__ void operator()(int i, int j) const
    {
        a[i + j * lda] = i + shift == j ? diag : offdiag;
    }
};

template <typename T>
int laset(startile_exec *x, char uplo, int m, int n, int64_t shift, startile_scalar offdiag,
          startile_scalar diag, void *a, int lda)
{
    return apply_elementwise(x, uplo, m, n,
                             laset_element<T>{shift, to_element<T>(offdiag), to_element<T>(diag),
                                              static_cast<T *>(a), lda});
}

INSTANTIATE(laset);

} // namespace startile_cuda
