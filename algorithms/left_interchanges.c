/* LU: the interchanges of later panels on the rows of L. */
#include "algorithms.h"
#include "grid/owner.h"

/* Largest number of panels whose interchanges one task applies to a block column of L. No other
 * task waits for these tasks. */
enum { PANELS_AT_A_TIME = 8 };

/* For each block column j < k, collects the interchanges of panels j + 1 … k on the rows of L(:,j).
 * Every PANELS_AT_A_TIME panels, and at the last panel, submits a task that applies them. */
void interchange_left(const step *s)
{
    const plan *p = s->p;
    int64_t k = s->k;
    for_task_columns(j, p->A, 0, k) {
        /* number of panels before k whose interchanges still wait for a task, and the first of
         * these panels, or k */
        int64_t collected = (k - j - 1) % PANELS_AT_A_TIME, first = k - collected;
        /* With several tile rows these tasks finish the tiles above the next panel, which then
         * return to main memory; so they come before the updates by the next panels. */
        int64_t priority = p->V.mt > 1 ? p->V.nt - k : 0;
        if (collected == PANELS_AT_A_TIME - 1 || k == p->panels - 1)
            /* A(first:,j) := P_k … P_first A(first:,j) */
            insert_laswp(s->update, priority, p->P, first, k + 1, false,
                         rows_from(p->A, j, first_row(p->A, first)), NULL);
    }
}

void interchange_columns(context ctx, const plan *p, int64_t first, int64_t last)
{
    for (int64_t j = first; j < last; j++)
        /* L(j+1:,j) := P_{panels-1} … P_{j+1} L(j+1:,j) */
        insert_laswp(ctx, 0, p->P, j + 1, p->panels, false,
                     rows_from(p->A, j, first_row(p->A, j + 1)), NULL);
}
