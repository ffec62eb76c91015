/* Conversion of row interchanges to a permutation, and back. Compiled once, not per type. */
#include "kernels.h"
#include "startile_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Stores the rows that a panel's interchanges affect in row[]: first the panel's top k rows, from
 * row0 on, then the others in ascending order, each once. Returns their number. */
static int collect_rows(int64_t row0, startile_pivots_of_panel p, int64_t *row)
{
    int count = p.k, distinct = p.k;
    for (int j = 0; j < p.k; j++)
        row[j] = row0 + j;
    for (int j = 0; j < p.k; j++)
        if (p.of[j] - 1 >= row0 + p.k)
            row[count++] = p.of[j] - 1;
    qsort(row + p.k, (size_t)(count - p.k), sizeof *row, compare);
    for (int i = p.k; i < count; i++)
        if (distinct == p.k || row[i] != row[distinct - 1])
            row[distinct++] = row[i];
    return distinct;
}

/* Returns the index of row r in the array that collect_rows() filled. */
static int index_of(int64_t r, int64_t row0, int k, const int64_t *row, int count)
{
    if (r < row0 + k)
        return (int)(r - row0);
    const int64_t *found = bsearch(&r, row + k, (size_t)(count - k), sizeof r, compare);
    return (int)(found - row);
}

int startile_moves_of_pivots(int64_t row0, startile_pivots_of_panel p)
{
    int64_t *to = p.of + p.k, *from = to + 2 * (ptrdiff_t)p.k;
    int64_t *row = malloc((4 * (size_t)p.k + 1) * sizeof *row), *current = row + 2 * (ptrdiff_t)p.k;
    if (row == NULL)
        return STARTILE_ERROR_MEMORY;
    int count = collect_rows(row0, p, row);
    for (int i = 0; i < count; i++)
        current[i] = row[i];
    for (int j = 0; j < p.k; j++) {
        int partner = index_of(p.of[j] - 1, row0, p.k, row, count);
        int64_t held = current[j];
        current[j] = current[partner];
        current[partner] = held;
    }
    for (int i = 0; i < 2 * p.k; i++) {
        bool moves = i < count && current[i] != row[i];
        to[i] = moves ? row[i] : -1;
        from[i] = moves ? current[i] : -1;
    }
    free(row);
    return 0;
}

/* Only the panel's top k rows are displaced. The function counts rows from row0. After each
 * interchange, at[j] is the row that is at position j < k, and place[t] is the position of top row
 * t. */
int startile_order_rows_cpu(int64_t row0, const int64_t *rows, startile_pivots_of_panel p)
{
    int64_t *at = malloc((2 * (size_t)p.k + 1) * sizeof *at), *place = at + p.k;
    if (at == NULL)
        return STARTILE_ERROR_MEMORY;
    for (int j = 0; j < p.k; j++)
        at[j] = place[j] = j;
    for (int j = 0; j < p.k; j++) {
        int64_t r = rows[j] < row0 ? j : rows[j] - row0;
        int64_t from = r < p.k ? place[r] : r, displaced = at[j];
        p.of[j] = row0 + from + 1;
        place[displaced] = from;
        if (from < p.k)
            at[from] = displaced;
    }
    free(at);
    return startile_moves_of_pivots(row0, p);
}
