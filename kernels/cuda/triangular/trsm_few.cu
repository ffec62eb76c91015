/*
 * X := alpha op(A)⁻¹ B for few right-hand sides. An upper op(A) is solved as a lower one with its
 * rows and columns in reverse order. A thread block takes the next block of 64 rows of one
 * right-hand side:
 *
 *     W := L_ii⁻¹
 *     for each block j of unknowns before its own
 *       load this thread's elements of row block i, column block j
 *       wait until solved > j
 *       sum += elements * X_j
 *     X_i := W (alpha B_i − sum)
 *     solved := i + 1
 *
 * Thread blocks start in the order of their rows, so that each waits for running ones only. All
 * invert their diagonal blocks at the same time. Expected bound: latency, of a product with W and
 * of a flag through the L2 cache for each block.
 *
 * Error: that of substitution, as in trsm.cu, because the rows of L_ii are multiplied by the
 * reciprocals of their diagonal elements. W is used if ‖D⁻¹ L_ii‖∞ ‖W D‖∞ is at most the order n of
 * A, where D is L_ii's diagonal: the check of trtri.cu, which has the error bound. Otherwise one
 * warp solves with L_ii.
 */
#include "common/hopper.cuh"
#include "common/operations.cuh"
#include "common/strided.cuh"
#include "common/warp_solve.cuh"

namespace startile_cuda
{

constexpr int rows_of_block = 64;
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
    static constexpr int rows = rows_of_block;
    /* L_ii with rows divided by their diagonal elements, column-major, and zeros; later its
     * inverse, below the diagonal */
    T l[rows * rows];
    T reciprocal[rows], b[rows]; /* b: alpha B_i, later without the sum and divided */
    T sum[parts][rows];
    int block;
    int norm[2]; /* bits of ‖D⁻¹ L_ii‖∞ and ‖W D‖∞ as floats, which compare as these do */
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
    constexpr int rows = rows_of_block, threads = rows * parts;
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

/* *norm := ‖·‖∞ of the unit lower triangle in smem.l, as bits; *norm is 0 before. NaN counts as the
 * largest. */
template <typename T>
__device__ inline void find_norm(const few_smem<T> &smem, int *norm)
{
    constexpr int rows = rows_of_block;
    const int r = threadIdx.x;
    float sum = 1;
    if (r >= rows)
        return;
    for (int k = 0; k < r; k++)
        sum += static_cast<float>(magnitude1(smem.l[r + k * rows]));
    atomicMax(norm, __float_as_int(sum));
}

/* Inverts the unit lower triangle in smem.l by doubling: [L1 0; S L2]⁻¹ = [W1 0; −W2 S W1 W2]. The
 * product S W1 is kept above the diagonal, transposed. */
template <typename T>
__device__ inline void invert_block(few_smem<T> &smem)
{
    constexpr int rows = rows_of_block, threads = rows * parts;
    T *const l = smem.l;
    for (int h = 1; h < rows; h *= 2) {
        for (int e = threadIdx.x; e < rows * h / 2; e += threads) {
            const int first = e / (h * h) * 2 * h, j = first + e / h % h, i = first + h + e % h;
            T sum = l[i + j * rows];
            for (int k = j + 1; k < first + h; k++)
                sum = multiply_add(l[i + k * rows], l[k + j * rows], sum);
            l[j + i * rows] = sum;
        }
        __syncthreads();
        for (int e = threadIdx.x; e < rows * h / 2; e += threads) {
            const int first = e / (h * h) * 2 * h, j = first + e / h % h, i = first + h + e % h;
            T sum = l[j + i * rows];
            for (int k = first + h; k < i; k++)
                sum = multiply_add(l[i + k * rows], l[j + k * rows], sum);
            l[i + j * rows] = scaled<T>(-1, sum);
        }
        __syncthreads();
    }
}

/* Inverts the diagonal block, and returns whether the inverse may be used. If not, loads the block
 * again. By all threads, after a barrier */
template <typename T>
__device__ inline bool prepare_inverse(const few_solves<T> &g, const strided<T> &b, int first,
                                       int n, few_smem<T> &smem)
{
    if (threadIdx.x < 2)
        smem.norm[threadIdx.x] = 0;
    __syncthreads();
    find_norm(smem, &smem.norm[0]);
    __syncthreads();
    invert_block(smem);
    find_norm(smem, &smem.norm[1]);
    __syncthreads();
    const float limit = static_cast<float>(g.l.m);
    if (__int_as_float(smem.norm[0]) * __int_as_float(smem.norm[1]) <= limit)
        return true;
    load_diagonal_block(g, b, first, n, smem);
    __syncthreads();
    return false;
}

/* Eliminates unknowns 32 p, 32 p + 1, … of n. Row 32 h + i is y[h] in lane i. */
template <int p, int pieces, typename T>
__device__ inline void eliminate_from(int n, T *y, const T *l)
{
    constexpr int rows = 32 * pieces;
    if (n <= 32 * p)
        return;
    eliminate_panel<pieces - p>(min(n - 32 * p, 32), y + p, l + 32 * p * (rows + 1), rows);
    if constexpr (p + 1 < pieces)
        eliminate_from<p + 1, pieces>(n, y, l);
}

/* Solves with L_ii for the right-hand side in smem.b, by one warp. */
template <typename T>
__device__ inline void solve_block(const strided<T> &b, int n, const few_smem<T> &smem)
{
    constexpr int pieces = rows_of_block / 32;
    const int lane = threadIdx.x % 32;
    T y[pieces];
#pragma unroll
    for (int h = 0; h < pieces; h++)
        y[h] = smem.b[lane + 32 * h];
    eliminate_from<0, pieces>(n, y, smem.l);
#pragma unroll
    for (int h = 0; h < pieces; h++)
        if (lane + 32 * h < n)
            b(lane + 32 * h, 0) = y[h];
}

/* Multiplies the right-hand side in smem.b by the inverse in smem.l, by all threads. */
template <typename T>
__device__ inline void multiply_by_inverse(const strided<T> &b, int n, few_smem<T> &smem)
{
    constexpr int rows = rows_of_block, depth = rows / parts;
    const T one = to_element<T>(1, 0);
    const int r = threadIdx.x % rows, part = threadIdx.x / rows;
    T sum[2] = {to_element<T>(0, 0), to_element<T>(0, 0)};
#pragma unroll
    for (int k = part * depth; k < (part + 1) * depth; k++)
        if (k < r)
            sum[k % 2] = multiply_add(smem.l[r + k * rows], smem.b[k], sum[k % 2]);
    smem.sum[part][r] = multiply_add(one, sum[0], sum[1]);
    __syncthreads();
    if (threadIdx.x >= n)
        return;
    T x = smem.b[r];
#pragma unroll
    for (int p = 0; p < parts; p++)
        x = multiply_add(one, smem.sum[p][r], x);
    b(r, 0) = x;
}

/* Grid: blocks of rows; right-hand sides */
template <typename T>
__global__ void __launch_bounds__(rows_of_block *parts) trsm_few_kernel(few_solves<T> g)
{
    constexpr int rows = rows_of_block, depth = rows / parts;
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
    __syncthreads();
    const bool has_inverse = prepare_inverse(g, x.from(first, 0), first, n, smem);

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
    if (threadIdx.x < rows) {
        T y = smem.b[threadIdx.x];
#pragma unroll
        for (int p = 0; p < parts; p++)
            y = subtract_product(y, to_element<T>(1, 0), smem.sum[p][threadIdx.x]);
        smem.b[threadIdx.x] = multiply_add(smem.reciprocal[threadIdx.x], y, zero);
    }
    __syncthreads();
    if (has_inverse)
        multiply_by_inverse(x.from(first, 0), n, smem);
    else if (threadIdx.x < 32)
        solve_block(x.from(first, 0), n, smem);
    __syncthreads();
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
    constexpr int rows = rows_of_block;
    return launch_with_smem(x, trsm_few_kernel<T>, dim3(ceil_div(m, rows), n), rows * parts,
                            sizeof(few_smem<T>), g);
}

INSTANTIATE(trsm_few);

} // namespace startile_cuda
