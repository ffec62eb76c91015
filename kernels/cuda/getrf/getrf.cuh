/*
 * The steps of getrf, shared by its files. One kernel factors a strip of a few columns of the panel
 * and lists the rows that it moved. A second kernel applies these moves to the other columns and
 * solves for rows of U. Private to getrf/.
 */
#ifndef STARTILE_GETRF_CUH
#define STARTILE_GETRF_CUH

#include "common/element.cuh"
#include "common/exec.cuh"

namespace startile_cuda
{

/* Maximal order of the triangle with which update_trailing_columns solves */
constexpr int max_solved = 128;

/* Maximal number of columns of a strip */
template <typename T>
constexpr int max_columns = 32;

/* Bytes of strip::scratch */
constexpr int scratch_bytes = 1 << 16;

/* A strip of a panel: the rows from the strip's diagonal down, m × columns. Rows count from the top
 * of the strip unless the comment says otherwise. */
template <typename T>
struct strip {
    T *a;
    int64_t ld;
    int m, columns;
    int first;     /* first row and column of the strip in the panel */
    int64_t row0;  /* index in the whole matrix of the strip's first row */
    int64_t *ipiv; /* the strip's part of ipiv (startile_pivots_of_panel) */
    /* Moves: row .x gets the elements of row .y. Entry j < columns has .x = j. Entry columns + i
     * has .y = i, and .x is the row below the first `columns` rows to which row i moves; −1 if
     * there is none. */
    int2 *moves;
    /* Original index in the panel of each of the panel's rows, interchanged like a column. The
     * panel's first strip initializes it with 0, 1, …. */
    int *row_ids;
    /* Copy of the strip's pivot rows in the `left` columns left of the strip, where the rows are
     * not interchanged yet; max_columns elements per column */
    T *left_rows;
    int left;      /* number of columns of left_rows */
    void *scratch; /* scratch_bytes for factor_strip_by_columns */
    int *info; /* 1-based column of the panel's first zero pivot; 0: none so far. The first strip
                  clears it. */
};

/* Factors a strip. (getrf_strip.cu) */
template <typename T>
int factor_strip(startile_exec *x, const strip<T> &s);

/* Factors a strip without clusters, for any number of rows. Slow. (getrf_columns.cu) */
template <typename T>
int factor_strip_by_columns(startile_exec *x, const strip<T> &s);

/* Sets x->cluster_blocks to the number of thread blocks in the largest cluster of the strip
 * kernels, or to 0 if the device or the code has no clusters. (getrf_strip.cu) */
int set_cluster_blocks(startile_exec *x);

/* Returns the maximal number of columns of a strip of m rows. (getrf_strip.cu) */
template <typename T>
int strip_columns(const startile_exec *x, int m);

/* Arguments of update_trailing_columns: moves the rows of strip s in all columns left and right of
 * it, and in row_ids; then solves with the unit lower triangle at row and column solve_row */
template <typename T>
struct trailing_columns {
    strip<T> s; /* s.columns = 0: no moves */
    T *a;       /* the panel */
    int n;
    int solve_row, solve_rows;      /* solve_rows: order of the triangle, ≤ max_solved */
    int solve_first, solve_columns; /* first column and number of columns that are solved */
};

/* Applies the strip's row moves, then solves. (getrf_trailing_columns.cu) */
template <typename T>
int update_trailing_columns(startile_exec *x, const trailing_columns<T> &s);

} // namespace startile_cuda

#endif
