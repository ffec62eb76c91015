/*
 * Pivot and reflector of one column of QR with column pivoting (geqp3.cu). Each thread block has
 * some rows; the one that finishes last computes the reflector from the results of all.
 */
#include "common/hopper.cuh"
#include "geqp3/geqp3.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Returns the column with the largest norm among columns j … n − 1, in all threads of a warp. */
template <typename T>
__device__ inline int pivot_of(const pivoted_panel<T> &p, int j)
{
    const int groups = (p.n - j + pivoted_threads - 1) / pivoted_threads;
    largest_norm best = p.largest[0];
    for (int g = threadIdx.x % 32; g < groups; g += 32)
        if (comes_before(p.largest[g], best))
            best = p.largest[g];
    for (int distance = 16; distance > 0; distance /= 2) {
        const largest_norm other = {__shfl_xor_sync(0xffffffff, best.norm, distance),
                                    __shfl_xor_sync(0xffffffff, best.column, distance)};
        if (comes_before(other, best))
            best = other;
    }
    return best.column;
}

/* Interchanges this block's rows of columns j and pivot, subtracts V W(:,j) from column j below R,
 * and copies the result to x. Returns the largest part of this thread's elements below the
 * diagonal. */
template <typename T>
__device__ inline double update_column(const pivoted_panel<T> &p, int j, int pivot, const T *w)
{
    T *const a = p.column(j), *const b = p.column(pivot);
    const int row = p.row0 + j, before = j - p.first;
    double largest = 0;
    for (int i = blockIdx.x * pivoted_threads + threadIdx.x; i < p.m;
         i += gridDim.x * pivoted_threads) {
        T now = b[i];
        if (pivot != j)
            b[i] = a[i];
        if (i >= row) {
            for (int q = 0; q < before; q++)
                now = subtract_product(now, p.reflector_at(q)[i], w[q]);
            p.x[i] = now;
        }
        a[i] = now;
        if (i > row)
            largest = fmax(largest, largest_part(convert<wide<T>>(now)));
    }
    return largest;
}

/* Moves the numbers of column j to column `pivot`, which now has its elements. */
template <typename T>
__device__ inline void move_numbers(const pivoted_panel<T> &p, int j, int pivot)
{
    if (pivot == j)
        return;
    if (threadIdx.x < j - p.first)
        p.w[pivot + threadIdx.x * int64_t(p.n)] = p.w[j + threadIdx.x * int64_t(p.n)];
    if (threadIdx.x > 0)
        return;
    p.norm[pivot] = p.norm[j];
    p.exact_norm[pivot] = p.exact_norm[j];
    const int64_t number = p.order[j];
    p.order[j] = p.order[pivot];
    p.order[pivot] = number;
}

/* Computes the reflector of column j from the results of all thread blocks. */
template <typename T>
__device__ inline void finish_reflector(const pivoted_panel<T> &p, int j)
{
    using S = wide<T>;
    pivoted_column<T> &state = *p.state;
    const int row = p.row0 + j, b = threadIdx.x;
    const bool has_result = b < gridDim.x;
    const S alpha = convert<S>(p.x[row]);
    const double mine = has_result ? __ldcg(&state.largest[b]) : 0,
                 below = largest_of_threads(mine),
                 power = power_near(fmax(below, largest_part(alpha))),
                 ratio = power_near(mine) / power;
    const double square = sum_of_threads(has_result ? __ldcg(&state.square[b]) * ratio * ratio : 0);
    if (b > 0)
        return;
    const reflector<S> h = reflector_of(scaled<S>(1 / power, alpha), square, below == 0);
    state.power = power;
    state.h = h;
    p.column(j)[row] = to_element<T>(h.beta * power, 0);
    p.t[j + j * p.ldt] = convert<T>(h.tau);
}

template <typename T>
__global__ void __launch_bounds__(pivoted_threads)
    reflect_kernel(pivoted_panel<T> p, int j, bool is_pivoted)
{
    __shared__ int pivot;
    __shared__ bool is_last;
    __shared__ T w[pivoted_block];
    pivoted_column<T> &state = *p.state;
    wait_for_previous_kernel();
    if (threadIdx.x < 32) {
        const int found = is_pivoted ? pivot_of(p, j) : j;
        if (threadIdx.x == 0)
            pivot = found;
        if (threadIdx.x < j - p.first)
            w[threadIdx.x] = p.w[found + threadIdx.x * int64_t(p.n)];
    }
    __syncthreads();
    const double largest = largest_of_threads(update_column(p, j, pivot, w));
    const double power = power_near(largest);
    const int row = p.row0 + j;
    double square = 0;
    for (int i = blockIdx.x * pivoted_threads + threadIdx.x; i < p.m;
         i += gridDim.x * pivoted_threads)
        if (i > row)
            square += square_of(convert<wide<T>>(p.x[i]), power);
    square = sum_of_threads(square);
    if (threadIdx.x == 0) {
        state.largest[blockIdx.x] = largest;
        state.square[blockIdx.x] = square;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(&state.finished, 1) == gridDim.x - 1;
        if (is_last)
            state.finished = 0;
    }
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    move_numbers(p, j, pivot);
    finish_reflector(p, j);
}

template <typename T>
int reflect_column(startile_exec *x, const pivoted_panel<T> &p, int j, bool is_pivoted)
{
    const unsigned int blocks =
        std::min<unsigned int>(most_pivoted_blocks, ceil_div(p.m, pivoted_threads));
    return launch_dependent(x, reflect_kernel<T>, blocks, pivoted_threads, p, j, is_pivoted);
}

INSTANTIATE(reflect_column);

} // namespace startile_cuda
