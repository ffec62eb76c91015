/* Stacks of pieces on the CPU: where a row lies, and copies from and to plain storage. */
#ifndef STARTILE_STACK_H
#define STARTILE_STACK_H

#include "dtype.h"
#include "startile.h"

static inline int64_t stack_rows(int pieces, const startile_piece *a)
{
    int64_t m = 0;
    for (int q = 0; q < pieces; q++)
        m += a[q].m;
    return m;
}

/* One row of a stack: its element of column 0, and the step to the next column. */
struct row {
    element *p;
    ptrdiff_t step;
};

static inline struct row stack_row(const startile_piece *a, int64_t i)
{
    while (i >= a->m)
        i -= a++->m;
    return (struct row){(element *)a->p + i, a->ld};
}

/* Rows from row i on in its piece. */
static inline int64_t stack_rows_left(const startile_piece *a, int64_t i)
{
    while (i >= a->m)
        i -= a++->m;
    return a->m - i;
}

/* B := A, with the pieces' rows one below the other */
static inline void stack_gather(int pieces, const startile_piece *a, int n, element *b, int ldb)
{
    for (int q = 0; q < pieces; b += a[q++].m)
        NAME(lacpy)(NULL, 'G', a[q].m, n, a[q].p, a[q].ld, b, ldb);
}

/* A := B */
static inline void stack_scatter(int pieces, const startile_piece *a, int n, const element *b,
                                 int ldb)
{
    for (int q = 0; q < pieces; b += a[q++].m)
        NAME(lacpy)(NULL, 'G', a[q].m, n, b, ldb, a[q].p, a[q].ld);
}

#endif
