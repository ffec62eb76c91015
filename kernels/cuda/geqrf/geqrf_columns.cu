/*
 * Factors a strip without a cluster, for devices before Hopper and for more rows than the registers
 * of a cluster hold. The rows are in global memory. Two kernels per column j:
 *
 *     qr_reflect_kernel     A -= v * multiples for reflector j - 1; largest element of each column
 *                           last block: powers of two near the largest elements
 *     qr_products_kernel    inner products of column j and all columns, divided by these powers
 *                           last block: reflector j, its multiples, column j of T
 *
 * Because of the powers of two no sum of squares overflows or underflows. In each kernel the block
 * that finishes last combines the results of all blocks. The error is that of geqrf_strip.cu.
 */
#include "geqrf/geqrf.cuh"
#include "geqrf/reflector.cuh"

#include <algorithm>

namespace startile_cuda
{

constexpr int qr_threads = 256, qr_warps = qr_threads / 32;
constexpr int max_column_blocks = 264;

template <typename T>
struct qr_column_state {
    unsigned int finished; /* blocks of the kernel that have finished */
    bool is_zero;          /* column j is zero below the diagonal */
    /* `scale` of the last reflector (reflector.cuh), for its column after division by that column's
     * power of two */
    wide<T> scale;
    double power[max_strip_columns]; /* powers of two near the columns' largest elements */
    /* Multiples of the last reflector's v that are subtracted from the columns */
    wide<T> multiple[max_strip_columns];
    wide<T> sum[max_strip_columns]; /* inner products of column j with all columns */
    /* Sums or maxima of each thread block */
    wide<T> block_results[max_column_blocks][max_strip_columns];
};
static_assert(sizeof(qr_column_state<double>) <= qr_scratch_bytes, "");
static_assert(sizeof(qr_column_state<cuDoubleComplex>) <= qr_scratch_bytes, "");

/* Returns the larger real part (is_largest) or the sum. */
template <bool is_largest, typename S>
__device__ inline S combine_found(S x, S y)
{
    if constexpr (is_largest)
        return to_element<S>(fmax(real_part(x), real_part(y)), 0);
    else
        return multiply_add(to_element<S>(1, 0), x, y);
}

template <typename S>
__device__ inline S shuffle_down(S x, int distance)
{
    if constexpr (element<S>::is_complex)
        return S{__shfl_down_sync(0xffffffff, x.x, distance),
                 __shfl_down_sync(0xffffffff, x.y, distance)};
    else
        return __shfl_down_sync(0xffffffff, x, distance);
}

/* Stores in state.block_results the sum of `mine` over the block, or its maximum with
 * is_largest. */
template <bool is_largest, typename T>
__device__ inline void reduce_block(qr_column_state<T> &state, int column, wide<T> mine)
{
    __shared__ wide<T> list[qr_warps];
    for (int distance = 16; distance > 0; distance /= 2)
        mine = combine_found<is_largest>(mine, shuffle_down(mine, distance));
    if (threadIdx.x % 32 == 0)
        list[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < qr_warps; w++)
            mine = combine_found<is_largest>(mine, list[w]);
        state.block_results[blockIdx.x][column] = mine;
    }
    __syncthreads();
}

/* Counts this block as finished, and returns whether it is the last one. If so, the results of all
 * other blocks are visible, and the count is 0 again. */
template <typename T>
__device__ inline bool arrive_and_test_last(qr_column_state<T> &state)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(&state.finished, 1) == gridDim.x - 1;
        if (is_last)
            state.finished = 0;
    }
    __syncthreads();
    __threadfence();
    return is_last;
}

/* Returns the sum of all blocks' results for a column, or their maximum with is_largest. */
template <bool is_largest, typename T>
__device__ inline wide<T> reduce_blocks(const qr_column_state<T> &state, int column)
{
    wide<T> all = state.block_results[0][column];
    for (unsigned int b = 1; b < gridDim.x; b++)
        all = combine_found<is_largest>(all, state.block_results[b][column]);
    return all;
}

/* In row i: overwrites the element of column j − 1 with that of v, and subtracts multiples of it
 * from the columns on the right. */
template <typename T>
__device__ inline void reflect_row(const qr_strip<T> &s, int j, int i,
                                   const qr_column_state<T> &state)
{
    T *row = s.a + i;
    const wide<T> e =
        scaled<wide<T>>(1 / state.power[j - 1], convert<wide<T>>(row[(j - 1) * s.ld]));
    const T v = i == j - 1 ? to_element<T>(1, 0) : convert<T>(multiply(e, state.scale));
    row[(j - 1) * s.ld] = v;
    for (int c = j; c < s.columns; c++)
        row[c * s.ld] = subtract_product(row[c * s.ld], v, convert<T>(state.multiple[c]));
}

/* Moves the elements of R in row i, right of the diagonal, to s.r, and clears them in the strip,
 * which holds V. */
template <typename T>
__device__ inline void move_row_of_r(const qr_strip<T> &s, int i)
{
    for (int c = i + 1; c < s.columns; c++) {
        s.r[s.above + i + c * s.ldr] = s.a[i + c * s.ld];
        s.a[i + c * s.ld] = to_element<T>(0, 0);
    }
}

/* Applies reflector j − 1 if j > 0, and finds the columns' powers of two if j < s.columns. */
template <typename T>
__global__ void __launch_bounds__(qr_threads)
    qr_reflect_kernel(qr_strip<T> s, int j, qr_column_state<T> *state)
{
    double largest[max_strip_columns] = {};
    for (int64_t i = int64_t(blockIdx.x) * qr_threads + threadIdx.x; i < s.m;
         i += int64_t(gridDim.x) * qr_threads) {
        const int row = static_cast<int>(i);
        if (j > 0 && row >= j - 1)
            reflect_row(s, j, row, *state);
        if (row == j - 1)
            move_row_of_r(s, row);
#pragma unroll
        for (int c = 0; c < max_strip_columns; c++)
            if (c < s.columns && row >= (c == j ? j + 1 : j))
                largest[c] = fmax(largest[c], largest_part(convert<wide<T>>(s.a[row + c * s.ld])));
    }
    if (j == s.columns)
        return;
#pragma unroll
    for (int c = 0; c < max_strip_columns; c++)
        if (c < s.columns)
            reduce_block<true>(*state, c, to_element<wide<T>>(largest[c], 0));
    if (!arrive_and_test_last(*state))
        return;
    const int c = threadIdx.x;
    if (c >= s.columns)
        return;
    double max_part = real_part(reduce_blocks<true>(*state, c));
    if (c == j) {
        state->is_zero = max_part == 0;
        max_part = fmax(max_part, largest_part(convert<wide<T>>(s.a[j + j * s.ld])));
    }
    state->power[c] = max_part > 0 ? ldexp(1.0, min(max(ilogb(max_part), -1000), 1000)) : 1;
}

/* Computes reflector j, its multiples and column j of T, in the last block, one thread per
 * column. */
template <typename T>
__device__ inline void finish_column(const qr_strip<T> &s, int j, qr_column_state<T> &state)
{
    using S = wide<T>;
    const int c = threadIdx.x;
    if (c < s.columns)
        state.sum[c] = reduce_blocks<false>(state, c);
    __syncthreads();
    const S alpha = scaled<S>(1 / state.power[j], convert<S>(s.a[j + j * s.ld]));
    const reflector<S> h = reflector_of(alpha, real_part(state.sum[j]), state.is_zero);
    __syncthreads();
    if (c < s.columns) {
        const S top = scaled<S>(1 / state.power[c], convert<S>(s.a[j + c * s.ld]));
        state.multiple[c] = scaled<S>(state.power[c], multiple_of(h, top, state.sum[c]));
        const S dot = multiply_add(conjugate(h.scale), state.sum[c], top);
        state.sum[c] = conjugate(scaled<S>(state.power[c], dot)); /* v_cᴴ v_j for c < j */
    }
    __syncthreads();
    if (c < j) {
        T sum = to_element<T>(0, 0);
        for (int l = c; l < j; l++)
            sum = multiply_add(s.t[c + l * s.ldt], convert<T>(state.sum[l]), sum);
        s.t[c + j * s.ldt] = multiply(scaled<T>(-1, convert<T>(h.tau)), sum);
    }
    if (c == j) {
        s.t[j + j * s.ldt] = convert<T>(h.tau);
        s.r[s.above + j + j * s.ldr] = to_element<T>(h.beta * state.power[j], 0);
        state.scale = h.scale;
    }
}

/* Computes the inner products of column j with all columns, then reflector j. */
template <typename T>
__global__ void __launch_bounds__(qr_threads)
    qr_products_kernel(qr_strip<T> s, int j, qr_column_state<T> *state)
{
    using S = wide<T>;
    S sum[max_strip_columns];
#pragma unroll
    for (int c = 0; c < max_strip_columns; c++)
        sum[c] = to_element<S>(0, 0);
    const double power = state->power[j];
    for (int64_t i = j + 1 + int64_t(blockIdx.x) * qr_threads + threadIdx.x; i < s.m;
         i += int64_t(gridDim.x) * qr_threads) {
        const S e = conjugate(scaled<S>(1 / power, convert<S>(s.a[i + j * s.ld])));
#pragma unroll
        for (int c = 0; c < max_strip_columns; c++)
            if (c < s.columns)
                sum[c] = multiply_add(
                    e, scaled<S>(1 / state->power[c], convert<S>(s.a[i + c * s.ld])), sum[c]);
    }
#pragma unroll
    for (int c = 0; c < max_strip_columns; c++)
        if (c < s.columns)
            reduce_block<false>(*state, c, sum[c]);
    if (arrive_and_test_last(*state))
        finish_column(s, j, *state);
}

/* Moves R in the rows above the strip, where it is final, to s.r. */
template <typename T>
__global__ void __launch_bounds__(qr_threads) qr_rows_above_kernel(qr_strip<T> s)
{
    const int64_t j = blockIdx.y, i = int64_t(blockIdx.x) * qr_threads + threadIdx.x;
    if (i < s.above) {
        s.r[i + j * s.ldr] = s.a[i - s.above + j * s.ld];
        s.a[i - s.above + j * s.ld] = to_element<T>(0, 0);
    }
}

template <typename T>
int factor_qr_strip_by_columns(startile_exec *x, const qr_strip<T> &s)
{
    auto *state = static_cast<qr_column_state<T> *>(s.scratch);
    if (int error = check(cudaMemsetAsync(&state->finished, 0, sizeof state->finished, x->stream)))
        return error;
    if (s.above > 0)
        if (int error = launch(x, qr_rows_above_kernel<T>,
                               dim3(ceil_div(s.above, qr_threads), s.columns), qr_threads, s))
            return error;
    const unsigned int blocks =
        std::min<unsigned int>(max_column_blocks, ceil_div(s.m, qr_threads));
    for (int j = 0; j <= s.columns; j++) {
        if (int error = launch(x, qr_reflect_kernel<T>, blocks, qr_threads, s, j, state))
            return error;
        if (j == s.columns)
            break;
        if (int error = launch(x, qr_products_kernel<T>, blocks, qr_threads, s, j, state))
            return error;
    }
    return 0;
}

INSTANTIATE(factor_qr_strip_by_columns);

} // namespace startile_cuda
