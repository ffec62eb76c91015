/*
 * C := alpha op(A) op(A)ᴴ + beta C and its symmetric sister, on one triangle, by cuBLAS, whose
 * rank-k update of a tile runs at nearly the rate of its product, and faster than one cut into
 * blocks (perf_models/NOTES.md).
 */
#include "operations.cuh"

namespace startile_cuda
{

template <typename T>
int herk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
         const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
    return vendor_herk<T>(x, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}

template <typename T>
int syrk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
         const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
    return vendor_syrk<T>(x, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}

template decltype(herk<float>) herk<float>;
template decltype(herk<double>) herk<double>;
template decltype(herk<cuComplex>) herk<cuComplex>;
template decltype(herk<cuDoubleComplex>) herk<cuDoubleComplex>;

template decltype(syrk<float>) syrk<float>;
template decltype(syrk<double>) syrk<double>;
template decltype(syrk<cuComplex>) syrk<cuComplex>;
template decltype(syrk<cuDoubleComplex>) syrk<cuDoubleComplex>;

} // namespace startile_cuda
