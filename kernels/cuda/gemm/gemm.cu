/*
 * C := alpha op(A) op(B) + beta C for one product and for groups of products. With k = 0 or alpha =
 * 0 neither A nor B is read, as in BLAS; their pointers may be invalid then.
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"
#include "gemm/product.cuh"

namespace startile_cuda
{

template <typename T>
struct scale_element {
    bool hermitian;
    T beta;
    bool overwrite;
    T *c;
    int64_t ldc;

    __device__ void operator()(int i, int j) const
    {
        T zero = to_element<T>(0, 0);
        T value = overwrite ? zero : multiply_add(beta, c[i + j * ldc], zero);
        c[i + j * ldc] = hermitian && i == j ? to_element<T>(real_part(value), 0) : value;
    }
};

template <typename T>
int scale(startile_exec *x, char uplo, bool hermitian, int m, int n, T beta, T *c, int ldc)
{
    bool overwrite, unchanged;
    if constexpr (element<T>::is_complex) {
        overwrite = beta.x == 0 && beta.y == 0;
        unchanged = beta.x == 1 && beta.y == 0;
    } else {
        overwrite = beta == 0;
        unchanged = beta == 1;
    }
    if (unchanged)
        return 0;
    return apply_elementwise(x, uplo, m, n, scale_element<T>{hermitian, beta, overwrite, c, ldc});
}

/* Converts a product of the interface (kernels.h) to a piece. */
template <typename T>
static product_piece<T> to_piece(const startile_product &p)
{
    return {static_cast<const T *>(p.a),
            static_cast<const T *>(p.b),
            static_cast<T *>(p.c),
            p.lda,
            p.ldb,
            p.ldc,
            p.m,
            p.n};
}

/* Returns whether cuBLAS computes one product faster: if C has few columns, so that reading A takes
 * most of the time, or at most as many 64 × 64 blocks as there are multiprocessors. cuBLAS then
 * also splits k: 512 × 512 × 512 runs at 21 TFLOP/s with cuBLAS and at 14 with the own kernel, 512
 * × 512 × 8192 at 50 and 23 (H200). With keeps_own, returns false. */
static bool vendor_is_faster(const startile_exec *x, int m, int n)
{
    constexpr int few_columns = 16; /* an estimate */
    return !x->keeps_own &&
           (n <= few_columns || int64_t(ceil_div(m, 64)) * ceil_div(n, 64) <= x->multiprocessors);
}

template <typename T>
int gemm(startile_exec *x, char transa, char transb, int m, int n, int k, startile_scalar alpha,
         const void *a, int lda, const void *b, int ldb, startile_scalar beta, void *c, int ldc)
{
    const startile_product product = {a, b, c, lda, ldb, ldc, m, n};
    if (vendor_is_faster(x, m, n))
        return vendor_gemm<T>(x, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    return gemm_group<T>(x, transa, transb, k, alpha, 1, &product, beta, 'G');
}

template <typename T>
int gemm_group(startile_exec *x, char transa, char transb, int k, startile_scalar alpha, int count,
               const startile_product *products, startile_scalar beta, char uplo)
{
    product_piece<T> piece[max_products];
    for (int q = 0; q < count; q++)
        piece[q] = to_piece<T>(products[q]);
    if (uplo != 'G' && count > 0) {
        piece[0].b = piece[0].a;
        piece[0].ldb = piece[0].lda;
        piece[0].m = piece[0].n;
        piece[0].uplo = uplo;
    }
    product_group<T> g;
    g.transa = transa;
    g.transb = transb;
    g.k = k;
    g.alpha = to_element<T>(alpha);
    g.beta = to_element<T>(beta);
    g.pieces = count;
    g.piece = piece;
    g.hermitian = uplo != 'G';
    return multiply_group(x, g);
}

INSTANTIATE(scale);
INSTANTIATE(gemm);
INSTANTIATE(gemm_group);

} // namespace startile_cuda
