/*
 * LU of a diagonal tile without pivoting by cuSOLVER, the inverses of both factors, and the check
 * whether products may use them
 *
 * Factors: by cuSOLVER, whose getrf spends six sevenths of its time on pivoting (order 2048 in
 * double on an H100: 0.76 ms without pivoting, 5.7 with). Bound: latency, 0.37 µs per column for
 * every order.
 *
 * Zero pivots: cuSOLVER reports the first one, leaves zeros in its column of L, and continues.
 * LAPACK's division by zero would leave infinity or NaN in that column, and then in all following
 * rows and columns. zero_pivot_kernel writes infinity to the column and NaN to these rows and
 * columns.
 *
 * Inverses and their check: trtri.cu
 */
#include "common/cusolver.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

constexpr int zero_pivot_threads = 256;
constexpr int zero_pivot_blocks = 64;

/* Writes infinity below the first zero pivot, in 0-based column z, and NaN to the following rows
 * and columns. Does nothing without a zero pivot. */
template <typename T>
__global__ void __launch_bounds__(zero_pivot_threads)
    zero_pivot_kernel(int n, T *a, int64_t lda, const tile_status *state)
{
    const int z = state->info - 1;
    if (z < 0)
        return;
    for (int64_t j = z + int64_t(blockIdx.x); j < n; j += zero_pivot_blocks)
        for (int64_t i = z + 1 + threadIdx.x; i < n; i += zero_pivot_threads)
            a[i + j * lda] = to_element<T>(j == z ? INFINITY : NAN, 0);
}

/* Factors with cuSOLVER. After a zero pivot, writes infinity and NaN (zero_pivot_kernel). */
template <typename T>
static int factor_without_pivoting(startile_exec *x, int n, T *a, int lda)
{
    constexpr cudaDataType type = blas<T>::data_type;
    size_t bytes = 0, host_bytes = 0;
    if (int error = check(cusolverDnXgetrf_bufferSize(x->cusolver, x->cusolver_params, n, n, type,
                                                      a, lda, type, &bytes, &host_bytes)))
        return error;
    if (int error = reserve(x, bytes))
        return error;
    if (int error = reserve_host(x, host_bytes))
        return error;
    /* A null array of pivots disables pivoting. */
    if (int error = check(cusolverDnXgetrf(x->cusolver, x->cusolver_params, n, n, type, a, lda,
                                           nullptr, type, x->workspace, bytes, x->host_workspace,
                                           host_bytes, &x->status->info)))
        return error;
    return launch(x, zero_pivot_kernel<T>, zero_pivot_blocks, zero_pivot_threads, n, a, lda,
                  x->status);
}

template <typename T>
int vendor_getrf_nopiv(startile_exec *x, int n, void *a, int lda, void *wl, int ldwl, void *wu,
                       int ldwu, startile_tile_status *status)
{
    T *lu = static_cast<T *>(a), *l_inverse = static_cast<T *>(wl),
      *u_inverse = static_cast<T *>(wu);
    if (n == 0) {
        /* Written by the host, because no kernel is enqueued that could write it later. */
        status->info = 0;
        status->use_inverse = 0;
        return 0;
    }
    if (int error = factor_without_pivoting(x, n, lu, lda))
        return error;
    if (l_inverse != nullptr && u_inverse != nullptr) {
        const inverse_of<T> both[] = {{'L', 'U', lu, lda, l_inverse, ldwl},
                                      {'U', 'N', lu, lda, u_inverse, ldwu}};
        if (int error = invert<T>(x, n, 2, both))
            return error;
        if (int error = check_inverse<T>(x, 'L', 'U', n, lu, lda, l_inverse, ldwl, nullptr))
            return error;
    }
    return check_inverse<T>(x, 'U', 'N', n, lu, lda, u_inverse, ldwu, status);
}

INSTANTIATE(vendor_getrf_nopiv);

} // namespace startile_cuda
