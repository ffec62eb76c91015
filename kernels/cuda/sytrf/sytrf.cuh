/*
 * State of a panel of LDLᵀ or LDLᴴ (sytrf.cu). A row or column i has its number in the whole matrix
 * with uplo 'L', and n − 1 − i is its number with uplo 'U': then the factorization of the upper
 * triangle is that of a lower triangle, too.
 */
#ifndef STARTILE_SYTRF_CUH
#define STARTILE_SYTRF_CUH

#include "common/element.cuh"
#include "common/exec.cuh"
#include "common/piece_list.cuh"
#include "common/search_exchange.cuh"

namespace startile_cuda
{

constexpr int symmetric_threads = 256, symmetric_warps = symmetric_threads / 32;

/* Most columns of L and W in a block */
constexpr int most_terms = 192;

/* Columns of L and W in a block that one cluster of thread blocks factors, all of which are in
 * shared memory. Fewer columns make its products of L and rows of W shorter; more columns make the
 * update of the trailing triangle faster. */
constexpr int cluster_terms = 96;

/* Columns of L and W besides those of a block: one for a pivot of order 2 that begins in the
 * block's last column, and two that keep the rows behind the block aligned to 16 bytes. With them
 * the next column and a candidate for a pivot have columns, too. */
constexpr int spare_terms = 4;

/* Most tiles whose addresses are copied to shared memory */
constexpr int most_listed_tiles = 512;

/* Elements of W in a row that is the pivot or a candidate */
template <typename T>
struct candidate_elements {
    T left, diagonal; /* left: in the column before the candidate's */
};

template <typename T>
struct symmetric_panel {
    bool is_upper, is_hermitian;
    int nb, n;
    unsigned int inverse_nb; /* ⌈2³² / nb⌉, or 0 for nb = 1 */
    int row_of_tiles;        /* block row of the first tile */
    int begin;               /* first column of the panel */
    int first, columns;      /* the block of columns */
    int terms;               /* columns of L and W */
    int held;                /* columns of L in shared memory */
    int rows_of_block;       /* rows of a thread block */
    bool is_in_cluster;      /* by one cluster of thread blocks */
    const listed_piece<T> *tile;
    int tiles;
    int64_t *ipiv, *info;
    int info_base; /* number in A of the first column that *info counts */
    T *l, *w;      /* L and W, for products. The rows are in the order of A. */
    int ldw;
    grid_lists<candidate_elements<T>> lists;
    T *row; /* 2 × most_terms: rows j and j + 1 of L, for an interchange with a later row */
    int64_t *first_zero; /* info of the panel so far */

    /* Returns the number in A of row i. */
    __host__ __device__ int in_matrix(int i) const
    {
        return is_upper ? n - 1 - i : i;
    }

    /* Returns i / nb; the high half of the product is at most 1 larger. */
    __device__ int tile_of(int i) const
    {
        const int q = inverse_nb > 0 ? int(__umulhi(unsigned(i), inverse_nb)) : i;
        return q * nb > i ? q - 1 : q;
    }

    /* Returns the row in L and W of row i. */
    __host__ __device__ int in_workspace(int i) const
    {
        return is_upper ? n - 1 - i : i - begin;
    }

    /* Returns the address of A(i,c), i ≥ c. */
    __device__ T *at(int i, int c) const
    {
        const int of_row = in_matrix(i), of_column = in_matrix(c);
        const int tile_row = tile_of(of_row), tile_column = tile_of(of_column),
                  row = tile_row - row_of_tiles, column = tile_column - row_of_tiles;
        const int64_t in_list = is_upper ? int64_t(column) * (column + 1) / 2 + row
                                         : int64_t(row) * (row + 1) / 2 + column;
        const listed_piece<T> piece = tile[in_list];
        return piece.p + (of_row - tile_row * nb) + (of_column - tile_column * nb) * piece.ld;
    }

    __device__ T *in_w(int i, int term) const
    {
        return w + in_workspace(i) + int64_t(term) * ldw;
    }

    /* Returns x, or conj(x) for a Hermitian matrix. */
    __device__ T transposed(T x) const
    {
        return is_hermitian ? conjugate(x) : x;
    }
};

/* Returns the most rows of a block that one cluster can factor, with cluster_terms columns of L and
 * W, in a panel of `tiles` tiles; 0: the device cannot run the cluster. */
template <typename T>
int most_cluster_rows(const startile_exec *x, int tiles);

/* Factors p.columns columns from p.first on, without those that belong to a pivot of an earlier
 * block, and with one more if the last of them begins a pivot of order 2. L and W := the factors of
 * the update A(i,c) −= L(i,:) W(c,:)ᵀ; they are zero in rows and columns that it must not change.
 * (sytrf_columns.cu) */
template <typename T>
int factor_block(startile_exec *x, symmetric_panel<T> p);

} // namespace startile_cuda

#endif
