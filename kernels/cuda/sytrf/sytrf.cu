/*
 * LDLᵀ or LDLᴴ factorization with diagonal pivoting of a block column, and its update of the
 * columns behind it, by the algorithm of Bunch and Kaufman, as kernels/cpu/sytrf/sytrf.c.
 *
 *     for each block of columns
 *         columns_kernel             pivots, interchanges, columns of L       (sytrf_columns.cu)
 *         multiply_group             A −= L Wᵀ or L Wᴴ, W = L D               (gemm/)
 *
 * The blocks of columns do not depend on the pivots, so that the host launches all kernels at once.
 * If a pivot of order 2 begins in the last column of a block, the first row and column behind it
 * are complete; they are zero in L and W, and the products do not change them.
 *
 * The error bounds are those of the CPU's kernel.
 */
#include "common/operations.cuh"
#include "sytrf/sytrf.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Allocates the workspace and sets the arrays of the panel. */
template <typename T>
static int lay_out(startile_exec *x, symmetric_panel<T> &p, listed_piece<T> **tile)
{
    workspace_layout arrays;
    const int rows = p.n - p.begin, terms = most_terms;
    /* the rows are aligned as products want them */
    p.ldw = (rows + 15) / 16 * 16;
    const size_t list = arrays.place<listed_piece<T>>(p.tiles),
                 l = arrays.place<T>(size_t(p.ldw) * terms),
                 w = arrays.place<T>(size_t(p.ldw) * terms),
                 best = arrays.place<largest_magnitude>(2 * x->multiprocessors),
                 elements = arrays.place<candidate_elements<T>>(2),
                 arrived = arrays.place<unsigned int>(1), row = arrays.place<T>(2 * most_terms),
                 first_zero = arrays.place<int64_t>(1);
    if (int error = reserve(x, arrays.bytes))
        return error;
    p.tile = *tile = in_workspace<listed_piece<T>>(x, list);
    p.l = in_workspace<T>(x, l);
    p.w = in_workspace<T>(x, w);
    p.lists = {in_workspace<largest_magnitude>(x, best),
               in_workspace<candidate_elements<T>>(x, elements),
               in_workspace<unsigned int>(x, arrived)};
    p.row = in_workspace<T>(x, row);
    p.first_zero = in_workspace<int64_t>(x, first_zero);
    return check(cudaMemsetAsync(p.first_zero, 0, sizeof *p.first_zero, x->stream));
}

/* Rows of A in the trailing triangle; they are also the columns. */
struct trailing {
    int begin, end;
};

/* Returns the product A(i,c) −= L(i,:) W(c,:)ᵀ of the part of the tile in row i and column c of
 * tiles that is in the trailing triangle. */
template <typename T>
static product_piece<T> product_of(const symmetric_panel<T> &p, const startile_piece &tile, int i,
                                   int c, trailing t)
{
    const int row = std::max(i * p.nb, t.begin), column = std::max(c * p.nb, t.begin),
              rows = std::min(t.end, i * p.nb + p.nb) - row,
              columns = std::min(t.end, c * p.nb + p.nb) - column, top = p.is_upper ? 0 : p.begin;
    const int64_t r = row - i * p.nb, q = column - c * p.nb;
    return {p.l + (row - top),
            p.w + (column - top),
            static_cast<T *>(tile.p) + r + q * tile.ld,
            p.ldw,
            p.ldw,
            tile.ld,
            rows,
            columns,
            i != c       ? 'G'
            : p.is_upper ? 'U'
                         : 'L'};
}

/* A −= L Wᵀ in the trailing triangle */
template <typename T>
static int update_trailing(startile_exec *x, const symmetric_panel<T> &p,
                           const startile_piece *tiles)
{
    const int end = p.first + p.columns;
    const trailing t = p.is_upper ? trailing{0, p.n - end} : trailing{end, p.n};
    if (t.begin >= t.end)
        return 0;
    const int first = t.begin / p.nb, last = (t.end - 1) / p.nb;
    product_piece<T> piece[max_products];
    product_group<T> g;
    g.transb = p.is_hermitian ? 'C' : 'T';
    g.k = p.terms;
    g.alpha = to_element<T>(-1, 0);
    g.beta = to_element<T>(1, 0);
    g.hermitian = p.is_hermitian;
    g.piece = piece;
    for (int d = 0; d <= last - first; d++) /* tiles on the diagonal first */
        for (int c = first; c + d <= last; c++) {
            const int64_t far = c + d - p.row_of_tiles, near = c - p.row_of_tiles;
            const startile_piece &tile = tiles[far * (far + 1) / 2 + near];
            piece[g.pieces++] =
                p.is_upper ? product_of(p, tile, c, c + d, t) : product_of(p, tile, c + d, c, t);
            if (int error = multiply_if_full(x, g))
                return error;
        }
    return multiply_group(x, g);
}

template <typename T>
int sytrf(startile_exec *x, startile_team *, char uplo, int hermitian, const startile_piece *tiles,
          int nb, int64_t k, int64_t n, int64_t *ipiv, startile_tile_status *status)
{
    constexpr int multiple = 16; /* terms that products take at a time */
    const bool is_upper = uplo == 'U';
    const int order = static_cast<int>(n), of_panel = static_cast<int>(k * nb),
              behind = static_cast<int>(std::min(k * nb + nb, n)),
              width = ceil_div(is_upper ? behind : n - of_panel, nb),
              begin = is_upper ? order - behind : of_panel,
              end = is_upper ? order - of_panel : behind;
    symmetric_panel<T> p = {};
    listed_piece<T> *tile;
    p.is_upper = is_upper;
    p.is_hermitian = hermitian != 0;
    p.nb = nb;
    p.inverse_nb = nb > 1 ? static_cast<unsigned int>(((int64_t(1) << 32) + nb - 1) / nb) : 0;
    p.n = order;
    p.row_of_tiles = is_upper ? 0 : static_cast<int>(k);
    p.begin = begin;
    p.tiles = width * (width + 1) / 2;
    p.ipiv = ipiv;
    p.info = &status->info;
    p.info_base = of_panel;
    if (int error = lay_out(x, p, &tile))
        return error;
    if (int error = list_pieces(x, p.tiles, tiles, tile))
        return error;
    const int cluster_rows = most_cluster_rows<T>(x, p.tiles);
    for (p.first = begin; p.first < end; p.first += p.columns) {
        p.is_in_cluster = order - p.first <= cluster_rows;
        const int most = p.is_in_cluster ? cluster_terms : most_terms;
        p.columns = std::min(most - spare_terms, end - p.first);
        p.terms = (p.columns + spare_terms + multiple - 1) / multiple * multiple;
        if (int error = factor_block(x, p))
            return error;
        if (int error = update_trailing(x, p, tiles))
            return error;
    }
    return 0;
}

INSTANTIATE(sytrf);

} // namespace startile_cuda
