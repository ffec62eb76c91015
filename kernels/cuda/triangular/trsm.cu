/*
 * B := alpha op(A)⁻¹ B or alpha B op(A)⁻¹, by cuBLAS, for few right-hand sides by trsm_few.cu. trmm
 * with an inverse that passed its check is faster: on an H100 cuBLAS's trsm runs at 15 TFLOP/s for
 * order 2048 in double.
 *
 * Error: that of substitution, |B − A X| ≤ c n eps |A| |X|, with one more rounding for the
 * reciprocals of the diagonal: the relative error of b (1/a) is up to 2 eps, that of b/a up to eps.
 * The reciprocal of an element below 1/overflow threshold is infinite.
 */
#include "common/cublas.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

/* Largest number of right-hand sides, and least order, for trsm_few */
constexpr int few_columns = 2, least_order = 128;

template <typename T>
int trsm(startile_exec *x, char side, char uplo, char trans, char diag, int m, int n,
         startile_scalar alpha, const void *a, int lda, void *b, int ldb)
{
    if (m == 0 || n == 0)
        return 0;
    T alpha_element = to_element<T>(alpha);
    if (side == 'L' && n <= few_columns && m >= least_order && !is_zero(alpha_element))
        return trsm_few<T>(x, uplo, trans, diag, m, n, alpha_element, static_cast<const T *>(a),
                           lda, static_cast<T *>(b), ldb);
    return check(blas<T>::trsm(x->cublas, side_mode(side), fill_mode(uplo), operation<T>(trans),
                               diag == 'U' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, m, n,
                               &alpha_element, static_cast<const T *>(a), lda, static_cast<T *>(b),
                               ldb));
}

INSTANTIATE(trsm);

} // namespace startile_cuda
