/*
 * Cholesky of a diagonal tile by cuSOLVER, the inverse of its factor, and the check whether
 * products may use that inverse
 *
 * Factor: always by cuSOLVER's lower case. cuSOLVER's upper case takes more than twice as long
 * (order 2048 in double on an H100: 2.1 ms against 0.87). So an upper triangle is transposed and
 * conjugated before and after.
 *
 * Infinite pivots: LAPACK treats +∞ as any pivot: its root is infinite, and the rest of its column
 * becomes zero. cuSOLVER multiplies by the reciprocal and leaves NaN. So +∞ on the diagonal is
 * replaced by the overflow threshold, against which all other numbers vanish. After the
 * factorization, LAPACK's result is written; in the inverse that is a row and a column of zeros. (A
 * finite pivot within 0.1 % of the threshold counts as infinite, but only in a tile that has an
 * infinite one.)
 *
 * Inverse and check: trtri.cu
 */
#include "common/cusolver.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

constexpr int diagonal_threads = 256;

/* Replaces +∞ on the diagonal by the overflow threshold. */
template <typename T>
__global__ void __launch_bounds__(diagonal_threads)
    replace_infinite_pivots_kernel(int n, T *a, int64_t lda, tile_status *state)
{
    int64_t i = int64_t(blockIdx.x) * diagonal_threads + threadIdx.x;
    if (i < n && real_part(a[i + i * lda]) == static_cast<typename element<T>::real>(INFINITY)) {
        a[i + i * lda] = to_element<T>(largest<T>, 0);
        state->infinite_pivots = 1;
    }
}

/* Writes LAPACK's result for infinite pivots, and records the first NaN pivot. w may be null. */
template <typename T>
__global__ void __launch_bounds__(diagonal_threads)
    restore_infinite_pivots_kernel(char uplo, int n, T *t, int64_t ldt, T *w, int64_t ldw,
                                   tile_status *state)
{
    int64_t k = int64_t(blockIdx.x) * diagonal_threads + threadIdx.x;
    if (k < n && isnan(real_part(t[k + k * ldt])))
        atomicMax(&state->nan_pivot, n - static_cast<int>(k));
    if (state->infinite_pivots == 0 || k >= n ||
        !(real_part(t[k + k * ldt]) >= nearly_root_of_largest<T>))
        return;
    const T zero = to_element<T>(0, 0);
    t[k + k * ldt] = to_element<T>(INFINITY, 0);
    for (int64_t i = k + 1; i < n; i++)
        t[uplo == 'L' ? i + k * ldt : k + i * ldt] = zero;
    if (w == nullptr)
        return;
    for (int64_t i = 0; i < n; i++)
        w[i + k * ldw] = w[k + i * ldw] = zero;
}

/* Sets *bytes and *host_bytes to the sizes of cuSOLVER's workspaces on the device and on the host.
 * *bytes is rounded up, so that data after cuSOLVER's part of x->workspace is aligned. */
template <typename T>
static int workspace_sizes(startile_exec *x, int n, int ldt, size_t *bytes, size_t *host_bytes)
{
    constexpr cudaDataType type = blas<T>::data_type;
    if (int error = check(cusolverDnXpotrf_bufferSize(x->cusolver, x->cusolver_params,
                                                      CUBLAS_FILL_MODE_LOWER, n, type, nullptr, ldt,
                                                      type, bytes, host_bytes)))
        return error;
    *bytes = aligned_size(*bytes);
    return 0;
}

template <typename T>
int vendor_factor_workspace(startile_exec *x, int n, size_t *bytes)
{
    size_t host_bytes = 0;
    return workspace_sizes<T>(x, n, n, bytes, &host_bytes);
}

template <typename T>
int vendor_factor(startile_exec *x, char uplo, int n, T *a, int lda)
{
    constexpr cudaDataType type = blas<T>::data_type;
    const bool upper = uplo == 'U';
    const size_t transposed_bytes = upper ? size_t(n) * n * sizeof(T) : 0;
    const int ldt = upper ? n : lda;
    size_t bytes = 0, host_bytes = 0;
    if (int error = workspace_sizes<T>(x, n, ldt, &bytes, &host_bytes))
        return error;
    if (int error = reserve(x, bytes + transposed_bytes))
        return error;
    if (int error = reserve_host(x, host_bytes))
        return error;
    T *t = upper ? reinterpret_cast<T *>(static_cast<char *>(x->workspace) + bytes) : a;
    if (upper)
        if (int error = conjugate_transpose(x, 'L', n, n, a, lda, t, ldt))
            return error;
    if (int error = check(cusolverDnXpotrf(x->cusolver, x->cusolver_params, CUBLAS_FILL_MODE_LOWER,
                                           n, type, t, ldt, type, x->workspace, bytes,
                                           x->host_workspace, host_bytes, &x->status->info)))
        return error;
    return upper ? conjugate_transpose(x, 'U', n, n, t, ldt, a, lda) : 0;
}

template <typename T>
int vendor_potrf(startile_exec *x, char uplo, int n, void *a, int lda, void *w, int ldw,
                 startile_tile_status *status)
{
    T *t = static_cast<T *>(a), *inverse = static_cast<T *>(w);
    if (n == 0) {
        /* Written by the host, because no kernel is enqueued that could write it later. */
        status->info = 0;
        status->use_inverse = 0;
        return 0;
    }
    const unsigned int blocks = ceil_div(n, diagonal_threads);
    if (int error = launch(x, replace_infinite_pivots_kernel<T>, blocks, diagonal_threads, n, t,
                           lda, x->status))
        return error;
    if (int error = vendor_factor(x, uplo, n, t, lda))
        return error;
    const inverse_of<T> of_t = {uplo, 'N', t, lda, inverse, ldw};
    if (inverse != nullptr)
        if (int error = invert<T>(x, n, 1, &of_t))
            return error;
    if (int error = launch(x, restore_infinite_pivots_kernel<T>, blocks, diagonal_threads, uplo, n,
                           t, lda, inverse, ldw, x->status))
        return error;
    return check_inverse<T>(x, uplo, 'N', n, t, lda, inverse, ldw, status);
}

INSTANTIATE(vendor_factor_workspace);
INSTANTIATE(vendor_factor);
INSTANTIATE(vendor_potrf);

} // namespace startile_cuda
