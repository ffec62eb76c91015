/*
 * B := alpha op(W) B or alpha B op(W) for a triangle W whose other triangle is zero.
 *
 * Method: B is copied, then block row (or column) by block row the products of W's diagonal blocks
 * with the copy overwrite B, and those of the blocks beside the diagonal are added to it, level by
 * level (blocks.cuh), so that of the zero triangle only the halves of the diagonal blocks are
 * multiplied: (1 + leaf/order)/2 of the flops of a dense product. The copy makes all products of a
 * level independent: one batched call.
 *
 * Error: |ΔB| ≤ order · eps · |alpha| |op(W)| |B|, elementwise, up to a small constant, as for any
 * order of summation (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.5).
 */
#include "blocks.cuh"
#include "operations.cuh"

namespace startile_cuda
{

/* Smaller leaves skip more zeros, but cuBLAS gets slower with them. */
static constexpr int trmm_leaf = 512;

template <typename T>
int trmm_by_blocks(startile_exec *x, char side, char uplo, char trans, int m, int n, T alpha,
                   const T *w, int ldw, T *b, int ldb, int leaf)
{
    const bool left = side == 'L';
    const int order = left ? m : n;
    const T zero = to_element<T>(0, 0), one = to_element<T>(1, 0);
    T *copy;
    if (int error = workspace(x, size_t(m) * n, &copy))
        return error;
    if (int error = lacpy<T>(x, 'G', m, n, b, ldb, copy, m))
        return error;

    /* from one block row (side L) or block column (side R) of B to the next */
    const int64_t step_w = int64_t(ldw) + 1, step_b = left ? 1 : ldb, step_copy = left ? 1 : m;

    int error = for_each_leaf(order, leaf, [&](int64_t first, int size, int count) {
        matrices<const T> diagonal = {w + first * step_w, ldw, size * step_w};
        matrices<const T> from = {copy + first * step_copy, m, size * step_copy};
        matrices<T> to = {b + first * step_b, ldb, size * step_b};
        return left
                   ? multiply(x, trans, 'N', size, n, size, alpha, diagonal, from, zero, to, count)
                   : multiply(x, 'N', trans, m, size, size, alpha, from, diagonal, zero, to, count);
    });
    if (error)
        return error;

    /* op(W) has its blocks below the diagonal: they take block 1 of a pair to block 2 from the
     * left, and block 2 to block 1 from the right; above the diagonal it is the other way. */
    const bool below = (uplo == 'L') == (trans == 'N');
    const bool to_second = below == left;
    return for_each_pair(order, leaf, [&](int64_t first, int n1, int n2, int count) {
        int64_t second = first + n1, distance = 2 * int64_t(n1);
        int64_t source = to_second ? first : second, target = to_second ? second : first;
        int ns = to_second ? n1 : n2, nt = to_second ? n2 : n1;
        const T *beside = uplo == 'L' ? w + second + first * ldw : w + first + second * ldw;
        matrices<const T> square = {beside, ldw, distance * step_w};
        matrices<const T> from = {copy + source * step_copy, m, distance * step_copy};
        matrices<T> to = {b + target * step_b, ldb, distance * step_b};
        return left ? multiply(x, trans, 'N', nt, n, ns, alpha, square, from, one, to, count)
                    : multiply(x, 'N', trans, m, nt, ns, alpha, from, square, one, to, count);
    });
}

template <typename T>
int trmm(startile_exec *x, char side, char uplo, char trans, int m, int n, startile_scalar alpha,
         const void *w, int ldw, void *b, int ldb)
{
    if (m == 0 || n == 0)
        return 0;
    if (alpha.re == 0 && alpha.im == 0)
        return scale(x, 'G', false, m, n, to_element<T>(0, 0), static_cast<T *>(b), ldb);
    return trmm_by_blocks<T>(x, side, uplo, trans, m, n, to_element<T>(alpha),
                             static_cast<const T *>(w), ldw, static_cast<T *>(b), ldb, trmm_leaf);
}

template decltype(trmm_by_blocks<float>) trmm_by_blocks<float>;
template decltype(trmm_by_blocks<double>) trmm_by_blocks<double>;
template decltype(trmm_by_blocks<cuComplex>) trmm_by_blocks<cuComplex>;
template decltype(trmm_by_blocks<cuDoubleComplex>) trmm_by_blocks<cuDoubleComplex>;

template decltype(trmm<float>) trmm<float>;
template decltype(trmm<double>) trmm<double>;
template decltype(trmm<cuComplex>) trmm<cuComplex>;
template decltype(trmm<cuDoubleComplex>) trmm<cuDoubleComplex>;

} // namespace startile_cuda
