/*
 * The parts of getrf: a panel is factored in strips of a few columns, each by one kernel that
 * leaves a list of the rows that it moved; another kernel carries these moves to the columns beside
 * the strip and solves for rows of U. Private to the files getrf*.cu.
 */
#ifndef STARTILE_GETRF_CUH
#define STARTILE_GETRF_CUH

#include "common/element.cuh"
#include "common/exec.cuh"

namespace startile_cuda
{

/* The largest triangle of a solve */
constexpr int max_solved = 128;

/* The widest strip */
template <typename T>
constexpr int max_columns = 32;

constexpr int scratch_bytes = 1 << 16;

/* Part of a panel, from its diagonal down: m × columns. Rows count from its top. */
template <typename T>
struct strip {
    T *a;
    int64_t ld;
    int m, columns;
    int first;     /* its first row and column in the panel */
    int64_t row0;  /* the row of the whole matrix that it begins at */
    int64_t *ipiv; /* its part of startile_pivots_of_panel */
    /* Row .x becomes what was in row .y. For j < columns, entry j has .x = j. Entry columns + i is
     * for row i if that goes below row `columns`; otherwise its .x is −1. */
    int2 *moves;
    /* Names of the rows of the panel, 0, 1, …: written if this is its first strip */
    int *row_ids;
    /* The columns just left of the strip keep their rows for now. A copy of what they have in its
     * pivot rows, so many columns of max_columns elements. */
    T *left_rows;
    int left;
    void *scratch; /* of scratch_bytes, for factor_strip_by_columns */
    int *info;     /* 0 from the first strip on, until a zero pivot is met */
};

/* (getrf_strip.cu) */
template <typename T>
int factor_strip(startile_exec *x, const strip<T> &s);

/* The same for any number of rows and without clusters, slowly. (getrf_columns.cu) */
template <typename T>
int factor_strip_by_columns(startile_exec *x, const strip<T> &s);

/* Allows the kernels what they need of the current device. (getrf_strip.cu) */
int prepare_strips(startile_exec *x);

/* How many columns a strip of m rows should have. (getrf_strip.cu) */
template <typename T>
int strip_columns(const startile_exec *x, int m);

/* What remains to be done in a panel after a strip: its moves, to all other columns and to the
 * names of the rows; then a solve with the unit triangle at row and column solve_row. */
template <typename T>
struct trailing_columns {
    strip<T> s; /* s.columns = 0: no moves */
    T *a;       /* the panel */
    int n;
    int solve_row, solve_rows; /* at most max_solved */
    int solve_first, solve_columns;
};

/* (getrf_trailing_columns.cu) */
template <typename T>
int update_trailing_columns(startile_exec *x, const trailing_columns<T> &s);

} // namespace startile_cuda

#endif
