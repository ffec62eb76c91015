/* Row interchanges of a block column */
#include "operations/insert.h"
#include "task/operands.h"

struct laswp_args {
    struct task_args task;
    int64_t row0;
    struct tile_column b;
    int panels;
    bool inverse;
    startile_pivots_of_panel *panel; /* space for the pivots of each panel, after the blocks */
    startile_piece block[];
};

enum { PIVOTS };
static struct operation laswp = {.name = "laswp", .color = 0xedc948};

static int run_laswp(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct laswp_args *s = (struct laswp_args *)task;
    int blocks = tile_column_blocks(&s->b, buffers, task->dtype, s->block);
    for (int k = 0; k < s->panels; k++)
        s->panel[k] = pivots_buffer(buffers[PIVOTS + k]);
    return K->laswp(x, blocks, s->block, tile_column_width(&s->b, buffers), s->row0, s->panels,
                    s->panel, s->inverse);
}

void insert_laswp(context ctx, int64_t priority, const startile_pivots *P, int64_t first,
                  int64_t last, bool inverse, column B, const tile *after)
{
    int64_t tiles = column_tiles(B), panels = last - first;
    if (panels <= 0 || tiles == 0)
        return;
    size_t bytes_with_blocks = sizeof(struct laswp_args) + (size_t)tiles * sizeof(startile_piece);
    struct starpu_task *t =
        task_new(&laswp, ctx, priority, B.A->shape.dtype, run_laswp,
                 bytes_with_blocks + (size_t)panels * sizeof(startile_pivots_of_panel));
    if (t == NULL || !task_reserve(t, tiles + panels + 1))
        return;
    struct laswp_args *s = t->cl_arg;
    s->row0 = B.row;
    s->panels = (int)panels;
    s->inverse = inverse;
    s->panel = (startile_pivots_of_panel *)((char *)s + bytes_with_blocks);
    for (int64_t k = first; k < last; k++)
        task_access(t, pivots_handle(P, k), STARPU_R);
    s->b = column_access(t, B, STARPU_RW);
    if (after != NULL)
        task_tile(t, *after, STARPU_R);
    int64_t rows = panels * starpu_matrix_get_nx(pivots_handle(P, first));
    task_submit(t, (struct work){.m = B.rows, .n = column_width(B), .k = rows});
}
