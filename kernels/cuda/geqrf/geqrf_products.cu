/*
 * W := Tᴴ Vᴴ C, the inner products of a block reflector with the columns to which it is applied.
 * The result is small and the inner dimension long. So the rows are cut into chunks; the chunks are
 * multiplied independently and their products summed in a fixed order:
 *
 *     products_kernel         V^H C of a chunk of rows and 64 columns of C, one per thread block
 *       |  partials             (more than 32 reflectors: cuBLAS instead)
 *       v
 *     sum_and_apply_kernel    W = T^H times the sum of the partials
 *
 * Error: |ΔW| ≤ (m + k) eps |T|ᴴ |V|ᴴ |C|, elementwise, for V with m rows and k columns, as for any
 * order of summation.
 */
#include "common/block_products.cuh"
#include "common/hopper.cuh"
#include "geqrf/geqrf.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Maximal number of reflectors for products_kernel and sum_and_apply_kernel; cuBLAS takes more */
constexpr int few_reflectors = max_strip_columns;

constexpr int product_threads = 256;
constexpr int product_columns = 64; /* columns of C of a thread block */

template <typename T>
constexpr int product_depth = sizeof(T) == 16 ? 16 : 32; /* rows in shared memory at a time */

template <typename T>
struct product_task {
    int m, n, k, rows; /* rows: number of rows of a chunk */
    const T *v, *c;
    int64_t ld;
    T *partials;
};

/* Computes Vᴴ C for one chunk of rows and 64 columns of C. A thread has two columns of V and four
 * of C. */
template <typename T>
__global__ void __launch_bounds__(product_threads) products_kernel(product_task<T> task)
{
    constexpr int depth = product_depth<T>, all = few_reflectors + product_columns;
    constexpr int loads = all * depth / product_threads;
    __shared__ T tile[all][depth + 1];
    T next[loads], sum[2][4];
    const int t = threadIdx.x, vi = t % 16, cj = t / 16;
    const int first_column = blockIdx.x * product_columns;
    const int begin = blockIdx.y * task.rows, end = min(begin + task.rows, task.m);
    auto load = [&](int row) {
#pragma unroll
        for (int l = 0; l < loads; l++) {
            const int column = (t + l * product_threads) / depth;
            const int i = row + t % depth, j = first_column + column - few_reflectors;
            const bool is_v = column < few_reflectors;
            next[l] = to_element<T>(0, 0);
            if (i < end && (is_v ? column < task.k : j < task.n))
                next[l] = is_v ? task.v[i + column * task.ld] : task.c[i + j * task.ld];
        }
    };
#pragma unroll
    for (int a = 0; a < 2; a++)
#pragma unroll
        for (int b = 0; b < 4; b++)
            sum[a][b] = to_element<T>(0, 0);
    wait_for_previous_kernel();
    load(begin);
    for (int row = begin; row < end; row += depth) {
#pragma unroll
        for (int l = 0; l < loads; l++)
            tile[(t + l * product_threads) / depth][t % depth] = next[l];
        __syncthreads();
        if (row + depth < end)
            load(row + depth);
#pragma unroll 8
        for (int i = 0; i < depth; i++) {
            const T v[2] = {conjugate(tile[vi][i]), conjugate(tile[vi + 16][i])};
#pragma unroll
            for (int b = 0; b < 4; b++) {
                const T c = tile[few_reflectors + cj + 16 * b][i];
                sum[0][b] = multiply_add(v[0], c, sum[0][b]);
                sum[1][b] = multiply_add(v[1], c, sum[1][b]);
            }
        }
        __syncthreads();
    }
    T *to = task.partials + int64_t(blockIdx.y) * task.k * task.n;
#pragma unroll
    for (int a = 0; a < 2; a++)
#pragma unroll
        for (int b = 0; b < 4; b++) {
            const int i = vi + 16 * a, j = first_column + cj + 16 * b;
            if (i < task.k && j < task.n)
                to[i + int64_t(j) * task.k] = sum[a][b];
        }
}

/* Columns of W of a thread block, and threads that sum one element */
constexpr int sum_columns = 2, sum_slices = 4;

/* Computes W := Tᴴ times the sum of the partial products, for up to 32 reflectors. Several threads
 * sum each element, because latency bounds this kernel. */
template <typename T>
__global__ void __launch_bounds__(few_reflectors *sum_columns *sum_slices)
    sum_and_apply_kernel(int k, int n, int chunks, const T *partials, const T *t, int ldt, T *w)
{
    __shared__ T triangle[few_reflectors][few_reflectors + 1];
    __shared__ T sums[sum_slices][sum_columns][few_reflectors];
    const int i = threadIdx.x % few_reflectors, c = threadIdx.x / few_reflectors % sum_columns;
    const int slice = threadIdx.x / (few_reflectors * sum_columns);
    const int j = blockIdx.x * sum_columns + c;
    const bool mine = i < k && j < n;
    T sum = to_element<T>(0, 0);
    wait_for_previous_kernel();
    for (int l = slice * sum_columns + c; l < k; l += sum_columns * sum_slices)
        triangle[l][i] = i < k && l <= i ? conjugate(t[l + int64_t(i) * ldt]) : sum;
    if (mine) {
        const T *p = partials + i + int64_t(j) * k;
#pragma unroll 16
        for (int q = slice; q < chunks; q += sum_slices)
            sum = multiply_add(to_element<T>(1, 0), p[int64_t(q) * k * n], sum);
    }
    sums[slice][c][i] = sum;
    __syncthreads();
    if (slice > 0)
        return;
    const T one = to_element<T>(1, 0);
    sum = to_element<T>(0, 0);
    for (int l = 0; l < k; l++) {
        T whole = sums[0][c][l];
#pragma unroll
        for (int q = 1; q < sum_slices; q++)
            whole = multiply_add(one, sums[q][c][l], whole);
        sum = multiply_add(triangle[l][i], whole, sum);
    }
    if (mine)
        w[i + int64_t(j) * k] = sum;
}

/* Computes W := the sum of the partial products, one element per thread. */
template <typename T>
__global__ void __launch_bounds__(product_threads)
    sum_kernel(int64_t elements, int chunks, const T *partials, T *w)
{
    const int64_t e = int64_t(blockIdx.x) * product_threads + threadIdx.x;
    T sum = to_element<T>(0, 0);
    wait_for_previous_kernel();
    if (e >= elements)
        return;
#pragma unroll 4
    for (int q = 0; q < chunks; q++)
        sum = multiply_add(to_element<T>(1, 0), partials[q * elements + e], sum);
    w[e] = sum;
}

/* Rows of a chunk, and number of chunks */
struct row_chunks {
    int rows, chunks;
};

/* Returns the division of the rows into chunks. About 256 thread blocks of at least 64 rows keep
 * all multiprocessors of an H100 busy. */
static row_chunks choose_chunks(int m, int n, int k)
{
    const int64_t tiles = int64_t(ceil_div(n, product_columns)) * ceil_div(k, product_columns);
    const int64_t wanted = std::max<int64_t>(1, 256 / tiles);
    const int rows =
        static_cast<int>(std::max<int64_t>(64, ceil_div(ceil_div(m, wanted), 32) * int64_t(32)));
    /* Chunks of equal size save the product of a shorter last chunk. */
    int equal = rows;
    while (equal < 2 * rows && m % equal != 0)
        equal += 32;
    const int chosen = equal < 2 * rows ? equal : rows;
    return {chosen, static_cast<int>(ceil_div(m, chosen))};
}

/* Computes W := Tᴴ Vᴴ C for at most few_reflectors reflectors. */
template <typename T>
static int multiply_few(startile_exec *x, const product_task<T> &task, int chunks, const T *t,
                        int ldt, T *w)
{
    const dim3 grid(ceil_div(task.n, product_columns), chunks);
    if (int error = launch_dependent(x, products_kernel<T>, grid, product_threads, task))
        return error;
    return launch_dependent(x, sum_and_apply_kernel<T>, ceil_div(task.n, sum_columns),
                            few_reflectors * sum_columns * sum_slices, task.k, task.n, chunks,
                            static_cast<const T *>(task.partials), t, ldt, w);
}

/* Computes W := Tᴴ Vᴴ C for any number of reflectors, with cuBLAS. Vᴴ C overwrites the first
 * partial product. */
template <typename T>
static int multiply_many(startile_exec *x, const product_task<T> &p, int chunks, const T *t,
                         int ldt, T *w)
{
    const T one = to_element<T>(1, 0), zero = to_element<T>(0, 0);
    const int ld = static_cast<int>(p.ld), whole = p.m / p.rows, remaining = p.m - whole * p.rows;
    const int64_t size = int64_t(p.k) * p.n;
    if (whole > 0)
        if (int error = multiply<T>(x, 'C', 'N', p.k, p.n, p.rows, one, {p.v, ld, p.rows},
                                    {p.c, ld, p.rows}, zero, {p.partials, p.k, size}, whole))
            return error;
    if (remaining > 0) {
        const int64_t done = int64_t(whole) * p.rows;
        if (int error = multiply<T>(x, 'C', 'N', p.k, p.n, remaining, one, {p.v + done, ld, 0},
                                    {p.c + done, ld, 0}, zero, {p.partials + whole * size, p.k, 0}))
            return error;
    }
    if (int error =
            launch_dependent(x, sum_kernel<T>, ceil_div(size, product_threads), product_threads,
                             size, chunks, static_cast<const T *>(p.partials), p.partials))
        return error;
    return multiply<T>(x, 'C', 'N', p.k, p.n, p.k, one, {t, ldt, 0}, {p.partials, p.k, 0}, zero,
                       {w, p.k, 0});
}

template <typename T>
size_t qr_partials(int m, int n, int k)
{
    /* A call with fewer reflectors or columns may have more chunks, but its partial products have
     * at most 256 tiles of 64 × 64 elements; 257 leave a margin. */
    const size_t usual = size_t(choose_chunks(m, n, k).chunks) * n * k;
    return std::max(usual, size_t(257) * product_columns * product_columns);
}

template <typename T>
int reflector_products(startile_exec *x, int m, int n, int k, const T *v, const T *c, int64_t ld,
                       const T *t, int ldt, T *partials, T *w)
{
    const row_chunks chunking = choose_chunks(m, n, k);
    const product_task<T> task = {m, n, k, chunking.rows, v, c, ld, partials};
    return k <= few_reflectors ? multiply_few(x, task, chunking.chunks, t, ldt, w)
                               : multiply_many(x, task, chunking.chunks, t, ldt, w);
}

INSTANTIATE(qr_partials);
INSTANTIATE(reflector_products);

} // namespace startile_cuda
