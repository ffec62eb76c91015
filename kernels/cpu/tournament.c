/*
 * Tournament pivoting: a match among candidate rows, played by LAPACK xGETRF on a copy of them, and
 * the interchanges that the tournament's winners need.
 */
#include "stack.h"

#include <stdlib.h>

/* Puts the rows of a match in the order of its pivots: order[i] is the row that came to place i. */
static void play_back(int m, int k, const int *ipiv, int *order)
{
    for (int i = 0; i < m; i++)
        order[i] = i;
    for (int j = 0; j < k; j++) {
        int other = ipiv[j] - 1, held = order[j];
        order[j] = order[other];
        order[other] = held;
    }
}

static int64_t name_of_row(const startile_piece *a, const int64_t *const *rows_in, int64_t row0,
                           int64_t i)
{
    for (; i >= a->m; a++, rows_in++, row0 += a[-1].m)
        i -= a->m;
    return *rows_in != NULL ? (*rows_in)[i] : row0 + i;
}

/* Through `copy` and `names`, since the winners may go where candidates are. */
static void take_rows(int k, const int *order, const startile_piece *a, int n, int64_t row0,
                      const int64_t *const *rows_in, element *copy, int64_t *names)
{
    for (int i = 0; i < k; i++) {
        struct row row = stack_row(a, order[i]);
        names[i] = name_of_row(a, rows_in, row0, order[i]);
        for (int j = 0; j < n; j++)
            copy[i + (ptrdiff_t)j * k] = row.p[j * row.step];
    }
}

int NAME(select_rows)(startile_exec *x, int pieces, const startile_piece *a, int n, int64_t row0,
                      const int64_t *const *rows_in, void *b, int ldb, int64_t *rows_out)
{
    (void)x;
    int m = (int)stack_rows(pieces, a), k = m < n ? m : n, ld = m > 0 ? m : 1;
    element *copy = malloc((size_t)ld * (size_t)n * sizeof *copy + 1);
    int *ipiv = malloc(((size_t)m + (size_t)k + 1) * sizeof *ipiv), *order = ipiv + k;
    int64_t *names = malloc(((size_t)k + 1) * sizeof *names);
    bool is_there = copy != NULL && ipiv != NULL && names != NULL;
    if (is_there) {
        stack_gather(pieces, a, n, copy, ld);
        NAME(lu)(m, n, copy, ld, ipiv);
        play_back(m, k, ipiv, order);
        take_rows(k, order, a, n, row0, rows_in, copy, names);
        NAME(lacpy)(NULL, 'G', k, n, copy, k > 0 ? k : 1, b, ldb);
        for (int i = 0; i < k; i++)
            rows_out[i] = names[i];
    }
    free(copy);
    free(ipiv);
    free(names);
    return is_there ? 0 : STARTILE_ERROR_MEMORY;
}

int NAME(order_rows)(startile_exec *x, int64_t row0, const int64_t *rows,
                     startile_pivots_of_panel pivots)
{
    (void)x;
    return startile_pivots_of_rows(row0, rows, pivots);
}
