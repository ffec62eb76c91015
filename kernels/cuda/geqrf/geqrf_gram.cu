/*
 * Computes G := Aᴴ A for a tall A, in the lower triangle of G, as the sum of products of blocks of
 * rows, which are a group in one launch. The order of the sum is fixed. For 262144 × 256 in double
 * on an H100 products by cuBLAS took 0.49 ms, one product for both triangles 0.73, cuBLAS's syrk
 * 2.0.
 *
 * Error: |ΔG| ≤ c m eps |Aᴴ| |A|, elementwise, with a small constant c (Higham, Accuracy and
 * Stability of Numerical Algorithms, 2nd ed., 3.5).
 */
#include "common/operations.cuh"
#include "gemm/product.cuh"
#include "geqrf/geqrf_tall.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Columns of one product. The products skip the part above the diagonal in steps of this size. */
constexpr int gram_columns = 128;

/* Rows of one product at least. More parts give more thread blocks, and more partial sums to add.
 */
constexpr int gram_rows = 256;

/* Returns the rows of one part, a multiple of 16. The parts have at most about 16384 columns
 * together; for n = 512 they fill an H100's 132 multiprocessors nearly five times in blocks of
 * 128 × 64. */
static int rows_of_part(int m, int n)
{
    const int parts = std::max(1, 16384 / n);
    return std::max(gram_rows, static_cast<int>(ceil_div(ceil_div(m, parts), 16)) * 16);
}

size_t gram_workspace(int m, int n)
{
    return size_t(n) * n * ceil_div(m, rows_of_part(m, n));
}

constexpr int sum_threads = 128;

/* Sums the parts in the lower triangle of G, and sets the other triangle to zero. */
template <typename T>
__global__ void __launch_bounds__(sum_threads)
    sum_gram_kernel(int n, int count, const T *parts, T *g)
{
    const int64_t i = blockIdx.x * sum_threads + threadIdx.x, j = blockIdx.y;
    const int64_t n_n = int64_t(n) * n, element_index = i + j * n;
    if (i >= n)
        return;
    T sum = to_element<T>(0, 0);
    if (i >= j)
#pragma unroll 8
        for (int part = 0; part < count; part++)
            sum = multiply_add(to_element<T>(1, 0), parts[element_index + part * n_n], sum);
    g[element_index] = sum;
}

/* Computes the products of `count` parts of `rows` rows each. */
template <typename T>
static int multiply_parts(startile_exec *x, int n, int rows, int count, const T *a, int lda,
                          T *parts)
{
    product_piece<T> piece[max_products];
    product_group<T> g;
    g.transa = 'C';
    g.k = rows;
    g.alpha = to_element<T>(1, 0);
    g.piece = piece;
    for (int part = 0; part < count; part++)
        for (int j = 0; j < n; j += gram_columns) {
            const T *from = a + int64_t(part) * rows + int64_t(j) * lda;
            T *to = parts + part * int64_t(n) * n + j + int64_t(j) * n;
            piece[g.pieces++] = {from, from, to, lda, lda, n, n - j, std::min(gram_columns, n - j)};
            if (g.pieces < max_products && (part + 1 < count || j + gram_columns < n))
                continue;
            if (int error = multiply_plain(x, g))
                return error;
            g.pieces = 0;
        }
    return 0;
}

template <typename T>
int gram(startile_exec *x, int m, int n, const T *a, int lda, T *parts, T *g)
{
    const int rows = rows_of_part(m, n), count = m / rows, remaining = m % rows;
    if (int error = multiply_parts(x, n, rows, count, a, lda, parts))
        return error;
    if (remaining > 0)
        if (int error = multiply_parts(x, n, remaining, 1, a + int64_t(count) * rows, lda,
                                       parts + count * int64_t(n) * n))
            return error;
    return launch(x, sum_gram_kernel<T>, dim3(ceil_div(n, sum_threads), n), sum_threads, n,
                  count + (remaining > 0), parts, g);
}

INSTANTIATE(gram);

} // namespace startile_cuda
