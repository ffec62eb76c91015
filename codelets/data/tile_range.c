/* Ranges of tiles in one column of a view, and rows of blocks, which one task updates. */
#include "grid/owner.h"
#include "library/integers.h"
#include "library/runtime.h"
#include "memory/capacity.h"
#include "task/operands.h"

static int64_t tiles_at_a_time(const startile_matrix *A)
{
    return runtime_tiles_at_a_time(A->shape.dtype, max(A->shape.m, A->shape.n));
}

tile_range tiles_from(view V, int64_t i, int64_t j)
{
    /* on a grid other processes may own the next tiles */
    int64_t most = V.A->grid == NULL ? tiles_at_a_time(V.A) : 1;
    return (tile_range){V, i, j, V.mt - i < most ? V.mt - i : most};
}

tile_range own_range(view V, int64_t i, int64_t j, int64_t alone)
{
    tile_range r = tiles_from(V, own_tile_in_column(V, i, j), j);
    if (r.i <= alone && r.count > 1)
        r.count = 1;
    return r;
}

row_blocks last_blocks(const startile_matrix *A, int64_t first, int64_t end, int64_t row,
                       int64_t rows)
{
    int64_t count = min(end - first, blocks_of_a_task(A));
    return (row_blocks){A, end - count, count, row, rows};
}

void tile_range_access(struct starpu_task *t, tile_range s, enum starpu_data_access_mode mode)
{
    for (int64_t i = s.i; i < s.i + s.count; i++)
        task_tile(t, at(s.A, i, s.j), mode);
}

double tile_range_elements(tile_range s)
{
    double elements = 0;
    for (int64_t i = s.i; i < s.i + s.count; i++)
        elements += (double)(tile_rows(at(s.A, i, s.j)) * tile_columns(at(s.A, i, s.j)));
    return elements;
}
