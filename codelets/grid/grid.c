/* Two-dimensional block-cyclic distribution of tiles over a grid of processes, as in ScaLAPACK with
 * blocks of `group` tiles side by side, and symmetric block-cyclic distribution (symmetric.h). */
#include "grid/grid.h"

#include "data/tiles.h"
#include "grid/owner.h"
#include "grid/symmetric.h"
#include "library/integers.h"
#include "library/library.h"

static startile_grid *noted_grids;
static pthread_mutex_t noted_mutex = PTHREAD_MUTEX_INITIALIZER;

int grid_least(const startile_grid *g, int64_t *element, int count)
{
    if (library_unusable_after_fork())
        return STARTILE_ERROR_STARPU;
    return g == NULL ? 0 : g->network->least(g, element, count);
}

/* Returns the link of the list that points to g, or the last link. */
static startile_grid **link_to(const startile_grid *g)
{
    startile_grid **link = &noted_grids;
    while (*link != NULL && *link != g)
        link = &(*link)->next;
    return link;
}

void note_grid(startile_grid *g)
{
    pthread_mutex_lock(&noted_mutex);
    startile_grid **link = link_to(g);
    if (*link == NULL &&
        g != g->root) /* a root lives as long as StarPU-MPI, so it is not in the list */
        *link = g;
    pthread_mutex_unlock(&noted_mutex);
}

static void forget_grid(const startile_grid *g)
{
    pthread_mutex_lock(&noted_mutex);
    startile_grid **link = link_to(g);
    if (*link != NULL)
        *link = g->next;
    pthread_mutex_unlock(&noted_mutex);
}

startile_grid *only_grid(void)
{
    pthread_mutex_lock(&noted_mutex);
    startile_grid *only = noted_grids;
    for (startile_grid *g = only; g != NULL; g = g->next)
        if (!have_same_processes(g, noted_grids))
            only = NULL;
    pthread_mutex_unlock(&noted_mutex);
    return only;
}

bool have_same_processes(const startile_grid *a, const startile_grid *b)
{
    return a == b || (a != NULL && b != NULL && a->root == b->root);
}

int64_t grid_extent(int64_t n, int64_t nb, int at, int processes)
{
    if (at >= processes)
        return 0;
    int64_t blocks = n / nb, extent = blocks / processes * nb;
    int64_t remainder = blocks % processes;
    return at < remainder ? extent + nb : at == remainder ? extent + n % nb : extent;
}

int64_t next_congruent(int64_t i, int at, int processes)
{
    int64_t ahead = (at - i % processes) % processes;
    return i + (ahead < 0 ? ahead + processes : ahead);
}

int64_t elements_of_process(const startile_shape *s, const startile_grid *g)
{
    if (g == NULL)
        return s->m * s->n;
    if (g->order > 0)
        return (s->m * s->n + g->processes - 1) / g->processes;
    return grid_extent(s->m, s->mb, g->row, g->p) *
           grid_extent(s->n, g->group * s->nb, g->col, g->q);
}

/* Returns the first column from j on in which a process of process column g->col owns tiles. */
static int64_t next_in_groups(const startile_grid *g, int64_t j)
{
    int64_t group = j / g->group, next = next_congruent(group, g->col, g->q);
    return next == group ? j : next * g->group;
}

/* Returns the first row (`by_rows`) or column from i on in which this process owns tiles, or `end`.
 */
static int64_t own_index(const startile_grid *g, int64_t i, bool by_rows, int64_t end)
{
    if (g == NULL)
        return i;
    if (g->row >= g->p)
        return end;
    int64_t next = by_rows ? next_congruent(i, g->row, g->p) : next_in_groups(g, i);
    if (g->order > 0) {
        int64_t other = next_congruent(i, by_rows ? g->col : g->row, g->order);
        next = other < next ? other : next;
    }
    return next < end ? next : end;
}

int64_t own_row(view V, int64_t i)
{
    return own_index(V.A->grid, i, V.op == 'N', V.mt);
}

int64_t own_column(view V, int64_t j)
{
    return own_index(V.A->grid, j, V.op != 'N', V.nt);
}

static bool is_symmetric(const startile_grid *g)
{
    return g != NULL && g->order > 0;
}

int64_t own_tile_in_column(view V, int64_t i, int64_t j)
{
    if (own_column(V, j) != j)
        return V.mt;
    i = own_row(V, i);
    if (is_symmetric(V.A->grid))
        while (i < V.mt && !is_own_tile(at(V, i, j)))
            i = own_row(V, i + 1);
    return i;
}

int64_t own_tile_in_row(view V, int64_t i, int64_t j)
{
    if (own_row(V, i) != i)
        return V.nt;
    j = own_column(V, j);
    if (is_symmetric(V.A->grid))
        while (j < V.nt && !is_own_tile(at(V, i, j)))
            j = own_column(V, j + 1);
    return j;
}

bool is_on_symmetric_grid(const startile_matrix *A)
{
    return is_symmetric(A->grid);
}

int process_count(const startile_matrix *A)
{
    const startile_grid *g = A->grid;
    return g == NULL ? 1 : g->order > 0 ? g->processes : g->p * g->q;
}

int receivers_of_panel_tile(const startile_matrix *A)
{
    const startile_grid *g = A->grid;
    if (!is_symmetric(g))
        return g == NULL ? 0 : g->p + g->q - 2;
    return symmetric_receivers(g->order, g->processes);
}

int process_rows(const startile_matrix *A)
{
    return A->grid != NULL ? A->grid->p : 1;
}

int64_t column_period(const startile_matrix *A)
{
    const startile_grid *g = A->grid;
    return g != NULL ? max(g->q, min((int64_t)g->q * g->group, A->shape.nt)) : 1;
}

int process_row_of(const startile_matrix *A, int64_t row)
{
    return (int)(row / A->shape.mb % process_rows(A));
}

int tile_rank(tile t)
{
    const startile_grid *g = t.A->grid;
    if (g == NULL)
        return 0;
    return g->order > 0 ? symmetric_rank(g, t.i, t.j)
                        : grid_rank(g, (int)(t.i % g->p), grid_column(g, t.j));
}

bool is_own_tile(tile t)
{
    return t.A->grid == NULL || tile_rank(t) == t.A->grid->rank;
}

tile local_index(tile t)
{
    const startile_grid *g = t.A->grid;
    if (is_symmetric(g))
        return symmetric_index(t);
    t.i /= g->p;
    t.j = t.j / ((int64_t)g->q * g->group) * g->group + t.j % g->group;
    return t;
}

bool has_handle(tile t)
{
    return t.A->tiles[t.i + t.j * t.A->shape.mt] != NULL;
}

startile_grid *startile_grid_root(startile_grid *grid)
{
    return grid == NULL ? NULL : grid->root;
}

bool may_copy(const startile_matrix *A, const startile_matrix *B)
{
    return A->shape.dtype == B->shape.dtype && have_same_processes(A->grid, B->grid);
}

int startile_matrix_owner(const startile_matrix *A, int64_t i, int64_t j)
{
    bool exists = A != NULL && i >= 0 && j >= 0 && i < A->shape.mt && j < A->shape.nt;
    return exists ? tile_rank((tile){A, i, j, 'N'}) : -1;
}

startile_grid *startile_matrix_grid(const startile_matrix *A)
{
    return A == NULL ? NULL : A->grid;
}

int64_t startile_grid_destroy(startile_grid *grid)
{
    if (grid == NULL)
        return 0;
    if (grid->users > 0)
        return -1;
    if (library_unusable_after_fork())
        return STARTILE_ERROR_STARPU;
    forget_grid(grid);
    grid->network->free(grid);
    return 0;
}
