/*
 * Products by cuBLAS.
 * - herk, syrk: cuBLAS's rank-k update of a tile runs at nearly the rate of its gemm, and faster
 *   than an update cut into blocks.
 * - trmm for a triangle W of order above max_dense: cuBLAS's trmm out of place. It is three times
 *   as fast as in place, and faster than gemm with the whole W or a triangular solve.
 * - trmm up to order max_dense, or for few_columns: gemm with the whole W, which takes the same
 * time as cuBLAS's trmm within 10 % (12 µs for a triangle of order 512 against trmm's 13, 43
 * against 39 for order 1024; perf_models/NOTES.md, "Kernels on one tile").
 */
#include "common/block_products.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

template <typename T>
int vendor_gemm(startile_exec *x, char transa, char transb, int m, int n, int k,
                startile_scalar alpha, const void *a, int lda, const void *b, int ldb,
                startile_scalar beta, void *c, int ldc)
{
    if (m == 0 || n == 0)
        return 0;
    if (k == 0 || (alpha.re == 0 && alpha.im == 0))
        return scale(x, 'G', false, m, n, to_element<T>(beta), static_cast<T *>(c), ldc);
    return multiply<T>(x, transa, transb, m, n, k, to_element<T>(alpha),
                       {static_cast<const T *>(a), lda, 0}, {static_cast<const T *>(b), ldb, 0},
                       to_element<T>(beta), {static_cast<T *>(c), ldc, 0});
}

template <typename T>
static int vendor_rank_k(startile_exec *x, bool hermitian, char uplo, char trans, int n, int k,
                         startile_scalar alpha, const void *a, int lda, startile_scalar beta,
                         void *c, int ldc)
{
    T *to = static_cast<T *>(c);
    const T *from = static_cast<const T *>(a);
    T alpha_element = to_element<T>(alpha), beta_element = to_element<T>(beta);
    cublasFillMode_t fill = fill_mode(uplo);
    cublasOperation_t op = operation<T>(trans);
    if (n == 0)
        return 0;
    if (k == 0 || (alpha.re == 0 && alpha.im == 0))
        return scale(x, uplo, hermitian, n, n, beta_element, to, ldc);
    if constexpr (element<T>::is_complex)
        if (hermitian)
            return check(blas<T>::herk(x->cublas, fill, op, n, k, &alpha_element.x, from, lda,
                                       &beta_element.x, to, ldc));
    return check(blas<T>::syrk(x->cublas, fill, op, n, k, &alpha_element, from, lda, &beta_element,
                               to, ldc));
}

template <typename T>
int vendor_herk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
                const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
    return vendor_rank_k<T>(x, true, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}

template <typename T>
int vendor_syrk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
                const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
    return vendor_rank_k<T>(x, false, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}

/* Largest order of W for which vendor_trmm calls gemm, and largest number of columns of B (side L)
 * for which it does so whatever the order: reading W then takes most of the time (an estimate). */
constexpr int max_dense = 1024, few_columns = 16;

template <typename T>
int vendor_trmm(startile_exec *x, char side, char uplo, char trans, int m, int n,
                startile_scalar alpha, const void *w, int ldw, void *b, int ldb)
{
    T *to = static_cast<T *>(b), *copy;
    T alpha_element = to_element<T>(alpha);
    if (m == 0 || n == 0)
        return 0;
    if (int error = workspace(x, size_t(m) * n, &copy))
        return error;
    if (int error = lacpy<T>(x, 'G', m, n, b, ldb, copy, m))
        return error;
    const matrices<const T> triangle = {static_cast<const T *>(w), ldw, 0}, from = {copy, m, 0};
    const T zero = to_element<T>(0, 0);
    if (side == 'L' && (m <= max_dense || n <= few_columns))
        return multiply<T>(x, trans, 'N', m, n, m, alpha_element, triangle, from, zero,
                           {to, ldb, 0});
    if (side == 'R' && n <= max_dense)
        return multiply<T>(x, 'N', trans, m, n, n, alpha_element, from, triangle, zero,
                           {to, ldb, 0});
    return check(blas<T>::trmm(x->cublas, side_mode(side), fill_mode(uplo), operation<T>(trans),
                               CUBLAS_DIAG_NON_UNIT, m, n, &alpha_element,
                               static_cast<const T *>(w), ldw, copy, m, to, ldb));
}

template <typename T>
int vendor_gemm_group(startile_exec *x, char transa, char transb, int k, startile_scalar alpha,
                      int count, const startile_product *products, startile_scalar beta, char uplo)
{
    int error = 0;
    for (int q = 0; q < count && error == 0; q++) {
        const startile_product &p = products[q];
        error = q == 0 && uplo != 'G'
                    ? vendor_herk<T>(x, uplo, transa, p.n, k, alpha, p.a, p.lda, beta, p.c, p.ldc)
                    : vendor_gemm<T>(x, transa, transb, p.m, p.n, k, alpha, p.a, p.lda, p.b, p.ldb,
                                     beta, p.c, p.ldc);
    }
    return error;
}

template <typename T>
int vendor_trmm_group(startile_exec *x, char side, char uplo, char trans, int k,
                      startile_scalar alpha, const void *w, int ldw, int count,
                      const startile_piece *b)
{
    int error = 0;
    for (int q = 0; q < count && error == 0; q++)
        error = vendor_trmm<T>(x, side, uplo, trans, side == 'L' ? k : b[q].m,
                               side == 'L' ? b[q].m : k, alpha, w, ldw, b[q].p, b[q].ld);
    return error;
}

INSTANTIATE(vendor_gemm);
INSTANTIATE(vendor_herk);
INSTANTIATE(vendor_syrk);
INSTANTIATE(vendor_trmm);
INSTANTIATE(vendor_gemm_group);
INSTANTIATE(vendor_trmm_group);

} // namespace startile_cuda
