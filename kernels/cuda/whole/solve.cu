/*
 * B := op(T)⁻¹ B for a whole triangle T and few columns, one after the other
 *
 * One launch for a column. Each thread block takes the next strip of rows of op(T), in the order of
 * the solution, and sums op(T) x over the strips solved before:
 *
 *     strip s:   M := inverse of the strip's diagonal block, in shared memory
 *                for each earlier strip s':  load the block op(T)(s, s'') after it to registers;
 *                                            wait for x(s');  sum += op(T)(s, s') x(s')
 *                x(s) := M (b(s) − sum)
 *
 * A strip waits only for strips that other thread blocks have already begun, so the kernel ends
 * with any number of resident thread blocks. Thread blocks exchange x in an array that is filled
 * with a NaN that no solution has (unsolved): readers wait until each number has another value,
 * which saves flags and fences.
 *
 * T may be in single precision and B in double precision: then all arithmetic is in double
 * precision.
 *
 * Error of a strip, with r = b(s) − sum, a small constant c and κ = ‖op(T)(s, s)‖ ‖M‖:
 * ‖r − op(T)(s, s) x(s)‖ ≤ c n eps κ^(levels + 1) ‖r‖ (triangular/trtri.cu), where M has one level
 * of blocks, or two if T is in real single precision. κ is not checked: only the solvers in mixed
 * precision call the kernel, and they refine x and test it. For order 1, x = b (1/t) has a relative
 * error of up to 2 eps, and is infinite if t is below 1/overflow threshold. Elements of M may
 * overflow where those of x do not.
 *
 * Bounds: reading T, and a chain of strips, each of which takes the latency of a store and a load
 * of the L2 cache, and two small products.
 */
#include "whole/solve_exchange.cuh"
#include "whole/solve_inverse.cuh"
#include "whole/whole.cuh"

#include <algorithm>

namespace startile_cuda
{

template <typename T, typename V>
struct solve_smem {
    using shape = solve_shape<T, V>;
    V inverse[shape::rows * shape::ld];
    V x[2][shape::rows]; /* of two earlier strips by turns */
    V part[solve_threads > shape::rows *solve_warps ? solve_threads : shape::rows *solve_warps];
    V right_side[shape::rows];
    int strip;
};

static_assert(sizeof(solve_smem<float, double>) <= STARTILE_SHARED_OF_SOLVE_BY_SINGLE &&
              sizeof(solve_smem<cuComplex, cuDoubleComplex>) <= STARTILE_SHARED_OF_SOLVE_BY_SINGLE);

/* T: type of the triangle; V: of B and of the arithmetic, T or the same in double precision */
template <typename T, typename V>
struct solve_job {
    block_table<T> t;
    row_blocks<V> b;
    strips of_rows;
    int count; /* number of strips */
    bool transposed, conjugated, downward, unit;
    int64_t column;
    V *x;                 /* the solution, n elements */
    unsigned *last_taken; /* number of the last strip taken, at first −1 */
};

/* Returns an element of T as a number of type V. */
template <typename V, typename T>
__device__ inline V to_number(T e)
{
    if constexpr (element<T>::is_complex)
        return to_element<V>(e.x, e.y);
    else
        return static_cast<V>(e);
}

/* The strip in progress, in the order of the solution */
template <typename T, typename V>
struct solved_strip {
    const solve_job<T, V> &job;
    strip_place place;

    __device__ solved_strip(const solve_job<T, V> &job, int strip) : job(job), place(at(job, strip))
    {
    }

    __device__ static strip_place at(const solve_job<T, V> &job, int strip)
    {
        return strip_place(job.of_rows, job.downward ? strip : job.count - 1 - strip, job.t.n,
                           job.t.nb);
    }

    /* Returns the first row of a strip in the matrix. */
    __device__ static int64_t row(const solve_job<T, V> &job, strip_place s)
    {
        return int64_t(s.block) * job.t.nb + s.first;
    }

    /* Returns the row of the strip with index i in the order of the solution, and vice versa. */
    __device__ int ordered(int i) const
    {
        return job.downward ? i : place.size - 1 - i;
    }
};

/* Elements of a block that a thread has: as stored, rows lane, lane + 32, … of neighbouring
 * columns */
template <typename T, typename V>
struct loaded_block {
    using shape = solve_shape<T, V>;
    T element[shape::columns_of_warp][shape::rows_of_lane];

    /* Loads op(T)(s, other), as it is stored. */
    __device__ void load(const solved_strip<T, V> &s, int other)
    {
        const solve_job<T, V> &job = s.job;
        const strip_place o = s.at(job, other);
        const strip_place rows = job.transposed ? o : s.place,
                          columns = job.transposed ? s.place : o;
        const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * shape::columns_of_warp;
        const int64_t ld = job.t.ld(rows.block, columns.block);
        const T *p = job.t.at(rows.block, columns.block, rows.first + lane, columns.first + first);
        if (rows.size == shape::rows && columns.size == shape::rows) {
            /* without conditions, which would keep the loads from overlapping */
#pragma unroll
            for (int c = 0; c < shape::columns_of_warp; c++)
#pragma unroll
                for (int r = 0; r < shape::rows_of_lane; r++)
                    element[c][r] = __ldcs(p + c * ld + 32 * r);
        } else {
#pragma unroll
            for (int c = 0; c < shape::columns_of_warp; c++)
#pragma unroll
                for (int r = 0; r < shape::rows_of_lane; r++)
                    element[c][r] = first + c < columns.size && lane + 32 * r < rows.size
                                        ? p[c * ld + 32 * r]
                                        : to_element<T>(0, 0);
        }
    }
};

/* sum += op(block) x: transposed, a sum for each column of the thread, else for each row */
template <bool transposed, typename T, typename V>
__device__ inline void accumulate(const loaded_block<T, V> &block, const V *x, bool conjugated,
                                  V *sum)
{
    using shape = solve_shape<T, V>;
    const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * shape::columns_of_warp;
#pragma unroll
    for (int c = 0; c < shape::columns_of_warp; c++)
#pragma unroll
        for (int r = 0; r < shape::rows_of_lane; r++) {
            const V e = to_number<V>(block.element[c][r]);
            if constexpr (transposed)
                sum[c] = multiply_add(conjugated ? conjugate(e) : e, x[lane + 32 * r], sum[c]);
            else
                sum[r] = multiply_add(e, x[first + c], sum[r]);
        }
}

/* Loads the strip's diagonal block to m, as a lower triangle in the order of the solution, with
 * zeros above and continued by the identity. A barrier must follow. */
template <typename T, typename V>
__device__ void load_triangle(const solved_strip<T, V> &s, V *m)
{
    using shape = solve_shape<T, V>;
    const solve_job<T, V> &job = s.job;
    for (int e = threadIdx.x; e < shape::rows * shape::rows; e += solve_threads) {
        /* element (a, b) of the block as stored */
        const int a = e % shape::rows, b = e / shape::rows;
        const int row = job.transposed ? b : a, column = job.transposed ? a : b;
        const bool is_inside = a < s.place.size && b < s.place.size;
        const int i = is_inside ? s.ordered(row) : row, j = is_inside ? s.ordered(column) : column;
        V v = to_element<V>(i == j, 0);
        if (is_inside && i >= j && !(i == j && job.unit)) {
            v = to_number<V>(
                *job.t.at(s.place.block, s.place.block, s.place.first + a, s.place.first + b));
            v = job.conjugated ? conjugate(v) : v;
        }
        m[i + j * shape::ld] = v;
    }
}

/* Stores sums of the strip's rows in smem.right_side: b − op(T) x, in the order of the solution. */
template <bool transposed, typename T, typename V>
__device__ void store_right_side(solve_smem<T, V> &smem, const solved_strip<T, V> &s, V *sum)
{
    using shape = solve_shape<T, V>;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if constexpr (transposed) {
#pragma unroll
        for (int c = 0; c < shape::columns_of_warp; c++) {
            const V total = total_of_warp(sum[c]);
            if (lane == 0)
                smem.part[warp * shape::columns_of_warp + c] = total;
        }
    } else {
#pragma unroll
        for (int r = 0; r < shape::rows_of_lane; r++)
            smem.part[warp * shape::rows + lane + 32 * r] = sum[r];
    }
    __syncthreads();
    const int i = threadIdx.x;
    if (i >= shape::rows)
        return;
    V total = smem.part[i];
    if constexpr (!transposed)
        for (int w = 1; w < solve_warps; w++)
            total = plus(total, smem.part[w * shape::rows + i]);
    const bool is_inside = i < s.place.size;
    const V b = is_inside ? *s.job.b.at(s.place.block, s.place.first + i, s.job.column)
                          : to_element<V>(0, 0);
    smem.right_side[is_inside ? s.ordered(i) : i] = subtract_product(b, to_element<V>(1, 0), total);
}

/* x := M right_side, published and stored in B */
template <typename T, typename V>
__device__ void finish_strip(solve_smem<T, V> &smem, const solved_strip<T, V> &s)
{
    using shape = solve_shape<T, V>;
    constexpr int columns = shape::rows / shape::groups;
    const int i = threadIdx.x % shape::rows, group = threadIdx.x / shape::rows;
    V sum = to_element<V>(0, 0);
#pragma unroll 8
    for (int q = 0; q < columns; q++) {
        const int k = group + q * shape::groups;
        sum = multiply_add(smem.inverse[i + k * shape::ld], smem.right_side[k], sum);
    }
    smem.part[threadIdx.x] = sum;
    __syncthreads();
    if (group > 0 || i >= s.place.size)
        return;
    for (int g = 1; g < shape::groups; g++)
        sum = plus(sum, smem.part[g * shape::rows + i]);
    const int row = s.ordered(i);
    publish(s.job.x + s.row(s.job, s.place) + row, sum);
    *s.job.b.at(s.place.block, s.place.first + row, s.job.column) = sum;
}

/* Solves one strip. */
template <bool transposed, typename T, typename V>
__device__ void solve_strip(solve_smem<T, V> &smem, const solve_job<T, V> &job, int strip)
{
    using shape = solve_shape<T, V>;
    const solved_strip<T, V> s(job, strip);
    loaded_block<T, V> even, odd; /* blocks of even and odd earlier strips */
    if (strip > 0)
        even.load(s, 0);
    load_triangle(s, smem.inverse);
    __syncthreads();
    invert_small_blocks<shape>(smem.inverse);
    __syncthreads();
    join_inverses<shape, inverted_by_warp>(smem.inverse);

    V sum[transposed ? shape::columns_of_warp : shape::rows_of_lane] = {};
    const auto take = [&](int other, const loaded_block<T, V> &now, loaded_block<T, V> &next) {
        if (other + 1 < strip)
            next.load(s, other + 1);
        V *const x = smem.x[other % 2];
        const int i = threadIdx.x;
        if (i < shape::rows) {
            const strip_place o = s.at(job, other);
            x[i] = i < o.size ? wait_for(job.x + s.row(job, o) + i) : to_element<V>(0, 0);
        }
        __syncthreads();
        accumulate<transposed>(now, x, job.conjugated, sum);
    };
    for (int other = 0; other < strip; other += 2) {
        take(other, even, odd);
        if (other + 1 < strip)
            take(other + 1, odd, even);
    }
    store_right_side<transposed>(smem, s, sum);
    __syncthreads();
    finish_strip(smem, s);
}

template <bool transposed, typename T, typename V>
__global__ void __launch_bounds__(solve_threads, 1)
    solve_kernel(const __grid_constant__ solve_job<T, V> job)
{
    extern __shared__ double2 shared[];
    solve_smem<T, V> &smem = *reinterpret_cast<solve_smem<T, V> *>(shared);
    for (;;) {
        if (threadIdx.x == 0)
            smem.strip = static_cast<int>(atomicAdd(job.last_taken, 1u) + 1u);
        __syncthreads();
        const int strip = smem.strip;
        if (strip >= job.count)
            return;
        solve_strip<transposed>(smem, job, strip);
        __syncthreads();
    }
}

template <typename T, typename V>
int whole_solve(startile_exec *x, char uplo, char trans, char diag, startile_blocks t, int columns,
                const startile_piece *b)
{
    if (t.n == 0 || columns == 0)
        return 0;
    char *memory;
    const size_t head = 16, bytes = head + t.n * sizeof(V);
    if (int error = workspace(x, bytes, &memory))
        return error;
    const strips of_rows(solve_shape<T, V>::rows, t.nb);
    const bool transposed = trans != 'N';
    solve_job<T, V> job = {make_block_table<T>(t),
                           make_row_blocks<V>(t.count, b),
                           of_rows,
                           of_rows.count(t.n, t.nb, t.count),
                           transposed,
                           trans == 'C',
                           (uplo == 'L') != transposed,
                           diag == 'U',
                           0,
                           reinterpret_cast<V *>(memory + head),
                           reinterpret_cast<unsigned *>(memory)};
    const auto kernel = transposed ? solve_kernel<true, T, V> : solve_kernel<false, T, V>;
    for (; job.column < columns; job.column++) {
        /* all numbers are unsolved, and the last strip taken is −1 */
        if (int error = check(cudaMemsetAsync(memory, 0xff, bytes, x->stream)))
            return error;
        if (int error = launch_with_smem(x, kernel, std::min(job.count, x->multiprocessors),
                                         solve_threads, sizeof(solve_smem<T, V>), job))
            return error;
    }
    return 0;
}

template decltype(whole_solve<float, float>) whole_solve<float, float>;
template decltype(whole_solve<double, double>) whole_solve<double, double>;
template decltype(whole_solve<cuComplex, cuComplex>) whole_solve<cuComplex, cuComplex>;
template decltype(whole_solve<cuDoubleComplex, cuDoubleComplex>)
    whole_solve<cuDoubleComplex, cuDoubleComplex>;
template decltype(whole_solve<float, double>) whole_solve<float, double>;
template decltype(whole_solve<cuComplex, cuDoubleComplex>) whole_solve<cuComplex, cuDoubleComplex>;

} // namespace startile_cuda
