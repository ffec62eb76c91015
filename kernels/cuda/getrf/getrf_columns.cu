/*
 * Factors a strip without a cluster, for devices before Hopper and for more rows than the registers
 * of a cluster hold. One kernel per column, with the rows in global memory:
 *
 *     all thread blocks: rows -= multiples of pivot row j - 1; best candidate for pivot j
 *     last thread block to finish: chooses among the candidates, interchanges two rows
 *
 * A column takes about 5 µs.
 */
#include "getrf/getrf.cuh"
#include "getrf/pivot.cuh"

#include <algorithm>

namespace startile_cuda
{

constexpr int threads = 256;
constexpr int max_blocks = 1024;

struct column_candidate {
    unsigned long long order; /* pivot_order (pivot.cuh) of the element */
    int position;             /* row in the strip */
};

struct column_state {
    unsigned int finished;    /* blocks of the kernel that have finished */
    unsigned long long order; /* pivot_order of the last pivot */
    column_candidate candidates[max_blocks];
};
static_assert(sizeof(column_state) <= scratch_bytes, "");

/* Returns whether `a` is the better pivot: it has the larger order or, if the orders are equal, the
 * smaller position. */
__device__ inline bool is_better(const column_candidate &a, const column_candidate &b)
{
    return a.order > b.order || (a.order == b.order && a.position < b.position);
}

/* Returns the best of the block's candidates, to all threads. */
__device__ inline column_candidate best_of_block(column_candidate mine)
{
    __shared__ column_candidate list[threads];
    list[threadIdx.x] = mine;
    for (int distance = threads / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (threadIdx.x < distance && is_better(list[threadIdx.x + distance], list[threadIdx.x]))
            list[threadIdx.x] = list[threadIdx.x + distance];
    }
    __syncthreads();
    return list[0];
}

/* Stores the multiplier of row i for pivot j − 1, and subtracts that multiple of pivot row j − 1
 * from row i. order: pivot_order of pivot j − 1. */
template <typename T>
__device__ inline void eliminate_row(const strip<T> &s, int j, int i, unsigned long long order)
{
    T *row = s.a + i;
    const T *pivot_row = s.a + j - 1;
    T l = row[(j - 1) * s.ld], pivot = pivot_row[(j - 1) * s.ld];
    if (order != order_of_zero)
        l = quick_reciprocal_is_accurate<T>(order)
                ? multiply_add(l, reciprocal(pivot), to_element<T>(0, 0))
                : divide(l, pivot);
    row[(j - 1) * s.ld] = l;
    for (int c = j; c < s.columns; c++)
        row[c * s.ld] = subtract_product(row[c * s.ld], l, pivot_row[c * s.ld]);
}

/* Eliminates with pivot j − 1 if j > 0. If j < s.columns, finds pivot j and interchanges its row
 * with row j. */
template <typename T>
__global__ void __launch_bounds__(threads) column_kernel(strip<T> s, int j, column_state *state)
{
    __shared__ bool is_last;
    column_candidate best = {0, no_row};
    const unsigned long long order = state->order;
    for (int64_t i = j + int64_t(blockIdx.x) * threads + threadIdx.x; i < s.m;
         i += int64_t(gridDim.x) * threads) {
        const int row = static_cast<int>(i);
        if (j > 0)
            eliminate_row(s, j, row, order);
        if (j == s.columns)
            continue;
        column_candidate mine = {pivot_order(s.a[row + j * s.ld], row == j), row};
        if (is_better(mine, best))
            best = mine;
    }
    if (j == s.columns)
        return;
    best = best_of_block(best);
    if (threadIdx.x == 0) {
        state->candidates[blockIdx.x] = best;
        __threadfence();
        is_last = atomicAdd(&state->finished, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;

    __threadfence();
    best = {0, no_row};
    for (int i = threadIdx.x; i < gridDim.x; i += threads)
        if (is_better(state->candidates[i], best))
            best = state->candidates[i];
    __syncthreads();
    best = best_of_block(best);
    const int p = best.position;
    if (p != j)
        for (int c = threadIdx.x; c < s.columns; c += threads) {
            T swapped = s.a[j + c * s.ld];
            s.a[j + c * s.ld] = s.a[p + c * s.ld];
            s.a[p + c * s.ld] = swapped;
        }
    if (threadIdx.x == 0) {
        state->finished = 0;
        state->order = best.order;
        s.ipiv[j] = s.row0 + p + 1;
        if (s.first == 0 && j == 0)
            *s.info = 0;
        if (best.order == order_of_zero && *s.info == 0)
            *s.info = s.first + j + 1;
    }
}

/* Writes s.moves, given s.ipiv. One thread tracks the content of each of the first
 * `columns` rows, and one thread that of each other row from which a pivot came. */
template <typename T>
__global__ void __launch_bounds__(2 * max_columns<T>) strip_moves_kernel(strip<T> s)
{
    constexpr int max_strip = max_columns<T>;
    __shared__ int pivot[max_strip], content[2 * max_strip];
    const int n = s.columns, t = threadIdx.x, j = t < max_strip ? t : t - max_strip;
    if (t < n)
        pivot[t] = static_cast<int>(s.ipiv[t] - 1 - s.row0);
    __syncthreads();
    int row = j >= n ? -1 : t < max_strip ? t : pivot[j] >= n ? pivot[j] : -1;
    for (int i = 0; t >= max_strip && i < j && row >= 0; i++)
        if (pivot[i] == row)
            row = -1; /* another thread tracks this row */
    content[t] = row;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        int top = content[k];
        __syncthreads();
        if (row == pivot[k] && row != k) {
            content[k] = content[t];
            content[t] = top;
        }
    }
    __syncthreads();
    if (t < n) {
        s.moves[t] = make_int2(t, content[t]);
        s.moves[n + t] = make_int2(-1, t);
    }
    __syncthreads();
    if (t >= max_strip && row >= 0)
        s.moves[n + content[t]] = make_int2(row, content[t]);
}

/* Moves rows in the moved columns left and right of the strip, one column per warp. */
template <typename T>
__global__ void __launch_bounds__(threads) neighbours_kernel(strip<T> s)
{
    const int i = static_cast<int>(blockIdx.x * threads + threadIdx.x) / 32;
    const int row = min(static_cast<int>(threadIdx.x) % 32, s.columns - 1);
    if (i < s.moved_last - s.moved_first - s.columns)
        move_neighbour(s, i, s.moves[row].y, s.moves[s.columns + row].x);
}

/* Sets s.row_ids to 0, 1, …. */
template <typename T>
__global__ void __launch_bounds__(threads) row_ids_kernel(strip<T> s)
{
    int64_t i = int64_t(blockIdx.x) * threads + threadIdx.x;
    if (i < s.m)
        s.row_ids[i] = static_cast<int>(i);
}

template <typename T>
int factor_strip_by_columns(startile_exec *x, const strip<T> &s)
{
    column_state *state = static_cast<column_state *>(s.scratch);
    if (int error = check(cudaMemsetAsync(state, 0, sizeof *state, x->stream)))
        return error;
    if (s.first == 0)
        if (int error = launch(x, row_ids_kernel<T>, ceil_div(s.m, threads), threads, s))
            return error;
    for (int j = 0; j <= s.columns; j++) {
        unsigned int blocks =
            std::max(1u, std::min<unsigned int>(max_blocks, ceil_div(s.m - j, threads)));
        if (int error = launch(x, column_kernel<T>, blocks, threads, s, j, state))
            return error;
    }
    if (int error = launch(x, strip_moves_kernel<T>, 1, 2 * max_columns<T>, s))
        return error;
    const int neighbours = s.moved_last - s.moved_first - s.columns;
    return neighbours == 0
               ? 0
               : launch(x, neighbours_kernel<T>, ceil_div(32 * neighbours, threads), threads, s);
}

INSTANTIATE(factor_strip_by_columns);

} // namespace startile_cuda
