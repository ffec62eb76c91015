/*
 * X := alpha op(A)⁻¹ B for few right-hand sides. An upper op(A) is solved as a lower one with its
 * rows and columns in reverse order. A thread block takes the next block of 32 or 64 rows of one
 * right-hand side:
 *
 *     for each block j of unknowns before its own
 *       load this thread's elements of row block i, column block j
 *       wait until solved > j
 *       sum += elements * X_j
 *     X_i := L_ii⁻¹ (alpha B_i − sum), by one warp
 *     solved := i + 1
 *
 * Thread blocks start in the order of their rows, so that each waits for running ones only.
 * Expected bound: latency, of a substitution with 64 unknowns and of a flag through the L2 cache
 * for each block.
 *
 * Error: that of substitution, as in trsm.cu, because the rows of L_ii are multiplied by the
 * reciprocals of their diagonal elements.
 */
#include "common/hopper.cuh"
#include "common/operations.cuh"
#include "common/strided.cuh"
#include "common/warp_solve.cuh"

namespace startile_cuda
{

/* Rows of a block; fewer of complex double, because the solving warp holds them in registers */
template <typename T>
constexpr int rows_of_block = sizeof(T) > 8 ? 32 : 64;
constexpr int parts = 4; /* of the columns of a block, each with a thread for each row */

/* Progress with one right-hand side, zero at the start */
struct progress {
    int started, solved; /* blocks of rows */
};

template <typename T>
struct few_solves {
    strided<const T> l; /* lower triangle */
    strided<T> b;
    T alpha;
    bool conjugated, unit;
    progress *state; /* of each right-hand side */
};

template <typename T>
struct few_smem {
    static constexpr int rows = rows_of_block<T>;
    T l[rows *
        rows]; /* L_ii with rows divided by their diagonal elements, column-major, and zeros */
    T reciprocal[rows], b[rows]; /* b: alpha B_i */
    T sum[parts][rows];
    int block;
};

template <typename T>
__device__ inline T element_of(const few_solves<T> &g, int i, int j)
{
    const T x = g.l(i, j);
    return g.conjugated ? conjugate(x) : x;
}

/* Loads L_ii and B_i, by all threads. Rows from n on count as rows of the identity. */
template <typename T>
__device__ inline void load_diagonal_block(const few_solves<T> &g, const strided<T> &b, int first,
                                           int n, few_smem<T> &smem)
{
    constexpr int rows = rows_of_block<T>, threads = rows * parts;
    const T zero = to_element<T>(0, 0), one = to_element<T>(1, 0);
    const int r = threadIdx.x;
    if (r < rows) {
        smem.reciprocal[r] =
            g.unit || r >= n ? one : reciprocal(element_of(g, first + r, first + r));
        smem.b[r] = r < n ? multiply_add(g.alpha, b(r, 0), zero) : zero;
    }
    __syncthreads();
    const bool by_rows = g.l.is_row_major();
    for (int e = threadIdx.x; e < rows * rows; e += threads) {
        const int i = by_rows ? e / rows : e % rows, j = by_rows ? e % rows : e / rows;
        const bool is_below = i < n && j < i;
        smem.l[i + j * rows] =
            is_below ? multiply_add(smem.reciprocal[i], element_of(g, first + i, first + j), zero)
                     : zero;
    }
}

/* Solves with L_ii for the sums of all parts, by one warp. Row 32 h + i is y[h] in lane i. */
template <typename T>
__device__ inline void solve_block(const strided<T> &b, int n, const few_smem<T> &smem)
{
    constexpr int rows = rows_of_block<T>, halves = rows / 32;
    const T zero = to_element<T>(0, 0), one = to_element<T>(1, 0);
    const int lane = threadIdx.x % 32;
    T y[halves];
#pragma unroll
    for (int h = 0; h < halves; h++) {
        const int r = lane + 32 * h;
        y[h] = smem.b[r];
#pragma unroll
        for (int p = 0; p < parts; p++)
            y[h] = subtract_product(y[h], one, smem.sum[p][r]);
        y[h] = multiply_add(smem.reciprocal[r], y[h], zero);
    }
    eliminate_panel<halves>(min(n, 32), y, smem.l, rows);
    if (halves > 1 && n > 32)
        eliminate_panel<1>(n - 32, y + 1, smem.l + 32 + 32 * rows, rows);
#pragma unroll
    for (int h = 0; h < halves; h++)
        if (lane + 32 * h < n)
            b(lane + 32 * h, 0) = y[h];
}

/* Grid: blocks of rows; right-hand sides */
template <typename T>
__global__ void __launch_bounds__(rows_of_block<T> *parts) trsm_few_kernel(few_solves<T> g)
{
    constexpr int rows = rows_of_block<T>, depth = rows / parts;
    extern __shared__ double2 shared[];
    few_smem<T> &smem = *reinterpret_cast<few_smem<T> *>(shared);
    const T zero = to_element<T>(0, 0);
    progress &state = g.state[blockIdx.y];
    if (threadIdx.x == 0)
        smem.block = atomicAdd(&state.started, 1);
    __syncthreads();
    const int block = smem.block, first = block * rows, n = min(rows, g.l.n - first);
    const strided<T> x = g.b.from(0, blockIdx.y);
    load_diagonal_block(g, x.from(first, 0), first, n, smem);

    /* Neighbouring threads load neighbouring elements. */
    const bool by_rows = g.l.is_row_major();
    const int r = by_rows ? threadIdx.x / parts : threadIdx.x % rows;
    const int part = by_rows ? threadIdx.x % parts : threadIdx.x / rows;
    T sum[2] = {zero, zero}, now[depth], next[depth];
    const auto load = [&](T(&to)[depth], int j) {
#pragma unroll
        for (int k = 0; k < depth; k++)
            to[k] =
                r < n && j < block ? element_of(g, first + r, j * rows + part * depth + k) : zero;
    };
    load(now, 0);
    for (int j = 0; j < block; j++) {
        load(next, j + 1);
        if (threadIdx.x % 32 == 0)
            while (load_acquire(&state.solved) <= j)
                ;
        __syncwarp();
#pragma unroll
        for (int k = 0; k < depth; k++)
            sum[k % 2] =
                multiply_add(now[k], __ldcg(&x(j * rows + part * depth + k, 0)), sum[k % 2]);
#pragma unroll
        for (int k = 0; k < depth; k++)
            now[k] = next[k];
    }
    smem.sum[part][r] = multiply_add(to_element<T>(1, 0), sum[0], sum[1]);
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    solve_block(x.from(first, 0), n, smem);
    __syncwarp();
    if (threadIdx.x == 0) {
        __threadfence();
        store_release(&state.solved, block + 1);
    }
}

template <typename T>
int trsm_few(startile_exec *x, char uplo, char trans, char diag, int m, int n, T alpha, const T *a,
             int lda, T *b, int ldb)
{
    if (int error = reserve(x, n * sizeof(progress)))
        return error;
    progress *const state = static_cast<progress *>(x->workspace);
    if (int error = check(cudaMemsetAsync(state, 0, n * sizeof *state, x->stream)))
        return error;
    strided<const T> l = {a, 1, lda, m, m};
    strided<T> columns = {b, 1, ldb, m, n};
    if (trans != 'N')
        l = l.transposed();
    if ((uplo == 'L') != (trans == 'N')) {
        l = l.rows_reversed().transposed().rows_reversed().transposed();
        columns = columns.rows_reversed();
    }
    const few_solves<T> g = {l, columns, alpha, trans == 'C', diag == 'U', state};
    constexpr int rows = rows_of_block<T>;
    return launch_with_smem(x, trsm_few_kernel<T>, dim3(ceil_div(m, rows), n), rows * parts,
                            sizeof(few_smem<T>), g);
}

INSTANTIATE(trsm_few);

} // namespace startile_cuda
