/*
 * Columns of a block of LDLᵀ or LDLᴴ (sytrf.cu), by one kernel.
 *
 * Each thread block has some rows of L, the block's columns, in shared memory, as far as they fit;
 * all of W = L D is in global memory. A pivot has one or two searches. At the end of a search each
 * thread block publishes its largest element, and waits for those of all thread blocks:
 *
 *     first    complete the newest pivot: interchange, L := W D⁻¹
 *              W(:,first) := A(:,j) − L W(j,:)ᵀ, search outside of row j
 *              store L's columns of the pivot before the newest one
 *     wait     for the largest element and W(j,first)
 *     second   if W(j,first) is no pivot: r := row of the largest element
 *              W(:,second) := A(:,r) − L W(r,:)ᵀ, search outside of row r
 *     wait     for the largest element, W(r,first) and W(r,second)
 *     choose   a pivot of order 1, without or with an interchange, or of order 2
 *
 * All thread blocks choose the same pivot from the same numbers. A random matrix has 1.1 to 1.4
 * searches a column, because two thirds of its columns are in pivots of order 2 (dsytrf, n = 1500).
 *
 * Rows `last` and `other` are interchanged. Only row `other` remains in the trailing matrix, so the
 * elements move one way: those of row and column `last` of A replace those of `other`, and row
 * `last` of L and of W replaces row `other`. The element of row i in column `last` is moved by the
 * thread block that has row i. Nothing else may change column `last` meanwhile; hence its elements
 * of L are stored one search later. Reads that another thread block's move could overtake, those
 * of column j, take the element from where it was before.
 *
 * W's columns are not moved: a pivot keeps the columns of L and W in which its elements have been
 * computed, and one column among them may be unused. There L and W are zero.
 *
 * The thread blocks are those of one cluster, if its shared memory holds cluster_terms columns of
 * L, and else as many as the device has multiprocessors; they exchange the results of a search in
 * another way (search_exchange.cuh). Elements that another thread block has written are read from
 * the L2 cache.
 *
 * Bound: latency. On an H200 a column of dsytrf takes 3.5 µs in a cluster (n = 2048) and 4.6 µs by
 * the grid, in which a barrier takes 0.9 and the list of the largest elements 1 µs without other
 * work (perf_models/NOTES.md, "LDLᴴ on one GPU"); the rest is for reads of row j or r of W and of
 * elements of A, divisions, and the product. By the size of shared memory the grid holds 192
 * columns of L in double precision up to 16,896 rows, and 106 at 32,768; a cluster holds
 * cluster_terms up to about 4,600.
 */
#include "geqrf/reflector.cuh"
#include "sytrf/sytrf.cuh"

#include <algorithm>
#include <limits.h>

namespace startile_cuda
{

/* A warp computes elements of rows_of_warp rows, by parts_of_row threads each. */
constexpr int parts_of_row = 4, rows_of_warp = 32 / parts_of_row,
              rows_at_a_time = rows_of_warp * symmetric_warps;

/* Returns the number of tiles whose addresses are in shared memory. */
__host__ __device__ inline int listed_tiles(int tiles)
{
    return tiles <= most_listed_tiles ? tiles : 0;
}

/* Rows of L and W of a thread block. L's columns up to last_held are in shared memory, the others
 * in global memory, where only this thread block accesses these rows. */
template <typename T>
struct symmetric_rows {
    int begin, count;
    int last_held, ld; /* last_held: INT_MAX for all columns */
    T *l;              /* the columns of L in shared memory */
    T *w;              /* count × 2: columns of W of the first and the second search */
    T *row;            /* most_terms: row of W of the column that is updated, transposed */
    T *behind;         /* row 0 of L in global memory */
    int64_t row_step, column_step;

    __device__ bool has(int i) const
    {
        return i >= begin && i < begin + count;
    }

    __device__ T *in_global(int r, int q) const
    {
        return behind + r * row_step + q * column_step;
    }

    /* Returns the address of element (r,q) of L. */
    __device__ T *at(int r, int q) const
    {
        return q <= last_held ? l + r + q * ld : in_global(r, q);
    }

    /* Returns the leading dimension, with which reads of a warp have no bank conflicts. */
    __host__ __device__ static int ld_of(int rows)
    {
        return (rows + 31) / 32 * 32 + rows_of_warp;
    }

    static size_t bytes(int rows, int held, int tiles)
    {
        return listed_tiles(tiles) * sizeof(listed_piece<T>) +
               (size_t(ld_of(rows)) * (held + 2) + most_terms) * sizeof(T);
    }
};

/* A pivot: columns `first` and `last` of D, which are equal for one of order 1. Row `last` is
 * interchanged with row `other`. */
template <typename T>
struct symmetric_pivot {
    int order; /* 0: none */
    int first, last, other;
    int search;  /* of order 1: 0 or 1 for the search that has computed its column */
    int term[2]; /* its columns in L and W */
    T d00, d10, d11;
    typename element<T>::real scale; /* power of two, above 1 if 1 / d may overflow */
    T ratio0, ratio1, factor0, factor1;
};

/* The columns of L and W that the searches for the next pivot use. The pivots of the block have the
 * columns below the larger one, except the smaller one. */
struct free_terms {
    int first, second;

    __device__ int end() const
    {
        return max(first, second);
    }

    __device__ bool is_used(int term) const
    {
        return term < end() && term != first && term != second;
    }

    __device__ int of_search(int search) const
    {
        return search == 0 ? first : second;
    }
};

/* Columns of the block so far */
template <typename T>
struct block_progress {
    int j;                         /* next column */
    int search;                    /* number of the next search, from 1 on */
    free_terms terms;              /* for column j */
    symmetric_pivot<T> newest;     /* whose columns of L have to be computed */
    symmetric_pivot<T> not_stored; /* whose columns of L have to be stored in A */
    int64_t first_zero;            /* column of the first zero pivot in A, from 1 on; 0: none */
};

/* Lays out the shared memory, where all of L is zero. Copies the addresses of the tiles there, if
 * it has space for them. */
template <bool holds_all, typename T>
__device__ inline symmetric_rows<T> rows_of_this_block(symmetric_panel<T> &p)
{
    extern __shared__ double2 symmetric_smem[];
    listed_piece<T> *const tile = reinterpret_cast<listed_piece<T> *>(symmetric_smem);
    const int tiles = listed_tiles(p.tiles);
    for (int q = threadIdx.x; q < tiles; q += symmetric_threads)
        tile[q] = p.tile[q];
    if (tiles > 0)
        p.tile = tile;
    symmetric_rows<T> mine;
    mine.begin = p.first + int(blockIdx.x) * p.rows_of_block;
    mine.count = min(p.rows_of_block, p.n - mine.begin);
    mine.last_held = holds_all ? INT_MAX : p.held - 1;
    mine.ld = symmetric_rows<T>::ld_of(p.rows_of_block);
    mine.l = reinterpret_cast<T *>(tile + tiles);
    mine.w = mine.l + mine.ld * p.held;
    mine.row = mine.w + mine.ld * 2;
    mine.behind = p.l + p.in_workspace(mine.begin);
    mine.row_step = p.is_upper ? -1 : 1;
    mine.column_step = p.ldw;
    for (int e = threadIdx.x; e < mine.count * p.terms; e += symmetric_threads)
        *mine.at(e % mine.count, e / mine.count) = to_element<T>(0, 0);
    __syncthreads();
    return mine;
}

/* Returns the first column of the block, in all threads: p.first, or the one behind it if that
 * belongs to the last pivot of the block before. Pivots of order 2 have two negative elements of
 * ipiv, so that their number before p.first, back to the last pivot of order 1, is then odd. */
template <typename T>
__device__ inline int first_column(const symmetric_panel<T> &p)
{
    constexpr int at_a_time = 8, columns = 32 * at_a_time;
    int negative = 0, found;
    do {
        found = columns;
#pragma unroll
        for (int k = at_a_time - 1; k >= 0; k--) {
            const int distance = 32 * k + int(threadIdx.x % 32),
                      c = p.first - 1 - negative - distance;
            if (c < 0 || p.ipiv[p.in_matrix(c)] >= 0)
                found = distance;
        }
        for (int distance = 16; distance > 0; distance /= 2)
            found = min(found, __shfl_xor_sync(0xffffffff, found, distance));
        negative += found;
    } while (found == columns);
    return p.first + negative % 2;
}

/* -- the newest pivot ------------------------------------------------------------------------ */

/* Elements of L in a row of a pivot's columns */
template <typename T>
struct row_of_pivot {
    T l0, l1;
};

template <typename T>
__device__ inline row_of_pivot<T> row_of(const symmetric_rows<T> &mine, const symmetric_pivot<T> &v,
                                         int r)
{
    return {*mine.at(r, v.term[0]), *mine.at(r, v.term[1])};
}

/* Stores a pivot's elements of L in own row r. */
template <typename T>
__device__ inline void store_row(const symmetric_panel<T> &p, const symmetric_rows<T> &mine,
                                 const symmetric_pivot<T> &v, int r, row_of_pivot<T> e)
{
    const int i = mine.begin + r;
    if (v.order == 0 || r >= mine.count || i <= v.last)
        return;
    *p.at(i, v.first) = e.l0;
    if (v.order == 2)
        *p.at(i, v.last) = e.l1;
}

/* Stores D and ipiv of a pivot, and its elements of L in own rows from `r` on in steps of the
 * thread block's size. */
template <typename T>
__device__ inline void store_pivot(const symmetric_panel<T> &p, const symmetric_rows<T> &mine,
                                   const symmetric_pivot<T> &v, int r)
{
    for (; r < mine.count; r += symmetric_threads)
        store_row(p, mine, v, r, row_of(mine, v, r));
    if (v.order == 0 || !mine.has(v.first) || threadIdx.x > 0)
        return;
    const int64_t number = p.in_matrix(v.other) + 1;
    p.ipiv[p.in_matrix(v.first)] = p.ipiv[p.in_matrix(v.last)] = v.order == 2 ? -number : number;
    *p.at(v.first, v.first) = v.d00;
    if (v.order == 1)
        return;
    *p.at(v.last, v.first) = v.d10;
    *p.at(v.last, v.last) = v.d11;
}

/* Elements of A in an own row of the trailing matrix */
template <typename T>
struct row_elements {
    T of_last; /* of column `last` before the interchange; of row `last` itself in row `other` */
    T of_next; /* of column j after the interchange */
};

/* Reads the elements of own row r. */
template <typename T>
__device__ inline row_elements<T> read_elements(const symmetric_panel<T> &p,
                                                const symmetric_rows<T> &mine,
                                                const symmetric_pivot<T> &v, int r, int j,
                                                bool has_next)
{
    const int i = mine.begin + r;
    row_elements<T> e = {};
    if (r >= mine.count || i < j)
        return e;
    const bool moves = v.last != v.other, is_other = moves && i == v.other;
    if (moves)
        e.of_last = __ldcg(p.at(is_other ? v.last : i, v.last));
    if (!has_next)
        return e;
    if (moves && j == v.other)
        e.of_next = e.of_last;
    else
        e.of_next = is_other ? p.transposed(__ldcg(p.at(j, v.last))) : __ldcg(p.at(i, j));
    return e;
}

/* Moves the element of column `last` to row or column `other`. */
template <typename T>
__device__ inline void move_element(const symmetric_panel<T> &p, const symmetric_pivot<T> &v, int i,
                                    T of_last)
{
    if (v.last == v.other)
        return;
    if (i < v.other)
        *p.at(v.other, i) = p.transposed(of_last);
    else
        *p.at(i, v.other) = real_if(p.is_hermitian && i == v.other, of_last);
}

/* Returns a power of two whose product with d is no subnormal number. */
template <typename T>
__device__ inline typename element<T>::real scale_of(T d)
{
    constexpr double smallest = is_single<T> ? FLT_MIN : DBL_MIN;
    return magnitude1(d) < smallest ? 0x1p60F : 1;
}

/* Sets the factors of L's elements. */
template <typename T>
__device__ inline void set_factors(const symmetric_panel<T> &p, symmetric_pivot<T> &v)
{
    const T one = to_element<T>(1, 0);
    v.scale = scale_of(v.order == 1 ? v.d00 : v.d10);
    if (v.order == 1) {
        v.factor0 = is_zero(v.d00) ? v.d00 : divide(one, scaled<T>(v.scale, v.d00));
    } else if (v.order == 2) {
        const T inverse = divide(one, scaled<T>(v.scale, v.d10));
        v.ratio0 = scaled<T>(v.scale, multiply(v.d00, p.transposed(inverse)));
        v.ratio1 = scaled<T>(v.scale, multiply(v.d11, inverse));
        const T product = real_if(p.is_hermitian, multiply(v.ratio1, v.ratio0)),
                t = divide(one, plus(product, to_element<T>(-1, 0)));
        v.factor0 = multiply(t, p.transposed(inverse));
        v.factor1 = multiply(t, inverse);
    }
}

/* L := W D⁻¹ in row r; w: the row of W in the pivot's columns */
template <typename T>
__device__ inline void divide(const symmetric_rows<T> &mine, const symmetric_pivot<T> &v, int r,
                              const T w[2])
{
    T *const l0 = mine.at(r, v.term[0]), *const l1 = mine.at(r, v.term[1]);
    const T x0 = scaled<T>(v.scale, w[0]), x1 = scaled<T>(v.scale, w[1]);
    if (v.order == 1) {
        *l0 = multiply(x0, v.factor0);
    } else if (v.order == 2) {
        *l0 = multiply(v.factor0, plus(multiply(v.ratio1, x0), scaled<T>(-1, x1)));
        *l1 = multiply(v.factor1, plus(multiply(v.ratio0, x1), scaled<T>(-1, x0)));
    }
}

/* Completes the newest pivot in own row r, where e has been read. */
template <typename T>
__device__ inline void complete_row(const symmetric_panel<T> &p, const symmetric_rows<T> &mine,
                                    const symmetric_pivot<T> &v, int r, const row_elements<T> &e)
{
    const int i = mine.begin + r;
    const bool is_other = v.last != v.other && i == v.other;
    T w[2];
#pragma unroll
    for (int q = 0; q < 2; q++) {
        const int search = v.order == 1 ? v.search : q;
        w[q] = is_other ? __ldcg(p.in_w(v.last, v.term[q])) : mine.w[r + search * mine.ld];
    }
    if (v.order > 0)
        move_element(p, v, i, e.of_last);
    divide(mine, v, r, w);
}

/* -- searches -------------------------------------------------------------------------------- */

/* Returns the magnitude. */
__device__ inline double magnitude_in(largest_magnitude best)
{
    return __longlong_as_double(static_cast<long long>(best.bits));
}

/* Sums of a thread's rows r, r + rows_at_a_time, …; in two parts, which hide the latency of the
 * products */
template <int rows, typename T>
struct row_sums {
    T part[rows][2];

    /* Subtracts the products of elements of L in the thread's rows, the first of them at l, and x.
     */
    __device__ void subtract(int p, const T *l, T x)
    {
#pragma unroll
        for (int k = 0; k < rows; k++)
            part[k][p] = subtract_product(part[k][p], l[k * rows_at_a_time], x);
    }
};

/* Returns − Σ L(r,q) row(q) for q = part, part + parts_of_row, … below `terms`, in the thread's
 * rows from r on. Own rows get sums. */
template <int rows, typename T>
__device__ inline row_sums<rows, T> minus_products(const symmetric_rows<T> &mine, int r, int part,
                                                   int terms)
{
    row_sums<rows, T> sum = {};
    const T *const l = mine.l + r, *const row = mine.row;
    const int held = mine.last_held < terms - 1 ? mine.last_held + 1 : terms;
    int q = part;
#pragma unroll 4
    for (; q + parts_of_row < held; q += 2 * parts_of_row)
#pragma unroll
        for (int k = 0; k < 2; k++)
            sum.subtract(k, l + (q + k * parts_of_row) * mine.ld, row[q + k * parts_of_row]);
    if (q < held) {
        sum.subtract(0, l + q * mine.ld, row[q]);
        q += parts_of_row;
    }
#pragma unroll 8
    for (; q < terms; q += parts_of_row)
#pragma unroll
        for (int k = 0; k < rows; k++)
            if (r + k * rows_at_a_time < mine.count)
                sum.part[k][1] = subtract_product(
                    sum.part[k][1], __ldcg(mine.in_global(r + k * rows_at_a_time, q)), row[q]);
    return sum;
}

/* Column c of the trailing matrix that a search updates; index: 0 or 1, for the first or the second
 * search */
struct searched_column {
    int index, c;
};

/* Updates the column in a thread's rows r, r + rows_at_a_time, … from j on. Sets `best` to the
 * largest element outside of row c. */
template <int rows, typename T, typename Exchange>
__device__ inline void update_rows(const symmetric_panel<T> &p, const symmetric_rows<T> &mine,
                                   const Exchange &exchange, const block_progress<T> &now,
                                   searched_column column, int r, largest_magnitude &best)
{
    const int lane = threadIdx.x % 32, part = lane / rows_of_warp;
    T *const w = mine.w + column.index * mine.ld;
    const row_sums<rows, T> sums = minus_products<rows>(mine, r, part, now.terms.end());
#pragma unroll
    for (int k = 0; k < rows; k++, r += rows_at_a_time) {
        const int i = mine.begin + r;
        T sum = plus(sums.part[k][0], sums.part[k][1]);
        for (int distance = rows_of_warp; distance < 32; distance *= 2)
            sum = plus(sum, shuffle(sum, lane ^ distance));
        if (r >= mine.count || i < now.j || part > 0)
            continue;
        sum = real_if(p.is_hermitian && i == column.c, plus(w[r], sum));
        w[r] = sum;
        *p.in_w(i, now.terms.of_search(column.index)) = sum;
        if (i == column.c)
            exchange.set_elements(now.search, {mine.w[r], sum});
        else
            take_larger(best, magnitude_of_row(magnitude1(sum), p.in_matrix(i)));
    }
}

/* W(:,term) := A(:,c) − L W(c,:)ᵀ in the own rows from j on. Column `index` of mine.w has A(:,c).
 * Publishes the largest element outside of row c, and the elements of row c. A warp has two rows of
 * a thread at a time, as far as there are as many: an element of W's row is then read once for
 * both. */
template <typename T, typename Exchange>
__device__ inline void update_and_search(const symmetric_panel<T> &p, const symmetric_rows<T> &mine,
                                         const Exchange &exchange, const block_progress<T> &now,
                                         searched_column column)
{
    const int own = threadIdx.x % rows_of_warp;
    int group = threadIdx.x / 32 * rows_of_warp;
    largest_magnitude best;
    for (; group + rows_at_a_time < mine.count; group += 2 * rows_at_a_time)
        update_rows<2>(p, mine, exchange, now, column, group + own, best);
    if (group < mine.count)
        update_rows<1>(p, mine, exchange, now, column, group + own, best);
    exchange.publish(now.search, best, mine.has(column.c));
}

/* Prefetches the own rows of the columns that the next pivot may search first: j + 1 behind a pivot
 * of order 1, j + 2 behind one of order 2. */
template <typename T>
__device__ inline void prefetch_columns(const symmetric_panel<T> &p, const symmetric_rows<T> &mine,
                                        int j)
{
    constexpr int rows_of_line = 128 / sizeof(T);
    for (int r = rows_of_line * int(threadIdx.x); r < mine.count;
         r += rows_of_line * symmetric_threads)
        for (int c = j + 1; c <= j + 2; c++)
            if (mine.begin + r >= c)
                prefetch_to_l2(p.at(mine.begin + r, c));
}

/* Completes the newest pivot, and with has_next updates column j. All reads from global memory come
 * before the first use of one, so that they are under way together. */
template <typename T, typename Exchange>
__device__ inline void complete_and_search(const symmetric_panel<T> &p,
                                           const symmetric_rows<T> &mine, const Exchange &exchange,
                                           block_progress<T> &now, bool has_next)
{
    symmetric_pivot<T> &v = now.newest;
    const int q = threadIdx.x, j = now.j;
    const bool moves = v.last != v.other, receives = moves && mine.has(v.other);
    const bool is_used = now.terms.is_used(q), is_new = q == v.term[0] || q == v.term[1];
    T of_row = to_element<T>(0, 0), w_moved = of_row, l_moved = of_row;
    if (is_used && has_next)
        of_row = __ldcg(p.in_w(moves && j == v.other ? v.last : j, q));
    if (is_used && receives) {
        w_moved = __ldcg(p.in_w(v.last, q));
        l_moved = __ldcg(p.row + (v.last - v.first) * most_terms + q);
    }
    row_elements<T> e = read_elements(p, mine, v, q, j, has_next);
    set_factors(p, v);
    const symmetric_pivot<T> before = now.not_stored;
    const row_of_pivot<T> of_before = q < mine.count ? row_of(mine, before, q) : row_of_pivot<T>{};
    store_pivot(p, mine, before, q + symmetric_threads);
    __syncthreads();
    if (q < most_terms)
        mine.row[q] = p.transposed(of_row);
    if (is_used && receives) {
        *p.in_w(v.other, q) = w_moved;
        if (!is_new)
            *mine.at(v.other - mine.begin, q) = l_moved;
    }
    for (int r = q; r < mine.count; r += symmetric_threads) {
        if (mine.begin + r >= j) {
            complete_row(p, mine, v, r, e);
            mine.w[r] = e.of_next;
        }
        e = read_elements(p, mine, v, r + symmetric_threads, j, has_next);
    }
    now.not_stored = v;
    __syncthreads();
    if (has_next)
        update_and_search(p, mine, exchange, now, {0, j});
    store_row(p, mine, before, q, of_before);
    if (has_next && !p.is_in_cluster)
        prefetch_columns(p, mine, j);
}

/* Publishes rows j and j + 1 of L, one of which may be interchanged, and updates column c. */
template <typename T, typename Exchange>
__device__ inline void search_column(const symmetric_panel<T> &p, const symmetric_rows<T> &mine,
                                     const Exchange &exchange, const block_progress<T> &now, int c)
{
    const int q = threadIdx.x;
    const bool is_used = now.terms.is_used(q);
    const T of_row = is_used ? __ldcg(p.in_w(c, q)) : to_element<T>(0, 0);
    for (int r = q; r < mine.count; r += symmetric_threads) {
        const int i = mine.begin + r;
        if (i >= now.j)
            mine.w[r + mine.ld] = i >= c ? __ldcg(p.at(i, c)) : p.transposed(__ldcg(p.at(c, i)));
    }
    for (int k = 0; k < 2; k++)
        if (is_used && mine.has(now.j + k))
            p.row[k * most_terms + q] = *mine.at(now.j + k - mine.begin, q);
    if (q < most_terms)
        mine.row[q] = p.transposed(of_row);
    __syncthreads();
    update_and_search(p, mine, exchange, now, {1, c});
}

/* -- pivots ---------------------------------------------------------------------------------- */

template <typename T>
__device__ inline symmetric_pivot<T> pivot_of_order_one(const block_progress<T> &now, int other,
                                                        int search, T d)
{
    const int term = now.terms.of_search(search);
    symmetric_pivot<T> v = {1, now.j, now.j, other, search, {term, term}};
    v.d00 = d;
    return v;
}

template <typename T>
__device__ inline symmetric_pivot<T> pivot_of_order_two(const block_progress<T> &now, int other,
                                                        T d00, T d10, T d11)
{
    return {2, now.j, now.j + 1, other, 0, {now.terms.first, now.terms.second}, d00, d10, d11};
}

/* Chooses the pivot of column j by Bunch and Kaufman's partial pivoting. Column j is up to date. */
template <typename T, typename Exchange>
__device__ inline symmetric_pivot<T> choose(const symmetric_panel<T> &p,
                                            const symmetric_rows<T> &mine, const Exchange &exchange,
                                            block_progress<T> &now)
{
    const double alpha = (1 + sqrt(17.0)) / 8;
    const auto of_column = exchange.finish(now.search++);
    const T d00 = of_column.elements.diagonal;
    const double of_diagonal = magnitude1(d00), largest = magnitude_in(of_column.best);
    const bool is_alone = of_column.best.row == largest_magnitude::no_row;
    const int r = p.in_matrix(static_cast<int>(of_column.best.row));
    if (is_alone || of_diagonal >= alpha * largest)
        return pivot_of_order_one(now, now.j, 0, d00);
    search_column(p, mine, exchange, now, r);
    const auto of_row = exchange.finish(now.search++);
    const T d10 = of_row.elements.left, d11 = of_row.elements.diagonal;
    const double in_row = magnitude_in(of_row.best);
    if (of_diagonal >= alpha * largest * (largest / in_row))
        return pivot_of_order_one(now, now.j, 0, d00);
    if (magnitude1(d11) >= alpha * in_row)
        return pivot_of_order_one(now, r, 1, d11);
    return pivot_of_order_two(now, r, d00, d10, d11);
}

/* Makes v the newest pivot, and finds columns of L and W for the next one. */
template <typename T>
__device__ inline void advance(const symmetric_panel<T> &p, block_progress<T> &now,
                               const symmetric_pivot<T> &v)
{
    const int end = now.terms.end();
    if (v.order == 2)
        now.terms = {end + 1, end + 2};
    else
        now.terms = {now.terms.of_search(1 - v.search), end + 1};
    if (v.order == 1 && is_zero(v.d00) && now.first_zero == 0)
        now.first_zero = p.in_matrix(v.first) + 1;
    now.newest = v;
    now.j = v.last + 1;
}

/* -- end of a block -------------------------------------------------------------------------- */

/* Copies the own rows of L to global memory, and clears what the products must not use: rows before
 * column j, and W's unused columns. */
template <typename T>
__device__ inline void store_factors(const symmetric_panel<T> &p, const symmetric_rows<T> &mine,
                                     const block_progress<T> &now)
{
    const int behind = p.first + p.columns;
    for (int e = threadIdx.x; e < mine.count * p.terms; e += symmetric_threads) {
        const int r = e % mine.count, q = e / mine.count, i = mine.begin + r;
        if (i < behind)
            continue;
        if (i < now.j)
            *mine.in_global(r, q) = to_element<T>(0, 0);
        else if (q <= mine.last_held)
            *mine.in_global(r, q) = *mine.at(r, q);
        if (i < now.j || !now.terms.is_used(q))
            *p.in_w(i, q) = to_element<T>(0, 0);
    }
}

/* Factors the block's columns. holds_all: whether p.held is p.terms; then the compiler leaves out
 * the columns of L in global memory. */
template <typename T, bool holds_all, typename Exchange>
__global__ void __launch_bounds__(symmetric_threads, 1) columns_kernel(symmetric_panel<T> p)
{
    __shared__ typename Exchange::shared_state exchange_state;
    const Exchange exchange(p.lists, exchange_state);
    exchange.start();
    wait_for_previous_kernel();
    const symmetric_rows<T> mine = rows_of_this_block<holds_all>(p);
    block_progress<T> now = {};
    now.j = first_column(p);
    now.search = 1;
    now.terms = {0, 1};
    while (now.j < p.first + p.columns) {
        complete_and_search(p, mine, exchange, now, true);
        advance(p, now, choose(p, mine, exchange, now));
    }
    complete_and_search(p, mine, exchange, now, false);
    exchange.finish_all(now.search);
    store_pivot(p, mine, now.not_stored, threadIdx.x);
    store_factors(p, mine, now);
    if (blockIdx.x > 0 || threadIdx.x > 0)
        return;
    if (*p.first_zero == 0 && now.first_zero > 0)
        *p.first_zero = now.first_zero - p.info_base;
    *p.info = *p.first_zero;
}

template <typename T>
using in_grid = grid_exchange<candidate_elements<T>, symmetric_warps>;

template <typename T>
using in_cluster = cluster_exchange<candidate_elements<T>, symmetric_warps>;

/* Returns the bytes of dynamic shared memory that a thread block may have. */
template <typename T>
static int most_dynamic_smem(const startile_exec *x)
{
    constexpr int most_static_smem = 1024;
    static_assert(sizeof(typename in_cluster<T>::shared_state) <= most_static_smem);
    return x->max_smem - most_static_smem;
}

/* Returns how many columns of L shared memory can hold; negative: the block does not fit. */
template <typename T>
static int most_held(const startile_exec *x, int rows_of_block, int tiles)
{
    const int64_t bytes =
        most_dynamic_smem<T>(x) - int64_t(symmetric_rows<T>::bytes(rows_of_block, 0, tiles));
    return bytes < 0 ? -1
                     : int(bytes / int64_t(symmetric_rows<T>::ld_of(rows_of_block) * sizeof(T)));
}

/* Returns whether the device can run a cluster of exchanging_blocks thread blocks. */
template <typename T>
static bool has_cluster(const startile_exec *x)
{
    const auto kernel = columns_kernel<T, true, in_cluster<T>>;
    if (x->cluster_blocks < exchanging_blocks)
        return false;
    if (check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)) ||
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   most_dynamic_smem<T>(x))))
        return false;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {exchanging_blocks, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = exchanging_blocks;
    config.blockDim = symmetric_threads;
    config.dynamicSmemBytes = most_dynamic_smem<T>(x);
    config.attrs = &attribute;
    config.numAttrs = 1;
    int clusters = 0;
    return check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config)) == 0 && clusters > 0;
}

template <typename T>
int most_cluster_rows(const startile_exec *x, int tiles)
{
    if (!has_cluster<T>(x))
        return 0;
    int rows_of_block = 0;
    while (most_held<T>(x, rows_of_block + rows_of_warp, tiles) >= cluster_terms)
        rows_of_block += rows_of_warp;
    return exchanging_blocks * rows_of_block;
}

template <typename T>
static int factor_in_cluster(startile_exec *x, symmetric_panel<T> p)
{
    p.rows_of_block = ceil_div(p.n - p.first, exchanging_blocks);
    p.held = p.terms;
    return launch_clusters(x, columns_kernel<T, true, in_cluster<T>>, exchanging_blocks,
                           exchanging_blocks, symmetric_threads,
                           int(symmetric_rows<T>::bytes(p.rows_of_block, p.held, p.tiles)),
                           most_dynamic_smem<T>(x), p);
}

template <typename T>
int factor_block(startile_exec *x, symmetric_panel<T> p)
{
    if (p.is_in_cluster)
        return factor_in_cluster(x, p);
    const int rows = p.n - p.first;
    p.rows_of_block = std::max<int>(rows_at_a_time, ceil_div(rows, x->multiprocessors));
    p.held = std::min(p.terms, most_held<T>(x, p.rows_of_block, p.tiles));
    if (p.held < 0)
        return STARTILE_ERROR_MEMORY;
    if (int error = check(cudaMemsetAsync(p.lists.arrived, 0, sizeof *p.lists.arrived, x->stream)))
        return error;
    const auto kernel = p.held == p.terms ? columns_kernel<T, true, in_grid<T>>
                                          : columns_kernel<T, false, in_grid<T>>;
    return launch_together(x, kernel, ceil_div(rows, p.rows_of_block), symmetric_threads,
                           symmetric_rows<T>::bytes(p.rows_of_block, p.held, p.tiles), p);
}

INSTANTIATE(most_cluster_rows);
INSTANTIATE(factor_block);

} // namespace startile_cuda
