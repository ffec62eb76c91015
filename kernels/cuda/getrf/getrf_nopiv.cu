/*
 * LU of a diagonal tile without pivoting, the inverses of both factors, and the check whether
 * products may use them: in one kernel (getrf_nopiv_tile.cu) for tiles of moderate order, by
 * cuSOLVER (getrf_nopiv_vendor.cu) for larger ones
 */
#include "common/operations.cuh"
#include "tile_tasks/in_double.cuh"

#include <cfloat>
#include <type_traits>

namespace startile_cuda
{

/* Largest measured order for which tile_kernel, with the inverses, is faster than cuSOLVER and
 * trtri.cu together (H100; perf_models/NOTES.md, "Diagonal tiles") */
template <typename T>
constexpr int max_order_by_tiles = 2048;
template <>
constexpr int max_order_by_tiles<double> = 3072;
template <>
constexpr int max_order_by_tiles<cuDoubleComplex> = 1024;

/* Returns whether tile_kernel is used. getrf_nopiv_vendor.cu handles n = 0, larger orders, and
 * devices with too little shared memory. */
template <typename T>
static bool uses_tile_kernel(const startile_exec *x, int n)
{
    return n > 0 && n <= max_order_by_tiles<T> && x->max_smem >= nopiv_tiles_smem<T>();
}

/* Orders of tiles in single precision that are factored in double precision, for the reason in
 * potrf.cu (H100, with the inverses, single and double, order 1024: 373 and 350 µs, 2048: 859 and
 * 760) */
constexpr int min_order_in_double = 1024, max_order_in_double = 2048;
static bool is_factored_in_double(const startile_exec *x, int n)
{
    return has_fast_double(x) && n >= min_order_in_double && n <= max_order_in_double &&
           uses_tile_kernel<double>(x, n);
}

/* getrf_nopiv by a factorization in double precision. Inverses that would overflow in single
 * precision are not used. */
static int nopiv_in_double(startile_exec *x, int n, float *a, int lda, float *wl, int ldwl,
                           float *wu, int ldwu, startile_tile_status *status)
{
    const bool with_inverses = wl != nullptr && wu != nullptr;
    const size_t of_tiles = nopiv_tiles_workspace<double>(n, with_inverses), n_n = size_t(n) * n;
    if (int error = reserve(x, of_tiles + (with_inverses ? 3 : 1) * n_n * sizeof(double)))
        return error;
    double *const t = reinterpret_cast<double *>(static_cast<char *>(x->workspace) + of_tiles);
    double *const l_inverse = with_inverses ? t + n_n : nullptr;
    double *const u_inverse = with_inverses ? t + 2 * n_n : nullptr;
    if (int error = convert(x, 'G', n, a, lda, t, n))
        return error;
    if (int error = nopiv_by_tiles<double>(x, n, t, n, l_inverse, n, u_inverse, n, FLT_MAX, status))
        return error;
    if (int error = convert(x, 'G', n, t, n, a, lda))
        return error;
    if (!with_inverses)
        return 0;
    if (int error = convert(x, 'G', n, l_inverse, n, wl, ldwl))
        return error;
    return convert(x, 'G', n, u_inverse, n, wu, ldwu);
}

template <typename T>
int getrf_nopiv(startile_exec *x, int n, void *a, int lda, void *wl, int ldwl, void *wu, int ldwu,
                startile_tile_status *status)
{
    if constexpr (std::is_same_v<T, float>)
        if (is_factored_in_double(x, n))
            return nopiv_in_double(x, n, static_cast<float *>(a), lda, static_cast<float *>(wl),
                                   ldwl, static_cast<float *>(wu), ldwu, status);
    if (!uses_tile_kernel<T>(x, n))
        return vendor_getrf_nopiv<T>(x, n, a, lda, wl, ldwl, wu, ldwu, status);
    return nopiv_by_tiles<T>(x, n, static_cast<T *>(a), lda, static_cast<T *>(wl), ldwl,
                             static_cast<T *>(wu), ldwu, DBL_MAX, status);
}

INSTANTIATE(getrf_nopiv);

} // namespace startile_cuda
