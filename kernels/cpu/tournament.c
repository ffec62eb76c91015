/*
 * Tournament pivoting: selection of pivot rows by LAPACK xGETRF on a copy of the candidate rows,
 * and the interchanges that move the selected rows to the top.
 */
#include "part.h"

#include <stdlib.h>

/* Applies the interchanges ipiv to the row numbers 0 … m − 1: order[i] is the row at position i
 * afterwards. */
static void permute_rows(int m, int k, const int *ipiv, int *order)
{
    for (int i = 0; i < m; i++)
        order[i] = i;
    for (int j = 0; j < k; j++) {
        int partner = ipiv[j] - 1, held = order[j];
        order[j] = order[partner];
        order[partner] = held;
    }
}

/* Returns the matrix row that is row i of a tile column; rows_in and rows are those of select_rows.
 */
static int64_t number_of_row(const startile_piece *a, const int64_t *const *rows_in,
                             const startile_rows *rows, int i)
{
    int row = i;
    for (; row >= a->m; a++, rows_in++)
        row -= a->m;
    return *rows_in != NULL ? (*rows_in)[row] : part_row(rows, i);
}

/* Copies the selected rows to `copy` and their row numbers to `row_numbers`. select_rows() then
 * copies both to its results, which may overlap the candidates. */
static void take_rows(int k, const int *order, const startile_piece *a, int n,
                      const startile_rows *rows, const int64_t *const *rows_in, element *copy,
                      int64_t *row_numbers)
{
    for (int i = 0; i < k; i++) {
        struct row row = tile_column_row(a, order[i]);
        row_numbers[i] = number_of_row(a, rows_in, rows, order[i]);
        for (int j = 0; j < n; j++)
            copy[i + (ptrdiff_t)j * k] = row.p[j * row.step];
    }
}

int NAME(select_rows)(startile_exec *x, int pieces, const startile_piece *a, int n,
                      startile_rows rows, const int64_t *const *rows_in, void *b, int ldb,
                      int64_t *rows_out)
{
    (void)x;
    int m = (int)tile_column_rows(pieces, a), k = m < n ? m : n, ld = m > 0 ? m : 1;
    element *copy = malloc((size_t)ld * (size_t)n * sizeof *copy + 1);
    int *ipiv = malloc(((size_t)m + (size_t)k + 1) * sizeof *ipiv), *order = ipiv + k;
    int64_t *row_numbers = malloc(((size_t)k + 1) * sizeof *row_numbers);
    bool is_allocated = copy != NULL && ipiv != NULL && row_numbers != NULL;
    if (is_allocated) {
        gather_tile_column(pieces, a, n, copy, ld);
        NAME(lu)(m, n, copy, ld, ipiv);
        permute_rows(m, k, ipiv, order);
        take_rows(k, order, a, n, &rows, rows_in, copy, row_numbers);
        NAME(lacpy)(NULL, 'G', k, n, copy, k > 0 ? k : 1, b, ldb);
        for (int i = 0; i < k; i++)
            rows_out[i] = row_numbers[i];
    }
    free(copy);
    free(ipiv);
    free(row_numbers);
    return is_allocated ? 0 : STARTILE_ERROR_MEMORY;
}

int NAME(order_rows)(startile_exec *x, int64_t row0, const int64_t *rows,
                     startile_pivots_of_panel pivots)
{
    (void)x;
    return startile_order_rows_cpu(row0, rows, pivots);
}
