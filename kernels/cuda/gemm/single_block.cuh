/*
 * Products in single precision by FFMA. A thread block of four warps computes tiles of C, one after
 * the other. All warps have the same role.
 *
 *     global A, B --cp.async--> | stage 0 | stage 1 | stage 2 | --> registers a, b for one k
 *                                  shared memory                      | fmaf
 *                                                                     v
 *     C := alpha c + beta C  <------------------------- registers c: 128 numbers per thread
 *
 * Before the last k of a stage, each thread waits for its own copies of the next stage
 * (cp.async.wait_group), and all threads synchronise (__syncthreads). The barrier also frees the
 * buffer of the previous stage, to which each thread then starts its copies of the stage after the
 * next one (single_operands.cuh). While the operands of one k are multiplied, those of the next k
 * are loaded to registers. Two thread blocks share a multiprocessor: one computes while the other
 * stores.
 */
#ifndef STARTILE_SINGLE_BLOCK_CUH
#define STARTILE_SINGLE_BLOCK_CUH

#include "gemm/product_split.cuh"
#include "gemm/single_operands.cuh"
#include "gemm/tile_order.cuh"

namespace startile_cuda
{

/* Number of steps of c += a b. Real types need one. Complex types first multiply by a's real part,
 * then by its imaginary part. */
template <typename T>
constexpr int steps_of_product = element<T>::is_complex ? 2 : 1;

template <int Step>
__device__ inline void accumulate(float &c, float a, float b)
{
    c = fmaf(a, b, c);
}

template <int Step>
__device__ inline void accumulate(cuComplex &c, cuComplex a, cuComplex b)
{
    if constexpr (Step == 0)
        c = {fmaf(a.x, b.x, c.x), fmaf(a.x, b.y, c.y)};
    else
        c = {fmaf(-a.y, b.y, c.x), fmaf(a.y, b.x, c.y)};
}

/* Largest number of pieces in one launch. The pieces are kernel arguments; up to 4 KiB of arguments
 * no cost was measured. */
constexpr int single_max_pieces = 72;

/* Arguments of single_kernel */
template <typename T>
struct single_arguments {
    int k0, k, pieces, tiles; /* k0, k: the sums run over k0 … k0 + k − 1 */
    T alpha, beta;
    char triangle;
    bool hermitian, triangle_is_left, overwrites;
    /* true: neighbouring elements of A in memory have neighbouring row indices in C (along_a), or
     * those of B neighbouring column indices (along_b); false: neighbouring k */
    bool along_a, along_b;
    bool a_is_aligned, b_is_aligned, c_is_aligned;
    split_condition condition; /* the kernel computes C if it does not hold */
    int first_tile[single_max_pieces];
    product_piece<T> piece[single_max_pieces];
};

template <typename T>
using single_order = tile_order<single_rows<T>::length, single_columns<T>::length>;

/* Range begin … end − 1 of k, counted from k0, that a tile's sums need. Excludes the k for which a
 * triangular factor is zero. */
struct single_k_range {
    int begin, end;
};

/* Returns the range of k of the tile that begins at (row, column). */
template <typename T>
__device__ single_k_range k_range_of_tile(const single_arguments<T> &g, int row, int column)
{
    single_k_range range = {0, g.k};
    if (g.triangle == 'G')
        return range;
    const int first = (g.triangle_is_left ? row : column) - g.k0;
    const int length = g.triangle_is_left ? single_rows<T>::length : single_columns<T>::length;
    if ((g.triangle == 'U') == g.triangle_is_left)
        range.begin = max(0, first);
    else
        range.end = min(g.k, first + length);
    return range;
}

/* State of a thread while its thread block computes one tile of C. The thread has R × S groups of V
 * × V elements of the tile. ConjugateA, ConjugateB: for complex types only */
template <typename T, bool ConjugateA, bool ConjugateB>
struct single_block {
    using rows = single_rows<T>;
    using columns = single_columns<T>;
    static constexpr int V = rows::vector;
    static constexpr int R = single_shape<T>::row_groups, S = single_shape<T>::column_groups;

    struct memory {
        single_vector<T> a[single_stages][rows::stage_vectors];
        single_vector<T> b[single_stages][columns::stage_vectors];
    };

    memory &shared;
    /* index of the thread's first vector along the tile's rows, and along its columns */
    int row_vector, column_vector;
    T c[R][V][S][V];
    single_vector<T> a[2][R],
        b[2][S]; /* operands of one k, and of the next k, which is being loaded */

    __device__ single_block(memory &shared) : shared(shared)
    {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        row_vector = warp % 2 * rows::warp_vectors + lane % 4;
        column_vector = warp / 2 * columns::warp_vectors + lane / 4;
    }

    /* Loads the operands for index k of a stage to registers. */
    __device__ void load(int stage, int k)
    {
#pragma unroll
        for (int r = 0; r < R; r++)
            a[k % 2][r] = shared.a[stage][k * (rows::stride / V) + row_vector + r * 4];
#pragma unroll
        for (int s = 0; s < S; s++)
            b[k % 2][s] = shared.b[stage][k * (columns::stride / V) + column_vector + s * 8];
    }

    /* Adds the products for index k of a stage. Every other row goes backwards, so that consecutive
     * instructions share an operand. */
    __device__ void multiply(int k)
    {
#pragma unroll
        for (int r = 0; r < R; r++)
#pragma unroll
            for (int i = 0; i < V; i++) {
                multiply_row<0>(k, r, i);
                if constexpr (steps_of_product<T> == 2)
                    multiply_row<1>(k, r, i);
            }
    }

    /* Adds one step of the products for index k to row i of row group r. */
    template <int Step>
    __device__ void multiply_row(int k, int r, int i)
    {
        constexpr int columns_of_thread = S * V;
#pragma unroll
        for (int n = 0; n < columns_of_thread; n++) {
            const bool backwards = i % 2 != 0;
            const int column = backwards ? columns_of_thread - 1 - n : n, s = column / V,
                      j = column % V;
            accumulate<Step>(c[r][i][s][j], a_value(k, r, i), b_value(k, s, j));
        }
    }

    __device__ T a_value(int k, int r, int i) const
    {
        T value = a[k % 2][r].value[i];
        return ConjugateA ? conjugate(value) : value;
    }

    __device__ T b_value(int k, int s, int j) const
    {
        T value = b[k % 2][s].value[j];
        return ConjugateB ? conjugate(value) : value;
    }

    template <typename SourceA, typename SourceB>
    __device__ void fetch(SourceA &from_a, SourceB &from_b, int stage)
    {
        from_a.fetch(stage);
        from_b.fetch(stage);
        commit_stage();
    }

    /* Computes c := the tile's sums of products. The stages fetched after the last one are filled
     * with zeros and not used. */
    __device__ void sum(const single_arguments<T> &g, const product_piece<T> &p, int row,
                        int column)
    {
        const single_k_range range = k_range_of_tile(g, row, column);
        const int length = range.end - range.begin;
        const int64_t begin = range.begin;
        single_source<T, rows> from_a(
            shared.a[0], p.a + (g.along_a ? row + begin * p.lda : begin + int64_t(row) * p.lda),
            p.lda, p.m - row, length, g.along_a, g.a_is_aligned);
        single_source<T, columns> from_b(
            shared.b[0],
            p.b + (g.along_b ? column + begin * p.ldb : begin + int64_t(column) * p.ldb), p.ldb,
            p.n - column, length, g.along_b, g.b_is_aligned);
        clear();
#pragma unroll 1
        for (int stage = 0; stage < single_stages - 1; stage++)
            fetch(from_a, from_b, stage);
        wait_for_stage<single_stages - 2>();
        load(0, 0);
#pragma unroll 1
        for (int remaining = length, stage = 0; remaining > 0; remaining -= rows::depth) {
            const int next = stage + 1 == single_stages ? 0 : stage + 1;
#pragma unroll
            for (int k = 0; k < rows::depth; k++) {
                if (k == rows::depth - 1) {
                    wait_for_stage<single_stages - 3>();
                    fetch(from_a, from_b, stage == 0 ? single_stages - 1 : stage - 1);
                }
                load(k == rows::depth - 1 ? next : stage, (k + 1) % rows::depth);
                multiply(k);
            }
            stage = next;
        }
        wait_for_stage<0>();
    }

    template <int InFlight>
    __device__ static void wait_for_stage()
    {
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.wait_group %0;" ::"n"(InFlight) : "memory");
#endif
        __syncthreads();
    }

    __device__ void clear()
    {
#pragma unroll
        for (int r = 0; r < R; r++)
#pragma unroll
            for (int i = 0; i < V; i++)
#pragma unroll
                for (int s = 0; s < S; s++)
#pragma unroll
                    for (int j = 0; j < V; j++)
                        c[r][i][s][j] = to_element<T>(0, 0);
    }

    __device__ static T updated(const single_arguments<T> &g, T sum, const T &old)
    {
        const T zero = to_element<T>(0, 0);
        return g.overwrites ? multiply_add(g.alpha, sum, zero)
                            : multiply_add(g.beta, old, multiply_add(g.alpha, sum, zero));
    }

    /* Prefetches the tile's part of C to the L2 cache. write() reads it after the last k. */
    __device__ static void prefetch(const product_piece<T> &p, int row, int column)
    {
        static_assert(columns::length == single_threads);
        constexpr int line = 128 / sizeof(T);
        const int j = column + threadIdx.x;
        for (int i = row; i < row + rows::length; i += line)
            if (j < p.n && i < p.m)
                prefetch_to_l2(p.c + i + int64_t(j) * p.ldc);
    }

    __device__ void write(const single_arguments<T> &g, const product_piece<T> &p, int row,
                          int column) const
    {
        const bool is_whole =
            g.c_is_aligned && row + rows::length <= p.m && column + columns::length <= p.n &&
            !single_order<T>::is_across(p.uplo, row / rows::length, column / columns::length);
        const int i = row + row_vector * V;
#pragma unroll
        for (int s = 0; s < S; s++) {
            const int j = column + (column_vector + s * 8) * V;
            if (is_whole)
#pragma unroll
                for (int e = 0; e < V; e += 2)
                    write_whole(g, s, e, p.c + i + int64_t(j + e) * p.ldc, p.ldc);
            else
                write_part(g, s, p, i, j);
        }
    }

    /* Stores columns j and j + 1 of the thread's column group s. Loads both columns of C before it
     * stores one. */
    __device__ void write_whole(const single_arguments<T> &g, int s, int j, T *to,
                                int64_t ldc) const
    {
        single_vector<T> value[2][R];
        if (!g.overwrites)
#pragma unroll
            for (int e = 0; e < 2; e++)
#pragma unroll
                for (int r = 0; r < R; r++)
                    value[e][r] = *vector_of(to + e * ldc, r);
#pragma unroll
        for (int e = 0; e < 2; e++)
#pragma unroll
            for (int r = 0; r < R; r++) {
#pragma unroll
                for (int i = 0; i < V; i++)
                    value[e][r].value[i] = updated(g, c[r][i][s][j + e], value[e][r].value[i]);
                *vector_of(to + e * ldc, r) = value[e][r];
            }
    }

    __device__ static single_vector<T> *vector_of(T *column, int r)
    {
        return reinterpret_cast<single_vector<T> *>(column + r * 4 * V);
    }

    __device__ void write_part(const single_arguments<T> &g, int s, const product_piece<T> &p,
                               int row, int column) const
    {
#pragma unroll
        for (int j = 0; j < V; j++)
#pragma unroll
            for (int r = 0; r < R; r++)
#pragma unroll
                for (int i = 0; i < V; i++)
                    if (column + j < p.n)
                        write_element(g, c[r][i][s][j], p, row + r * 4 * V + i, column + j);
    }

    __device__ static void write_element(const single_arguments<T> &g, T sum,
                                         const product_piece<T> &p, int row, int column)
    {
        if (row >= p.m || (p.uplo == 'L' && row < column) || (p.uplo == 'U' && row > column))
            return;
        T *to = p.c + row + int64_t(column) * p.ldc;
        T value = updated(g, sum, *to);
        if (g.hermitian && p.uplo != 'G' && row == column)
            value = to_element<T>(real_part(value), 0);
        *to = value;
    }
};

} // namespace startile_cuda

#endif
