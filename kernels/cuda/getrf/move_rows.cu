/*
 * Row interchanges on the rows that one process has of a block column. Rows that move to another
 * process, or come from one, are in arrays of their own. A thread block works on one column, each
 * of its threads on every move_rows_threads-th move. No kernel reads an element that it writes, so
 * the threads do not synchronise.
 *
 * Bound: memory, by single accesses, as in laswp.cu.
 */
#include "common/operations.cuh"
#include "common/tile_column.cuh"

namespace startile_cuda
{

constexpr int move_rows_threads = 256;
constexpr int warp_size = 32;

/* The capacity of a tile column, from the type of a reference to it */
template <typename Reference>
constexpr int column_capacity = 0;
template <typename T, int capacity>
constexpr int column_capacity<const tile_column<T, capacity> &> = capacity;

/* Arrays of process rows first, first + 1, …; p is null where there is none. A launch takes
 * array_limit of them, because the size of a kernel argument is limited. */
constexpr int array_limit = 64;
template <typename T>
struct row_arrays {
    struct {
        T *p;
        int ld;
    } of[array_limit];
    int first;

    /* Returns the address of row `row` of process row r's array in a column; null if r has no array
     * here. */
    __device__ T *at(int r, int64_t row, int64_t column) const
    {
        if (r < first || r >= first + array_limit || of[r - first].p == nullptr)
            return nullptr;
        return of[r - first].p + row + column * of[r - first].ld;
    }
};

template <typename T>
static row_arrays<T> arrays_from(int first, int count, const startile_piece *a)
{
    row_arrays<T> s = {};
    s.first = first;
    for (int r = first; r < std::min(first + array_limit, count); r++) {
        s.of[r - first].p = static_cast<T *>(a[r].p);
        s.of[r - first].ld = a[r].ld;
    }
    return s;
}

/* Returns the process row that has the row. */
__device__ inline int process_of(const startile_rows &rows, int64_t row)
{
    return static_cast<int>(row / rows.mb % rows.processes);
}

/* Returns the place of a matrix row among the m rows of the process; −1 if it is not one of
 * them. */
__device__ inline int place_of(const startile_rows &rows, int64_t row, int m)
{
    int64_t below = row - rows.first, period = int64_t(rows.mb) * rows.processes;
    if (below < 0 || below % period >= rows.mb)
        return -1;
    int64_t place = below / period * rows.mb + below % period - rows.skip;
    return place < m ? static_cast<int>(place) : -1;
}

/* The moves of a panel: row to[e] gets row from[e], for e < count; to[e] < 0: entry e is unused */
struct row_moves {
    const int64_t *to, *from;
    int count;
};

/* Returns the moves of a panel, or with `inverse` the inverse moves. The latter need −1 also in
 * "from" of unused entries, as startile_moves_of_pivots() writes it. */
static row_moves moves_of(startile_pivots_of_panel p, bool inverse)
{
    const int64_t *to = p.of + p.k, *from = p.of + 3 * int64_t(p.k);
    return inverse ? row_moves{from, to, 2 * p.k} : row_moves{to, from, 2 * p.k};
}

/* -- one panel ------------------------------------------------------------------------------- */

/* A panel's moves: its k top rows begin at row row0. */
struct panel_moves {
    row_moves move;
    int64_t row0;
    int k;

    /* Returns the index of a matrix row among the top rows; −1 if it is not one of them. */
    __device__ int top_row(int64_t row) const
    {
        return row >= row0 && row < row0 + k ? static_cast<int>(row - row0) : -1;
    }
};

/* Copies to W those rows of this process that become top rows and were below them: row i of W is
 * the new top row i. */
template <typename T, int capacity>
__global__ void __launch_bounds__(move_rows_threads)
    pack_rows_kernel(const __grid_constant__ tile_column<T, capacity> argument, int m,
                     startile_rows rows, panel_moves panel, T *w, int ldw)
{
    const tile_column<T, capacity> &a = shared_copy(argument);
    const int64_t column = blockIdx.x;
    for (int e = threadIdx.x; e < panel.move.count; e += blockDim.x) {
        int64_t from = panel.move.from[e];
        int top = panel.top_row(panel.move.to[e]);
        int place = top >= 0 && panel.top_row(from) < 0 ? place_of(rows, from, m) : -1;
        if (place >= 0)
            w[top + column * ldw] = *a.at(place, column);
    }
}

/* Returns whether the process row is one of first … first + count − 1, modulo rows.processes. */
__device__ inline bool is_among(const startile_rows &rows, int process, int first, int count)
{
    return (process - first % rows.processes + rows.processes) % rows.processes < count;
}

/* Copies from `other` to W those new top rows that were below the top rows, in process rows first …
 * first + count − 1. */
template <typename T>
__global__ void __launch_bounds__(move_rows_threads)
    merge_rows_kernel(startile_rows rows, panel_moves panel, int first, int count, const T *other,
                      int ldo, T *w, int ldw)
{
    const int64_t column = blockIdx.x;
    for (int e = threadIdx.x; e < panel.move.count; e += blockDim.x) {
        int64_t from = panel.move.from[e];
        int top = panel.top_row(panel.move.to[e]);
        if (top >= 0 && panel.top_row(from) < 0 &&
            is_among(rows, process_of(rows, from), first, count))
            w[top + column * ldw] = other[top + column * ldo];
    }
}

/* Copies rows from D to A, and, if u is not null, from D and W to U. */
template <typename T, int capacity>
__global__ void __launch_bounds__(move_rows_threads)
    place_rows_kernel(const __grid_constant__ tile_column<T, capacity> argument, int m,
                      startile_rows rows, panel_moves panel, const T *d, int ldd, const T *w,
                      int ldw, T *u, int ldu)
{
    const tile_column<T, capacity> &a = shared_copy(argument);
    const int64_t column = blockIdx.x;
    for (int e = threadIdx.x; e < panel.move.count; e += blockDim.x) {
        int64_t to = panel.move.to[e];
        int top = panel.top_row(to), top_from = panel.top_row(panel.move.from[e]);
        int place = top < 0 && top_from >= 0 ? place_of(rows, to, m) : -1;
        if (top >= 0 && u != nullptr)
            u[top + column * ldu] =
                top_from >= 0 ? d[top_from + column * ldd] : w[top + column * ldw];
        else if (place >= 0)
            *a.at(place, column) = d[top_from + column * ldd];
    }
}

template <typename T>
int pack_rows(startile_exec *x, int pieces, const startile_piece *a, int n, startile_rows rows,
              int64_t row0, startile_pivots_of_panel pivots, void *w, int ldw, void *d, int ldd)
{
    if (n == 0 || pieces == 0 || pivots.k == 0)
        return 0;
    if (d != nullptr) /* the top rows are in the first piece */
        if (int error = lacpy<T>(x, 'G', pivots.k, n, a->p, a->ld, d, ldd))
            return error;
    const panel_moves panel = {moves_of(pivots, false), row0, pivots.k};
    return with_tile_column<T>(pieces, a, [&](const auto &column) {
        return launch(x, pack_rows_kernel<T, column_capacity<decltype(column)>>, n,
                      move_rows_threads, column, int(rows_of(pieces, a)), rows, panel,
                      static_cast<T *>(w), ldw);
    });
}

template <typename T>
int merge_rows(startile_exec *x, int n, startile_rows rows, int64_t row0,
               startile_pivots_of_panel pivots, int first, int count, const void *other, int ldo,
               void *w, int ldw)
{
    if (n == 0 || pivots.k == 0)
        return 0;
    const panel_moves panel = {moves_of(pivots, false), row0, pivots.k};
    return launch(x, merge_rows_kernel<T>, n, move_rows_threads, rows, panel, first, count,
                  static_cast<const T *>(other), ldo, static_cast<T *>(w), ldw);
}

template <typename T>
int place_rows(startile_exec *x, int pieces, const startile_piece *a, int n, startile_rows rows,
               int64_t row0, startile_pivots_of_panel pivots, const void *d, int ldd, const void *w,
               int ldw, void *u, int ldu)
{
    if (n == 0 || pieces == 0 || pivots.k == 0)
        return 0;
    if (u != nullptr)
        if (int error = lacpy<T>(x, 'G', pivots.k, n, d, ldd, u, ldu))
            return error;
    const panel_moves panel = {moves_of(pivots, false), row0, pivots.k};
    return with_tile_column<T>(pieces, a, [&](const auto &column) {
        return launch(x, place_rows_kernel<T, column_capacity<decltype(column)>>, n,
                      move_rows_threads, column, int(rows_of(pieces, a)), rows, panel,
                      static_cast<const T *>(d), ldd, static_cast<const T *>(w), ldw,
                      static_cast<T *>(u), ldu);
    });
}

/* -- several panels -------------------------------------------------------------------------- */

/* own(e): row of this process in move e; other(e): row of the process that receives it (is_gather)
 * or sends it */
struct exchanged_rows {
    row_moves move;
    bool is_gather;

    __device__ int64_t own(int e) const
    {
        return is_gather ? move.from[e] : move.to[e];
    }

    __device__ int64_t other(int e) const
    {
        return is_gather ? move.to[e] : move.from[e];
    }
};

/* number[e] := how many moves before e exchange rows with the same process row as move e; this is
 * the row's index in that process row's array. Each warp handles one process row at a time. Moves
 * without a row of this process are skipped. */
__global__ void __launch_bounds__(move_rows_threads)
    number_moves_kernel(startile_rows rows, int m, exchanged_rows moves, int *number)
{
    const int lane = threadIdx.x % warp_size, warps = blockDim.x / warp_size;
    for (int r = threadIdx.x / warp_size; r < rows.processes; r += warps) {
        int before = 0;
#pragma unroll 1
        for (int first = 0; first < moves.move.count; first += warp_size) {
            int e = first + lane;
            bool counts = e < moves.move.count && moves.move.to[e] >= 0 &&
                          process_of(rows, moves.other(e)) == r &&
                          place_of(rows, moves.own(e), m) >= 0;
            unsigned all = __ballot_sync(~0u, counts);
            if (counts)
                number[e] = before + __popc(all & ((1u << lane) - 1));
            before += __popc(all);
        }
    }
}

/* Copies rows of A to the messages (is_gather) or from them. A process row without a message is
 * skipped. */
template <typename T, int capacity>
__global__ void __launch_bounds__(move_rows_threads)
    exchange_rows_kernel(const __grid_constant__ tile_column<T, capacity> argument, int m,
                         startile_rows rows, exchanged_rows moves, const int *number,
                         const __grid_constant__ row_arrays<T> messages)
{
    const tile_column<T, capacity> &a = shared_copy(argument);
    const int64_t column = blockIdx.x;
    for (int e = threadIdx.x; e < moves.move.count; e += blockDim.x) {
        int place = moves.move.to[e] < 0 ? -1 : place_of(rows, moves.own(e), m);
        if (place < 0)
            continue;
        T *element_of_message = messages.at(process_of(rows, moves.other(e)), number[e], column);
        if (element_of_message != nullptr && moves.is_gather)
            *element_of_message = *a.at(place, column);
        else if (element_of_message != nullptr)
            *a.at(place, column) = *element_of_message;
    }
}

/* gather_rows (is_gather) and scatter_rows: the kernel above, for array_limit processes at a
 * time */
template <typename T>
static int exchange_rows(startile_exec *x, int pieces, const startile_piece *a, int n,
                         startile_rows rows, startile_pivots_of_panel pivots, bool inverse,
                         bool is_gather, const startile_piece *messages)
{
    if (n == 0 || pieces == 0 || pivots.k == 0)
        return 0;
    const exchanged_rows moves = {moves_of(pivots, inverse), is_gather};
    const int m = rows_of(pieces, a);
    int *number;
    if (int error = workspace(x, moves.move.count, &number))
        return error;
    if (int error = launch(x, number_moves_kernel, 1, move_rows_threads, rows, m, moves, number))
        return error;
    return with_tile_column<T>(pieces, a, [&](const auto &column) {
        for (int first = 0; first < rows.processes; first += array_limit)
            if (int error = launch(x, exchange_rows_kernel<T, column_capacity<decltype(column)>>, n,
                                   move_rows_threads, column, m, rows, moves, number,
                                   arrays_from<T>(first, rows.processes, messages)))
                return error;
        return 0;
    });
}

template <typename T>
int gather_rows(startile_exec *x, int pieces, const startile_piece *a, int n, startile_rows rows,
                startile_pivots_of_panel pivots, int inverse, const startile_piece *to)
{
    return exchange_rows<T>(x, pieces, a, n, rows, pivots, inverse != 0, true, to);
}

template <typename T>
int scatter_rows(startile_exec *x, int pieces, const startile_piece *a, int n, startile_rows rows,
                 startile_pivots_of_panel pivots, int inverse, const startile_piece *from)
{
    return exchange_rows<T>(x, pieces, a, n, rows, pivots, inverse != 0, false, from);
}

INSTANTIATE(pack_rows);
INSTANTIATE(merge_rows);
INSTANTIATE(place_rows);
INSTANTIATE(gather_rows);
INSTANTIATE(scatter_rows);

} // namespace startile_cuda
