/* B := A with positive diagonal elements of a factor: a QR factorization leaves their signs open */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

template <typename T>
struct signed_element {
    const T *d;
    int64_t ldd;
    const T *a;
    int64_t lda;
    T *b;
    int64_t ldb;

    __device__ void operator()(int i, int j) const
    {
        const T z = a[i + j * lda];
        b[i + j * ldb] = real_part(d[i + i * ldd]) < 0 ? scaled<T>(-1, z) : z;
    }
};

template <typename T>
int signed_rows(startile_exec *x, char uplo, int m, int n, const void *d, int ldd, const void *a,
                int lda, void *b, int ldb)
{
    return apply_elementwise(x, uplo, m, n,
                             signed_element<T>{static_cast<const T *>(d), ldd,
                                               static_cast<const T *>(a), lda, static_cast<T *>(b),
                                               ldb});
}

INSTANTIATE(signed_rows);

} // namespace startile_cuda
