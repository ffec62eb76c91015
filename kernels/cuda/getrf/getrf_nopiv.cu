/*
 * LU of a diagonal tile without pivoting, the inverses of both factors, and the check whether
 * products may use them: in one kernel (getrf_nopiv_tile.cu) for tiles of moderate order, by
 * cuSOLVER (getrf_nopiv_vendor.cu) for larger ones
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"

#include <type_traits>

namespace startile_cuda
{

/* Largest order for which tile_kernel, with the inverses, is faster than cuSOLVER and trtri.cu
 * together (estimate) */
template <typename T>
constexpr int max_order_by_tiles = 2048;
template <>
constexpr int max_order_by_tiles<cuDoubleComplex> = 1024;

/* Returns whether tile_kernel is used. getrf_nopiv_vendor.cu handles n = 0, larger orders, and
 * devices with too little shared memory. */
template <typename T>
static bool uses_tile_kernel(const startile_exec *x, int n)
{
    return n > 0 && n <= max_order_by_tiles<T> && x->max_smem >= nopiv_tiles_smem<T>();
}

template <typename T>
int getrf_nopiv(startile_exec *x, int n, void *a, int lda, void *wl, int ldwl, void *wu, int ldwu,
                startile_tile_status *status)
{
    if (!uses_tile_kernel<T>(x, n))
        return vendor_getrf_nopiv<T>(x, n, a, lda, wl, ldwl, wu, ldwu, status);
    return nopiv_by_tiles<T>(x, n, static_cast<T *>(a), lda, static_cast<T *>(wl), ldwl,
                             static_cast<T *>(wu), ldwu, status);
}

template decltype(getrf_nopiv<float>) getrf_nopiv<float>;
template decltype(getrf_nopiv<double>) getrf_nopiv<double>;
template decltype(getrf_nopiv<cuComplex>) getrf_nopiv<cuComplex>;
template decltype(getrf_nopiv<cuDoubleComplex>) getrf_nopiv<cuDoubleComplex>;

} // namespace startile_cuda
