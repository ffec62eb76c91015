/*
 * Columns of a block of Cholesky with diagonal pivoting (pstrf.cu), by one kernel, and the
 * interchanges of its rows in the columns left of it.
 *
 * Each thread block has some rows of W, the block's columns of L, in shared memory. A column has
 * one barrier of all thread blocks:
 *
 *     publish          the best pivot among the own rows, and its row of W
 *     barrier
 *     read             the best pivots; then the pivot's row of W, and elements of A
 *     interchange      row and column j with those of the pivot, in the own rows
 *     compute          W(:,j) := (A(:,j) − W(:,:j) W(j,:j)ᴴ) / L(j,j), sums of squares
 *
 * The trailing triangle is interchanged in global memory: the element of row i in column j is
 * interchanged by the thread block that has row i. Elements that another thread block has written
 * are read from the L2 cache.
 *
 * Bound: latency, of a barrier and two dependent reads from the L2 cache a column, about 3 µs by
 * estimate.
 */
#include "geqrf/reflector.cuh"
#include "pstrf/pstrf.cuh"

#include <algorithm>
#include <cstddef>

namespace startile_cuda
{

/* A warp computes elements of rows_of_warp rows, by parts_of_row threads each. */
constexpr int parts_of_row = 4, rows_of_warp = 32 / parts_of_row,
              rows_at_a_time = rows_of_warp * diagonal_warps;

/* Returns the number of tiles whose addresses are in shared memory. */
__host__ __device__ inline int shared_tiles(int tiles)
{
    return tiles <= most_shared_tiles ? tiles : 0;
}

/* Rows of a thread block, in shared memory */
template <typename T>
struct own_rows {
    using real = typename element<T>::real;

    int begin, count;
    int ld;
    T *w;           /* count × columns of the block */
    real *diagonal; /* of the trailing triangle, real parts */
    real *sum;      /* sums of squares of the rows of W */
    int *origin;    /* row that the content had before the block's interchanges */

    __device__ bool has(int i) const
    {
        return i >= begin && i < begin + count;
    }

    /* Returns the leading dimension, with which reads of a warp have no bank conflicts. */
    __host__ __device__ static int ld_of(int rows)
    {
        return (rows + 31) / 32 * 32 + rows_of_warp;
    }

    static size_t bytes(int rows, int columns, int tiles)
    {
        return shared_tiles(tiles) * sizeof(listed_piece<T>) +
               size_t(ld_of(rows)) * columns * sizeof(T) + rows * (2 * sizeof(real) + sizeof(int));
    }
};

template <typename T>
struct block_state {
    T row[most_block_columns]; /* conjugate of the pivot's row of W */
    largest_row best[diagonal_warps];
};

/* Lays out the shared memory. Copies the addresses of the tiles there, if it has space for them. */
template <typename T>
__device__ inline own_rows<T> rows_of_this_block(diagonal_panel<T> &p)
{
    extern __shared__ double2 diagonal_smem[];
    listed_piece<T> *const tile = reinterpret_cast<listed_piece<T> *>(diagonal_smem);
    const int tiles = shared_tiles(p.tiles);
    for (int q = threadIdx.x; q < tiles; q += diagonal_threads)
        tile[q] = p.tile[q];
    if (tiles > 0)
        p.tile = tile;
    own_rows<T> mine;
    mine.begin = p.first + int(blockIdx.x) * p.rows_of_block;
    mine.count = min(p.rows_of_block, p.n - mine.begin);
    mine.ld = own_rows<T>::ld_of(p.rows_of_block);
    mine.w = reinterpret_cast<T *>(tile + tiles);
    mine.diagonal = reinterpret_cast<typename element<T>::real *>(mine.w + mine.ld * p.columns);
    mine.sum = mine.diagonal + p.rows_of_block;
    mine.origin = reinterpret_cast<int *>(mine.sum + p.rows_of_block);
    __syncthreads();
    return mine;
}

/* -- pivots ---------------------------------------------------------------------------------- */

/* Stores the best pivot of each warp, and waits for all threads of the block. */
template <typename T>
__device__ inline void store_best(block_state<T> &s, largest_row best)
{
    best = best_of_warp(best);
    if (threadIdx.x % 32 == 0)
        s.best[threadIdx.x / 32] = best;
    __syncthreads();
}

/* Returns the slots of thread blocks for column t of the block. */
template <typename T>
__device__ inline largest_row *published_best(const diagonal_panel<T> &p, int t)
{
    return p.best + t % 2 * p.blocks;
}

template <typename T>
__device__ inline published_row<T> *published_rows(const diagonal_panel<T> &p, int t)
{
    return p.row + t % 2 * (p.blocks + 1);
}

template <typename T>
__device__ inline void publish_row(const own_rows<T> &mine, int i, int t, published_row<T> &to)
{
    const int r = i - mine.begin, c = threadIdx.x;
    if (c < t)
        to.w[c] = mine.w[r + c * mine.ld];
    if (c > 0)
        return;
    to.diagonal = mine.diagonal[r];
    to.sum = mine.sum[r];
    to.origin = mine.origin[r];
}

/* Publishes the best pivot of this block for column t with its row, and the row with which it will
 * be interchanged. */
template <typename T>
__device__ inline void publish(const diagonal_panel<T> &p, const own_rows<T> &mine,
                               const block_state<T> &s, int t)
{
    largest_row best = s.best[0];
    for (int w = 1; w < diagonal_warps; w++)
        take_larger(best, s.best[w].value, s.best[w].row);
    if (threadIdx.x == 0)
        published_best(p, t)[blockIdx.x] = best;
    if (best.row >= 0)
        publish_row(mine, best.row, t, published_rows(p, t)[blockIdx.x]);
    if (mine.has(p.first + t))
        publish_row(mine, p.first + t, t, published_rows(p, t)[p.blocks]);
}

/* Returns whether the pivot of column t is too small. The first one sets *stop. As in LAPACK it
 * only has to be positive, but with real elements A(0,0) must not be NaN. */
template <typename T>
__device__ inline bool is_too_small(const diagonal_panel<T> &p, int t, largest_row pivot,
                                    double *stop)
{
    constexpr double roundoff = is_single<T> ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
    if (p.first + t > 0)
        return !(pivot.value > *stop);
    *stop = p.tol >= 0 ? p.tol : p.n * roundoff * pivot.value;
    const bool is_nan = isnan(__ldcg(&published_rows(p, t)[p.blocks].diagonal));
    return (!element<T>::is_complex && is_nan) || !(pivot.value > 0);
}

/* -- one column ------------------------------------------------------------------------------ */

/* The elements of row i > j in columns j and c of the trailing triangle */
template <typename T>
struct element_pair {
    T of_column, of_pivot; /* as stored */
    T *at_pivot;           /* null: no interchange */
    bool is_mirrored;      /* of_pivot is an element of row c */
};

/* Reads the elements of own row r in columns j and c, in the first thread of the row if r is below
 * the diagonal. */
template <typename T>
__device__ inline element_pair<T> read_pair(const diagonal_panel<T> &p, const own_rows<T> &mine,
                                            int r, int j, int c)
{
    const int i = mine.begin + r;
    const bool is_first = threadIdx.x % 32 < rows_of_warp;
    element_pair<T> pair = {to_element<T>(0, 0), to_element<T>(0, 0), nullptr, c > j && i <= c};
    if (!is_first || r >= mine.count || i <= j)
        return pair;
    if (c > j && i != c)
        pair.at_pivot = i < c ? p.at(c, i) : p.at(i, c);
    pair.of_column = __ldcg(p.at(i, j));
    pair.of_pivot = pair.at_pivot != nullptr ? __ldcg(pair.at_pivot) : pair.of_column;
    return pair;
}

/* Interchanges the pair, and returns the new L(i,j). Column j itself is overwritten at the end of
 * the block. */
template <typename T>
__device__ inline T interchange_pair(const diagonal_panel<T> &p, const element_pair<T> &pair)
{
    if (pair.at_pivot != nullptr)
        *pair.at_pivot = pair.is_mirrored ? conjugate(pair.of_column) : pair.of_column;
    return pair.is_mirrored != p.is_upper ? conjugate(pair.of_pivot) : pair.of_pivot;
}

/* What a thread reads of the published rows: its element of W, and the rest of the row */
template <typename T>
struct read_row {
    T w;
    typename element<T>::real diagonal, sum;
    int origin;
};

template <typename T>
__device__ inline read_row<T> read_published(const published_row<T> &from, int t)
{
    const int q = threadIdx.x;
    return {q < t ? __ldcg(&from.w[q]) : to_element<T>(0, 0), __ldcg(&from.diagonal),
            __ldcg(&from.sum), __ldcg(&from.origin)};
}

/* Sets row r to the row that was read. */
template <typename T>
__device__ inline void place_row(const own_rows<T> &mine, int r, int t, const read_row<T> &row)
{
    const int q = threadIdx.x;
    if (q < t)
        mine.w[r + q * mine.ld] = row.w;
    if (q > 0)
        return;
    mine.diagonal[r] = row.diagonal;
    mine.sum[r] = row.sum;
    mine.origin[r] = row.origin;
}

/* Computes column t of the block in the own rows, and their best pivots. All reads from global
 * memory come before the first use of one, so that they are under way together. */
template <typename T>
__device__ inline void factor_column(const diagonal_panel<T> &p, const own_rows<T> &mine,
                                     block_state<T> &s, int t, largest_row pivot)
{
    using real = typename element<T>::real;
    const int j = p.first + t, c = pivot.row, lane = threadIdx.x % 32, part = lane / rows_of_warp,
              row0 = threadIdx.x / 32 * rows_of_warp;
    const published_row<T> *const published = published_rows(p, t);
    const bool receives = c != j && mine.has(c);
    read_row<T> of_column = {};
    if (receives)
        of_column = read_published(published[p.blocks], t);
    const read_row<T> of_pivot = read_published(published[(c - p.first) / p.rows_of_block], t);
    element_pair<T> next = read_pair(p, mine, row0 + lane % rows_of_warp, j, c);
    const real root = static_cast<real>(sqrt(pivot.value)), scale = 1 / root;
    if (threadIdx.x < t)
        s.row[threadIdx.x] = conjugate(of_pivot.w);
    if (receives) {
        place_row(mine, c - mine.begin, t, of_column);
        if (threadIdx.x == 0)
            *p.at(c, c) = to_element<T>(of_column.diagonal, 0);
    }
    if (mine.has(j)) {
        place_row(mine, j - mine.begin, t, of_pivot);
        if (threadIdx.x == 0)
            mine.w[j - mine.begin + t * mine.ld] = to_element<T>(root, 0);
    }
    __syncthreads();
    largest_row best = {NAN, -1};
    for (int group = row0; group < mine.count; group += rows_at_a_time) {
        const int r = group + lane % rows_of_warp;
        const bool is_below = r < mine.count && mine.begin + r > j;
        T sum = interchange_pair(p, next);
        next = read_pair(p, mine, r + rows_at_a_time, j, c);
        if (is_below)
#pragma unroll 4
            for (int q = part; q < t; q += parts_of_row)
                sum = subtract_product(sum, mine.w[r + q * mine.ld], s.row[q]);
        for (int distance = rows_of_warp; distance < 32; distance *= 2)
            sum = plus(sum, shuffle(sum, lane ^ distance));
        if (!is_below || part > 0)
            continue;
        const T l = scaled<T>(scale, sum);
        const real re = real_part(l), im = static_cast<real>(imaginary_part(l));
        mine.w[r + t * mine.ld] = l;
        mine.sum[r] += re * re + im * im;
        take_larger(best, mine.diagonal[r] - mine.sum[r], mine.begin + r);
    }
    store_best(s, best);
}

/* -- begin and end of a block ---------------------------------------------------------------- */

template <typename T>
__device__ inline void begin_rows(const diagonal_panel<T> &p, const own_rows<T> &mine,
                                  block_state<T> &s)
{
    largest_row best = {NAN, -1};
    for (int r = threadIdx.x; r < mine.count; r += diagonal_threads) {
        const int i = mine.begin + r;
        mine.diagonal[r] = real_part(*p.at(i, i));
        mine.sum[r] = 0;
        mine.origin[r] = i;
        if (p.first == 0)
            p.order[i] = i + 1;
        take_larger(best, mine.diagonal[r], i);
    }
    store_best(s, best);
}

/* Stores the first `columns` columns of L. */
template <typename T>
__device__ inline void store_columns(const diagonal_panel<T> &p, const own_rows<T> &mine,
                                     int columns)
{
    for (int e = threadIdx.x; e < mine.count * columns; e += diagonal_threads) {
        /* neighbouring threads write neighbouring elements of the tile */
        const int r = p.is_upper ? e / columns : e % mine.count,
                  q = p.is_upper ? e % columns : e / mine.count;
        const int i = mine.begin + r, c = p.first + q;
        const T l = mine.w[r + q * mine.ld];
        if (i >= c)
            *p.at(i, c) = p.is_upper ? conjugate(l) : l;
    }
}

/* Copies the rows of W to global memory, or clears them there. */
template <typename T>
__device__ inline void store_factors(const diagonal_panel<T> &p, const own_rows<T> &mine,
                                     bool is_clear)
{
    for (int e = threadIdx.x; e < mine.count * p.columns; e += diagonal_threads) {
        const int r = e % mine.count, q = e / mine.count;
        p.w[mine.begin + r - p.begin + int64_t(q) * p.ldw] =
            is_clear ? to_element<T>(0, 0) : mine.w[r + q * mine.ld];
    }
}

/* Lists the rows that the interchanges have moved, in any order. */
template <typename T>
__device__ inline void list_moves(const diagonal_panel<T> &p, const own_rows<T> &mine)
{
    for (int r = threadIdx.x; r < mine.count; r += diagonal_threads)
        if (mine.origin[r] != mine.begin + r)
            p.state->move[atomicAdd(&p.state->moves, 1)] = {mine.begin + r, mine.origin[r]};
}

/* Factors the block's columns. A cooperative kernel */
template <typename T>
__global__ void __launch_bounds__(diagonal_threads, 1) columns_kernel(diagonal_panel<T> p)
{
    __shared__ block_state<T> s;
    if (!p.state->continues)
        return;
    const own_rows<T> mine = rows_of_this_block(p);
    double stop = p.first > 0 ? *p.stop : 0;
    largest_row pivot = {NAN, -1};
    bool has_ended = false;
    int t = 0;
    begin_rows(p, mine, s);
    for (; t < p.columns; t++) {
        publish(p, mine, s, t);
        wait_for_grid(&p.state->arrived, (t + 1) * int(gridDim.x));
        pivot = best_of_grid(published_best(p, t));
        has_ended = is_too_small(p, t, pivot, &stop);
        if (has_ended)
            break;
        factor_column(p, mine, s, t, pivot);
    }
    const int j = p.first + t;
    store_columns(p, mine, t);
    store_factors(p, mine, has_ended);
    list_moves(p, mine);
    if (threadIdx.x > 0)
        return;
    if (has_ended && j > 0 && mine.has(j))
        *p.at(j, j) = to_element<T>(pivot.value, 0);
    if (blockIdx.x == 0) {
        *p.stop = stop;
        *p.info = has_ended ? j - p.begin + 1 : 0;
        p.state->continues = !has_ended;
    }
}

/* Columns of a thread block of interchange_left_kernel */
constexpr int columns_left = 8;
static_assert(most_moves <= diagonal_threads, "one move a thread");

/* Applies the block's interchanges to `order` (block 0) and to the columns of L left of the block.
 */
template <typename T>
__global__ void __launch_bounds__(diagonal_threads) interchange_left_kernel(diagonal_panel<T> p)
{
    const bool has_move = threadIdx.x < p.state->moves;
    const row_move move = has_move ? p.state->move[threadIdx.x] : row_move{};
    const int c = (int(blockIdx.x) - 1) * columns_left;
    if (c < 0) {
        const int64_t number = has_move ? p.order[move.from] : 0;
        __syncthreads();
        if (has_move)
            p.order[move.to] = number;
        return;
    }
    T moved[columns_left];
#pragma unroll
    for (int q = 0; q < columns_left; q++)
        if (has_move && c + q < p.first)
            moved[q] = *p.at(move.from, c + q);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < columns_left; q++)
        if (has_move && c + q < p.first)
            *p.at(move.to, c + q) = moved[q];
}

/* Returns the rows of a thread block, of `rows` rows together. */
static int rows_of_thread_block(const startile_exec *x, int rows)
{
    return std::max<int>(rows_at_a_time, ceil_div(rows, x->multiprocessors));
}

template <typename T>
int columns_of_block(const startile_exec *x, int rows, int tiles)
{
    constexpr int multiple = 16; /* terms that products take at a time */
    const int own = rows_of_thread_block(x, rows);
    int columns = most_block_columns;
    while (columns > 0 &&
           own_rows<T>::bytes(own, columns, tiles) + sizeof(block_state<T>) > size_t(x->max_smem))
        columns--;
    return columns < multiple ? columns : columns / multiple * multiple;
}

template <typename T>
int factor_block(startile_exec *x, diagonal_panel<T> p)
{
    const int rows = p.n - p.first;
    p.rows_of_block = rows_of_thread_block(x, rows);
    if (int error =
            check(cudaMemsetAsync(p.state, 0, offsetof(diagonal_state, continues), x->stream)))
        return error;
    if (int error =
            launch_together(x, columns_kernel<T>, ceil_div(rows, p.rows_of_block), diagonal_threads,
                            own_rows<T>::bytes(p.rows_of_block, p.columns, p.tiles), p))
        return error;
    return launch(x, interchange_left_kernel<T>, 1 + ceil_div(p.first, columns_left),
                  diagonal_threads, p);
}

INSTANTIATE(columns_of_block);
INSTANTIATE(factor_block);

} // namespace startile_cuda
