/* State of a panel of LDLᵀ or LDLᴴ (sytrf.c), elements of A, groups of rows. */
#ifndef STARTILE_SYTRF_PANEL_H
#define STARTILE_SYTRF_PANEL_H

#include "dtype.h"
#include "team.h"

/* Number of columns of a block, as in LAPACK; rows in a group */
enum { INNER = 64, GROUP = 128 };

/* An element's largest |re| + |im| and its row; row −1: there is none. */
struct largest {
    double value;
    int64_t row;
};

/* A pivot: columns `first` and `last` of D, which are equal for one of order 1. Row `last` is
 * interchanged with row `other`. */
struct pivot {
    bool exists;
    int order;
    int64_t first, last, other;
    int slot, source; /* slot of column `first`, and slot of W that has it until it is complete */
    real scale;       /* power of two, above 1 if 1 / d may overflow */
    element d00, d11, factor0, factor1; /* order 1: –, –, 1 / (scale d), – */
};

/* Rows and columns have their numbers in the whole matrix. A column of the block is in the next
 * slot of L and W. */
struct panel {
    startile_team *team;
    bool is_upper, is_hermitian;
    const startile_piece *tiles;
    int nb;
    int64_t k; /* block column of the panel */
    int64_t n; /* rows of the matrix */
    int64_t *ipiv;
    element *l, *w; /* L and W from row `top` on */
    int ldw;
    int64_t top;
    int slots;              /* complete columns of L and W */
    int64_t j;              /* next column */
    int64_t column;         /* column that a loop reads */
    struct pivot pivot;     /* the newest, whose columns of L are not stored yet */
    struct largest *best;   /* of each group of rows */
    element row[INNER + 1]; /* row `column` of W, conjugated for a Hermitian matrix */
    int64_t info;           /* 1 + the column of the first zero pivot, or 0 */
};

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t greatest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline element transposed(const struct panel *p, element x)
{
    return p->is_hermitian ? (element)conj(x) : x;
}

/* Returns a diagonal element, which is real in a Hermitian matrix. */
static inline element diagonal(const struct panel *p, element x)
{
    return p->is_hermitian ? (element)creal(x) : x;
}

static inline element *in_l(const struct panel *p, int64_t i, int slot)
{
    return p->l + (i - p->top) + (int64_t)slot * p->ldw;
}

static inline element *in_w(const struct panel *p, int64_t i, int slot)
{
    return p->w + (i - p->top) + (int64_t)slot * p->ldw;
}

/* -- elements of A --------------------------------------------------------------------------- */

static inline const startile_piece *tile_of(const struct panel *p, int64_t i, int64_t c)
{
    int64_t row = i / p->nb, column = c / p->nb;
    if (p->is_upper)
        return &p->tiles[column * (column + 1) / 2 + row];
    row -= p->k;
    return &p->tiles[row * (row + 1) / 2 + column - p->k];
}

/* Returns the address of A(i,c), which is in the triangle. */
static inline element *address(const struct panel *p, int64_t i, int64_t c)
{
    const startile_piece *tile = tile_of(p, i, c);
    return (element *)tile->p + i % p->nb + (c % p->nb) * tile->ld;
}

/* Returns whether A(i,c) is in the triangle that is stored. */
static inline bool is_stored(const struct panel *p, int64_t i, int64_t c)
{
    return p->is_upper ? i <= c : i >= c;
}

/* -- groups of rows -------------------------------------------------------------------------- */

/* Rows i … end − 1, which are in one row of tiles */
struct group {
    int64_t i, end;
    int number;
};

/* Rows of the trailing matrix that begins with column j */
struct rows {
    int64_t i, end;
};

static inline struct rows trailing_rows(const struct panel *p, int64_t j)
{
    return p->is_upper ? (struct rows){0, j + 1} : (struct rows){j, p->n};
}

/* Returns the number of the group of `size` rows that row i is in. */
static inline int group_of(const struct panel *p, int64_t i, int size)
{
    int in_tile = (p->nb + size - 1) / size;
    return (int)(i / p->nb) * in_tile + (int)(i % p->nb) / size;
}

static inline int groups_of(const struct panel *p, struct rows r, int size)
{
    return r.i < r.end ? group_of(p, r.end - 1, size) - group_of(p, r.i, size) + 1 : 0;
}

/* Returns the rows of group i of those of r. */
static inline struct group group_at(const struct panel *p, struct rows r, int i, int size)
{
    int in_tile = (p->nb + size - 1) / size, number = group_of(p, r.i, size) + i;
    int64_t tile = (int64_t)(number / in_tile) * p->nb,
            begin = tile + (int64_t)(number % in_tile) * size;
    int64_t end = begin + size < tile + p->nb ? begin + size : tile + p->nb;
    return (struct group){begin > r.i ? begin : r.i, end < r.end ? end : r.end, i};
}

/* Returns whether column p->j is one of the panel's. */
static inline bool is_in_panel(const struct panel *p)
{
    return p->is_upper ? p->j >= p->k * p->nb : p->j < least((p->k + 1) * p->nb, p->n);
}

/* Factors the next block of columns, without updates of the trailing triangle. (columns.c) */
void NAME(sytrf_columns)(struct panel *p);

/* A −= L Wᵀ or L Wᴴ in the trailing triangle. (trailing.c) */
void NAME(sytrf_trailing)(struct panel *p);

#endif
