/*
 * Cholesky of a diagonal tile, the inverse of its factor, and the check whether products may use
 * that inverse: in one kernel (potrf_tile.cu) for tiles of moderate order, by cuSOLVER
 * (potrf_vendor.cu) for larger ones
 */
#include "common/operations.cuh"
#include "tile_tasks/in_double.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Largest order for which tile_kernel, with the inverse, is faster than cuSOLVER and trtri.cu
 * together (H200; perf_models/NOTES.md, "Diagonal tiles") */
template <typename T>
constexpr int max_order_by_tiles = 2048;
template <>
constexpr int max_order_by_tiles<double> = 4096;
template <>
constexpr int max_order_by_tiles<cuDoubleComplex> = 1024;

/* Returns whether tile_kernel is used. potrf_vendor.cu handles n = 0, larger orders, and
 * devices with too little shared memory. */
template <typename T>
static bool uses_tile_kernel(const startile_exec *x, int n)
{
    return n > 0 && n <= max_order_by_tiles<T> && x->max_smem >= potrf_tiles_smem<T>();
}

template <typename T>
int factor_workspace(startile_exec *x, int n, size_t *bytes)
{
    if (uses_tile_kernel<T>(x, n)) {
        *bytes = potrf_tiles_workspace<T>(n, true);
        return 0;
    }
    int error = vendor_factor_workspace<T>(x, n, bytes);
    *bytes = std::max(*bytes, invert_workspace<T>(n));
    return error;
}

template <typename T>
int factor_and_invert(startile_exec *x, int n, T *a, int lda, T *w, int ldw)
{
    if (uses_tile_kernel<T>(x, n))
        return potrf_by_tiles<T>(x, 'L', n, a, lda, w, ldw, nullptr);
    if (int error = vendor_factor(x, 'L', n, a, lda))
        return error;
    const inverse_of<T> of_l = {'L', 'N', a, lda, w, ldw};
    return invert<T>(x, n, 1, &of_l);
}

/* Factors by tile_kernel or cuSOLVER, as their times for the order and type say. */
template <typename T>
static int potrf_in_its_type(startile_exec *x, char uplo, int n, T *a, int lda, T *w, int ldw,
                             startile_tile_status *status)
{
    if (!uses_tile_kernel<T>(x, n))
        return vendor_potrf<T>(x, uplo, n, a, lda, w, ldw, status);
    return potrf_by_tiles<T>(x, uplo, n, a, lda, w, ldw, status);
}

/* Orders of tiles in single precision that are factored in double precision. tile_kernel is bound
 * by the chain of pivots, which is as long in both, and by its products, which are faster there;
 * cuSOLVER is faster there in complex, too (H200, with the inverse, single and double, order 512:
 * 177 and 145 µs, 1024: 343 and 273, 2048: 754 and 561; complex without the inverse, cuSOLVER and
 * in double, 512: 410 and 254, 1024: 780 and 471, 2048: 1463 and 1176, 4096: 3731 and 4261;
 * perf_models/NOTES.md, "Diagonal tiles"). */
constexpr int min_order_in_double = 512, max_order_in_double = 2048;
static bool is_factored_in_double(const startile_exec *x, int n)
{
    return has_fast_double(x) && n >= min_order_in_double && n <= max_order_in_double;
}

/* potrf by a factorization in double precision. Where status->use_inverse is 1, ‖W‖₁ ≤ n / ‖L‖₁, so
 * that W does not overflow; otherwise W is not used. */
template <typename T>
static int potrf_in_double(startile_exec *x, char uplo, int n, T *a, int lda, T *w, int ldw,
                           startile_tile_status *status)
{
    using wide = typename element<T>::other_precision;
    const size_t n_n = size_t(n) * n;
    if (int error = reserve_factor(x, (w != nullptr ? 2 : 1) * n_n * sizeof(wide)))
        return error;
    wide *const t = static_cast<wide *>(x->factor);
    wide *const t_inverse = w != nullptr ? t + n_n : nullptr;
    if (int error = convert(x, uplo, n, a, lda, t, n))
        return error;
    if (int error = potrf_in_its_type<wide>(x, uplo, n, t, n, t_inverse, n, status))
        return error;
    if (int error = convert(x, uplo, n, t, n, a, lda))
        return error;
    return w != nullptr ? convert(x, 'G', n, t_inverse, n, w, ldw) : 0;
}

template <typename T>
int potrf(startile_exec *x, char uplo, int n, void *a, int lda, void *w, int ldw,
          startile_tile_status *status)
{
    T *const t = static_cast<T *>(a), *const inverse = static_cast<T *>(w);
    if constexpr (is_single<T>)
        if (is_factored_in_double(x, n))
            return potrf_in_double(x, uplo, n, t, lda, inverse, ldw, status);
    return potrf_in_its_type(x, uplo, n, t, lda, inverse, ldw, status);
}

INSTANTIATE(factor_workspace);
INSTANTIATE(factor_and_invert);
INSTANTIATE(potrf);

} // namespace startile_cuda
