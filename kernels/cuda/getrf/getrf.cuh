/*
 * The parts of getrf. A panel is factored in strips of a few columns, each by one kernel, which
 * leaves a list of the rows that it moved. Another kernel applies these moves to the other columns
 * and solves for rows of U. Private to getrf/.
 */
#ifndef STARTILE_GETRF_CUH
#define STARTILE_GETRF_CUH

#include "common/element.cuh"
#include "common/exec.cuh"

namespace startile_cuda
{

/* Maximal order of the triangle of a solve */
constexpr int max_solved = 128;

/* Maximal number of columns of a strip */
template <typename T>
constexpr int max_columns = 32;

constexpr int scratch_bytes = 1 << 16;

/* A strip of a panel, from its diagonal down: m × columns. Rows count from the top of the strip. */
template <typename T>
struct strip {
    T *a;
    int64_t ld;
    int m, columns;
    int first;     /* first row and column of the strip in the panel */
    int64_t row0;  /* row of the whole matrix where the strip begins */
    int64_t *ipiv; /* the strip's part of ipiv (startile_pivots_of_panel) */
    /* Moves of rows: row .x gets the elements of row .y. Entry j < columns has .x = j. Entry
     * columns + i is for row i if that row moves below row `columns`; otherwise its .x is −1. */
    int2 *moves;
    /* Ids 0, 1, … of the panel's rows. The panel's first strip writes them. */
    int *row_ids;
    /* Copy of the pivot rows in the `left` columns left of the strip, which are not interchanged
     * yet; max_columns elements per column */
    T *left_rows;
    int left;
    void *scratch; /* scratch_bytes for factor_strip_by_columns */
    int *info;     /* 0 from the first strip on until there is a zero pivot */
};

/* Factors a strip. (getrf_strip.cu) */
template <typename T>
int factor_strip(startile_exec *x, const strip<T> &s);

/* Factors a strip without clusters, for any number of rows. Slow. (getrf_columns.cu) */
template <typename T>
int factor_strip_by_columns(startile_exec *x, const strip<T> &s);

/* Sets the attributes of the strip kernels on the current device. (getrf_strip.cu) */
int prepare_strips(startile_exec *x);

/* Returns the number of columns of a strip of m rows. (getrf_strip.cu) */
template <typename T>
int strip_columns(const startile_exec *x, int m);

/* Work in the other columns of a panel after a strip: the strip's moves, in all of them and in
 * row_ids; then a solve with the unit triangle at row and column solve_row. */
template <typename T>
struct trailing_columns {
    strip<T> s; /* s.columns = 0: no moves */
    T *a;       /* the panel */
    int n;
    int solve_row, solve_rows; /* solve_rows ≤ max_solved */
    int solve_first, solve_columns;
};

/* Moves rows and solves. (getrf_trailing_columns.cu) */
template <typename T>
int update_trailing_columns(startile_exec *x, const trailing_columns<T> &s);

} // namespace startile_cuda

#endif
