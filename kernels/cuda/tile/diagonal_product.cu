/* Product of a triangular factor's diagonal by one warp, for determinants (LINPACK xGEDI). A tile
 * has at most a few thousand diagonal elements, so that one warp suffices. */
#include "common/operations.cuh"
#include "common/wide_product.cuh"

namespace startile_cuda
{

template <typename T>
__global__ void __launch_bounds__(32)
    diagonal_product_kernel(int n, const T *a, int64_t lda, int64_t row0,
                            startile_pivots_of_panel pivots, double *product)
{
    startile_wide mine = {1, 0, 0};
    for (int64_t i = threadIdx.x; i < n; i += 32) {
        const bool interchanged = i < pivots.k && pivots.of[i] != row0 + i + 1;
        mine = startile_wide_product(mine, wide_element(a[i + i * lda], interchanged));
    }
    mine = product_of_warp(mine);
    if (threadIdx.x == 0) {
        product[0] = mine.re;
        product[1] = mine.im;
        product[2] = mine.exponent;
    }
}

template <typename T>
int diagonal_product(startile_exec *x, int n, const void *a, int lda, int64_t row0,
                     startile_pivots_of_panel pivots, double *product)
{
    return launch(x, diagonal_product_kernel<T>, 1, 32, n, static_cast<const T *>(a), lda, row0,
                  pivots, product);
}

INSTANTIATE(diagonal_product);

} // namespace startile_cuda
