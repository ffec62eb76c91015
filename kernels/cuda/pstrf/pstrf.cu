/*
 * Cholesky factorization with diagonal pivoting of a block column, and its update of the columns to
 * the right, by the algorithm of LAPACK xPSTRF (Hammarling, Higham & Lucas, "LAPACK-style codes for
 * pivoted Cholesky and QR updating", PARA 2006, LNCS 4699, 2007), as kernels/cpu/pstrf.c.
 *
 *     for each block of columns
 *         columns_kernel             pivots, interchanges, columns of L       (pstrf_columns.cu)
 *         interchange_left_kernel    interchanges of the columns left of it   (pstrf_columns.cu)
 *         multiply_group             A −= W Wᴴ                                (gemm/)
 *
 * A block leaves the trailing triangle as it was, except for interchanges. When a pivot is too
 * small, W is 0, and the later kernels of the panel change nothing; in double precision they return
 * at once.
 *
 * The error bounds are those of the CPU's kernel.
 */
#include "common/operations.cuh"
#include "pstrf/pstrf.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Allocates the workspace and sets the arrays of the panel. */
template <typename T>
static int lay_out(startile_exec *x, int columns, diagonal_panel<T> &p, listed_piece<T> **tile)
{
    workspace_layout arrays;
    /* the rows are aligned as products want them */
    p.ldw = (p.n - p.begin + 15) / 16 * 16;
    p.blocks = x->multiprocessors;
    const size_t list = arrays.place<listed_piece<T>>(p.tiles),
                 w = arrays.place<T>(size_t(p.ldw) * columns),
                 best = arrays.place<largest_row>(2 * p.blocks),
                 row = arrays.place<published_row<T>>(2 * (p.blocks + 1)),
                 state = arrays.place<diagonal_state>(1);
    if (int error = reserve(x, arrays.bytes))
        return error;
    p.tile = *tile = in_workspace<listed_piece<T>>(x, list);
    p.w = in_workspace<T>(x, w);
    p.best = in_workspace<largest_row>(x, best);
    p.row = in_workspace<published_row<T>>(x, row);
    p.state = in_workspace<diagonal_state>(x, state);
    return check(cudaMemsetAsync(&p.state->continues, 1, sizeof p.state->continues, x->stream));
}

/* Returns W(i,:). */
template <typename T>
static T *row_of_w(const diagonal_panel<T> &p, int i)
{
    return p.w + (i - p.begin);
}

/* Returns the product A(i,c) −= W(i,:) W(c,:)ᴴ of the part below row `end` of the tile in row i and
 * column c of tiles. */
template <typename T>
static product_piece<T> product_of(const diagonal_panel<T> &p, const startile_piece &tile, int i,
                                   int c, int end)
{
    const int row = std::max(i * p.nb, end), column = std::max(c * p.nb, end),
              rows = std::min(p.n, i * p.nb + p.nb) - row,
              columns = std::min(p.n, c * p.nb + p.nb) - column;
    const int64_t r = row - i * p.nb, q = column - c * p.nb;
    const char uplo = i > c ? 'G' : p.is_upper ? 'U' : 'L';
    T *const a = static_cast<T *>(tile.p);
    const T *const of_row = row_of_w(p, row), *const of_column = row_of_w(p, column);
    if (p.is_upper)
        return {of_column, of_row, a + q + r * tile.ld, p.ldw, p.ldw, tile.ld, columns, rows, uplo};
    return {of_row, of_column, a + r + q * tile.ld, p.ldw, p.ldw, tile.ld, rows, columns, uplo};
}

/* A −= W Wᴴ in the trailing triangle */
template <typename T>
static int update_trailing(startile_exec *x, const diagonal_panel<T> &p,
                           const startile_piece *tiles)
{
    const int end = p.first + p.columns, last = (p.n - 1) / p.nb;
    product_piece<T> piece[max_products];
    product_group<T> g;
    g.transb = 'C';
    g.k = p.columns;
    g.alpha = to_element<T>(-1, 0);
    g.beta = to_element<T>(1, 0);
    g.hermitian = true;
    g.piece = piece;
    g.only_if = &p.state->continues;
    if (end == p.n)
        return 0;
    for (int d = 0; d <= last - end / p.nb; d++) /* tiles on the diagonal first */
        for (int c = end / p.nb; c + d <= last; c++) {
            const int64_t row = c + d, tile = row * (row + 1) / 2 - p.tiles_above + c;
            piece[g.pieces++] = product_of(p, tiles[tile], c + d, c, end);
            if (int error = multiply_if_full(x, g))
                return error;
        }
    return multiply_group(x, g);
}

template <typename T>
int pstrf(startile_exec *x, startile_team *, char uplo, const startile_piece *tiles, int nb,
          int64_t k, int64_t n, double tol, int64_t *order, double *stop,
          startile_tile_status *status)
{
    const int64_t begin = k * nb, end = std::min(begin + nb, n), nt = (n + nb - 1) / nb;
    const int tiles_of_panel = static_cast<int>((nt * (nt + 1) - k * (k + 1)) / 2),
              width = columns_of_block<T>(x, static_cast<int>(n - begin), tiles_of_panel);
    if (width == 0)
        return STARTILE_ERROR_MEMORY;
    diagonal_panel<T> p = {};
    listed_piece<T> *tile;
    p.is_upper = uplo == 'U';
    p.nb = nb;
    p.n = static_cast<int>(n);
    p.begin = static_cast<int>(begin);
    p.tiles_above = k * (k + 1) / 2;
    p.tiles = tiles_of_panel;
    p.tol = tol;
    p.order = order;
    p.stop = stop;
    p.info = &status->info;
    if (int error = lay_out(x, width, p, &tile))
        return error;
    if (int error = list_pieces(x, p.tiles, tiles, tile))
        return error;
    for (p.first = p.begin; p.first < end; p.first += p.columns) {
        p.columns = std::min(width, static_cast<int>(end) - p.first);
        if (int error = factor_block(x, p))
            return error;
        if (int error = update_trailing(x, p, tiles))
            return error;
    }
    return 0;
}

INSTANTIATE(pstrf);

} // namespace startile_cuda
