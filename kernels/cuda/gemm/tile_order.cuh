/*
 * The order of the tiles of C for groups of products in single precision. Tiles are numbered
 * through all pieces, so that only the last wave of a launch does not fill the device. In a piece,
 * the numbers run through bands of tile columns, which keeps the factors in use in the L2 cache.
 */
#ifndef STARTILE_TILE_ORDER_CUH
#define STARTILE_TILE_ORDER_CUH

namespace startile_cuda
{

struct tile_place {
    int piece, row, column; /* row and column in tiles */
};

/* Order of tiles of M rows and N columns. uplo: the triangle of C that is computed, or 'G'. Element
 * (i, j) of C has `parts` rows: parts * i, …; the diagonal of column j begins in row parts * j. */
template <int M, int N, int parts = 1>
struct tile_order {
    static constexpr int diagonal = N * parts; /* rows from a tile's diagonal to the next tile's */
    static constexpr int width = 16;           /* tile columns in a band; an estimate */

    static __host__ __device__ int tiles(int n, int size)
    {
        return (n + size - 1) / size;
    }

    static __host__ __device__ int columns_of_band(int n, int band)
    {
        int remaining = tiles(n, N) - band * width;
        return remaining < width ? remaining : width;
    }

    static __host__ __device__ int first_row(char uplo, int band)
    {
        return uplo == 'L' ? band * width * diagonal / M : 0;
    }

    static __host__ __device__ int rows_of_band(char uplo, int m, int n, int band)
    {
        int rows = tiles(m, M);
        if (uplo == 'U') {
            int end = tiles((band * width + columns_of_band(n, band)) * diagonal, M);
            rows = end < rows ? end : rows;
        }
        return rows - first_row(uplo, band);
    }

    static __host__ __device__ int tiles_of_band(char uplo, int m, int n, int band)
    {
        return columns_of_band(n, band) * rows_of_band(uplo, m, n, band);
    }

    /* Returns the number of tiles of a piece, including a few outside the triangle. */
    static __host__ __device__ int tiles_of_piece(char uplo, int m, int n)
    {
        int count = 0;
        for (int band = 0; band * width < tiles(n, N); band++)
            count += tiles_of_band(uplo, m, n, band);
        return count;
    }

    /* Returns whether no element of the tile is inside the triangle of C that is computed. */
    static __host__ __device__ bool is_outside(char uplo, int row, int column)
    {
        return uplo == 'L'   ? (row + 1) * M <= column * diagonal
               : uplo == 'U' ? row * M >= (column + 1) * diagonal
                             : false;
    }

    /* Returns whether the tile has elements of the diagonal of a triangle. */
    static __host__ __device__ bool is_across(char uplo, int row, int column)
    {
        return uplo != 'G' && row * M < (column + 1) * diagonal &&
               column * diagonal < (row + 1) * M;
    }

    /* Sets place.row and place.column for tile number `tile` of a piece. */
    static __device__ void find(char uplo, int m, int n, int tile, tile_place &place)
    {
        int band = 0;
        for (int count; tile >= (count = tiles_of_band(uplo, m, n, band)); band++)
            tile -= count;
        int columns = columns_of_band(n, band);
        place.row = first_row(uplo, band) + tile / columns;
        place.column = band * width + tile % columns;
    }
};

/* Returns the piece of a tile, by bisection. first_tile: number of each piece's first tile,
 * ascending; a piece without tiles has the same number as the next piece */
__device__ inline int piece_of_tile(const int *first_tile, int pieces, int tile)
{
    int from = 0, to = pieces;
    while (to - from > 1) {
        int middle = (from + to) / 2;
        (first_tile[middle] <= tile ? from : to) = middle;
    }
    return from;
}

} // namespace startile_cuda

#endif
