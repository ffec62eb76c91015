/*
 * C := alpha op(A) op(A)ᴴ + beta C (herk) and C := alpha op(A) op(A)ᵀ + beta C (syrk) on one
 * triangle of C
 */
#include "common/operations.cuh"
#include "gemm/product.cuh"

namespace startile_cuda
{

/* Computes herk (hermitian) or syrk as a group of one product. */
template <typename T>
static int update_triangle(startile_exec *x, bool hermitian, char uplo, char trans, int n, int k,
                           startile_scalar alpha, const void *a, int lda, startile_scalar beta,
                           void *c, int ldc)
{
    const T *from = static_cast<const T *>(a);
    const product_piece<T> piece = {from, from, static_cast<T *>(c), lda, lda, ldc, n, n, uplo};
    product_group<T> g;
    g.transa = trans;
    g.transb = trans != 'N' ? 'N' : hermitian ? 'C' : 'T';
    g.k = k;
    g.alpha = to_element<T>(alpha);
    g.beta = to_element<T>(beta);
    g.pieces = 1;
    g.piece = &piece;
    g.hermitian = hermitian;
    return multiply_group(x, g);
}

template <typename T>
int herk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
         const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
    return update_triangle<T>(x, true, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}

template <typename T>
int syrk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
         const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
    return update_triangle<T>(x, false, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}

INSTANTIATE(herk);
INSTANTIATE(syrk);

} // namespace startile_cuda
