/*
 * Cholesky of a diagonal tile, the inverse of its factor, and the check whether products may use
 * that inverse: in one kernel (potrf_tile.cu) for tiles of moderate order, by cuSOLVER
 * (potrf_vendor.cu) for larger ones
 */
#include "common/operations.cuh"

namespace startile_cuda
{

/* Largest order for which potrf_tile_kernel, with the inverse, is faster than cuSOLVER and trtri.cu
 * together (H200; perf_models/NOTES.md) */
template <typename T>
constexpr int max_order_by_tiles = 2048;
template <>
constexpr int max_order_by_tiles<double> = 4096;
template <>
constexpr int max_order_by_tiles<cuDoubleComplex> = 1024;

/* Returns whether potrf_tile_kernel is used. potrf_vendor.cu handles n = 0, larger orders, and
 * devices with too little shared memory. */
template <typename T>
static bool uses_tile_kernel(const startile_exec *x, int n)
{
    return n > 0 && n <= max_order_by_tiles<T> && x->max_smem >= potrf_tiles_smem<T>();
}

template <typename T>
int factor_workspace(startile_exec *x, int n, size_t *bytes)
{
    if (!uses_tile_kernel<T>(x, n))
        return vendor_factor_workspace<T>(x, n, bytes);
    *bytes = potrf_tiles_workspace<T>(n, false);
    return 0;
}

template <typename T>
int factor(startile_exec *x, char uplo, int n, T *a, int lda)
{
    if (!uses_tile_kernel<T>(x, n))
        return vendor_factor(x, uplo, n, a, lda);
    return potrf_by_tiles<T>(x, uplo, n, a, lda, nullptr, 0, nullptr);
}

template <typename T>
int potrf(startile_exec *x, char uplo, int n, void *a, int lda, void *w, int ldw,
          startile_tile_status *status)
{
    if (!uses_tile_kernel<T>(x, n))
        return vendor_potrf<T>(x, uplo, n, a, lda, w, ldw, status);
    return potrf_by_tiles<T>(x, uplo, n, static_cast<T *>(a), lda, static_cast<T *>(w), ldw,
                             status);
}

template decltype(factor_workspace<float>) factor_workspace<float>;
template decltype(factor_workspace<double>) factor_workspace<double>;
template decltype(factor_workspace<cuComplex>) factor_workspace<cuComplex>;
template decltype(factor_workspace<cuDoubleComplex>) factor_workspace<cuDoubleComplex>;

template decltype(factor<float>) factor<float>;
template decltype(factor<double>) factor<double>;
template decltype(factor<cuComplex>) factor<cuComplex>;
template decltype(factor<cuDoubleComplex>) factor<cuDoubleComplex>;

template decltype(potrf<float>) potrf<float>;
template decltype(potrf<double>) potrf<double>;
template decltype(potrf<cuComplex>) potrf<cuComplex>;
template decltype(potrf<cuDoubleComplex>) potrf<cuDoubleComplex>;

} // namespace startile_cuda
