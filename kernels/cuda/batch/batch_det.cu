/* Determinants of many matrices from their factors (LINPACK xGEDI, xPODI), one warp per matrix. */
#include "batch/batch.cuh"
#include "common/wide_product.cuh"

namespace startile_cuda
{

constexpr int det_threads = 128;

template <typename T>
__global__ void __launch_bounds__(det_threads)
    det_batch_kernel(int count, batch<T> A, batch<int64_t> P, bool pivots, T *sign,
                     typename element<T>::real *logabsdet)
{
    const int q = static_cast<int>((int64_t(blockIdx.x) * det_threads + threadIdx.x) / 32);
    if (q >= count)
        return;
    const auto a = A[q];
    const int64_t *const ipiv = pivots ? P[q].p : nullptr;
    const int lane = threadIdx.x % 32;
    startile_wide mine = {1, 0, 0};
    for (int i = lane; i < a.n; i += 32)
        mine =
            startile_wide_product(mine, wide_element(a(i, i), ipiv != nullptr && ipiv[i] != i + 1));
    mine = product_of_warp(mine);
    if (lane != 0)
        return;
    const double factor = sign == nullptr ? 2 : 1;
    logabsdet[q] = static_cast<typename element<T>::real>(factor * startile_wide_logarithm(mine));
    if (sign != nullptr) {
        const startile_wide unit = startile_wide_sign(mine);
        sign[q] = to_element<T>(unit.re, unit.im);
    }
}

template <typename T>
int det_batch(startile_exec *x, int count, const startile_matrices *A, const startile_matrices *P,
              void *sign, void *logabsdet)
{
    const startile_matrices no_pivots = {};
    if (count == 0)
        return 0;
    return launch(x, det_batch_kernel<T>, ceil_div(int64_t(count) * 32, det_threads), det_threads,
                  count, batch<T>(A), batch<int64_t>(P != nullptr ? P : &no_pivots), P != nullptr,
                  static_cast<T *>(sign), static_cast<typename element<T>::real *>(logabsdet));
}

INSTANTIATE(det_batch);

} // namespace startile_cuda
