/* Row interchanges of a block column whose rows belong to several process rows of a grid. */
#include "data/row_pivots.h"
#include "grid/grid.h"
#include "grid/owner.h"
#include "operations/insert_rows.h"
#include "task/operands.h"

struct interchange_args {
    struct task_args task;
    startile_rows rows;
    int64_t row0;
    struct tile_column a;
    bool is_first; /* a begins with the panel's top rows: it belongs to the first process row */
    startile_piece block[];
};

struct merge_args {
    struct task_args task;
    startile_rows rows;
    int64_t row0;
    int first, count; /* first process row whose rows are merged; number of these process rows */
};

enum { PIVOTS, W, D, U, OTHER = D };
static struct operation pack = {.name = "pack", .color = 0xedc948};
static struct operation merge = {.name = "merge", .color = 0xedc948};
static struct operation place = {.name = "place", .color = 0xedc948};

static int run_pack(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct interchange_args *s = (struct interchange_args *)task;
    struct buffer w = matrix_buffer(buffers[W]), d = {NULL, 1, 0, 0};
    if (s->is_first)
        d = matrix_buffer(buffers[D]);
    int blocks = tile_column_blocks(&s->a, buffers, task->dtype, s->block);
    return K->pack_rows(x, blocks, s->block, tile_column_width(&s->a, buffers), s->rows, s->row0,
                        pivots_buffer(buffers[PIVOTS]), w.p, w.ld, d.p, d.ld);
}

static int run_merge(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct merge_args *s = (struct merge_args *)task;
    struct buffer w = matrix_buffer(buffers[W]), other_w = matrix_buffer(buffers[OTHER]);
    return K->merge_rows(x, w.n, s->rows, s->row0, pivots_buffer(buffers[PIVOTS]), s->first,
                         s->count, other_w.p, other_w.ld, w.p, w.ld);
}

/* In the tasks of process rows without top rows, D is the buffer with index W. */
static int run_place(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct interchange_args *s = (struct interchange_args *)task;
    struct buffer d = matrix_buffer(buffers[s->is_first ? D : W]), w = {NULL, 1, 0, 0}, u = w;
    if (s->is_first) {
        w = matrix_buffer(buffers[W]);
        u = matrix_buffer(buffers[U]);
    }
    int blocks = tile_column_blocks(&s->a, buffers, task->dtype, s->block);
    return K->place_rows(x, blocks, s->block, tile_column_width(&s->a, buffers), s->rows, s->row0,
                         pivots_buffer(buffers[PIVOTS]), d.p, d.ld, w.p, w.ld, u.p, u.ld);
}

/* Returns a task of insert_pack() or insert_place() with the access to P; NULL if P is NULL or
 * without memory. */
static struct starpu_task *new_task(struct operation *op, context ctx, int64_t priority,
                                    task_function run, const grid_panel *p, const row_pivots *P,
                                    column A)
{
    int64_t tiles = column_tiles(A);
    struct starpu_task *t =
        P == NULL
            ? NULL
            : task_new(op, ctx, priority, A.A->shape.dtype, run,
                       sizeof(struct interchange_args) + (size_t)tiles * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + U + 1))
        return NULL;
    struct interchange_args *s = t->cl_arg;
    s->rows = rows_of_column(A);
    s->row0 = p->row;
    s->is_first = A.row == p->row;
    task_access(t, P->handle, STARPU_R);
    return t;
}

void insert_pack(context ctx, int64_t priority, const grid_panel *p, const row_pivots *P, column A,
                 tile w, tile d)
{
    struct starpu_task *t = new_task(&pack, ctx, priority, run_pack, p, P, A);
    if (t == NULL)
        return;
    struct interchange_args *s = t->cl_arg;
    task_tile(t, w, STARPU_W);
    if (s->is_first)
        task_tile(t, d, STARPU_W);
    s->a = column_access(t, A, STARPU_R);
    task_submit(t, (struct work){.m = p->n, .n = column_width(A), .variant = s->is_first});
}

void insert_merge(context ctx, int64_t priority, const grid_panel *p, const row_pivots *P,
                  int first, int count, tile other_w, tile w)
{
    struct starpu_task *t = P == NULL ? NULL
                                      : task_new(&merge, ctx, priority, w.A->shape.dtype, run_merge,
                                                 sizeof(struct merge_args));
    if (t == NULL)
        return;
    struct merge_args *s = t->cl_arg;
    s->rows = (startile_rows){.mb = (int)p->mb, .processes = process_rows(w.A)};
    s->row0 = p->row;
    s->first = p->first + first;
    s->count = count;
    task_access(t, P->handle, STARPU_R);
    task_tile(t, w, STARPU_RW);
    task_tile(t, other_w, STARPU_R);
    task_submit(t, (struct work){.m = p->n, .n = tile_columns(w)});
}

void insert_place(context ctx, int64_t priority, const grid_panel *p, const row_pivots *P, column A,
                  tile d, tile w, tile u)
{
    struct starpu_task *t = new_task(&place, ctx, priority, run_place, p, P, A);
    if (t == NULL)
        return;
    struct interchange_args *s = t->cl_arg;
    if (s->is_first)
        task_tile(t, w, STARPU_R);
    task_tile(t, d, STARPU_R);
    if (s->is_first)
        task_tile(t, u, STARPU_W);
    s->a = column_access(t, A, STARPU_RW);
    task_submit(t, (struct work){.m = p->n, .n = column_width(A), .variant = s->is_first});
}
