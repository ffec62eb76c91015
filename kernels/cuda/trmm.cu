/*
 * B := alpha op(W) B or alpha B op(W) for a triangle W, by cuBLAS from a copy of B: out of place
 * its trmm is three times as fast as in place, and faster than a dense product or a triangular
 * solve (perf_models/NOTES.md).
 *
 * Up to most_dense the dense product takes as long within 10 % (a 1024 triangle 43 us against 39),
 * and LU of 8192 with panels of 512 went from 29.6 to 28.4 ms with it.
 *
 * Error: |ΔB| ≤ order · eps · |alpha| |op(W)| |B|, elementwise, up to a small constant, as for any
 * order of summation (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 3.5).
 */
#include "blocks.cuh"
#include "operations.cuh"

namespace startile_cuda
{

constexpr int most_dense = 1024;

template <typename T>
int trmm(startile_exec *x, char side, char uplo, char trans, int m, int n, startile_scalar alpha,
         const void *w, int ldw, void *b, int ldb)
{
    T *to = static_cast<T *>(b), *copy;
    T s = to_element<T>(alpha);
    if (m == 0 || n == 0)
        return 0;
    if (int error = workspace(x, size_t(m) * n, &copy))
        return error;
    if (int error = lacpy<T>(x, 'G', m, n, b, ldb, copy, m))
        return error;
    const matrices<const T> triangle = {static_cast<const T *>(w), ldw, 0}, from = {copy, m, 0};
    const T zero = to_element<T>(0, 0);
    if (side == 'L' && m <= most_dense)
        return multiply<T>(x, trans, 'N', m, n, m, s, triangle, from, zero, {to, ldb, 0});
    if (side == 'R' && n <= most_dense)
        return multiply<T>(x, 'N', trans, m, n, n, s, from, triangle, zero, {to, ldb, 0});
    return check(element<T>::trmm(x->cublas, side_mode(side), fill_mode(uplo), operation<T>(trans),
                                  CUBLAS_DIAG_NON_UNIT, m, n, &s, static_cast<const T *>(w), ldw,
                                  copy, m, to, ldb));
}

template decltype(trmm<float>) trmm<float>;
template decltype(trmm<double>) trmm<double>;
template decltype(trmm<cuComplex>) trmm<cuComplex>;
template decltype(trmm<cuDoubleComplex>) trmm<cuDoubleComplex>;

} // namespace startile_cuda
