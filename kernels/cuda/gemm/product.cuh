/*
 * Several products in one launch: the basis of gemm, herk, syrk, trmm and their groups. Private to
 * kernels/cuda.
 */
#ifndef STARTILE_PRODUCT_CUH
#define STARTILE_PRODUCT_CUH

#include "common/element.cuh"
#include "common/exec.cuh"

namespace startile_cuda
{

/* Pieces are kernel arguments, of which the compiler allows 32764 bytes. */
constexpr int max_products = STARTILE_MOST_PRODUCTS;

/* One product of a group: op(A) is m × k, op(B) k × n, C m × n. */
template <typename T>
struct product_piece {
    const T *a, *b;
    T *c;
    int lda, ldb, ldc, m, n;
};

template <typename T>
struct product_group {
    char transa = 'N', transb = 'N'; /* N, T or C, for all pieces */
    int k = 0;                       /* for all pieces */
    T alpha = {}, beta = {};
    int pieces = 0; /* at most max_products */
    const product_piece<T> *piece = nullptr;
    /* For the first piece only: L or U computes and writes only that triangle of its square C;
     * hermitian sets the imaginary parts of C's diagonal to zero. */
    char uplo = 'G';
    bool hermitian = false;
    /* L or U: op(B) (or op(A) if triangle_is_left) is square, is that triangle after op, and has
     * zeros in its other half, most of which are not read. C may then be the other factor itself,
     * if that is not transposed, beta = 0, and the type multiplies in place. */
    char triangle = 'G';
    bool triangle_is_left = false;
};

/* Whether C may be a factor of the product (see triangle) */
template <typename T>
constexpr bool multiplies_in_place = sizeof(typename element<T>::real) == sizeof(double);

/* Computes C_q := alpha op(A_q) op(B_q) + beta C_q for all pieces q as in BLAS: beta = 0 overwrites
 * even NaN, and with k = 0 or alpha = 0 neither A nor B is read. Pieces may have no rows or
 * columns. No C overlaps another C, or a factor except as described at `triangle`. */
template <typename T>
int multiply_group(startile_exec *x, const product_group<T> &g);

} // namespace startile_cuda

#endif
