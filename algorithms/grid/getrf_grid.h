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
    const plan *plan;              /* of the factorization */
    startile_matrix *factors;      /* L11 \ U11 of the panel for the process rows after the first */
    startile_matrix *rows_up;      /* rows of A(r,j) that move to the diagonal block */
    startile_matrix *old_diagonal; /* rows of the diagonal block before the interchanges */
    startile_matrix *new_diagonal; /* these rows after the interchanges, later U(k,j); both use only
                                      the tiles of the panel's first process row */
    int64_t columns;               /* number of block columns after which owners repeat */
    startile_matrix *ready;  /* for insert_ready(): one token for each process in these columns */
    row_pivots **pivots;     /* interchanges of the panel, by process row */
    candidates **candidates; /* of a tournament, by position among the panel's process rows */
};

/* Returns the tile of process row r and block column j in one of the matrices of grid_lu. */
static inline tile tile_of(const startile_matrix *X, int r, int64_t j)
{
    return at(view_of(X, 'N'), r, j);
}

/* Returns the i-th process row of the panel; i = 0 is panel->first. */
static inline int process_row(const struct grid_lu *g, const grid_panel *panel, int i)
{
    return (panel->first + i) % process_rows(g->plan->A);
}

/* Returns A(r,j), where r is the i-th process row of the panel. */
static inline column rows_of_process_row(const struct grid_lu *g, const grid_panel *panel, int i,
                                         int64_t j)
{
    return rows_of_process(rows_from(g->plan->A, j, panel->row), process_row(g, panel, i));
}

/* Returns whether this process is in the i-th process row of the panel. Where the tasks of other
 * process rows need no message from this process, it submits only its own tasks. */
static inline bool is_in_process_row(const struct grid_lu *g, const grid_panel *panel, int i)
{
    int r = process_row(g, panel, i);
    return own_row(view_of(g->rows_up, 'N'), r) == r;
}

/* Returns whether this process is in the process column of the panel. */
static inline bool is_in_panel_column(const struct grid_lu *g, const grid_panel *panel)
{
    return own_column(g->plan->V, panel->k) == panel->k;
}

/* Returns the n rows of new_diagonal(j), which become U(k,j) in update(). */
static inline column new_diagonal_rows(const struct grid_lu *g, const grid_panel *panel, int64_t j)
{
    return rows_of(g->new_diagonal, j, panel->first * first_row(g->new_diagonal, 1), panel->n);
}

/* Submits A(:,j) := P_k A(:,j), but with the new rows of the diagonal block in new_diagonal(j)
 * instead of A. (getrf_grid.c) */
void interchange_block_column(context ctx, int64_t priority, const struct grid_lu *g,
                              const grid_panel *panel, int64_t j);
/* Submits P_k A(:,k) = L U of a panel whose rows belong to several process rows.
 * (getrf_grid_panel.c) */
void factor_shared_panel(context ctx, int64_t priority, const struct grid_lu *g,
                         const grid_panel *panel);

#endif
