/* B := Aᴴ, or one triangle of it. Bound: memory */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

/* Order of the square blocks that pass through shared memory, so that both A and B are accessed
 * along their columns. A thread block has transpose_order × transpose_rows threads. */
constexpr int transpose_order = 32;
constexpr int transpose_rows = 8;

/* Sets the triangle uplo of B ('G': all of B) to that of Aᴴ. Blocks are numbered down the columns
 * of B in the grid's first dimension, because the other dimensions are too small for a tall
 * tile. */
template <typename T>
__global__ void __launch_bounds__(transpose_order *transpose_rows)
    conjugate_transpose_kernel(char uplo, int m, int n, const T *a, int64_t lda, T *b, int64_t ldb)
{
    __shared__ T block[transpose_order][transpose_order + 1];
    const unsigned int blocks = (n + transpose_order - 1) / transpose_order;
    const int row0 = blockIdx.x % blocks * transpose_order,
              column0 = blockIdx.x / blocks * transpose_order;
    if (uplo == 'L' ? row0 < column0 : uplo == 'U' && row0 > column0)
        return;
#pragma unroll
    for (int j = threadIdx.y; j < transpose_order; j += transpose_rows) {
        int i = column0 + threadIdx.x;
        if (i < m && row0 + j < n)
            block[j][threadIdx.x] = a[i + (row0 + j) * lda];
    }
    __syncthreads();
#pragma unroll
    for (int j = threadIdx.y; j < transpose_order; j += transpose_rows) {
        int row = row0 + threadIdx.x, column = column0 + j;
        if (row < n && column < m && in_triangle(uplo, row, column))
            b[row + column * ldb] = conjugate(block[threadIdx.x][j]);
    }
}

template <typename T>
int conjugate_transpose(startile_exec *x, char uplo, int m, int n, const T *a, int lda, T *b,
                        int ldb)
{
    if (m == 0 || n == 0)
        return 0;
    return launch(x, conjugate_transpose_kernel<T>,
                  ceil_div(m, transpose_order) * ceil_div(n, transpose_order),
                  dim3(transpose_order, transpose_rows), uplo, m, n, a, lda, b, ldb);
}

template <typename T>
int transpose(startile_exec *x, int m, int n, const void *a, int lda, void *b, int ldb)
{
    return conjugate_transpose(x, 'G', m, n, static_cast<const T *>(a), lda, static_cast<T *>(b),
                               ldb);
}

INSTANTIATE(conjugate_transpose);
INSTANTIATE(transpose);

} // namespace startile_cuda
