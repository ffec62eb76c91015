/*
 * LU factorization of a panel with partial pivoting, by recursion over its columns (Toledo,
 * "Locality of reference in LU decomposition with partial pivoting", SIAM J. Matrix Anal. Appl. 18,
 * 1997): factor the left half, update the right half, factor the right half. The recursion ends at
 * strips of up to 32 columns.
 *
 *     panel::factor(c, k)
 *       k > strip: factor(left half), update(right half), factor(right half)
 *       k <= strip:
 *         strip_kernel                 one cluster of up to 16 thread blocks   (getrf_strip.cu)
 *            |   or one kernel per column  (getrf_columns.cu: before Hopper, or too many rows)
 *            |   moves, pivots, row_ids
 *            v
 *         panel_update_kernel          U := L11^-1 A12, A22 -= L21 U12, row moves in the columns
 *                                      that strip_kernel has not moved          (getrf_update.cu)
 *         or, for an update by more than 64 columns:
 *         trailing_columns_kernel      one warp per column of A12 (getrf_trailing_columns.cu)
 *            |   row moves in these columns, then U := L11^-1 A12
 *            v
 *         cuBLAS gemm                  A22 -= L21 U12
 *
 * strip_kernel also moves rows in the columns that the next update reads, so that the thread blocks
 * of panel_update_kernel do not have to wait for each other. row_ids has the original index of each
 * row and is interchanged like a column; at the end it gives the panel's permutation.
 *
 * A tile column of several pieces is copied to one array and back. The panel runs on the priority
 * stream, because the updates of other block columns wait for it. A cluster needs 16 free
 * multiprocessors of one GPC (graphics processing cluster) at the same time, which kernels on the
 * default stream hardly get while products are queued (H100, 8192 x 256 in double next to large
 * products: 3.3 µs per column on the priority stream, 4.2 on the default one).
 *
 * Error: P A + ΔA = L U with |ΔA| ≤ c k eps |L| |U|, elementwise, where k = min(m, n) and c is a
 * small constant (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 9.3 and 13.2).
 * No inverses are used in the factorization.
 */
#include "common/block_products.cuh"
#include "common/hopper.cuh"
#include "common/operations.cuh"
#include "common/tile_column.cuh"
#include "getrf/getrf.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Update of columns row + order … row + order + columns − 1 of the panel by the factored columns
 * row … row + order − 1. columns = 0: no update */
struct panel_update {
    int row, order, columns;
};

template <typename T>
struct panel {
    startile_exec *x;
    T *a;
    int m, n;
    int strip_columns, solved_at_a_time;
    /* The strip that was factored last. columns = 0: its moves have been applied to the other
     * columns. */
    strip<T> last;

    T *at(int64_t i, int64_t j) const
    {
        return a + i + j * last.ld;
    }

    bool fits_one_kernel(panel_update u) const
    {
        return u.columns > 0 && u.order <= max_order_of_update<T> && u.row + u.order < m;
    }

    int factor(int c, int k, panel_update next);
    int update(panel_update u);
    int update_trailing(int solve_row, int solve_rows, int solve_first, int solve_columns);
};

/* Applies the last strip's moves to all other columns, unless that has been done. Then solves with
 * the unit lower triangle at row and column solve_row, of order solve_rows, for columns solve_first
 * … solve_first + solve_columns − 1. */
template <typename T>
int panel<T>::update_trailing(int solve_row, int solve_rows, int solve_first, int solve_columns)
{
    trailing_columns<T> task = {last, a, n, solve_row, solve_rows, solve_first, solve_columns};
    last.columns = 0;
    return update_trailing_columns(x, task);
}

/* A₁₂ := L₁₁⁻¹ A₁₂, A₂₂ −= L₂₁ A₁₂. */
template <typename T>
int panel<T>::update(panel_update u)
{
    if (fits_one_kernel(u)) {
        strip<T> s = last;
        last.columns = 0;
        return update_by_one_kernel(x, s, a, n);
    }
    const T one = to_element<T>(1, 0), minus_one = to_element<T>(-1, 0);
    const int ld = static_cast<int>(last.ld);
    const int first = u.row + u.order;
    for (int done = 0; done < u.order; done += solved_at_a_time) {
        const int rows = std::min(solved_at_a_time, u.order - done), row = u.row + done;
        if (int error = update_trailing(row, rows, first, u.columns))
            return error;
        if (m > row + rows)
            if (int error = multiply<T>(x, 'N', 'N', m - row - rows, u.columns, rows, minus_one,
                                        {at(row + rows, row), ld, 0}, {at(row, first), ld, 0}, one,
                                        {at(row + rows, first), ld, 0}))
                return error;
    }
    return 0;
}

/* Factors columns c … c + k − 1 in the rows from c on. next: the update that follows */
template <typename T>
int panel<T>::factor(int c, int k, panel_update next)
{
    if (k <= strip_columns) {
        last.ipiv += c - last.first;
        last.row0 += c - last.first;
        last.a = at(c, c);
        last.m = m - c;
        last.columns = k;
        last.first = c;
        /* The solve with the first triangle of the update reads rows that move. */
        const bool moves_left = next.columns > 0 && c - next.row < solved_at_a_time;
        last.moved_first = moves_left ? next.row : c;
        last.moved_last = c + k + (fits_one_kernel(next) ? next.columns : 0);
        return factor_strip<T>(x, last);
    }
    const int left = static_cast<int>(ceil_div(k, 2 * strip_columns)) * strip_columns;
    const panel_update within = {c, left, k - left};
    if (int error = factor(c, left, within))
        return error;
    if (int error = update(within))
        return error;
    return factor(c + left, k - left, next);
}

constexpr int list_threads = 1024;

/* Writes "to" and "from" of startile_pivots_of_panel, given row_ids, the original index of each
 * row. A row that is now below the first k rows and has moved was one of the first k. */
__global__ void __launch_bounds__(list_threads)
    list_moves_kernel(int k, int64_t row0, int64_t *of, const int *row_ids)
{
    int64_t *to = of + k, *from = of + 3 * int64_t(k);
    wait_for_previous_kernel();
    for (int i = threadIdx.x; i < k; i += list_threads) {
        to[i] = row_ids[i] == i ? -1 : row0 + i;
        from[i] = row0 + row_ids[i];
        to[k + i] = -1;
        from[k + i] = row0 + i;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < k; i += list_threads) {
        int64_t row = of[i] - 1 - row0;
        if (row >= k)
            to[k + row_ids[row]] = row0 + row;
    }
}

/* Factors a panel that is in one array. `first` has the panel's address, workspaces, row0 and
 * ipiv. */
template <typename T>
static int factor_panel(startile_exec *x, int m, int n, const strip<T> &first)
{
    const int k = std::min(m, n);
    panel<T> p = {
        x, first.a, m, n, strip_columns<T>(x, m), startile_cuda::solved_at_a_time<T>(x), first};
    const panel_update right = {0, k, n - k};
    if (int error = p.factor(0, k, right))
        return error;
    if (n > k)
        if (int error = p.update(right))
            return error;
    if (p.last.columns > 0)
        if (int error = p.update_trailing(0, 0, n, 0))
            return error;
    return launch_dependent(x, list_moves_kernel, 1, list_threads, k, first.row0, first.ipiv,
                            first.row_ids);
}

/* Enqueues the factorization on x->stream: allocates the workspace, factors, computes the inverse
 * if w is not null, checks it and writes *status. Several pieces are copied to one array before the
 * factorization and back after it. */
template <typename T>
static int enqueue(startile_exec *x, int pieces, const startile_piece *a, int m, int n,
                   int64_t row0, int64_t *of, T *w, int ldw, startile_tile_status *status)
{
    const int k = std::min(m, n);
    /* invert() uses the beginning of the workspace. */
    workspace_layout arrays = {w == nullptr ? 0 : aligned_size(invert_workspace<T>(k))};
    const size_t row_ids = arrays.place<int>(m);
    const size_t moves = arrays.place<int2>(2 * max_columns<T>);
    constexpr int most = max_order_of_update<T>;
    const size_t top_rows = arrays.place<T>(most * most);
    const size_t scratch = arrays.place<char>(scratch_bytes);
    const size_t all = arrays.place<T>(pieces == 1 ? 0 : size_t(m) * n);
    if (int error = reserve(x, arrays.bytes))
        return error;
    T *t = pieces == 1 ? static_cast<T *>(a[0].p) : in_workspace<T>(x, all);
    const int ldt = pieces == 1 ? a[0].ld : m;
    const strip<T> first = {t,
                            ldt,
                            m,
                            k,
                            0,
                            row0,
                            of,
                            in_workspace<int2>(x, moves),
                            in_workspace<int>(x, row_ids),
                            0,
                            0,
                            in_workspace<T>(x, top_rows),
                            in_workspace<char>(x, scratch),
                            &x->status->info};

    if (pieces > 1)
        if (int error = copy_pieces(x, true, pieces, a, n, t, m))
            return error;
    if (int error = factor_panel(x, m, n, first))
        return error;
    if (pieces > 1)
        if (int error = copy_pieces(x, false, pieces, a, n, t, m))
            return error;
    const inverse_of<T> of_l = {'L', 'U', t, ldt, w, ldw};
    if (w != nullptr)
        if (int error = invert<T>(x, k, 1, &of_l, STARTILE_INVERTED_ORDER))
            return error;
    return check_inverse<T>(x, 'L', 'U', k, t, ldt, w, ldw, status, STARTILE_INVERTED_ORDER);
}

template <typename T>
int getrf(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0,
          startile_pivots_of_panel pivots, void *w, int ldw, startile_tile_status *status)
{
    int m = 0;
    for (int i = 0; i < pieces; i++)
        m += a[i].m;
    if (m == 0 || n == 0) {
        /* Written by the host, because no kernel is enqueued that could write it later. */
        status->info = 0;
        status->use_inverse = 0;
        return 0;
    }
    if (int error = use_priority_stream(x))
        return error;
    int error = enqueue<T>(x, pieces, a, m, n, row0, pivots.of, static_cast<T *>(w), ldw, status);
    int error_back = use_default_stream(x);
    return error ? error : error_back;
}

INSTANTIATE(getrf);

} // namespace startile_cuda
