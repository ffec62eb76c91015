/* Row interchanges of several panels in a block column whose rows belong to several process rows of
 * a grid: each process row gathers its rows that move, by destination, and scatters those that it
 * receives. */
#include "runtime/grid/grid.h"

#include <stdlib.h>
#include <string.h>

struct move_rows_args {
    struct task_args task;
    startile_rows rows;
    int64_t row0; /* first row of the first panel */
    int panels, pivots;
    bool inverse, is_gather;
    struct tile_column a;
    /* the rows for or from each process row, after A's blocks, and their buffers; 0: none */
    startile_piece *others;
    int *buffer;
    startile_piece block[];
};

static struct operation gather_rows = {.name = "gather_rows", .color = 0xedc948};
static struct operation scatter_rows = {.name = "scatter_rows", .color = 0xedc948};

/* Joins the interchanges of the panels to one permutation. */
static int join_panels(const struct move_rows_args *s, void **buffers, startile_pivots_of_panel all)
{
    for (int k = 0, at = 0; k < s->panels; k++) {
        startile_pivots_of_panel p = pivots_buffer(buffers[k]);
        memcpy(all.of + at, p.of, (size_t)p.k * sizeof *p.of);
        at += p.k;
    }
    return startile_moves_of_pivots(s->row0, all);
}

static int run_move_rows(const startile_kernels *K, startile_exec *x, void **buffers,
                         struct task_args *task)
{
    (void)x;
    struct move_rows_args *s = (struct move_rows_args *)task;
    enum { COLUMNS = 5 }; /* see startile_pivots_of_panel */
    startile_pivots_of_panel all = {malloc(COLUMNS * (size_t)s->pivots * sizeof(int64_t)),
                                    s->pivots};
    int error = all.of == NULL ? STARTILE_ERROR_MEMORY : join_panels(s, buffers, all);
    int blocks = tile_column_blocks(&s->a, buffers, task->dtype, s->block);
    int n = tile_column_width(&s->a, buffers);
    for (int r = 0; r < s->rows.processes; r++)
        if (s->buffer[r] > 0) {
            struct buffer b = matrix_buffer(buffers[s->buffer[r]]);
            s->others[r] = (startile_piece){b.p, b.ld, b.m};
        }
    if (error == 0)
        error = (s->is_gather ? K->part->gather_rows : K->part->scatter_rows)(
            blocks, s->block, n, s->rows, all, s->inverse, s->others);
    free(all.of);
    return error;
}

static void insert(struct operation *op, context ctx, int64_t priority, const row_moves *moves,
                   column A, const tile *others)
{
    bool is_gather = op == &gather_rows;
    int64_t tiles = column_tiles(A), panels = moves->last - moves->first, rows = process_rows(A.A);
    size_t pieces = sizeof(struct move_rows_args) + (size_t)(tiles + rows) * sizeof(startile_piece);
    struct starpu_task *t = task_new(op, ctx, priority, A.A->shape.dtype, run_move_rows,
                                     pieces + (size_t)rows * sizeof(int));
    if (t == NULL || !task_reserve(t, tiles + panels + rows))
        return;
    struct move_rows_args *s = t->cl_arg;
    s->rows = rows_of_column(A);
    s->row0 = pivots_first_row(moves->P, moves->first);
    s->panels = (int)panels;
    s->inverse = moves->inverse;
    s->is_gather = is_gather;
    s->others = s->block + tiles;
    s->buffer = (int *)((char *)s + pieces);
    for (int64_t k = moves->first; k < moves->last; k++) {
        s->pivots += (int)starpu_matrix_get_nx(pivots_handle(moves->P, k));
        task_access(t, pivots_handle(moves->P, k), STARPU_R);
    }
    for (int64_t r = 0; r < rows; r++)
        if (others[r].A != NULL) {
            s->buffer[r] = t->nbuffers; /* the first buffers are the pivots */
            task_tile(t, others[r], is_gather ? STARPU_W : STARPU_R);
        }
    s->a = column_access(t, A, is_gather ? STARPU_R : STARPU_RW);
    task_on_cpu(t);
    task_submit(t, (struct work){.m = s->pivots, .n = column_width(A)});
}

void insert_gather_rows(context ctx, int64_t priority, const row_moves *moves, column A,
                        const tile *to)
{
    insert(&gather_rows, ctx, priority, moves, A, to);
}

void insert_scatter_rows(context ctx, int64_t priority, const row_moves *moves, column A,
                         const tile *from)
{
    insert(&scatter_rows, ctx, priority, moves, A, from);
}
