/* B := the Hermitian or symmetric matrix of which A has one triangle */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

template <typename T>
struct mirror_element {
    bool hermitian;
    const T *a;
    int64_t lda;
    T *b;
    int64_t ldb;

    __device__ void operator()(int i, int j) const
    {
        const T z = real_if(hermitian && i == j, a[i + j * lda]);
        b[i + j * ldb] = z;
        if (i == j)
            return;
        if constexpr (element<T>::is_complex)
            b[j + i * ldb] = hermitian ? to_element<T>(z.x, -z.y) : z;
        else
            b[j + i * ldb] = z;
    }
};

template <typename T>
int mirror(startile_exec *x, char uplo, int hermitian, int n, const void *a, int lda, void *b,
           int ldb)
{
    return apply_elementwise(x, uplo, n, n,
                             mirror_element<T>{hermitian != 0, static_cast<const T *>(a), lda,
                                               static_cast<T *>(b), ldb});
}

INSTANTIATE(mirror);

} // namespace startile_cuda
