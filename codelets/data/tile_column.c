/* Block columns: finds their tiles among a task's buffers and joins adjacent tiles to the blocks
 * that kernels receive. */
#include "grid/grid.h"
#include "grid/owner.h"
#include "library/library.h"
#include "task/operands.h"

_Static_assert(MOST_TILES <= (int)STARTILE_MOST_PIECES, "as kernels have it");

int64_t column_tiles(column c)
{
    int64_t mb = c.A->shape.mb;
    return c.rows <= 0 ? 0 : (c.row % mb + c.rows - 1) / mb + 1;
}

column rows_of_process(column c, int r)
{
    const startile_grid *g = c.A->grid;
    int64_t mb = c.A->shape.mb, first = c.row / mb, processes = g != NULL ? g->p : 1;
    int64_t own_tile_row = next_congruent(first, r, (int)processes);
    c.rows = grid_extent(c.row + c.rows, mb, r, (int)processes) -
             grid_extent(c.row, mb, r, (int)processes);
    c.row = own_tile_row == first ? c.row : own_tile_row * mb;
    c.tile_step = processes;
    return c;
}

column own_rows(column c)
{
    const startile_grid *g = c.A->grid;
    if (g == NULL)
        return c;
    if (own_column(view_of(c.A, 'N'), c.j) == c.j)
        return rows_of_process(c, g->row);
    c.rows = 0;
    return c;
}

startile_rows rows_of_column(column c)
{
    int64_t mb = c.A->shape.mb;
    return (startile_rows){c.row / mb * mb, (int)(c.row % mb), (int)mb, (int)c.tile_step};
}

column rows_within(column c, int64_t first, int64_t rows)
{
    int64_t mb = c.A->shape.mb, below_tile_top = c.row % mb + first;
    /* adds the rows of the tiles that c skips before that row */
    c.row += first + below_tile_top / mb * (c.tile_step - 1) * mb;
    c.rows = rows;
    return c;
}

int64_t column_width(column c)
{
    return tile_columns((tile){c.A, 0, c.j, 'N'});
}

struct tile_column column_access(struct starpu_task *t, column c, enum starpu_data_access_mode mode)
{
    int64_t first = c.row / c.A->shape.mb, tiles = column_tiles(c);
    struct tile_column s = {t->nbuffers, (int)tiles, (int)(c.row - first * c.A->shape.mb), c.rows};
    for (int64_t i = 0; i < tiles; i++)
        task_tile(t, (tile){c.A, first + i * c.tile_step, c.j, 'N'}, mode);
    return s;
}

/* Returns whether a block at p with this ld continues block a below its last row. With the option
 * reproducible no blocks are joined, because kernels of other shapes may give other bits, and tiles
 * that were copied to a device or come from a disk are never adjacent. */
static bool is_adjacent(const startile_piece *a, const void *p, int ld, size_t size)
{
    return !runtime_is_reproducible() && a->ld == ld &&
           (const char *)a->p + (size_t)a->m * size == p;
}

int tile_column_blocks(const struct tile_column *s, void **buffers, startile_dtype dtype,
                       startile_piece *blocks)
{
    size_t size = (size_t)startile_element_size[dtype];
    int64_t remaining = s->rows;
    int count = 0, skip = s->skip;
    for (int i = 0; i < s->tiles; i++, skip = 0) {
        struct buffer b = matrix_buffer(buffers[s->buffer + i]);
        char *p = (char *)b.p + (size_t)skip * size;
        int m = b.m - skip < remaining ? b.m - skip : (int)remaining;
        remaining -= m;
        if (count > 0 && is_adjacent(&blocks[count - 1], p, b.ld, size))
            blocks[count - 1].m += m;
        else
            blocks[count++] = (startile_piece){p, b.ld, m};
    }
    return count;
}

startile_piece tile_column_from(const startile_piece *blocks, int64_t row, startile_dtype dtype)
{
    while (row >= blocks->m)
        row -= blocks++->m;
    return (startile_piece){(char *)blocks->p + (size_t)row * (size_t)startile_element_size[dtype],
                            blocks->ld, blocks->m - (int)row};
}

int tile_column_width(const struct tile_column *s, void **buffers)
{
    return matrix_buffer(buffers[s->buffer]).n;
}
