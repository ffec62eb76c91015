/*
 * Groups of products in single precision, by FFMA: no term is rounded before it is multiplied.
 */
#include "operations.cuh"
#include "product_split.cuh"
#include "single_block.cuh"
#include "tile_order.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Pieces of one launch. They are kernel arguments, which up to 4 KiB cost nothing to speak of. */
constexpr int single_most_pieces = 72;

template <typename T>
struct single_group {
    int k0, k, pieces, tiles; /* terms k0 … k0 + k − 1 */
    T alpha, beta;
    char uplo, triangle;
    bool hermitian, triangle_is_left, overwrites;
    bool along_a, along_b; /* contiguous along C's rows, C's columns, or else along the terms */
    bool a_is_aligned, b_is_aligned, c_is_aligned;
    const split_guard *guard;
    int first_tile[single_most_pieces];
    product_piece<T> piece[single_most_pieces];
};

template <typename T>
using single_order = tile_order<single_rows<T>::length, single_columns<T>::length>;

/* The terms that a block has to sum up: those outside of a triangular factor's zeros */
struct single_terms {
    int begin, end;
};

template <typename T>
__device__ single_terms terms_of_tile(const single_group<T> &g, int row, int column)
{
    single_terms terms = {0, g.k};
    if (g.triangle == 'G')
        return terms;
    const int first = (g.triangle_is_left ? row : column) - g.k0;
    const int length = g.triangle_is_left ? single_rows<T>::length : single_columns<T>::length;
    if ((g.triangle == 'U') == g.triangle_is_left)
        terms.begin = max(0, first);
    else
        terms.end = min(g.k, first + length);
    return terms;
}

/* ConjugateA, ConjugateB: of complex types */
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
    int row_vector, column_vector; /* the thread's first, of the block's */
    T c[R][V][S][V];
    single_vector<T> a[2][R], b[2][S]; /* of one term, while those of the next come */

    __device__ single_block(memory &shared) : shared(shared)
    {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#ifdef ZIGZAG
        row_vector = warp % 2 * rows::warp_vectors + lane % 2 + lane / 16 * 2;
        column_vector = warp / 2 * columns::warp_vectors + lane / 2 % 8;
#else
        row_vector = warp % 2 * rows::warp_vectors + lane % 4;
        column_vector = warp / 2 * columns::warp_vectors + lane / 4;
#endif
    }

    __device__ void load(int stage, int term)
    {
#pragma unroll
        for (int r = 0; r < R; r++)
            a[term % 2][r] = shared.a[stage][term * (rows::stride / V) + row_vector + r * 4];
#pragma unroll
        for (int s = 0; s < S; s++)
            b[term % 2][s] = shared.b[stage][term * (columns::stride / V) + column_vector + s * 8];
    }

    __device__ void multiply(int term)
    {
#pragma unroll
        for (int r = 0; r < R; r++)
#pragma unroll
            for (int s = 0; s < S; s++)
#pragma unroll
                for (int j = 0; j < V; j++)
#pragma unroll
                    for (int i = 0; i < V; i++)
                        accumulate(c[r][i][s][j], of_a(term, r, i), of_b(term, s, j));
    }

    __device__ T of_a(int term, int r, int i) const
    {
        T value = a[term % 2][r].of[i];
        return ConjugateA ? conjugate(value) : value;
    }

    __device__ T of_b(int term, int s, int j) const
    {
        T value = b[term % 2][s].of[j];
        return ConjugateB ? conjugate(value) : value;
    }

    template <typename SourceA, typename SourceB>
    __device__ void fetch(SourceA &from_a, SourceB &from_b, int stage)
    {
        from_a.fetch(stage);
        from_b.fetch(stage);
        end_copies_of_stage();
    }

    /* c := the sum. Stages beyond the last are fetched as zeros, and not waited for. */
    __device__ void sum(const single_group<T> &g, const product_piece<T> &p, int row, int column)
    {
        const single_terms terms = terms_of_tile(g, row, column);
        const int length = terms.end - terms.begin;
        const int64_t begin = terms.begin;
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
        for (int left = length, stage = 0; left > 0; left -= rows::depth) {
            const int next = (stage + 1) % single_stages;
#pragma unroll
            for (int term = 0; term < rows::depth; term++) {
                if (term == rows::depth - 1) {
                    wait_for_stage<single_stages - 3>();
                    fetch(from_a, from_b, (stage + single_stages - 1) % single_stages);
                }
                load(term == rows::depth - 1 ? next : stage, (term + 1) % rows::depth);
                multiply(term);
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

    __device__ static T updated(const single_group<T> &g, T sum, const T &old)
    {
        const T zero = to_element<T>(0, 0);
        return g.overwrites ? multiply_add(g.alpha, sum, zero)
                            : multiply_add(g.beta, old, multiply_add(g.alpha, sum, zero));
    }

    __device__ void write(const single_group<T> &g, const product_piece<T> &p, char uplo, int row,
                          int column) const
    {
        const bool is_whole =
            g.c_is_aligned && row + rows::length <= p.m &&
            !single_order<T>::is_across(uplo, row / rows::length, column / columns::length);
#pragma unroll
        for (int s = 0; s < S; s++)
#pragma unroll
            for (int j = 0; j < V; j++) {
                const int at = column + (column_vector + s * 8) * V + j;
                if (at >= p.n)
                    continue;
                T *to = p.c + int64_t(at) * p.ldc;
#pragma unroll
                for (int r = 0; r < R; r++) {
                    const int i = row + (row_vector + r * 4) * V;
                    if (is_whole)
                        write_vector(g, r, s, j, to + i);
                    else
                        write_elements(g, r, s, j, to, p.m, uplo, i, at);
                }
            }
    }

    __device__ void write_vector(const single_group<T> &g, int r, int s, int j, T *to) const
    {
        single_vector<T> *vector = reinterpret_cast<single_vector<T> *>(to), old = {};
        if (!g.overwrites)
            old = *vector;
#pragma unroll
        for (int i = 0; i < V; i++)
            old.of[i] = updated(g, c[r][i][s][j], old.of[i]);
        *vector = old;
    }

    __device__ void write_elements(const single_group<T> &g, int r, int s, int j, T *to, int m,
                                   char uplo, int row, int column) const
    {
#pragma unroll
        for (int i = 0; i < V; i++) {
            const int at = row + i;
            if (at >= m || (uplo == 'L' && at < column) || (uplo == 'U' && at > column))
                continue;
            T value = updated(g, c[r][i][s][j], to[at]);
            if (g.hermitian && uplo != 'G' && at == column)
                value = to_element<T>(real_part(value), 0);
            to[at] = value;
        }
    }
};

template <typename T, bool ConjugateA, bool ConjugateB>
__global__ void __launch_bounds__(single_threads, 2)
    single_kernel(const __grid_constant__ single_group<T> g)
{
    using block_of_tile = single_block<T, ConjugateA, ConjugateB>;
    using order = single_order<T>;
    extern __shared__ single_vector<float> single_memory[];
    if (g.guard && allows_split(*g.guard, g.k))
        return;
    block_of_tile block(*reinterpret_cast<typename block_of_tile::memory *>(single_memory));
    for (int tile = blockIdx.x; tile < g.tiles; tile += gridDim.x) {
        tile_place place;
        place.piece = piece_of_tile(g.first_tile, g.pieces, tile);
        const product_piece<T> &p = g.piece[place.piece];
        const char uplo = place.piece == 0 ? g.uplo : 'G';
        order::find(uplo, p.m, p.n, tile - g.first_tile[place.piece], place);
        if (order::is_outside(uplo, place.row, place.column))
            continue;
        const int row = place.row * single_rows<T>::length;
        const int column = place.column * single_columns<T>::length;
        block.sum(g, p, row, column);
        block.write(g, p, uplo, row, column);
    }
}

/* -- launching -------------------------------------------------------------------------------- */

template <typename T>
static bool is_aligned(const void *p, int ld)
{
    constexpr int bytes = 16;
    return reinterpret_cast<uintptr_t>(p) % bytes == 0 && ld * sizeof(T) % bytes == 0;
}

template <typename T, bool ConjugateA, bool ConjugateB>
static int launch_single(startile_exec *x, const single_group<T> &g)
{
    constexpr size_t shared = sizeof(typename single_block<T, ConjugateA, ConjugateB>::memory);
    constexpr int blocks_of_fallback = 512; /* enough for every multiprocessor */
    const int grid = g.guard ? std::min(g.tiles, blocks_of_fallback) : g.tiles;
    return launch_with_shared(x, single_kernel<T, ConjugateA, ConjugateB>, grid, single_threads,
                              shared, g);
}

template <typename T>
static int launch_single(startile_exec *x, char transa, char transb, const single_group<T> &g)
{
    if constexpr (element<T>::is_complex) {
        if (transa == 'C' && transb == 'C')
            return launch_single<T, true, true>(x, g);
        if (transa == 'C')
            return launch_single<T, true, false>(x, g);
        if (transb == 'C')
            return launch_single<T, false, true>(x, g);
    }
    return launch_single<T, false, false>(x, g);
}

/* Pieces from number `first` on, as many as a launch takes; k0: the first term */
template <typename T>
static single_group<T> gather(const product_group<T> &g, int first, int k0, int k, T beta,
                              const split_guard *guard)
{
    single_group<T> to = {};
    to.k0 = k0;
    to.k = k;
    to.pieces = std::min(g.pieces - first, single_most_pieces);
    to.alpha = g.alpha;
    to.beta = beta;
    to.overwrites = is_zero(beta);
    to.uplo = first == 0 ? g.uplo : 'G';
    to.hermitian = g.hermitian;
    to.triangle = g.triangle;
    to.triangle_is_left = g.triangle_is_left;
    to.guard = guard;
    to.along_a = g.transa == 'N';
    to.along_b = g.transb != 'N';
    to.a_is_aligned = to.b_is_aligned = to.c_is_aligned = true;
    for (int q = 0; q < to.pieces; q++) {
        product_piece<T> p = g.piece[first + q];
        p.a += g.transa == 'N' ? int64_t(k0) * p.lda : k0;
        p.b += g.transb == 'N' ? k0 : int64_t(k0) * p.ldb;
        to.piece[q] = p;
        to.first_tile[q] = to.tiles;
        to.tiles += single_order<T>::tiles_of_piece(q == 0 ? to.uplo : 'G', p.m, p.n);
        to.a_is_aligned = to.a_is_aligned && is_aligned<T>(p.a, p.lda);
        to.b_is_aligned = to.b_is_aligned && is_aligned<T>(p.b, p.ldb);
        to.c_is_aligned = to.c_is_aligned && is_aligned<T>(p.c, p.ldc);
    }
    return to;
}

template <typename T>
int multiply_plainly(startile_exec *x, const product_group<T> &g, int k0, int k, T beta,
                     const split_guard *guard)
{
    for (int first = 0; first < g.pieces; first += single_most_pieces) {
        const single_group<T> to = gather(g, first, k0, k, beta, guard);
        if (to.tiles == 0)
            continue;
        if (int error = launch_single(x, g.transa, g.transb, to))
            return error;
    }
    return 0;
}

template <typename T>
static int scale_group(startile_exec *x, const product_group<T> &g)
{
    for (int q = 0; q < g.pieces; q++) {
        const product_piece<T> &p = g.piece[q];
        if (int error = scale(x, q == 0 ? g.uplo : 'G', q == 0 && g.hermitian, p.m, p.n, g.beta,
                              p.c, p.ldc))
            return error;
    }
    return 0;
}

template <typename T>
static int multiply_single(startile_exec *x, const product_group<T> &g)
{
    if (g.pieces == 0)
        return 0;
    if (g.k == 0 || is_zero(g.alpha))
        return scale_group(x, g);
    if constexpr (!element<T>::is_complex)
        if (can_multiply_split(x, g))
            return multiply_split(x, g);
    return multiply_plainly(x, g, 0, g.k, g.beta, nullptr);
}

template <>
int multiply_group<float>(startile_exec *x, const product_group<float> &g)
{
    return multiply_single(x, g);
}

template <>
int multiply_group<cuComplex>(startile_exec *x, const product_group<cuComplex> &g)
{
    return multiply_single(x, g);
}

template int multiply_plainly<float>(startile_exec *, const product_group<float> &, int, int, float,
                                     const split_guard *);

} // namespace startile_cuda
