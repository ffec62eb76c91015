/* Finds, by one thread block, the first zero on the diagonal of a triangular factor, which is
 * singular if there is one. */
#include "common/operations.cuh"

#include <climits>

namespace startile_cuda
{

constexpr int first_zero_threads = 256;

template <typename T>
__global__ void __launch_bounds__(first_zero_threads)
    first_zero_kernel(int n, const T *a, int64_t lda, int64_t before, const double *largest,
                      startile_tile_status *status)
{
    __shared__ int first;
    if (largest != nullptr && *largest == 0)
        return;
    if (threadIdx.x == 0)
        first = INT_MAX;
    __syncthreads();
    for (int64_t i = threadIdx.x; i < n; i += first_zero_threads)
        if (is_zero(a[i + i * lda])) {
            atomicMin(&first, static_cast<int>(i));
            break;
        }
    __syncthreads();
    if (threadIdx.x == 0 && first != INT_MAX && status->info == 0) {
        status->info = before + first + 1;
        __threadfence_system();
    }
}

template <typename T>
int first_zero(startile_exec *x, int n, const void *a, int lda, int64_t before,
               const double *largest, startile_tile_status *status)
{
    if (n == 0)
        return 0;
    return launch(x, first_zero_kernel<T>, 1, first_zero_threads, n, static_cast<const T *>(a), lda,
                  before, largest, status);
}

INSTANTIATE(first_zero);

} // namespace startile_cuda
