/* Matrices on a grid from handles that the caller registered with StarPU-MPI. */
#include "data/handle.h"
#include "data/matrix.h"
#include "grid/grid.h"
#include "grid/owner.h"
#include "library/error_text.h"
#include "library/integers.h"

/* Returns 0 if the handle can be the tile, else −7. StarPU-MPI must know the handle, with a tag and
 * with the tile's owner on the grid. A tile of this process must also have a value, because it may
 * be sent. */
static int check_registered(starpu_data_handle_t handle, tile t)
{
    const startile_grid *g = t.A->grid;
    long long i = (long long)t.i, j = (long long)t.j;
    int status = check_tile(handle, t.A, t.i, t.j);
    if (status != 0)
        return status;
    int owner = g->network->owner(g, handle);
    if (owner != tile_rank(t) || g->network->tag(g, handle) < 0)
        return explain(-7, WRONG_TILE "is registered with owner %d, not %d, or without a tag", i, j,
                       owner, tile_rank(t));
    if (is_own_tile(t) && !handle_has_value(handle))
        return explain(-7, WRONG_TILE "has no value", i, j);
    return 0;
}

/* Stores the handles and returns 0, or −7 for a wrong one. *tags := a hash of their tags. */
static int store_handles(startile_matrix *A, const starpu_data_handle_t *tiles, int64_t ldt,
                         uint64_t *tags)
{
    int status = 0;
    for (int64_t j = 0; j < A->shape.nt; j++)
        for (int64_t i = 0; i < A->shape.mt; i++) {
            starpu_data_handle_t handle = *slot(A, i, j) = tiles[i + j * ldt];
            if (handle != NULL && status == 0)
                status = check_registered(handle, (tile){A, i, j, 'N'});
            int64_t tag = handle == NULL ? -1 : A->grid->network->tag(A->grid, handle);
            *tags = hash_of(&tag, sizeof tag, *tags);
        }
    return status;
}

int64_t startile_matrix_from_mpi_handles(startile_matrix **A, startile_dtype dtype, int64_t m,
                                         int64_t n, int64_t mb, int64_t nb,
                                         const starpu_data_handle_t *tiles, int64_t ldt,
                                         startile_grid *grid)
{
    /* a process with the wrong argument grid = NULL takes part in the agreement, too */
    startile_grid *agreeing_grid = grid != NULL ? grid : only_grid();
    if (agreeing_grid == NULL)
        return -9;
    startile_matrix *made = NULL;
    startile_shape s = {.dtype = dtype, .m = m, .n = n, .mb = mb, .nb = nb};
    int status = grid == NULL ? -9 : A == NULL ? -1 : check_shape(dtype, m, n, mb, nb, 5);
    if (status == 0 && tiles == NULL && m > 0 && n > 0)
        status = explain(-7, "matrix from handles: argument 7 is NULL");
    if (status == 0 && ldt < max(1, ceil_div(m, mb)))
        status = -8;
    int failed = agree_on_matrix(agreeing_grid, status, &s, 0);
    if (failed != 0)
        return failed;
    uint64_t tags = 0;
    status = new_matrix(&made, MATRIX_CALLERS, dtype, m, n, mb, nb, grid);
    if (status == 0)
        status = store_handles(made, tiles, ldt, &tags);
    failed = agree_on_matrix(grid, status, &s, tags);
    if (failed != 0)
        return made != NULL ? discard_matrix(made, failed) : failed;
    made->first_tag = grid->network->reserve_tags(grid, 1); /* the tag only identifies the matrix */
    note_grid(grid);
    *A = made;
    return 0;
}
