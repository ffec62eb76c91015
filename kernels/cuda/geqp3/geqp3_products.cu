/*
 * Products of the newest reflector and the columns to its right, in QR with column pivoting
 * (geqp3.cu), and the norms of the columns. products_kernel reads the matrix once, and so bounds
 * the time of the factorization.
 */
#include "common/hopper.cuh"
#include "geqp3/geqp3.cuh"

#include <algorithm>

namespace startile_cuda
{

constexpr int columns_of_warp = 4, columns_of_block = columns_of_warp * pivoted_warps;

/* Computes the parts of xᴴ A(:,c) / power below row row0 + j, for the block's reflectors and all
 * columns right of column j. Stores reflector j in column j. Grid: columns; parts of the rows */
template <typename T>
__global__ void __launch_bounds__(pivoted_threads)
    products_kernel(pivoted_panel<T> p, int j, int rows_of_part)
{
    using S = wide<T>;
    wait_for_previous_kernel();
    const int begin = p.row0 + j + 1 + blockIdx.y * rows_of_part,
              end = min(p.m, begin + rows_of_part), lane = threadIdx.x % 32;
    const int c0 = p.first + blockIdx.x * columns_of_block + threadIdx.x / 32 * columns_of_warp;
    const double reciprocal = 1 / p.state->power;
    const T *a[columns_of_warp];
    S sum[columns_of_warp];
#pragma unroll
    for (int k = 0; k < columns_of_warp; k++) {
        /* column j changes here, and its sum is not used */
        a[k] = c0 + k == j || c0 + k >= p.n ? p.x : p.column(c0 + k);
        sum[k] = to_element<S>(0, 0);
    }
#pragma unroll 4
    for (int i = begin + lane; i < end; i += 32) {
        const S e = conjugate(scaled<S>(reciprocal, convert<S>(p.x[i])));
#pragma unroll
        for (int k = 0; k < columns_of_warp; k++)
            sum[k] = multiply_add(e, convert<S>(a[k][i]), sum[k]);
    }
#pragma unroll
    for (int k = 0; k < columns_of_warp; k++) {
        for (int distance = 16; distance > 0; distance /= 2)
            sum[k] = multiply_add(to_element<S>(1, 0), shuffle(sum[k], lane ^ distance), sum[k]);
        if (lane == 0 && c0 + k < p.n)
            p.sums[blockIdx.y * int64_t(p.n) + c0 + k] = sum[k];
    }
    if (blockIdx.x > 0)
        return;
    const S scale = p.state->h.scale;
    for (int i = begin + threadIdx.x; i < end; i += pivoted_threads)
        p.column(j)[i] = convert<T>(multiply(scaled<S>(reciprocal, convert<S>(p.x[i])), scale));
}

/* Returns the sum of the parts of xᴴ A(:,c). */
template <typename T>
__device__ inline wide<T> sum_of_parts(const pivoted_panel<T> &p, int c, int parts)
{
    wide<T> sum = p.sums[c];
    for (int i = 1; i < parts; i++)
        sum = multiply_add(to_element<wide<T>>(1, 0), p.sums[i * int64_t(p.n) + c], sum);
    return sum;
}

/* Removes the element r of R from the norm of column c. Returns whether cancellation leaves no
 * correct digit (Drmač & Bujanović). */
template <typename T>
__device__ inline bool downdate_norm(const pivoted_panel<T> &p, int c, T r)
{
    constexpr double half_eps = is_single<T> ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
    const double norm = p.norm[c];
    if (norm == 0)
        return false;
    const double part = magnitude(r) / norm, left = fmax((1 + part) * (1 - part), 0.0),
                 since = norm / p.exact_norm[c];
    if (left * since * since <= sqrt(half_eps))
        return true;
    p.norm[c] = norm * sqrt(left);
    return false;
}

/* Applies the block's reflectors to column c below row `row`, the row of the newest one, and
 * computes its norm, by a thread block. */
template <typename T>
__device__ inline void update_lost_column(const pivoted_panel<T> &p, int j, int c)
{
    __shared__ T w[pivoted_block];
    const int row = p.row0 + j, count = j - p.first + 1;
    __syncthreads();
    if (threadIdx.x < count) {
        T *const mine = &p.w[c + threadIdx.x * int64_t(p.n)];
        w[threadIdx.x] = *mine;
        *mine = to_element<T>(0, 0);
    }
    __syncthreads();
    T *const a = p.column(c);
    for (int i = row + 1 + threadIdx.x; i < p.m; i += pivoted_threads) {
        T now = a[i];
        for (int q = 0; q < count; q++)
            now = subtract_product(now, p.reflector_at(q)[i], w[q]);
        a[i] = now;
    }
    const double norm = norm_of_vector(a + row + 1, p.m - row - 1);
    if (threadIdx.x == 0)
        p.norm[c] = p.exact_norm[c] = norm;
}

/* Stores the largest norm of this group of columns; c: this thread's column */
template <typename T>
__device__ inline void store_largest(const pivoted_panel<T> &p, int c)
{
    __shared__ largest_norm list[pivoted_threads];
    list[threadIdx.x] = c < p.n ? largest_norm{p.norm[c], c} : largest_norm{-1, c};
    for (int half = pivoted_threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half && comes_before(list[threadIdx.x + half], list[threadIdx.x]))
            list[threadIdx.x] = list[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        p.largest[blockIdx.x] = list[0];
}

/* For each column c right of column j: W(j,c) := conj(tau) vᴴ (A(:,c) − V W(:,c)), the element of
 * R in the row of v's diagonal, and its norm. One thread a column */
template <typename T>
__global__ void __launch_bounds__(pivoted_threads)
    row_kernel(pivoted_panel<T> p, int j, int parts, bool is_pivoted)
{
    using S = wide<T>;
    __shared__ S v_row[pivoted_block], v_product[pivoted_block];
    __shared__ int lost[pivoted_threads], lost_columns;
    const int row = p.row0 + j, before = j - p.first;
    const int c = j + 1 + blockIdx.x * pivoted_threads + threadIdx.x;
    wait_for_previous_kernel();
    if (threadIdx.x < before) {
        v_row[threadIdx.x] = convert<S>(p.reflector_at(threadIdx.x)[row]);
        v_product[threadIdx.x] = sum_of_parts(p, p.first + threadIdx.x, parts);
    }
    if (threadIdx.x == 0)
        lost_columns = 0;
    __syncthreads();
    if (c < p.n) {
        T *const a = p.column(c) + row, *const w = p.w + c;
        S top = convert<S>(*a), product = sum_of_parts(p, c, parts);
        for (int q = 0; q < before; q++) {
            const S w_q = convert<S>(w[q * int64_t(p.n)]);
            top = subtract_product(top, v_row[q], w_q);
            product = subtract_product(product, v_product[q], w_q);
        }
        const S w_j = multiple_of(p.state->h, top, product);
        const T r = convert<T>(subtract_product(top, to_element<S>(1, 0), w_j));
        w[before * int64_t(p.n)] = convert<T>(w_j);
        *a = r;
        if (is_pivoted && downdate_norm(p, c, r))
            lost[atomicAdd(&lost_columns, 1)] = c;
    }
    if (!is_pivoted)
        return;
    __syncthreads();
    for (int l = 0; l < lost_columns; l++)
        update_lost_column(p, j, lost[l]);
    __syncthreads();
    store_largest(p, c);
}

template <typename T>
int multiply_by_reflector(startile_exec *x, const pivoted_panel<T> &p, int j, bool is_pivoted)
{
    if (j + 1 == p.n && p.row0 + j + 1 == p.m)
        return 0;
    constexpr int blocks_of_multiprocessor = 8, least_rows = 512;
    const int rows = p.m - p.row0 - j - 1,
              blocks = static_cast<int>(ceil_div(p.n - p.first, columns_of_block));
    const int wanted = std::min(x->multiprocessors * blocks_of_multiprocessor / blocks,
                                static_cast<int>(ceil_div(rows, least_rows)));
    const int parts = std::min(std::max(wanted, 1), most_row_parts);
    if (int error = launch_dependent(x, products_kernel<T>, dim3(blocks, parts), pivoted_threads, p,
                                     j, static_cast<int>(ceil_div(rows, parts))))
        return error;
    if (j + 1 == p.n)
        return 0;
    return launch_dependent(x, row_kernel<T>, ceil_div(p.n - j - 1, pivoted_threads),
                            pivoted_threads, p, j, parts, is_pivoted);
}

/* Grid: columns from column j on */
template <typename T>
__global__ void __launch_bounds__(pivoted_threads) norms_kernel(pivoted_panel<T> p, int j)
{
    const int c = j + blockIdx.x, row = p.row0 + j;
    const double norm = norm_of_vector(p.column(c) + row, p.m - row);
    if (threadIdx.x == 0)
        p.norm[c] = p.exact_norm[c] = norm;
}

template <typename T>
int compute_norms(startile_exec *x, const pivoted_panel<T> &p, int j)
{
    return launch(x, norms_kernel<T>, p.n - j, pivoted_threads, p, j);
}

template <typename T>
__global__ void __launch_bounds__(pivoted_threads) largest_norms_kernel(pivoted_panel<T> p, int j)
{
    store_largest(p, j + int(blockIdx.x * pivoted_threads + threadIdx.x));
}

template <typename T>
int find_largest_norms(startile_exec *x, const pivoted_panel<T> &p, int j)
{
    return launch(x, largest_norms_kernel<T>, ceil_div(p.n - j, pivoted_threads), pivoted_threads,
                  p, j);
}

INSTANTIATE(multiply_by_reflector);
INSTANTIATE(compute_norms);
INSTANTIATE(find_largest_norms);

} // namespace startile_cuda
