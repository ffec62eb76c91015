/* Priorities of Cholesky's tasks, and which tiles have tasks of their own. */
#include "algorithms.h"
#include "grid/owner.h"
#include "library/library.h"

/* In a left-looking update these tiles have tasks of their own only with the option reproducible
 * (5 % slower on a simulated H200, n = 32768, 2150 MiB): on GPUs, a kernel for several tiles rounds
 * differently from one for a single tile. */
int64_t next_diagonal(const step *s)
{
    return s->has_panel || runtime_is_reproducible() ? s->k + 1 : NO_INDEX;
}

/* Returns the priority of the tasks that the next panel waits for. */
static int64_t priority_before_next_panel(const step *s)
{
    return s->has_panel ? critical(s->urgency - 1) : s->urgency;
}

/* L(k+1,k) goes first, because all updates of block column k + 1 read it; the others go in order,
 * the oldest panel first. */
int64_t priority_of_send(const step *s, int64_t i)
{
    return i == s->k + 1 ? critical(s->urgency) : -(s->k * s->p->V.nt + i);
}

static bool has_several_processes(view A)
{
    return process_count(A.A) > 1;
}

/* Returns the distance from the urgency 2 (nt - k) that gives all tasks on A(i,n) one priority,
 * higher for tiles further left and, in a column, further up. A worker then applies all updates to
 * A(i,n) before it turns to another tile, so that the tile stays in the core's cache: 5 % faster on
 * two cores for n = 3072 and 4096 (perf_models/NOTES.md, "CPU cores"). In more than 512 tile rows
 * neighbors share a priority, so that all are below CRITICAL. */
static int64_t distance_by_tiles(view A, int64_t k, int64_t i, int64_t n)
{
    int64_t most = CRITICAL / 2 / A.nt, steps = A.nt < most ? A.nt : most;
    return 2 * (A.nt - k) - ((A.nt - n) * steps + (A.nt - i) * steps / A.nt);
}

/* On a grid other processes wait for all tiles of the panel. */
int64_t priority_of_solve(const step *s, int64_t i)
{
    view A = s->p->V;
    if (i == next_diagonal(s))
        return priority_before_next_panel(s);
    if (has_several_processes(A))
        return s->urgency;
    return s->urgency - (runtime_has_cuda() ? i - s->k : distance_by_tiles(A, s->k, i, s->k));
}

/* Returns the number of block columns right of a panel that are updated before all others on a
 * grid: the number of panels of which a process can hold copies. begin_step() limits the copies to
 * a quarter of the process' part of A and one block column, (nt / 4 + P) nt / P tiles for P
 * processes; of a panel a process receives nt / P tiles on average for each receiver of a tile.
 * (perf_models/NOTES.md, "Several GPUs and processes") */
static int64_t columns_ahead(view A)
{
    return (A.nt / 4 + process_count(A.A)) / receivers_of_panel_tile(A.A);
}

/* On a grid the next block columns are updated in order, and the others in the order of the panels:
 * copies of the oldest panel are then freed first, so that the next panel can be received. */
int64_t priority_of_update(const step *s, int64_t i, int64_t n)
{
    view A = s->p->V;
    int64_t k = s->k;
    if (i == next_diagonal(s)) /* then n == i */
        return priority_before_next_panel(s);
    if (!has_several_processes(A))
        return priority_at(s, runtime_has_cuda() ? n - k + i - k : distance_by_tiles(A, k, i, n));
    int64_t ahead = columns_ahead(A);
    /* urgency falls by 2 from a panel to the next */
    return priority_at(s, n - k <= ahead ? 2 * (n - k) : 2 * ahead + 1);
}
