/*
 * The steps of getrf, shared by its files. One kernel factors a strip of a few columns of the
 * panel, moves rows in the columns that are needed next, and lists these moves. A second kernel
 * moves the rows in the other columns, and updates columns or solves for rows of U. Private to
 * getrf/.
 */
#ifndef STARTILE_GETRF_CUH
#define STARTILE_GETRF_CUH

#include "common/element.cuh"
#include "common/exec.cuh"

namespace startile_cuda
{

/* Maximal order of the triangle with which update_trailing_columns solves; half of it in complex
 * double precision on devices with less than 160 KiB of shared memory a thread block
 * (solved_at_a_time) */
constexpr int max_solved = 128;

/* Maximal order of the triangle of update_by_one_kernel, bounded by the shared memory of devices
 * that offer 99 KiB */
template <typename T>
constexpr int max_order_of_update = sizeof(T) > 8 ? 32 : 64;

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
    /* Columns moved_first … moved_last − 1 of the panel, among them the strip: factor_strip moves
     * rows in all of them. The next kernel moves rows in the other columns. */
    int moved_first, moved_last;
    /* Copy of rows moved_first … first + columns − 1 of the panel in the moved columns right of the
     * strip; max_order_of_update elements per column */
    T *top_rows;
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

/* Called by one warp. In each of `count` columns of v, lane i < n moves two rows: row i gets the
 * elements of row `from`, and row `to`, if to ≥ n, the previous elements of row i. */
template <int max_count, typename E>
__device__ inline void move_rows(int n, int from, int to, E *v, int64_t ld, int count)
{
    const int lane = threadIdx.x % 32;
    E pivot_row[max_count], top_row[max_count];
#pragma unroll
    for (int c = 0; c < max_count; c++)
        if (c < count && lane < n) {
            pivot_row[c] = v[from + c * ld];
            top_row[c] = v[lane + c * ld];
        }
    __syncwarp();
#pragma unroll
    for (int c = 0; c < max_count; c++)
        if (c < count && lane < n) {
            v[lane + c * ld] = pivot_row[c];
            if (to >= n)
                v[to + c * ld] = top_row[c];
        }
    __syncwarp();
}

/* Called by one warp; from, to: as for move_rows(). Moves rows in the i-th of the strip's moved
 * columns that are not in the strip. Copies it to s.top_rows if it is right of the strip. */
template <typename T>
__device__ inline void move_neighbour(const strip<T> &s, int i, int from, int to)
{
    const int lane = threadIdx.x % 32, above = s.first - s.moved_first, right = i - above;
    T *v = s.a + (right < 0 ? right : right + s.columns) * s.ld;
    T *copy = s.top_rows + right * max_order_of_update<T>;
    move_rows<1>(s.columns, from, to, v, s.ld, 1);
    for (int row = lane; right >= 0 && row < above + s.columns; row += 32)
        copy[row] = v[row - above];
}

/* Columns in which a warp moves rows at a time */
constexpr int columns_of_warp = 4;

/* Columns of the panel in which the strip's kernel has not moved rows, except columns skipped_first
 * … skipped_last − 1, which are right of the moved ones. They are cut into groups of
 * columns_of_warp; the last group is row_ids. */
template <typename T>
struct other_columns {
    const strip<T> &s;
    int n; /* columns of the panel */
    int skipped_first, skipped_last;

    __host__ __device__ static int groups_of(int columns)
    {
        return (columns + columns_of_warp - 1) / columns_of_warp;
    }

    __host__ __device__ int groups() const
    {
        return groups_of(s.moved_first) + groups_of(skipped_first - s.moved_last) +
               groups_of(n - skipped_last) + 1;
    }

    /* Called by one warp. Moves rows in one group of columns of the panel a; does nothing for
     * groups that do not exist. */
    __device__ void move(T *a, int group) const
    {
        const int row = min(static_cast<int>(threadIdx.x) % 32, s.columns - 1);
        const int from = s.moves[row].y, to = s.moves[s.columns + row].x;
        const int first[] = {0, s.moved_last, skipped_last};
        const int last[] = {s.moved_first, skipped_first, n};
#pragma unroll
        for (int r = 0; r < 3; r++) {
            if (group >= 0 && group < groups_of(last[r] - first[r])) {
                const int c = first[r] + group * columns_of_warp;
                move_rows<columns_of_warp>(s.columns, from, to, a + s.first + c * s.ld, s.ld,
                                           last[r] - c);
            }
            group -= groups_of(last[r] - first[r]);
        }
        if (group == 0)
            move_rows<1>(s.columns, from, to, s.row_ids + s.first, 0, 1);
    }
};

/* Arguments of update_trailing_columns: moves the rows of strip s in all columns that factor_strip
 * has not moved, and in row_ids; solves with the unit lower triangle at row and column solve_row */
template <typename T>
struct trailing_columns {
    strip<T> s; /* s.columns = 0: no moves */
    T *a;       /* the panel */
    int n;
    int solve_row, solve_rows;      /* solve_rows: order of the triangle, ≤ solved_at_a_time */
    int solve_first, solve_columns; /* first column and number of columns that are solved */
};

/* Returns the largest order of the triangle of update_trailing_columns, a multiple of 32.
 * (getrf_trailing_columns.cu) */
template <typename T>
int solved_at_a_time(const startile_exec *x);

/* Applies the strip's row moves, and solves. (getrf_trailing_columns.cu) */
template <typename T>
int update_trailing_columns(startile_exec *x, const trailing_columns<T> &s);

/* Updates the moved columns right of strip s by columns moved_first … first + columns − 1, at most
 * max_order_of_update: A₁₂ := L₁₁⁻¹ A₁₂, given in s.top_rows, and A₂₂ −= L₂₁ A₁₂. Also moves the
 * rows in all columns that factor_strip has not moved, and in row_ids. a, n: the panel and its
 * number of columns. (getrf_update.cu) */
template <typename T>
int update_by_one_kernel(startile_exec *x, const strip<T> &s, T *a, int n);

} // namespace startile_cuda

#endif
