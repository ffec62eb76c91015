/* B := A, or one triangle of it (LAPACK xLACPY) */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

template <typename T>
struct lacpy_element {
    const T *a;
    int64_t lda;
    T *b;
    int64_t ldb;

    __device__ void operator()(int i, int j) const
    {
        b[i + j * ldb] = a[i + j * lda];
    }
};

template <typename T>
int lacpy(startile_exec *x, char uplo, int m, int n, const void *a, int lda, void *b, int ldb)
{
    return apply_elementwise(
        x, uplo, m, n, lacpy_element<T>{static_cast<const T *>(a), lda, static_cast<T *>(b), ldb});
}

INSTANTIATE(lacpy);

} // namespace startile_cuda
