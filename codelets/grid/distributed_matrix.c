/* Matrices whose tiles belong to the processes of a grid. */
#include "data/handle.h"
#include "data/matrix.h"
#include "data/pointer.h"
#include "grid/grid.h"
#include "grid/owner.h"
#include "library/integers.h"
#include "library/library.h"
#include "library/runtime.h"

#include <limits.h>
#include <stdlib.h>

static void register_tile(tile t, int home_node, char *address, int64_t lld)
{
    const startile_matrix *A = t.A;
    starpu_data_handle_t *handle = slot(A, t.i, t.j);
    register_matrix(handle, home_node, (uintptr_t)address, lld, height_of(A, t.i), width_of(A, t.j),
                    (size_t)startile_element_size[A->shape.dtype]);
    starpu_data_set_coordinates(*handle, 2, (int)t.i, (int)t.j);
    A->grid->network->register_data(A->grid, *handle, A->first_tag + t.i + t.j * A->shape.mt,
                                    tile_rank(t));
}

void register_distributed_tile(tile t)
{
    register_tile(t, -1, NULL, height_of(t.A, t.i));
}

static void reserve_tags(startile_matrix *A)
{
    A->first_tag = A->grid->network->reserve_tags(A->grid, A->shape.mt * A->shape.nt);
}

/* Registers the tiles of this process, which lie in column-major local storage `a`; with `a` NULL
 * they have no home node. Other tiles are registered when a task needs them. */
static void register_own_tiles(startile_matrix *A, char *a, int64_t lld)
{
    const startile_shape *s = &A->shape;
    size_t size = (size_t)startile_element_size[s->dtype];
    reserve_tags(A);
    view V = view_of(A, 'N');
    for_own_columns(j, V, 0, s->nt)
        for_own_tiles_in_column(i, V, j, 0, s->mt) {
            tile t = {A, i, j, 'N'}, local = local_index(t);
            int64_t first = local.i * s->mb + local.j * s->nb * lld;
            register_tile(t, a != NULL ? STARPU_MAIN_RAM : -1,
                          a != NULL ? a + (size_t)first * size : NULL,
                          a != NULL ? lld : height_of(A, i));
        }
}

int agree_on_matrix(const startile_grid *g, int status, const startile_shape *s, uint64_t hash)
{
    const int64_t key[] = {s->dtype, s->m, s->n, s->mb, s->nb, (int64_t)runtime_where()};
    int64_t least[] = {status, INT64_MAX};
    int failed = grid_agree(g, hash_of(key, sizeof key, hash), least);
    return least[0] != 0 ? (int)least[0] : failed;
}

int create_distributed(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n, int64_t mb,
                       int64_t nb, startile_grid *grid)
{
    int status = new_matrix(A, MATRIX_OWNED, dtype, m, n, mb, nb, grid);
    if (status == 0)
        register_own_tiles(*A, NULL, 0);
    return status;
}

int create_distributed_temporary(startile_matrix **A, startile_shape s, startile_grid *grid)
{
    int status = new_matrix(A, MATRIX_OWNED, s.dtype, s.m, s.n, s.mb, s.nb, grid);
    if (status == 0)
        reserve_tags(*A);
    return status;
}

/* Allocates the tiles of this process as one column-major array of zeros: its tiles of a block
 * column are then one operand of a BLAS call. Does nothing
 * - with GPUs, on which each tile is an operand of its own;
 * - on a grid with one process row, where one tile can hold a block column;
 * - on a symmetric grid, where the tiles of a process form no array.
 * Returns 0 or STARTILE_ERROR_MEMORY.
 *
 * A product C -= A B with 4096 rows of A, nb 256, d, one core (Emerald Rapids, virtual): 62 GFlop/s
 * with tiles that are allocated one by one, 73 with one array. */
static int allocate_local(startile_matrix *A, int64_t *lld)
{
#ifndef STARTILE_SIMULATION
    const startile_shape *s = &A->shape;
    const startile_grid *g = A->grid;
    if (g->p == 1 || g->order > 0 || runtime_has_cuda())
        return 0;
    *lld = max(1, grid_extent(s->m, s->mb, g->row, g->p));
    int64_t columns = max(1, grid_extent(s->n, g->group * s->nb, g->col, g->q));
    A->local = calloc((size_t)*lld * (size_t)columns, (size_t)startile_element_size[s->dtype]);
    return A->local != NULL ? 0 : STARTILE_ERROR_MEMORY;
#else
    (void)A;
    (void)lld;
    return 0; /* a simulation has no elements */
#endif
}

/* Creates a matrix on all processes or on none. `status`: 0 or −i by this process' check of its
 * arguments */
static int create_on_all(startile_matrix **A, enum matrix_kind kind, startile_shape s, void *local,
                         int64_t lld, startile_grid *grid, int status)
{
    startile_matrix *made = NULL;
    int failed = agree_on_matrix(grid, status, &s, 0);
    if (failed != 0)
        return failed;
    status = new_matrix(&made, kind, s.dtype, s.m, s.n, s.mb, s.nb, grid);
    if (status == 0 && kind == MATRIX_OWNED)
        status = allocate_local(made, &lld);
    failed = agree_on_matrix(grid, status, &s, 0);
    if (failed != 0)
        return made != NULL ? discard_matrix(made, failed) : failed;
    register_own_tiles(made, made->local != NULL ? made->local : local, lld);
    note_grid(grid);
    *A = made;
    return 0;
}

int64_t startile_matrix_create_distributed(startile_matrix **A, startile_dtype dtype, int64_t m,
                                           int64_t n, int64_t mb, int64_t nb, startile_grid *grid)
{
    /* a process with the wrong argument grid = NULL takes part in the agreement, too */
    startile_grid *agreeing_grid = grid != NULL ? grid : only_grid();
    if (agreeing_grid == NULL)
        return -7;
    int status = grid == NULL ? -7 : A == NULL ? -1 : check_shape(dtype, m, n, mb, nb, 5);
    return create_on_all(A, MATRIX_OWNED,
                         (startile_shape){.dtype = dtype, .m = m, .n = n, .mb = mb, .nb = nb}, NULL,
                         0, agreeing_grid, status);
}

int64_t startile_matrix_wrap_local(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                                   void *local, int64_t lld, int64_t mb, int64_t nb,
                                   startile_grid *grid)
{
    /* a process with the wrong argument grid = NULL takes part in the agreement, too */
    startile_grid *agreeing_grid = grid != NULL ? grid : only_grid();
    if (agreeing_grid == NULL)
        return -9;
    bool has_no_array = grid == NULL || grid->order > 0;
    int status = has_no_array ? -9 : A == NULL ? -1 : check_shape(dtype, m, n, mb, nb, 7);
    int64_t rows = status == 0 ? grid_extent(m, mb, grid->row, grid->p) : 0;
    int64_t columns = status == 0 ? grid_extent(n, grid->group * nb, grid->col, grid->q) : 0;
    if (status == 0 && ((local == NULL && rows > 0 && columns > 0) || is_gpu_memory(local)))
        status = -5;
    if (status == 0 && (lld < max(1, rows) || lld > INT_MAX))
        status = -6;
    return create_on_all(A, MATRIX_WRAPPED,
                         (startile_shape){.dtype = dtype, .m = m, .n = n, .mb = mb, .nb = nb},
                         local, lld, agreeing_grid, status);
}
