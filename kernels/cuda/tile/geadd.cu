/*
 * B := alpha A + beta B as in BLAS: beta = 0 overwrites B, also NaN; with alpha = 0 A is not read
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

template <typename T>
struct geadd_element {
    T alpha, beta;
    bool overwrite;
    const T *a;
    int64_t lda;
    T *b;
    int64_t ldb;

    __device__ void operator()(int i, int j) const
    {
        const T zero = to_element<T>(0, 0);
        T old = overwrite ? zero : multiply_add(beta, b[i + j * ldb], zero);
        b[i + j * ldb] = multiply_add(alpha, a[i + j * lda], old);
    }
};

template <typename T>
int geadd(startile_exec *x, int m, int n, startile_scalar alpha, const void *a, int lda,
          startile_scalar beta, void *b, int ldb)
{
    T *to = static_cast<T *>(b);
    if (alpha.re == 0 && alpha.im == 0)
        return scale(x, 'G', false, m, n, to_element<T>(beta), to, ldb);
    return apply_elementwise(x, 'G', m, n,
                             geadd_element<T>{to_element<T>(alpha), to_element<T>(beta),
                                              beta.re == 0 && beta.im == 0,
                                              static_cast<const T *>(a), lda, to, ldb});
}

INSTANTIATE(geadd);

} // namespace startile_cuda
