/* Column interchanges of a row of tiles */
#include "library/integers.h"
#include "library/runtime.h"
#include "memory/capacity.h"
#include "memory/tile_copies.h"
#include "operations/insert.h"
#include "operations/insert_pivoted.h"
#include "task/operands.h"

/* Every step-th block from the panel, which is block 0, or from a later one on */
struct group {
    int64_t first, step, count;
};

struct lapmt_args {
    struct task_args task;
    int64_t column0;
    int nb, blocks;
    bool inverse;
    int arrived, panel; /* index + 1 of their buffers, or 0 */
    struct group group;
    int tiles;              /* first buffer of the group's tiles */
    startile_piece block[]; /* of all blocks */
};

enum { PIVOTS };
static struct operation lapmt = {.name = "lapmt", .color = 0xedc948};
static struct operation exchange = {.name = "exchange_columns", .color = 0xedc948};

/* Returns the block in a buffer; `buffer` is its index + 1, or 0 for none. */
static startile_piece block_in_buffer(void **buffers, int buffer)
{
    if (buffer == 0)
        return (startile_piece){NULL, 0, 0};
    struct buffer b = matrix_buffer(buffers[buffer - 1]);
    return (startile_piece){b.p, b.ld, b.m};
}

/* Sets the blocks of the task's group, and p of the others to NULL. */
static void set_blocks(struct lapmt_args *s, void **buffers)
{
    for (int b = 0; b < s->blocks; b++)
        s->block[b] = (startile_piece){NULL, 0, 0};
    for (int q = 0; q < (int)s->group.count; q++)
        s->block[s->group.first + q * s->group.step] = block_in_buffer(buffers, s->tiles + q + 1);
}

static int run_lapmt(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct lapmt_args *s = (struct lapmt_args *)task;
    set_blocks(s, buffers);
    return K->lapmt(x, s->blocks, s->block, block_in_buffer(buffers, s->arrived), s->nb, s->column0,
                    pivots_buffer(buffers[PIVOTS]), s->inverse);
}

static int run_exchange(const startile_kernels *K, startile_exec *x, void **buffers,
                        struct task_args *task)
{
    struct lapmt_args *s = (struct lapmt_args *)task;
    set_blocks(s, buffers);
    return K->exchange_columns(x, s->blocks, s->block, block_in_buffer(buffers, s->panel),
                               block_in_buffer(buffers, s->arrived), s->nb, s->column0,
                               pivots_buffer(buffers[PIVOTS]));
}

/* Interchanges of panel k of P, in tile row i of A */
struct interchange {
    const startile_pivots *P;
    int64_t k;
    bool inverse;
    const startile_matrix *A;
    int64_t i;
    tile arrived; /* columns that arrive from other groups; A NULL: none */
};

/* Submits the task `op` of the interchanges on a group of blocks. */
static void insert_group(struct operation *op, task_function run, context ctx, int64_t priority,
                         const struct interchange *c, struct group g,
                         enum starpu_data_access_mode arrived_mode)
{
    const startile_shape *shape = &c->A->shape;
    int64_t blocks = shape->nt - c->k;
    struct starpu_task *t =
        task_new(op, ctx, priority, shape->dtype, run,
                 sizeof(struct lapmt_args) + (size_t)blocks * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, g.count + 3))
        return;
    struct lapmt_args *s = t->cl_arg;
    *s = (struct lapmt_args){.task = s->task,
                             .column0 = c->k * shape->nb,
                             .nb = (int)shape->nb,
                             .blocks = (int)blocks,
                             .inverse = c->inverse,
                             .group = g};
    task_access(t, pivots_handle(c->P, c->k), STARPU_R);
    /* task_access(): the owner of the group's tiles runs the task */
    if (c->arrived.A != NULL) {
        task_access(t, tile_handle(c->arrived), arrived_mode);
        s->arrived = t->nbuffers;
    }
    if (g.first > 0) {
        task_access(t, tile_handle((tile){c->A, c->i, c->k, 'N'}), STARPU_R);
        s->panel = t->nbuffers;
    }
    s->tiles = t->nbuffers;
    for (int64_t q = 0; q < g.count; q++)
        task_tile(t, (tile){c->A, c->i, c->k + g.first + q * g.step, 'N'}, STARPU_RW);
    task_submit(t, (struct work){.m = tile_rows((tile){c->A, c->i, c->k, 'N'}),
                                 .n = min(g.count * shape->nb, shape->n - s->column0),
                                 .k = shape->nb});
}

void insert_lapmt(context ctx, int64_t priority, const startile_pivots *P, int64_t k, bool inverse,
                  startile_matrix *A, int64_t i)
{
    const struct interchange all = {.P = P, .k = k, .inverse = inverse, .A = A, .i = i};
    insert_group(&lapmt, run_lapmt, ctx, priority, &all, (struct group){0, 1, A->shape.nt - k}, 0);
}

/*
 * Where A is in one memory, one task interchanges all its columns. Otherwise a group is the block
 * columns of one GPU, or one block column if A exceeds the memory, and the groups exchange columns
 * with the panel through a block column `arrived`. That is enough, because the columns of a group
 * move to the panel, and columns of the panel to the group: step i of LU with partial pivoting
 * interchanges column i of the panel with one at or right of it. By induction the panel's columns
 * from i on are columns of the panel before step i, so only such columns leave the panel, and the
 * column that takes the place of column i stays there.
 */
void insert_lapmt_in_groups(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                            startile_matrix *A)
{
    const startile_shape *a = &A->shape;
    struct interchange c = {.P = P, .k = k, .A = A};
    int64_t fitting = columns_at_a_time(A, 0, a->m, true);
    bool fits = fitting >= a->nt;
    int64_t step = max(1, runtime_owners());
    int64_t most = fits ? columns_of_task(A) : 1;
    int64_t blocks = a->nt - k, with_panel = min(most, ceil_div(blocks, step));
    bool is_first = true;
    if (with_panel < blocks) {
        c.arrived = (tile){temporary_matrix(ctx, A, a->m, a->nb, a->m, a->nb), 0, 0, 'N'};
        if (c.arrived.A == NULL)
            return;
    }
    /* the panel's owner is the last one: it has the columns that have arrived */
    for (int64_t owner = step; owner > 0; owner--)
        for (int64_t b = owner < step ? owner : step * with_panel; b < blocks; b += step * most) {
            /* arrived := the group's columns that move to the panel, group := the panel's columns
             * that move there */
            insert_group(&exchange, run_exchange, ctx, priority, &c,
                         (struct group){b, step, min(most, ceil_div(blocks - b, step))},
                         is_first ? STARPU_W : STARPU_RW);
            is_first = false;
            if (k + b < a->nt - fitting)
                hint_idle((tile){A, 0, k + b, 'N'});
        }
    /* panel and its group := their columns after the interchanges, and those in `arrived` */
    insert_group(&lapmt, run_lapmt, ctx, priority, &c, (struct group){0, step, with_panel},
                 STARPU_R);
}

/* Returns the number of block columns of a process that one task interchanges. */
static int64_t own_blocks_of_task(const startile_matrix *A)
{
    return runtime_owners() > 1 ? 1 : columns_of_task(A);
}

/* Returns the number of block columns k, k + step, … that the panel's task interchanges. */
static int64_t blocks_with_panel(const startile_matrix *A, int64_t k, int64_t step)
{
    return min(own_blocks_of_task(A), ceil_div(A->shape.nt - k, step));
}

void insert_exchange_columns(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                             startile_matrix *A, int64_t j, int64_t step, tile arrived)
{
    const struct interchange c = {.P = P, .k = k, .A = A, .arrived = arrived};
    int64_t blocks = A->shape.nt - k, most = own_blocks_of_task(A);
    int64_t first = j > k ? j - k : step * blocks_with_panel(A, k, step);
    for (int64_t b = first; b < blocks; b += step * most)
        insert_group(&exchange, run_exchange, ctx, priority, &c,
                     (struct group){b, step, min(most, ceil_div(blocks - b, step))}, STARPU_RW);
}

void insert_lapmt_with_arrived(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                               startile_matrix *A, int64_t step, tile arrived)
{
    const struct interchange c = {.P = P, .k = k, .A = A, .arrived = arrived};
    insert_group(&lapmt, run_lapmt, ctx, priority, &c,
                 (struct group){0, step, blocks_with_panel(A, k, step)}, STARPU_R);
}
