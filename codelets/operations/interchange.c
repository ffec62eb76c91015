/* Row interchanges of a block column whose rows belong to several process rows of a grid. */
#include "runtime/grid/grid.h"

struct interchange_args {
    struct task_args task;
    startile_rows rows;
    int64_t row0;
    struct tile_column a;
    int first_w, first, count; /* buffer of the first W; first process row of the panel; number of
                                  its process rows */
    bool has_d, is_top;        /* is_top: A begins with the panel's top rows */
    startile_piece *w;         /* W of each process row, behind A's blocks in block[] */
    startile_piece block[];
};

enum { PIVOTS, D, U };
static struct operation pack = {.name = "pack", .color = 0xedc948};
static struct operation place = {.name = "place", .color = 0xedc948};

static int run_pack(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct interchange_args *s = (struct interchange_args *)task;
    struct buffer w = matrix_buffer(buffers[s->first_w]), d = {NULL, 1, 0, 0};
    if (s->has_d)
        d = matrix_buffer(buffers[D]);
    int blocks = tile_column_blocks(&s->a, buffers, task->dtype, s->block);
    return K->pack_rows(x, blocks, s->block, tile_column_width(&s->a, buffers), s->rows, s->row0,
                        pivots_buffer(buffers[PIVOTS]), w.p, w.ld, d.p, d.ld);
}

static int run_place(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct interchange_args *s = (struct interchange_args *)task;
    struct buffer d = matrix_buffer(buffers[D]);
    int blocks = tile_column_blocks(&s->a, buffers, task->dtype, s->block);
    struct buffer u =
        s->is_top ? (struct buffer){s->block->p, s->block->ld, 0, 0} : matrix_buffer(buffers[U]);
    for (int i = 0; i < s->count; i++) {
        struct buffer w = matrix_buffer(buffers[s->first_w + i]);
        s->w[(s->first + i) % s->rows.processes] = (startile_piece){w.p, w.ld, w.m};
    }
    return K->place_rows(x, blocks, s->block, tile_column_width(&s->a, buffers), s->rows, s->row0,
                         pivots_buffer(buffers[PIVOTS]), s->w, d.p, d.ld, u.p, u.ld);
}

static struct starpu_task *new_task(struct operation *op, context ctx, int64_t priority,
                                    task_function run, const grid_panel *p, const row_pivots *P,
                                    column A)
{
    int64_t tiles = column_tiles(A);
    size_t blocks = (size_t)tiles + (size_t)process_rows(A.A);
    struct starpu_task *t =
        P == NULL ? NULL
                  : task_new(op, ctx, priority, A.A->shape.dtype, run,
                             sizeof(struct interchange_args) + blocks * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + p->count + 3))
        return NULL;
    struct interchange_args *s = t->cl_arg;
    s->rows = rows_of_column(A);
    s->row0 = p->row;
    s->is_top = A.row == p->row;
    s->w = s->block + tiles;
    task_access(t, P->handle, STARPU_R);
    return t;
}

void insert_pack(context ctx, int64_t priority, const grid_panel *p, const row_pivots *P, column A,
                 tile W, tile top)
{
    struct starpu_task *t = new_task(&pack, ctx, priority, run_pack, p, P, A);
    if (t == NULL)
        return;
    struct interchange_args *s = t->cl_arg;
    s->has_d = top.A != NULL;
    if (s->has_d)
        task_tile(t, top, STARPU_W);
    s->first_w = t->nbuffers;
    task_tile(t, W, STARPU_W);
    s->a = column_access(t, A, STARPU_R);
    task_submit(t, (struct work){.m = p->n, .n = column_width(A), .variant = s->has_d});
}

void insert_place(context ctx, int64_t priority, const grid_panel *p, const row_pivots *P, column A,
                  const startile_matrix *W, tile top, tile target)
{
    struct starpu_task *t = new_task(&place, ctx, priority, run_place, p, P, A);
    if (t == NULL)
        return;
    struct interchange_args *s = t->cl_arg;
    s->first = p->first;
    s->count = p->count;
    task_tile(t, top, STARPU_R);
    if (!s->is_top)
        task_tile(t, target, STARPU_W);
    s->first_w = t->nbuffers;
    for (int i = 0; i < s->count; i++)
        task_tile(t, (tile){W, (p->first + i) % process_rows(A.A), A.j, 'N'}, STARPU_R);
    s->a = column_access(t, A, STARPU_RW);
    task_submit(t, (struct work){.m = p->n, .n = column_width(A), .variant = !s->is_top});
}
