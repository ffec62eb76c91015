/*
 * Groups of products, each computed in one launch. gemm, herk, syrk, trmm and their groups use
 * them. Private to kernels/cuda.
 *
 *     gemm, herk, trmm, ... --> product_group --> multiply_group
 *       double, complex double   product_kernel: warps that fetch and warps that compute on FP64
 *                                  tensor cores                                (product_engine.cuh)
 *       double, large, if        product_emulated_kernel: INT8 tensor cores (product_emulated.cuh);
 *         allowed                  product_kernel if the data does not allow it
 *       single, complex single   single_kernel: all warps alike, FFMA          (single_block.cuh)
 *       both, large, k >= 256,   split_kernel, then product_split_kernel: a warp that fetches and
 *         if allowed               warpgroups that compute on BF16 or FP16 tensor cores
 *                                  (split_block.cuh);
 *                                  single_kernel if the data does not allow it
 *       one small product        cuBLAS                                        (vendor.cu)
 */
#ifndef STARTILE_PRODUCT_CUH
#define STARTILE_PRODUCT_CUH

#include "common/element.cuh"
#include "common/exec.cuh"

namespace startile_cuda
{

/* Largest number of products in a group. The products are kernel arguments, which nvcc limits to
 * 32764 bytes. */
constexpr int max_products = STARTILE_MOST_PRODUCTS;

/* A piece: one product of a group. op(A) is m × k, op(B) k × n, C m × n. uplo 'L' or 'U': only that
 * triangle of the square C is computed and written; pieces with a triangle come first. */
template <typename T>
struct product_piece {
    const T *a, *b;
    T *c;
    int lda, ldb, ldc, m, n;
    char uplo = 'G';
};

template <typename T>
struct product_group {
    char transa = 'N', transb = 'N'; /* N, T or C, for all pieces */
    int k = 0;                       /* for all pieces */
    T alpha = {}, beta = {};
    int pieces = 0; /* at most max_products */
    const product_piece<T> *piece = nullptr;
    /* The imaginary parts of the diagonals of triangles are set to zero. */
    bool hermitian = false;
    /* 'L' or 'U': op(B), or op(A) if triangle_is_left, is a square matrix that is zero outside this
     * triangle; the zeros are mostly not read. C may then be the other factor itself (a product in
     * place), if that factor is not transposed, beta = 0, and multiplies_in_place<T>. */
    char triangle = 'G';
    bool triangle_is_left = false;
    /* In device memory: the kernel on FP64 tensor cores does nothing if *only_if is 0. null: always
     * computes */
    const int *only_if = nullptr;
};

/* Returns the number of pieces with a triangle. */
template <typename T>
int count_triangles(const product_group<T> &g)
{
    int q = 0;
    while (q < g.pieces && g.piece[q].uplo != 'G')
        q++;
    return q;
}

/* Whether products in place are possible (product_group::triangle) */
template <typename T>
constexpr bool multiplies_in_place = sizeof(typename element<T>::real) == sizeof(double);

/* A complex product on tensor cores is a real one of twice the rows and terms. An element c of C is
 * two rows of C in memory, an element b of op(B) (complex_right) two terms, and an element a of
 * op(A) (complex_left) is a square:
 *
 *     re c      re a  -im a     re b
 *     im c  +=  im a   re a  *  im b
 */
enum factor_kind { real_factor, complex_left, complex_right };

/* Returns whether z is `number`, without an imaginary part. */
template <typename T>
bool is_real(T z, double number)
{
    if constexpr (element<T>::is_complex)
        return z.x == number && z.y == 0;
    else
        return z == number;
}

/* Computes C_q := alpha op(A_q) op(B_q) + beta C_q for all pieces q as in BLAS: beta = 0 overwrites
 * even NaN, and with k = 0 or alpha = 0 neither A nor B is read. Pieces may have no rows or
 * columns. No C overlaps another C. No C overlaps a factor, except for products in place. */
template <typename T>
int multiply_group(startile_exec *x, const product_group<T> &g);

/* Computes and empties a group of max_products pieces; does nothing with fewer. */
template <typename T>
int multiply_if_full(startile_exec *x, product_group<T> &g)
{
    if (g.pieces < max_products)
        return 0;
    const int error = multiply_group(x, g);
    g.pieces = 0;
    return error;
}

/* Does what multiply_group does, without emulated, split or rounded operands. Single precision
 * requires k > 0 and alpha ≠ 0. In double precision it is product_kernel. */
template <typename T>
int multiply_plain(startile_exec *x, const product_group<T> &g);

} // namespace startile_cuda

#endif
