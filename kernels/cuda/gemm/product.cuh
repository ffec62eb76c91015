/*
 * Several products in one launch: what gemm, herk, syrk, trmm and their groups are made of. Private
 * to this folder.
 */
#ifndef STARTILE_PRODUCT_CUH
#define STARTILE_PRODUCT_CUH

#include "common/element.cuh"
#include "common/exec.cuh"

namespace startile_cuda
{

/* Pieces travel as kernel arguments, of which the compiler allows 32764 bytes. */
constexpr int max_products = STARTILE_MOST_PRODUCTS;

/* op(A) is m × k, op(B) k × n, C m × n. */
template <typename T>
struct product_piece {
    const T *a, *b;
    T *c;
    int lda, ldb, ldc, m, n;
};

template <typename T>
struct product_group {
    char transa = 'N', transb = 'N'; /* N, T or C, of all */
    int k = 0;                       /* of all */
    T alpha = {}, beta = {};
    int pieces = 0; /* at most max_products */
    const product_piece<T> *piece = nullptr;
    /* Of the first piece only: with L or U no more than that triangle of its C, which is square, is
     * computed and written; with hermitian the imaginary parts on C's diagonal become zero. */
    char uplo = 'G';
    bool hermitian = false;
    /* With L or U op(B), or op(A) if triangle_is_left, is square and that triangle, after op; in
     * its other half are zeros, and most of them are not read. C may then be the other factor
     * itself, provided that it is not transposed and beta = 0, of types that multiply in place. */
    char triangle = 'G';
    bool triangle_is_left = false;
};

/* The types whose C may be a factor: see triangle */
template <typename T>
constexpr bool multiplies_in_place = sizeof(typename element<T>::real) == sizeof(double);

/* C_q := alpha op(A_q) op(B_q) + beta C_q for all pieces q, as BLAS has it: beta = 0 overwrites
 * even NaN, and with k = 0 or alpha = 0 neither A nor B is read. Pieces of no rows or columns may
 * be among them. No C overlaps another, or a factor, but as said above. */
template <typename T>
int multiply_group(startile_exec *x, const product_group<T> &g);

} // namespace startile_cuda

#endif
