/*
 * R := B − A X for a whole matrix A and few columns, one after the other, and sums of |a_ij|
 *
 * Bound: reading A once. A thread block has a strip of rows and a run of columns. It sums over the
 * run for each row and, if A is Hermitian, the products with the adjoint of the same elements over
 * the strip for each column:
 *
 *               run
 *             +------+
 *      strip  | a_ij |    rows of the strip:  of_rows[run](i)      := Σ_j a_ij x_j
 *             +------+    columns of the run: of_columns[strip](j) := Σ_i conj(a_ij) x_i
 *
 * finish_kernel adds these parts in a fixed order.
 */
#include "whole/whole.cuh"

namespace startile_cuda
{

constexpr int part_threads = 256, part_warps = part_threads / 32, finish_threads = 256;

/* Rows of a thread, whose elements of a column are in registers */
template <typename T>
constexpr int rows_of_lane = element<T>::is_complex ? 8 : 16;
template <typename T>
constexpr int strip_rows = 32 * rows_of_lane<T>;

/* Columns of a run; fewer for small matrices, so that all multiprocessors have work */
constexpr int run_columns = 256, short_run_columns = 128;
constexpr int64_t largest_with_short_runs = 12288;

/* Products a x. `sum` is the type of their sums. */
template <typename T>
struct plain_product {
    using sum = T;
    const row_blocks<const T> x;
    int64_t column;

    __device__ T factor(int block, int i) const
    {
        return *x.at(block, i, column);
    }

    __device__ static T add(T sum, T a, T x)
    {
        return multiply_add(a, x, sum);
    }

    __device__ static T adjoint(T a)
    {
        return conjugate(a);
    }
};

/* |a|, without factor */
template <typename T>
struct absolute_value {
    using sum = double;

    __device__ static double factor(int, int)
    {
        return 0;
    }

    __device__ static double add(double sum, T a, double)
    {
        return sum + magnitude(a);
    }

    __device__ static T adjoint(T a)
    {
        return a;
    }
};

template <typename T, typename Of>
struct part_job {
    using sum = typename Of::sum;
    block_table<T> a;
    Of of;
    strips row_strips, runs;
    char uplo; /* triangle of a Hermitian A, or 'G' */
    sum *of_rows, *of_columns;
};

/* Returns whether an operation on the triangle uplo reads block (k, l). */
__device__ inline bool has_block(char uplo, int k, int l)
{
    return uplo == 'G' || (uplo == 'L' ? k >= l : k <= l);
}

/* hermitian: sums over the columns, too */
template <typename T, typename Of, bool hermitian>
__global__ void __launch_bounds__(part_threads)
    part_kernel(const __grid_constant__ part_job<T, Of> job)
{
    using S = typename Of::sum;
    constexpr int rows = rows_of_lane<T>;
    __shared__ S parts[part_warps][strip_rows<T>], factors[run_columns];
    const strip_place strip(job.row_strips, blockIdx.y, job.a.n, job.a.nb),
        run(job.runs, blockIdx.x, job.a.n, job.a.nb);
    if (hermitian && !has_block(job.uplo, strip.block, run.block))
        return;
    const bool on_diagonal = hermitian && strip.block == run.block;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t ld = job.a.ld(strip.block, run.block);
    const T *const a = job.a.at(strip.block, run.block, strip.first + lane, run.first);
    for (int c = threadIdx.x; c < run.size; c += part_threads)
        factors[c] = job.of.factor(run.block, run.first + c);
    S sum[rows] = {}, x[hermitian ? rows : 1];
    if constexpr (hermitian) {
#pragma unroll
        for (int q = 0; q < rows; q++)
            x[q] = lane + 32 * q < strip.size
                       ? job.of.factor(strip.block, strip.first + lane + 32 * q)
                       : S{};
    }
    __syncthreads();
    const bool is_regular = !on_diagonal && strip.size == strip_rows<T>;
    for (int c = warp; c < run.size; c += part_warps) {
        /* The stored triangle of a diagonal block is on one side of this row. */
        const int diagonal = on_diagonal ? run.first + c - strip.first : -1;
        T e[rows];
        if (is_regular) { /* without conditions, which would keep the loads from overlapping */
#pragma unroll
            for (int q = 0; q < rows; q++)
                e[q] = __ldcs(a + 32 * q + c * ld);
        } else {
#pragma unroll
            for (int q = 0; q < rows; q++) {
                const int i = lane + 32 * q;
                const bool is_stored =
                    !on_diagonal || (job.uplo == 'L' ? i >= diagonal : i <= diagonal);
                e[q] = i < strip.size && is_stored
                           ? real_if(on_diagonal && i == diagonal, a[32 * q + c * ld])
                           : to_element<T>(0, 0);
            }
        }
#pragma unroll
        for (int q = 0; q < rows; q++)
            sum[q] = Of::add(sum[q], e[q], factors[c]);
        if constexpr (hermitian) {
            S of_column = {};
#pragma unroll
            for (int q = 0; q < rows; q++)
                if (!on_diagonal || lane + 32 * q != diagonal)
                    of_column = Of::add(of_column, Of::adjoint(e[q]), x[q]);
            of_column = total_of_warp(of_column);
            if (lane == 0)
                job.of_columns[blockIdx.y * job.a.n + int64_t(run.block) * job.a.nb + run.first +
                               c] = of_column;
        }
    }
#pragma unroll
    for (int q = 0; q < rows; q++)
        parts[warp][lane + 32 * q] = sum[q];
    __syncthreads();
    for (int i = threadIdx.x; i < strip.size; i += part_threads) {
        S total = parts[0][i];
        for (int w = 1; w < part_warps; w++)
            total = plus(total, parts[w][i]);
        job.of_rows[blockIdx.x * job.a.n + int64_t(strip.block) * job.a.nb + strip.first + i] =
            total;
    }
}

/* Where the totals go: R := B − total */
template <typename T>
struct subtract_total {
    row_blocks<const T> b;
    row_blocks<T> r;
    int64_t column;

    __device__ void operator()(int64_t, int block, int i, T total) const
    {
        *r.at(block, i, column) =
            subtract_product(*b.at(block, i, column), to_element<T>(1, 0), total);
    }
};

struct store_total {
    double *sums;

    __device__ void operator()(int64_t row, int, int, double total) const
    {
        sums[row] = total;
    }
};

/* Adds the parts of row i: those over its runs, then those of its element's column over strips. */
template <typename S, typename To>
__global__ void __launch_bounds__(finish_threads)
    finish_kernel(int64_t n, int nb, int blocks, strips row_strips, strips runs, char uplo,
                  const S *of_rows, const S *of_columns, To to)
{
    const int64_t i = int64_t(blockIdx.x) * finish_threads + threadIdx.x;
    if (i >= n)
        return;
    const int block = static_cast<int>(i / nb), all_runs = runs.count(n, nb, blocks),
              all_strips = row_strips.count(n, nb, blocks);
    const int first_run = uplo == 'U' ? block * runs.of_block : 0,
              last_run = uplo == 'L' ? min((block + 1) * runs.of_block, all_runs) : all_runs;
    S total = {};
#pragma unroll 4
    for (int run = first_run; run < last_run; run++)
        total = plus(total, of_rows[run * n + i]);
    if (uplo != 'G') {
        const int first = uplo == 'L' ? block * row_strips.of_block : 0,
                  last =
                      uplo == 'U' ? min((block + 1) * row_strips.of_block, all_strips) : all_strips;
#pragma unroll 4
        for (int strip = first; strip < last; strip++)
            total = plus(total, of_columns[strip * n + i]);
    }
    to(i, block, static_cast<int>(i - int64_t(block) * nb), total);
}

/* Computes the totals over A's rows, and passes them to `to`. */
template <typename T, typename Of, typename To>
static int sum_products(startile_exec *x, char uplo, startile_blocks a, Of of, To to)
{
    using S = typename Of::sum;
    const strips row_strips(strip_rows<T>, a.nb),
        runs(a.n <= largest_with_short_runs ? short_run_columns : run_columns, a.nb);
    const int all_strips = row_strips.count(a.n, a.nb, a.count),
              all_runs = runs.count(a.n, a.nb, a.count);
    S *parts;
    if (int error = workspace(x, (all_runs + (uplo == 'G' ? 0 : all_strips)) * a.n, &parts))
        return error;
    const part_job<T, Of> job = {make_block_table<T>(a), of, row_strips, runs, uplo, parts,
                                 parts + all_runs * a.n};
    const dim3 grid(all_runs, all_strips);
    if (int error = uplo == 'G' ? launch(x, part_kernel<T, Of, false>, grid, part_threads, job)
                                : launch(x, part_kernel<T, Of, true>, grid, part_threads, job))
        return error;
    return launch(x, finish_kernel<S, To>, ceil_div(a.n, finish_threads), finish_threads, a.n, a.nb,
                  a.count, row_strips, runs, uplo, static_cast<const S *>(job.of_rows),
                  static_cast<const S *>(job.of_columns), to);
}

template <typename T>
int whole_residual(startile_exec *x, char uplo, startile_blocks a, int columns,
                   const startile_piece *v, const startile_piece *b, const startile_piece *r)
{
    if (a.n == 0)
        return 0;
    for (int column = 0; column < columns; column++)
        if (int error = sum_products<T>(
                x, uplo, a, plain_product<T>{make_row_blocks<const T>(a.count, v), column},
                subtract_total<T>{make_row_blocks<const T>(a.count, b),
                                  make_row_blocks<T>(a.count, r), column}))
            return error;
    return 0;
}

template <typename T>
int whole_abs_sums(startile_exec *x, char uplo, startile_blocks a, double *sums)
{
    return a.n == 0 ? 0 : sum_products<T>(x, uplo, a, absolute_value<T>{}, store_total{sums});
}

INSTANTIATE(whole_residual);
INSTANTIATE(whole_abs_sums);

} // namespace startile_cuda
