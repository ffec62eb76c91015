/*
 * B := alpha op(W) B or alpha B op(W) for a triangle W, for one B and for groups of B. In double
 * and complex double precision the product is in place if all B together have enough rows (side R)
 * or columns (side L) to give every multiprocessor a block row or block column of its own.
 * Otherwise the blocks of the result are computed independently of each other from a copy of B.
 *
 * Error for W of order k: |ΔB| ≤ k eps |alpha| |op(W)| |B|, elementwise, up to a small constant, in
 * whatever order the terms are summed (Higham, Accuracy and Stability of Numerical Algorithms, 2nd
 * ed., 3.5).
 */
#include "common/operations.cuh"
#include "gemm/product.cuh"

namespace startile_cuda
{

/* Minimal number of rows (side R) or columns (side L) of all B per multiprocessor for a product in
 * place; an estimate */
constexpr int enough_in_place = 40;

/* Returns ld rounded up so that columns of every type take a multiple of 16 bytes. */
static int aligned_ld(int ld)
{
    return (ld + 3) / 4 * 4;
}

/* Copies the B of all pieces to the workspace, and makes each copy a factor of its piece in place
 * of B. */
template <typename T>
static int copy_factors(startile_exec *x, bool left, product_group<T> &g, product_piece<T> *piece)
{
    size_t size = 0;
    for (int q = 0; q < g.pieces; q++)
        size += size_t(aligned_ld(piece[q].m)) * piece[q].n;
    T *copy;
    if (int error = workspace(x, size, &copy))
        return error;
    for (int q = 0; q < g.pieces; q++) {
        const int m = piece[q].m, n = piece[q].n, ld = aligned_ld(m);
        if (int error = lacpy<T>(x, 'G', m, n, piece[q].c, piece[q].ldc, copy, ld))
            return error;
        (left ? piece[q].b : piece[q].a) = copy;
        (left ? piece[q].ldb : piece[q].lda) = ld;
        copy += size_t(ld) * n;
    }
    return 0;
}

template <typename T>
int trmm_group(startile_exec *x, char side, char uplo, char trans, int k, startile_scalar alpha,
               const void *w, int ldw, int count, const startile_piece *b)
{
    const bool left = side == 'L';
    const T *triangle = static_cast<const T *>(w);
    product_piece<T> piece[max_products];
    int64_t free_length = 0; /* rows (side R) or columns (side L) of all B */
    for (int q = 0; q < count; q++) {
        T *p = static_cast<T *>(b[q].p);
        piece[q] = left ? product_piece<T>{triangle, p, p, ldw, b[q].ld, b[q].ld, k, b[q].m}
                        : product_piece<T>{p, triangle, p, b[q].ld, ldw, b[q].ld, b[q].m, k};
        free_length += b[q].m;
    }
    product_group<T> g;
    g.transa = left ? trans : 'N';
    g.transb = left ? 'N' : trans;
    g.k = k;
    g.alpha = to_element<T>(alpha);
    g.beta = to_element<T>(0, 0);
    g.pieces = count;
    g.piece = piece;
    g.triangle = (uplo == 'L') == (trans == 'N') ? 'L' : 'U';
    g.triangle_is_left = left;
    const bool in_place =
        multiplies_in_place<T> && free_length >= int64_t(enough_in_place) * x->multiprocessors;
    if (!in_place && !is_zero(g.alpha))
        if (int error = copy_factors(x, left, g, piece))
            return error;
    return multiply_group(x, g);
}

template <typename T>
int trmm(startile_exec *x, char side, char uplo, char trans, int m, int n, startile_scalar alpha,
         const void *w, int ldw, void *b, int ldb)
{
    /* a product engine with blocks of 64 columns or more would mostly compute padding */
    constexpr int few_columns = 16; /* an estimate */
    if (side == 'L' && n <= few_columns && !x->keeps_own)
        return vendor_trmm<T>(x, side, uplo, trans, m, n, alpha, w, ldw, b, ldb);
    const startile_piece piece = {b, ldb, side == 'L' ? n : m};
    return trmm_group<T>(x, side, uplo, trans, side == 'L' ? m : n, alpha, w, ldw, 1, &piece);
}

INSTANTIATE(trmm);
INSTANTIATE(trmm_group);

} // namespace startile_cuda
