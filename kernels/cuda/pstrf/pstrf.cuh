/*
 * State of a panel of Cholesky with diagonal pivoting (pstrf.cu). Rows and columns have their
 * numbers in the whole matrix. L is the lower triangle, which is stored as the conjugate transpose
 * with uplo 'U'.
 */
#ifndef STARTILE_PSTRF_CUH
#define STARTILE_PSTRF_CUH

#include "common/element.cuh"
#include "common/exec.cuh"
#include "common/grid_search.cuh"
#include "common/piece_list.cuh"

namespace startile_cuda
{

constexpr int diagonal_threads = 256, diagonal_warps = diagonal_threads / 32;
/* Most columns of a block: the trailing triangle is updated by a product with as many terms */
constexpr int most_block_columns = 128;
/* Most rows that the interchanges of a block move */
constexpr int most_moves = 2 * most_block_columns;

/* Most tiles whose addresses are copied to shared memory. A barrier of the grid removes the L1
 * cache's copies. */
constexpr int most_shared_tiles = 512;

/* Row of W as it is before an interchange, for other thread blocks */
template <typename T>
struct published_row {
    T w[most_block_columns];
    typename element<T>::real diagonal, sum;
    int origin;
};

/* Row `to` gets the elements of row `from`. */
struct row_move {
    int to, from;
};

struct diagonal_state {
    unsigned int arrived; /* thread blocks at all barriers of the kernel together */
    int moves;            /* rows that the block's interchanges move */
    int continues;        /* 0: a pivot of the panel was too small */
    row_move move[most_moves];
};

template <typename T>
struct diagonal_panel {
    bool is_upper;
    int nb, n, begin;    /* begin: first row and column of the panel */
    int64_t tiles_above; /* tiles of the triangle in the rows of tiles above the panel's */
    int first, columns;  /* the block of columns */
    int rows_of_block;   /* rows of a thread block */
    int blocks;          /* most thread blocks */
    double tol;
    const listed_piece<T> *tile; /* tiles of the triangle from the panel's row of tiles on */
    int tiles;
    int64_t *order, *info;
    double *stop;
    T *w; /* columns of L in the block, for products; row `begin` first */
    int ldw;
    largest_row *best;     /* 2 × blocks: of each thread block, for even and odd columns */
    published_row<T> *row; /* 2 × (blocks + 1): those of `best`, and the first remaining one */
    diagonal_state *state;

    /* Returns the address of L(i,c), i ≥ c. */
    __device__ T *at(int i, int c) const
    {
        const int row = i / nb, r = i % nb, column = c / nb, q = c % nb;
        const listed_piece<T> piece = tile[int64_t(row) * (row + 1) / 2 - tiles_above + column];
        return piece.p + (is_upper ? q + r * piece.ld : r + q * piece.ld);
    }
};

/* Returns the number of columns of a block in a panel of `rows` rows and `tiles` tiles, for which
 * the shared memory suffices; 0: none. (pstrf_columns.cu) */
template <typename T>
int columns_of_block(const startile_exec *x, int rows, int tiles);

/* Factors p.columns columns from p.first on, and interchanges the columns left of them. If a pivot
 * is too small, p.w is 0. (pstrf_columns.cu) */
template <typename T>
int factor_block(startile_exec *x, diagonal_panel<T> p);

} // namespace startile_cuda

#endif
