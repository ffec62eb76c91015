/* LU on a grid with several process rows: the data of a step, which getrf_grid.c and its panel
 * factorization getrf_grid_panel.c share. The drawing in getrf_grid.c has the names. */
#ifndef STARTILE_GETRF_GRID_H
#define STARTILE_GETRF_GRID_H

#include "algorithms.h"
#include "data/row_pivots.h"
#include "grid/owner.h"

/* The temporaries of a step. The matrices have one tile for each process row and block column, on
 * the process that owns these parts of A. */
struct grid_lu {
    const plan *f;
    startile_matrix *factors;      /* L11 \ U11 of the panel for the process rows after the first */
    startile_matrix *rows_up;      /* rows of A(r,j) that move to the diagonal block */
    startile_matrix *old_diagonal; /* rows of the diagonal block before the interchanges, … */
    startile_matrix *new_diagonal; /* … and after them, then U(k,j): tiles in process row first */
    int64_t columns;               /* number of process columns that have panels */
    startile_matrix *ready;  /* for insert_ready(): one token for each process in these columns */
    row_pivots **pivots;     /* interchanges of the panel, by process row */
    candidates **candidates; /* of a tournament, by position among the panel's process rows */
};

/* Returns the tile of process row r and block column j in one of the matrices of grid_lu. */
static inline tile tile_of(const startile_matrix *X, int r, int64_t j)
{
    return at(view_of(X, 'N'), r, j);
}

/* Returns the i-th process row of the panel, counted from 0 at p->first. */
static inline int process_row(const struct grid_lu *g, const grid_panel *p, int i)
{
    return (p->first + i) % process_rows(g->f->A);
}

/* Returns A(r,j) for the i-th process row r of the panel. */
static inline column part(const struct grid_lu *g, const grid_panel *p, int i, int64_t j)
{
    return rows_of_process(below(g->f->A, j, p->row), process_row(g, p, i));
}

/* Returns whether this process is in the i-th process row of the panel. Where the tasks of other
 * process rows need no message from this process, it submits only its own tasks. */
static inline bool is_own(const struct grid_lu *g, const grid_panel *p, int i)
{
    int r = process_row(g, p, i);
    return own_row(view_of(g->rows_up, 'N'), r) == r;
}

/* Returns whether this process is in the process column of the panel. */
static inline bool is_in_panel_column(const struct grid_lu *g, const grid_panel *p)
{
    return own_column(g->f->V, p->k) == p->k;
}

/* Returns the rows U(k,j), in the panel's first process row. */
static inline column rows_of_u(const struct grid_lu *g, const grid_panel *p, int64_t j)
{
    return rows_of(g->new_diagonal, j, p->first * first_row(g->new_diagonal, 1), p->n);
}

/* Applies panel k's interchanges to block column j, except that the diagonal block's new rows are
 * in new_diagonal(j). (getrf_grid.c) */
void interchange_part(context ctx, int64_t priority, const struct grid_lu *g, const grid_panel *p,
                      int64_t j);
/* Submits P_k A(:,k) = L U of a panel whose rows belong to several process rows.
 * (getrf_grid_panel.c) */
void factor_shared_panel(context ctx, int64_t priority, const struct grid_lu *g,
                         const grid_panel *p);

#endif
