/*
 * QR factorization with column pivoting of a panel, and its updates of the columns to the right, by
 * the algorithm of LAPACK xLAQPS (Quintana-Ortí, Sun & Bischof, "A BLAS-3 version of the QR
 * factorization with column pivoting", SIAM J. Sci. Comput. 19, 1998). Column norms are down-dated
 * with the safeguard of Drmač & Bujanović, "On the failure of rank-revealing QR factorization
 * software", ACM TOMS 35, 2008.
 *
 *     for each column j
 *         reflect_kernel         pivot, A(:,j) −= V W(:,j), reflector v        (geqp3_column.cu)
 *         products_kernel        vᴴ A and vᴴ V: reads the rest of A            (geqp3_products.cu)
 *         row_kernel             W(j,:), row of R, norms, largest norms        (geqp3_products.cu)
 *         after at most pivoted_block columns:
 *             gemm               A −= V W below R                              (cuBLAS)
 *
 * A block of reflectors leaves the columns to its right as they were, except for the rows of R.
 * Where a norm is lost to cancellation, row_kernel applies the reflectors to this column alone,
 * computes its norm anew, and sets its W(:,c) to 0.
 *
 * Bound: memory, by one read of the trailing matrix a column, n³/3 elements of an n × n matrix.
 * The error bounds are those of geqrf.
 */
#include "common/block_products.cuh"
#include "common/hopper.cuh"
#include "common/operations.cuh"
#include "geqp3/geqp3.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Numbers the columns. */
__global__ void __launch_bounds__(pivoted_threads) number_columns_kernel(int64_t n, int64_t *order)
{
    const int64_t c = int64_t(blockIdx.x) * pivoted_threads + threadIdx.x;
    if (c < n)
        order[c] = c + 1;
}

/* Moves the columns order[n + c] − 1, c = 0 … chosen − 1, to the front. One thread a row */
template <typename T>
__global__ void __launch_bounds__(pivoted_threads)
    move_chosen_kernel(pivoted_panel<T> p, int64_t chosen)
{
    const int i = blockIdx.x * pivoted_threads + threadIdx.x;
    for (int64_t c = 0; c < chosen; c++) {
        const int64_t d = p.order[p.n + c] - 1;
        T *const a = p.column(static_cast<int>(c)), *const b = p.column(static_cast<int>(d));
        if (i < p.m) {
            const T moved = a[i];
            a[i] = b[i];
            b[i] = moved;
        }
        if (i == 0) {
            const int64_t number = p.order[c];
            p.order[c] = p.order[d];
            p.order[d] = number;
        }
    }
}

template <typename T>
static int begin_first_panel(startile_exec *x, const pivoted_panel<T> &p, int64_t chosen)
{
    if (int error = launch(x, number_columns_kernel, ceil_div(p.n, pivoted_threads),
                           pivoted_threads, int64_t(p.n), p.order))
        return error;
    if (chosen == 0)
        return 0;
    return launch(x, move_chosen_kernel<T>, ceil_div(p.m, pivoted_threads), pivoted_threads, p,
                  chosen);
}

/* A(:,j:n−1) −= V W below the rows of R, for the block's reflectors; a: A's blocks */
template <typename T>
static int update_columns(startile_exec *x, const pivoted_panel<T> &p, const startile_piece *a,
                          int j)
{
    const T one = to_element<T>(1, 0), minus_one = to_element<T>(-1, 0);
    const int row = p.row0 + j, rows = p.m - row, count = j - p.first;
    if (rows <= 0 || count == 0)
        return 0;
    const T *const v = static_cast<const T *>(a->p) + row + int64_t(p.first) * a->ld;
    for (int c = j, next; c < p.n; c = next) {
        next = std::min(p.n, c / p.nb * p.nb + p.nb);
        const startile_piece &block = a[c / p.nb];
        T *const to = static_cast<T *>(block.p) + row + int64_t(c % p.nb) * block.ld;
        if (int error = multiply<T>(x, 'N', 'T', rows, next - c, count, minus_one, {v, a->ld, 0},
                                    {p.w + c, p.n, 0}, one, {to, block.ld, 0}))
            return error;
    }
    return 0;
}

/* Allocates the workspace and sets the arrays of the panel. */
template <typename T>
static int lay_out(startile_exec *x, int blocks, pivoted_panel<T> &p, listed_piece<T> **block)
{
    workspace_layout arrays;
    const size_t n = p.n, list = arrays.place<listed_piece<T>>(blocks),
                 w = arrays.place<T>(n * pivoted_block), column = arrays.place<T>(p.m),
                 sums = arrays.place<wide<T>>(n * most_row_parts),
                 largest = arrays.place<largest_norm>(ceil_div(p.n, pivoted_threads)),
                 state = arrays.place<pivoted_column<T>>(1);
    if (int error = reserve(x, arrays.bytes))
        return error;
    p.block = *block = in_workspace<listed_piece<T>>(x, list);
    p.w = in_workspace<T>(x, w);
    p.x = in_workspace<T>(x, column);
    p.sums = in_workspace<wide<T>>(x, sums);
    p.largest = in_workspace<largest_norm>(x, largest);
    p.state = in_workspace<pivoted_column<T>>(x, state);
    return check(cudaMemsetAsync(&p.state->finished, 0, sizeof p.state->finished, x->stream));
}

template <typename T>
int geqp3(startile_exec *x, startile_team *, int blocks, const startile_piece *a, int nb,
          int64_t row0, int64_t n, int k, int64_t chosen, int64_t *order, double *norms, void *t,
          int ldt)
{
    pivoted_panel<T> p = {};
    listed_piece<T> *block;
    p.nb = nb;
    p.m = a->m;
    p.row0 = static_cast<int>(row0);
    p.n = static_cast<int>(n);
    p.t = static_cast<T *>(t);
    p.ldt = ldt;
    p.order = order + row0;
    p.norm = norms + row0;
    p.exact_norm = norms + row0 + n + row0;
    if (int error = lay_out(x, blocks, p, &block))
        return error;
    if (int error = list_pieces(x, blocks, a, block))
        return error;
    if (row0 == 0)
        if (int error = begin_first_panel(x, p, chosen))
            return error;
    for (int j = 0; j < k; j++) {
        const bool is_first_pivot = row0 + j == chosen, is_pivoted = row0 + j >= chosen;
        if (j - p.first == pivoted_block || is_first_pivot) {
            if (int error = update_columns(x, p, a, j))
                return error;
            p.first = j;
        }
        if (is_first_pivot)
            if (int error = compute_norms(x, p, j))
                return error;
        if (is_first_pivot || (is_pivoted && j == 0))
            if (int error = find_largest_norms(x, p, j))
                return error;
        if (int error = reflect_column(x, p, j, is_pivoted))
            return error;
        if (int error = multiply_by_reflector(x, p, j, is_pivoted))
            return error;
    }
    return update_columns(x, p, a, k);
}

INSTANTIATE(geqp3);

} // namespace startile_cuda
