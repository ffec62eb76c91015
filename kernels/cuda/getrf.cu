/*
 * LU factorization of a panel with partial pivoting, by recursion on halves of its columns (Toledo,
 * "Locality of reference in LU decomposition with partial pivoting", SIAM J. Matrix Anal. Appl. 18,
 * 1997), down to strips of 32: so most of the work is products. A strip is one kernel of a thread
 * block cluster that keeps its rows in registers (getrf_strip.cu); another kernel carries the rows
 * that it moved to the columns beside it and solves for rows of U (getrf_beside.cu). Volkov &
 * Demmel 2008, section 4, have the panel bound by the latency of a column: so it is.
 *
 * Backward error as for LAPACK's xGETRF (Higham 2002, theorem 9.3), with γ for sums in cuBLAS'
 * order and multipliers by reciprocals that are right to two units in the last place. Without
 * clusters (before compute capability 9.0) and for more rows than they hold (65536 in double)
 * strips go column by column, slowly (getrf_columns.cu).
 */
#include "blocks.cuh"
#include "getrf.cuh"
#include "operations.cuh"

#include <algorithm>

namespace startile_cuda
{

template <typename T>
struct panel {
    startile_exec *x;
    T *a;
    int ld, m, n;
    int64_t row0;
    int64_t *ipiv;
    int *names;
    int2 *moves;
    void *scratch; /* of factor_strip */
    /* the strip whose moves have not been carried to the other columns yet */
    int first = 0, columns = 0;

    T *at(int64_t i, int64_t j) const
    {
        return a + i + j * ld;
    }

    int factor(int c, int columns);
    int update(int c, int k, int columns);
    int carry(int solve_row, int solve_rows, int solve_first, int solve_columns);
};

template <typename T>
int panel<T>::carry(int solve_row, int solve_rows, int solve_first, int solve_columns)
{
    beside<T> s = {a,     ld,        n,          first,       columns,      moves,
                   names, solve_row, solve_rows, solve_first, solve_columns};
    columns = 0;
    return carry_beside(x, s);
}

/* Brings the columns c + k on, so many of them, up to date after the k columns from c on. */
template <typename T>
int panel<T>::update(int c, int k, int columns)
{
    const T one = to_element<T>(1, 0), minus_one = to_element<T>(-1, 0);
    for (int done = 0; done < k; done += most_solved) {
        int rows = std::min(most_solved, k - done), row = c + done;
        /* The moves change the triangle where it reaches to the left of the strip; blocks that
         * solve would meet it half changed. */
        if (this->columns > 0 && row < first)
            if (int error = carry(0, 0, 0, 0))
                return error;
        if (int error = carry(row, rows, c + k, columns))
            return error;
        const int inside = c + k - row - rows;
        if (inside > 0)
            if (int error = multiply<T>(x, 'N', 'N', inside, columns, rows, minus_one,
                                        {at(row + rows, row), ld, 0}, {at(row, c + k), ld, 0}, one,
                                        {at(row + rows, c + k), ld, 0}))
                return error;
    }
    if (m <= c + k)
        return 0;
    return multiply<T>(x, 'N', 'N', m - c - k, columns, k, minus_one, {at(c + k, c), ld, 0},
                       {at(c, c + k), ld, 0}, one, {at(c + k, c + k), ld, 0});
}

template <typename T>
int panel<T>::factor(int c, int k)
{
    if (k <= most_columns<T>) {
        first = c;
        columns = k;
        return factor_strip<T>(x, {at(c, c), ld, m - c, k, c, row0 + c, ipiv + c, moves, names,
                                   scratch, &x->panel->info});
    }
    int left = static_cast<int>(ceil_div(k, 2 * most_columns<T>)) * most_columns<T>;
    if (int error = factor(c, left))
        return error;
    if (int error = update(c, left, k - left))
        return error;
    return factor(c + left, k - left);
}

constexpr int list_threads = 1024;

/* "to" and "from" of startile_pivots_of_panel, given where the rows came from. A row that came to a
 * place below the first k must have been one of the first k. */
__global__ void __launch_bounds__(list_threads)
    list_moves_kernel(int k, int64_t row0, int64_t *of, const int *names)
{
    int64_t *to = of + k, *from = of + 3 * int64_t(k);
    for (int i = threadIdx.x; i < k; i += list_threads) {
        to[i] = names[i] == i ? -1 : row0 + i;
        from[i] = row0 + names[i];
        to[k + i] = -1;
        from[k + i] = row0 + i;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < k; i += list_threads) {
        int64_t row = of[i] - 1 - row0;
        if (row >= k)
            to[k + names[row]] = row0 + row;
    }
}

template <typename T>
static int factor_panel(startile_exec *x, int m, int n, T *a, int ld, int64_t row0, int64_t *of,
                        int *names, int2 *moves, void *scratch)
{
    const int k = std::min(m, n);
    panel<T> p = {x, a, ld, m, n, row0, of, names, moves, scratch};
    if (int error = p.factor(0, k))
        return error;
    if (n > k)
        if (int error = p.update(0, k, n - k))
            return error;
    if (p.columns > 0)
        if (int error = p.carry(0, 0, 0, 0))
            return error;
    return launch(x, list_moves_kernel, 1, list_threads, k, row0, of, names);
}

static size_t round_up(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Copies between the pieces and the array that stands for all of them */
template <typename T>
static int copy(startile_exec *x, bool gather, int pieces, const startile_piece *a, int n, T *all,
                int m)
{
    for (int i = 0; i < pieces; i++) {
        size_t piece_pitch = a[i].ld * sizeof(T), pitch = m * sizeof(T);
        if (a[i].m > 0)
            if (int error = check(
                    cudaMemcpy2DAsync(gather ? all : a[i].p, gather ? pitch : piece_pitch,
                                      gather ? a[i].p : all, gather ? piece_pitch : pitch,
                                      a[i].m * sizeof(T), n, cudaMemcpyDeviceToDevice, x->stream)))
                return error;
        all += a[i].m;
    }
    return 0;
}

template <typename T>
int getrf(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0,
          startile_pivots_of_panel pivots, void *w, int ldw, startile_panel *panel)
{
    int m = 0;
    for (int i = 0; i < pieces; i++)
        m += a[i].m;
    const int k = std::min(m, n);
    if (k == 0) {
        /* Nothing is enqueued that could write it later. */
        panel->info = 0;
        panel->use_inverse = 0;
        return 0;
    }
    /* invert's scratch comes first, because that is where it takes it. */
    const size_t inverse = w == nullptr ? 0 : round_up((size_t(k) * k + 3) / 4 * sizeof(T));
    const size_t names = round_up(m * sizeof(int));
    const size_t moves = round_up(2 * most_columns<T> * sizeof(int2));
    const size_t all = pieces == 1 ? 0 : size_t(m) * n * sizeof(T);
    if (int error = reserve(x, inverse + names + moves + scratch_bytes + all))
        return error;
    char *names_at = static_cast<char *>(x->workspace) + inverse, *moves_at = names_at + names,
         *scratch = moves_at + moves;
    T *t = pieces == 1 ? static_cast<T *>(a[0].p) : reinterpret_cast<T *>(scratch + scratch_bytes);
    const int ldt = pieces == 1 ? a[0].ld : m;

    if (pieces > 1)
        if (int error = copy(x, true, pieces, a, n, t, m))
            return error;
    if (int error =
            factor_panel(x, m, n, t, ldt, row0, pivots.of, reinterpret_cast<int *>(names_at),
                         reinterpret_cast<int2 *>(moves_at), scratch))
        return error;
    if (pieces > 1)
        if (int error = copy(x, false, pieces, a, n, t, m))
            return error;
    if (w != nullptr)
        if (int error = invert<T>(x, 'L', 'U', k, t, ldt, static_cast<T *>(w), ldw))
            return error;
    return judge<T>(x, 'L', 'U', k, t, ldt, static_cast<T *>(w), ldw, panel);
}

template decltype(getrf<float>) getrf<float>;
template decltype(getrf<double>) getrf<double>;
template decltype(getrf<cuComplex>) getrf<cuComplex>;
template decltype(getrf<cuDoubleComplex>) getrf<cuDoubleComplex>;

} // namespace startile_cuda
