/* QR factorization with column pivoting by random sketches, of all columns or until a limit. */
#ifndef STARTILE_GEQP3_RANDOM_H
#define STARTILE_GEQP3_RANDOM_H

#include "operations/insert_pivoted.h"
#include "plan.h"

/* Criterion of truncation */
typedef struct {
    truncation *state;
    magnitude *largest; /* element of A */
} truncation_criterion;

/* Submits the factorization. criterion NULL: of all columns. Returns false if the request has
 * failed. (geqp3_random.c) */
bool factor_by_sketches(context ctx, const plan *p, const truncation_criterion *criterion);
/* Checks arguments 1 … 3. A may be on a grid with one process row. Returns 0 or −i.
 * (geqp3_random.c) */
int check_sketches(const startile_matrix *A, const startile_permutation *P,
                   const startile_reflectors *T);
/* Column interchanges on a grid with one process row (grid/column_interchanges.c).
 * send_old_panel() sends A(:,k) to the owners of the block columns right of it; nothing without a
 * grid. interchange_columns_on_grid() then submits A := A P_k^T for the interchanges P_k of panel k
 * of P. All processes have A(:,k) and P_k. */
void send_old_panel(context ctx, int64_t priority, const startile_matrix *A, int64_t k);
void interchange_columns_on_grid(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                                 startile_matrix *A);

/* Returns ctx for tasks of step k that do nothing if the factorization has stopped before it.
 * criterion may be NULL. (geqp3_rank.c) */
context unless_stopped(context ctx, const truncation_criterion *criterion, int64_t k);
/* Submits the decision whether the factorization stops after step k, and T_k := 0 if it has stopped
 * before that step. The tasks on panel k + 1 of `pivots` wait for the decision. (geqp3_rank.c) */
void stop_after(context step, const plan *p, const truncation_criterion *criterion,
                const startile_pivots *pivots, int64_t k);

#endif
