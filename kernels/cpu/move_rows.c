/*
 * Row interchanges of a block column whose rows belong to several processes. The interchanges of
 * one panel move rows within the diagonal block (the top rows), and between it and the rows below;
 * all other rows stay where they are.
 */
#include "part.h"

#include <stdlib.h>

/* A row to be copied */
struct copy {
    struct row to, from;
};

/* Copies rows of n columns, column by column. */
static void copy_rows(int count, const struct copy *copy, int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < count; i++)
            copy[i].to.p[j * copy[i].to.step] = copy[i].from.p[j * copy[i].from.step];
}

/* Returns the index of matrix row `row` among the k top rows, or −1 if it is not one of them. */
static int64_t top_row(int64_t row, int64_t row0, int k)
{
    return row >= row0 && row < row0 + k ? row - row0 : -1;
}

/* Returns row i of a column-major matrix. */
static struct row row_of(const void *p, int ld, int64_t i)
{
    return (struct row){(element *)p + i, ld};
}

int NAME(pack_rows)(startile_exec *x, int pieces, const startile_piece *a, int n,
                    startile_rows rows, int64_t row0, startile_pivots_of_panel pivots, void *w,
                    int ldw, void *d, int ldd)
{
    (void)x;
    const int64_t *to = pivots.of + pivots.k, *from = to + 2 * (ptrdiff_t)pivots.k;
    int64_t m = tile_column_rows(pieces, a);
    struct copy *copy = malloc((2 * (size_t)pivots.k + 1) * sizeof *copy);
    int count = 0;
    if (copy == NULL)
        return STARTILE_ERROR_MEMORY;
    for (int i = 0; i < 2 * pivots.k; i++) {
        int64_t top = top_row(to[i], row0, pivots.k), own = part_index(&rows, from[i], m);
        if (top >= 0 && own >= 0 && from[i] >= row0 + pivots.k)
            copy[count++] = (struct copy){row_of(w, ldw, top), tile_column_row(a, own)};
    }
    copy_rows(count, copy, n);
    free(copy);
    if (d != NULL) /* the top rows are in the first piece */
        NAME(lacpy)(NULL, 'G', pivots.k, n, a->p, a->ld, d, ldd);
    return 0;
}

int NAME(merge_rows)(startile_exec *x, int n, startile_rows rows, int64_t row0,
                     startile_pivots_of_panel pivots, int first, int count, const void *other,
                     int ldo, void *w, int ldw)
{
    (void)x;
    const int64_t *to = pivots.of + pivots.k, *from = to + 2 * (ptrdiff_t)pivots.k;
    struct copy *copy = malloc((2 * (size_t)pivots.k + 1) * sizeof *copy);
    int copies = 0;
    if (copy == NULL)
        return STARTILE_ERROR_MEMORY;
    for (int i = 0; i < 2 * pivots.k; i++) {
        int64_t top = top_row(to[i], row0, pivots.k);
        if (top < 0 || from[i] < row0 + pivots.k)
            continue;
        int64_t owner = from[i] / rows.mb % rows.processes;
        if ((owner - first % rows.processes + rows.processes) % rows.processes < count)
            copy[copies++] = (struct copy){row_of(w, ldw, top), row_of(other, ldo, top)};
    }
    copy_rows(copies, copy, n);
    free(copy);
    return 0;
}

int NAME(place_rows)(startile_exec *x, int pieces, const startile_piece *a, int n,
                     startile_rows rows, int64_t row0, startile_pivots_of_panel pivots,
                     const void *d, int ldd, const void *w, int ldw, void *u, int ldu)
{
    (void)x;
    const int64_t *to = pivots.of + pivots.k, *from = to + 2 * (ptrdiff_t)pivots.k;
    int64_t m = tile_column_rows(pieces, a);
    struct copy *copy = malloc((2 * (size_t)pivots.k + 1) * sizeof *copy);
    int count = 0;
    if (copy == NULL)
        return STARTILE_ERROR_MEMORY;
    for (int i = 0; i < 2 * pivots.k; i++) {
        int64_t top = top_row(to[i], row0, pivots.k), top_from = top_row(from[i], row0, pivots.k);
        int64_t own = top < 0 && top_from >= 0 ? part_index(&rows, to[i], m) : -1;
        if (top >= 0 && u != NULL)
            copy[count++] =
                (struct copy){row_of(u, ldu, top),
                              top_from >= 0 ? row_of(d, ldd, top_from) : row_of(w, ldw, top)};
        else if (own >= 0)
            copy[count++] = (struct copy){tile_column_row(a, own), row_of(d, ldd, top_from)};
    }
    if (u != NULL)
        NAME(lacpy)(NULL, 'G', pivots.k, n, d, ldd, u, ldu);
    copy_rows(count, copy, n);
    free(copy);
    return 0;
}

/* is_gather ≠ 0: copies rows of this process to message[r], to be sent to process row r. is_gather
 * = 0: copies the rows in message[r], received from process row r, to rows of this process. The
 * rows in message[r] are in the order of the moves, which is the same on both processes. */
static int move_rows(int pieces, const startile_piece *a, int n, startile_rows rows,
                     startile_pivots_of_panel pivots, int inverse, int is_gather,
                     const startile_piece *message)
{
    const int64_t *forward_to = pivots.of + pivots.k,
                  *forward_from = forward_to + 2 * (ptrdiff_t)pivots.k;
    const int64_t *to = inverse ? forward_from : forward_to,
                  *from = inverse ? forward_to : forward_from;
    const int64_t *own_row = is_gather ? from : to, *partner_row = is_gather ? to : from;
    int64_t m = tile_column_rows(pieces, a), used_rows[rows.processes];
    struct copy *copy = malloc((2 * (size_t)pivots.k + 1) * sizeof *copy);
    int count = 0;
    if (copy == NULL)
        return STARTILE_ERROR_MEMORY;
    for (int r = 0; r < rows.processes; r++)
        used_rows[r] = 0;
    for (int i = 0; i < 2 * pivots.k; i++) {
        int64_t place = to[i] < 0 ? -1 : part_index(&rows, own_row[i], m);
        if (place < 0)
            continue;
        int64_t r = partner_row[i] / rows.mb % rows.processes;
        struct row mine = tile_column_row(a, place),
                   sent = row_of(message[r].p, message[r].ld, used_rows[r]++);
        copy[count++] = is_gather ? (struct copy){sent, mine} : (struct copy){mine, sent};
    }
    copy_rows(count, copy, n);
    free(copy);
    return 0;
}

int NAME(gather_rows)(startile_exec *x, int pieces, const startile_piece *a, int n,
                      startile_rows rows, startile_pivots_of_panel pivots, int inverse,
                      const startile_piece *to)
{
    (void)x;
    return move_rows(pieces, a, n, rows, pivots, inverse, 1, to);
}

int NAME(scatter_rows)(startile_exec *x, int pieces, const startile_piece *a, int n,
                       startile_rows rows, startile_pivots_of_panel pivots, int inverse,
                       const startile_piece *from)
{
    (void)x;
    return move_rows(pieces, a, n, rows, pivots, inverse, 0, from);
}
