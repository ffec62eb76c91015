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
#include "operations.cuh"

namespace startile_cuda
{

template <typename T>
int trmm(startile_exec *x, char side, char uplo, char trans, int m, int n, startile_scalar alpha,
         const void *w, int ldw, void *b, int ldb)
{
    return vendor_trmm<T>(x, side, uplo, trans, m, n, alpha, w, ldw, b, ldb);
}

template <typename T>
int trmm_group(startile_exec *x, char side, char uplo, char trans, int k, startile_scalar alpha,
               const void *w, int ldw, int count, const startile_piece *b)
{
    return vendor_trmm_group<T>(x, side, uplo, trans, k, alpha, w, ldw, count, b);
}

template decltype(trmm<float>) trmm<float>;
template decltype(trmm<double>) trmm<double>;
template decltype(trmm<cuComplex>) trmm<cuComplex>;
template decltype(trmm<cuDoubleComplex>) trmm<cuDoubleComplex>;

template decltype(trmm_group<float>) trmm_group<float>;
template decltype(trmm_group<double>) trmm_group<double>;
template decltype(trmm_group<cuComplex>) trmm_group<cuComplex>;
template decltype(trmm_group<cuDoubleComplex>) trmm_group<cuDoubleComplex>;

} // namespace startile_cuda
