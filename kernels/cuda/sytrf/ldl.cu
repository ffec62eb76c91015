/*
 * Kernels on Bunch–Kaufman factors: D, solves with D, and the triangle in the order of all
 * interchanges (LAPACK xSYCONV). An index i of a row or column is that of the matrix with uplo 'L',
 * and n − 1 − (that index) with uplo 'U', as in sytrf.cuh.
 */
#include "common/piece_list.cuh"
#include "geqrf/reflector.cuh"
#include "symmetric.h"

#include <algorithm>

namespace startile_cuda
{

/* -- D --------------------------------------------------------------------------------------- */

constexpr int diagonal_threads = 1024;

/* Tiles on the diagonal and beside it, as for startile_symmetric_kernels::diagonal */
template <typename T>
struct diagonal_tiles {
    bool is_upper, is_hermitian;
    int nb, n;
    const listed_piece<T> *tile;

    /* Returns element (i, i), or with beside = 1 (i + 1, i) or, of an upper triangle, (i, i + 1).
     */
    __device__ T at(int i, int beside) const
    {
        const int row = is_upper ? i : i + beside, column = is_upper ? i + beside : i;
        const listed_piece<T> t = tile[2 * (i / nb) + (i / nb != (i + beside) / nb)];
        return t.p[row % nb + column % nb * t.ld];
    }
};

/* Whether the row behind some rows is the second one of a pivot of order 2: `value` if is_known,
 * otherwise as the first of these rows, or with `value` the opposite */
struct second_row {
    bool is_known, value;

    __device__ bool behind(bool before) const
    {
        return is_known ? value : value != before;
    }
};

/* Returns it for the row behind rows `begin` … `end` − 1. */
__device__ inline second_row second_behind(const int64_t *ipiv, int begin, int end)
{
    second_row s = {false, false};
    for (int i = begin; i < end; i++)
        s = ipiv[i] < 0 ? second_row{s.is_known, !s.value} : second_row{true, false};
    return s;
}

/* D := that of the factors. Pivots of order 2 have two negative elements of ipiv each, so that a
 * row is the second one if an odd number of them is directly before it. One thread block */
template <typename T>
__global__ void __launch_bounds__(diagonal_threads)
    diagonal_kernel(diagonal_tiles<T> a, const int64_t *ipiv, T *d, int64_t ldd, int64_t *info)
{
    __shared__ second_row behind[diagonal_threads];
    __shared__ bool second[diagonal_threads];
    __shared__ int first_zero, last_zero;
    const int rows = (a.n + diagonal_threads - 1) / diagonal_threads,
              begin = min(int(threadIdx.x) * rows, a.n), end = min(begin + rows, a.n);
    behind[threadIdx.x] = second_behind(ipiv, begin, end);
    if (threadIdx.x == 0) {
        first_zero = a.n;
        last_zero = -1;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        bool is_second = false;
        for (int t = 0; t < diagonal_threads; t++) {
            second[t] = is_second;
            is_second = behind[t].behind(is_second);
        }
    }
    __syncthreads();
    bool is_second = second[threadIdx.x];
    for (int i = begin; i < end; i++) {
        const bool is_first = ipiv[i] < 0 && !is_second && i + 1 < a.n;
        const T below = is_first ? a.at(i, 1) : to_element<T>(0, 0),
                diagonal = real_if(a.is_hermitian, a.at(i, 0));
        d[i] = diagonal;
        d[i + ldd] = a.is_upper && a.is_hermitian ? conjugate(below) : below;
        is_second = is_first;
        if (ipiv[i] > 0 && is_zero(diagonal)) {
            atomicMin(&first_zero, i);
            atomicMax(&last_zero, i);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && info != nullptr)
        *info = a.is_upper ? last_zero + 1 : first_zero < a.n ? first_zero + 1 : 0;
}

template <typename T>
int symmetric_diagonal(startile_exec *x, char uplo, int hermitian, const startile_piece *tiles,
                       int nb, int n, const int64_t *ipiv, void *d, int ldd,
                       startile_tile_status *status)
{
    const int count = 2 * ceil_div(n, nb) - 1;
    if (int error = reserve(x, count * sizeof(listed_piece<T>)))
        return error;
    auto *const tile = in_workspace<listed_piece<T>>(x, 0);
    if (int error = list_pieces(x, count, tiles, tile))
        return error;
    const diagonal_tiles<T> a = {uplo == 'U', hermitian != 0, nb, n, tile};
    return launch(x, diagonal_kernel<T>, 1, diagonal_threads, a, ipiv, static_cast<T *>(d),
                  int64_t(ldd), status != nullptr ? &status->info : nullptr);
}

/* -- solves with D --------------------------------------------------------------------------- */

constexpr int solve_threads = 256;

/* Rows of B := D⁻¹ B, by one thread for each pivot and column, with the scaled elements of LAPACK's
 * xSYTRS and xHETRS */
template <typename T, int capacity>
__global__ void __launch_bounds__(solve_threads)
    solve_kernel(const __grid_constant__ tile_column<T, capacity> b, bool is_hermitian, int n,
                 const T *d, int64_t ldd)
{
    const int k = blockIdx.x * solve_threads + threadIdx.x;
    if (k >= n || (k > 0 && !is_zero(d[k - 1 + ldd])))
        return;
    T *const b0 = b.at(k, blockIdx.y);
    const T d10 = d[k + ldd];
    if (is_zero(d10)) {
        *b0 = divide(*b0, d[k]);
        return;
    }
    T *const b1 = b.at(k + 1, blockIdx.y);
    const T d01 = is_hermitian ? conjugate(d10) : d10, one = to_element<T>(1, 0),
            d00 = divide(d[k], d01), d11 = divide(d[k + 1], d10),
            determinant = subtract_product(scaled<T>(-1, one), scaled<T>(-1, d00), d11),
            x0 = divide(*b0, d01), x1 = divide(*b1, d10);
    *b0 = divide(subtract_product(scaled<T>(-1, x1), scaled<T>(-1, d11), x0), determinant);
    *b1 = divide(subtract_product(scaled<T>(-1, x0), scaled<T>(-1, d00), x1), determinant);
}

template <typename T>
int symmetric_solve(startile_exec *x, int hermitian, const void *d, int ldd, int pieces,
                    const startile_piece *b, int columns)
{
    constexpr int most_columns = 65535; /* of a grid */
    int n = 0;
    for (int q = 0; q < pieces; q++)
        n += b[q].m;
    if (columns > most_columns)
        return STARTILE_ERROR_DEVICE;
    return with_tile_column<T>(pieces, b, [&](const auto &column) {
        return launch(x, solve_kernel<T, sizeof column.piece / sizeof *column.piece>,
                      dim3(ceil_div(n, solve_threads), columns), solve_threads, column,
                      hermitian != 0, n, static_cast<const T *>(d), int64_t(ldd));
    });
}

/* -- the triangle ---------------------------------------------------------------------------- */

/* A thread block copies the elements of some columns to the places that all later interchanges give
 * them:
 *
 *     place[i] := place of row i after the interchanges behind these columns
 *     rows that the pivots of these columns interchange: by columns, in shared memory
 *     all other rows: T(place[i],c) := A(i,c)
 */
constexpr int ordered_columns = 32, order_threads = 256, ordered_rows = 2 * ordered_columns,
              order_chunk = 1024;

template <typename T>
struct block_column {
    bool is_upper;
    int nb, n;
    int top;        /* tile row of the first tile */
    int begin, end; /* columns */
    const int64_t *ipiv;
    const listed_piece<T> *a, *t;
    int *place; /* for each thread block n − begin elements, or null: in shared memory */

    __device__ int in_matrix(int i) const
    {
        return is_upper ? n - 1 - i : i;
    }

    __device__ T *at(const listed_piece<T> *tiles, int i, int c) const
    {
        const int row = in_matrix(i), column = in_matrix(c);
        const listed_piece<T> tile = tiles[row / nb - top];
        return tile.p + row % nb + column % nb * tile.ld;
    }
};

/* An interchange of rows `row` and `other` by the pivot of this order that begins with column
 * `first` */
struct ordered_pivot {
    int first, row, other, order;
};

struct order_block {
    int pivots; /* of the block's columns, from the last to the first */
    ordered_pivot pivot[ordered_columns];
    int signed_other[order_chunk]; /* ± (1 + other) for rows of ipiv */
    int slot[ordered_rows];        /* of row and other of each pivot, the first with the same row */
};

/* Returns the elements of ipiv as an order_block has them. */
template <typename T>
__device__ inline int signed_other(const block_column<T> &p, int i)
{
    const int64_t number = p.ipiv[p.in_matrix(i)];
    const int other = p.in_matrix(int(number < 0 ? -number : number) - 1);
    return number < 0 ? -(other + 1) : other + 1;
}

/* Applies the interchanges of the pivots that begin behind column `last`, from the last one on, to
 * `place`, and lists those that begin in columns first … last. place[i − first] belongs to row i.
 */
template <typename T>
__device__ inline void find_places(const block_column<T> &p, order_block &s, int first, int last,
                                   int *place)
{
    for (int i = first + threadIdx.x; i < p.n; i += order_threads)
        place[i - first] = i;
    bool is_done = false; /* the next row is the first one of a pivot of order 2 */
    if (threadIdx.x == 0)
        s.pivots = 0;
    for (int end = p.n; end > first; end -= order_chunk) {
        const int begin = max(end - order_chunk, first);
        __syncthreads();
        for (int i = begin + threadIdx.x; i < end; i += order_threads)
            s.signed_other[i - begin] = signed_other(p, i);
        __syncthreads();
        if (threadIdx.x > 0)
            continue;
        for (int i = end - 1; i >= begin; i--) {
            const int number = s.signed_other[i - begin], order = number < 0 ? 2 : 1,
                      other = (number < 0 ? -number : number) - 1, of_pivot = i + 1 - order;
            if (is_done) {
                is_done = false;
            } else {
                is_done = order == 2;
                if (of_pivot > last) {
                    const int moved = place[i - first];
                    place[i - first] = place[other - first];
                    place[other - first] = moved;
                } else if (of_pivot >= first) {
                    s.pivot[s.pivots++] = {of_pivot, i, other, order};
                }
            }
        }
    }
    __syncthreads();
}

/* Returns a row that the listed pivots interchange. */
__device__ inline int listed_row(const order_block &s, int e)
{
    return e % 2 == 0 ? s.pivot[e / 2].row : s.pivot[e / 2].other;
}

/* Finds the slots, and marks the places of their rows by negative numbers. */
__device__ inline void find_slots(order_block &s, int first, int *place)
{
    const int e = threadIdx.x, rows = 2 * s.pivots;
    if (e < rows) {
        int slot = 0;
        while (listed_row(s, slot) != listed_row(s, e))
            slot++;
        s.slot[e] = slot;
        if (slot == e)
            place[listed_row(s, e) - first] = ~place[listed_row(s, e) - first];
    }
    __syncthreads();
}

/* Returns whether column c is the first one of a pivot of order 2. */
__device__ inline bool begins_two(const order_block &s, int c)
{
    for (int m = 0; m < s.pivots; m++)
        if (s.pivot[m].first == c)
            return s.pivot[m].order == 2;
    return false;
}

/* Interchanges the rows of A that the block's pivots interchange, and stores them to T. */
template <typename T>
__device__ inline void order_listed_rows(const block_column<T> &p, const order_block &s, int first,
                                         int last, const int *place, T *value)
{
    const int rows = 2 * s.pivots, columns = last + 1 - first;
    for (int e = threadIdx.x; e < rows * columns; e += order_threads) {
        const int m = e % rows, c = first + e / rows, i = listed_row(s, m);
        const bool is_of_d = i == c + 1 && begins_two(s, c);
        if (s.slot[m] == m && i > c)
            value[e] = is_of_d ? to_element<T>(0, 0) : *p.at(p.a, i, c);
    }
    __syncthreads();
    if (threadIdx.x < columns)
        for (int m = s.pivots - 1; m >= 0; m--)
            if (s.pivot[m].first > first + int(threadIdx.x)) {
                T *const of_column = value + int(threadIdx.x) * rows;
                const T moved = of_column[s.slot[2 * m]];
                of_column[s.slot[2 * m]] = of_column[s.slot[2 * m + 1]];
                of_column[s.slot[2 * m + 1]] = moved;
            }
    __syncthreads();
    for (int e = threadIdx.x; e < rows * columns; e += order_threads) {
        const int m = e % rows, c = first + e / rows, i = listed_row(s, m);
        if (s.slot[m] == m && i > c)
            *p.at(p.t, ~place[i - first], c) = value[e];
    }
}

template <typename T>
__global__ void __launch_bounds__(order_threads) order_kernel(block_column<T> p)
{
    __shared__ order_block s;
    __shared__ T value[ordered_rows * ordered_columns];
    extern __shared__ int places[];
    const int first = p.begin + int(blockIdx.x) * ordered_columns,
              last = min(first + ordered_columns, p.end) - 1;
    int *const place =
        p.place != nullptr ? p.place + int64_t(blockIdx.x) * (p.n - p.begin) : places;
    find_places(p, s, first, last, place);
    find_slots(s, first, place);
    for (int c = first; c <= last; c++) {
        const bool has_two = begins_two(s, c);
        for (int i = c + 1 + int(threadIdx.x); i < p.n; i += order_threads)
            if (place[i - first] >= 0)
                *p.at(p.t, place[i - first], c) =
                    has_two && i == c + 1 ? to_element<T>(0, 0) : *p.at(p.a, i, c);
    }
    order_listed_rows(p, s, first, last, place, value);
}

template <typename T>
int symmetric_column(startile_exec *x, char uplo, const startile_piece *a, int nb, int k, int n,
                     const int64_t *ipiv, const startile_piece *t)
{
    const bool is_upper = uplo == 'U';
    const int left = k * nb, right = std::min(left + nb, n), begin = is_upper ? n - right : left,
              end = is_upper ? n - left : right, count = is_upper ? k + 1 : ceil_div(n, nb) - k,
              blocks = ceil_div(end - begin, ordered_columns);
    const size_t in_shared = size_t(n - begin) * sizeof(int),
                 fixed = sizeof(order_block) + sizeof(T) * ordered_rows * ordered_columns;
    const bool fits = in_shared + fixed + 1024 <= size_t(x->max_smem);
    workspace_layout arrays;
    const size_t of_a = arrays.place<listed_piece<T>>(count),
                 of_t = arrays.place<listed_piece<T>>(count),
                 of_place = arrays.place<int>(fits ? 0 : size_t(n - begin) * blocks);
    if (int error = reserve(x, arrays.bytes))
        return error;
    block_column<T> p = {};
    p.is_upper = is_upper;
    p.nb = nb;
    p.n = n;
    p.top = is_upper ? 0 : k;
    p.begin = begin;
    p.end = end;
    p.ipiv = ipiv;
    p.place = fits ? nullptr : in_workspace<int>(x, of_place);
    p.a = in_workspace<listed_piece<T>>(x, of_a);
    p.t = in_workspace<listed_piece<T>>(x, of_t);
    if (int error = list_pieces(x, count, a, in_workspace<listed_piece<T>>(x, of_a)))
        return error;
    if (int error = list_pieces(x, count, t, in_workspace<listed_piece<T>>(x, of_t)))
        return error;
    return launch_with_smem(x, order_kernel<T>, blocks, order_threads, fits ? in_shared : 0, p);
}

template <typename T>
constexpr startile_symmetric_kernels symmetric_table = {
    symmetric_diagonal<T>, symmetric_column<T>, symmetric_solve<T>, nullptr, nullptr, nullptr};

} // namespace startile_cuda

const startile_symmetric_kernels *const startile_cuda_symmetric_kernels[4] = {
    &startile_cuda::symmetric_table<float>, &startile_cuda::symmetric_table<double>,
    &startile_cuda::symmetric_table<cuComplex>, &startile_cuda::symmetric_table<cuDoubleComplex>};
