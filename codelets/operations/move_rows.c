/* Row interchanges of several panels in a block column whose rows belong to several process rows of
 * a grid: one task joins the interchanges to one permutation; then each process row gathers its
 * rows that move, by destination, and scatters those that it receives. */
#include "data/handle.h"
#include "data/pivots.h"
#include "data/zero_init.h"
#include "grid/exchange.h"
#include "grid/grid.h"
#include "grid/owner.h"
#include "operations/insert_rows.h"
#include "request/request.h"
#include "task/operands.h"

#include <stdlib.h>
#include <string.h>

struct joined_moves {
    temporary owned;
    int64_t count; /* number of interchanges */
    bool inverse;
    starpu_data_handle_t handle; /* permutation as a startile_pivots_of_panel */
};

struct join_args {
    struct task_args task;
    int panels;
    int64_t row0; /* first row of the first panel */
};

struct move_rows_args {
    struct task_args task;
    startile_rows rows;
    bool inverse, is_gather;
    struct tile_column a;
    /* messages[r]: rows for (gather) or from (scatter) process row r; buffer[r]: index of their
     * buffer, or 0 if there are none. The array `messages` lies after A's blocks, `buffer` after
     * `messages`. */
    startile_piece *messages;
    int *buffer;
    startile_piece block[];
};

enum { MOVES, PANELS };
static struct operation join_moves = {.name = "join_moves", .color = 0xedc948};
static struct operation gather_rows = {.name = "gather_rows", .color = 0xedc948};
static struct operation scatter_rows = {.name = "scatter_rows", .color = 0xedc948};

static void release_moves(temporary *owned)
{
    joined_moves *moves = (joined_moves *)owned;
    release_handle(moves->handle);
    free(moves);
}

/* Allocates the permutation that joins the interchanges. Returns NULL and fails the request without
 * memory. */
static joined_moves *new_moves(context ctx, const row_moves *m)
{
    enum { COLUMNS = 5 }; /* see startile_pivots_of_panel */
    joined_moves *joined = malloc(sizeof *joined);
    if (joined == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    *joined = (joined_moves){.inverse = m->inverse};
    for (int64_t k = m->first; k < m->last; k++)
        joined->count += starpu_matrix_get_nx(pivots_handle(m->P, k));
    register_temporary(&joined->handle, joined->count, COLUMNS, sizeof(int64_t));
    set_per_process(joined->handle);
    own_temporary(ctx, &joined->owned, release_moves);
    return joined;
}

/* Concatenates the ipiv of the panels, and computes the permutation from them. */
static int run_join(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    (void)K, (void)x;
    const struct join_args *j = (const struct join_args *)task;
    startile_pivots_of_panel all = pivots_buffer(buffers[MOVES]);
    int64_t *next = all.of;
    for (int k = 0; k < j->panels; k++) {
        startile_pivots_of_panel p = pivots_buffer(buffers[PANELS + k]);
        memcpy(next, p.of, (size_t)p.k * sizeof *p.of);
        next += p.k;
    }
    return startile_moves_of_pivots(j->row0, all);
}

/* Returns whether this process owns tiles of A, so that it has received the panels.
 */
static bool has_tiles(const startile_matrix *A)
{
    view V = view_of(A, 'N');
    return own_row(V, 0) < V.mt && own_column(V, 0) < V.nt;
}

joined_moves *insert_join_moves(context ctx, int64_t priority, const row_moves *moves,
                                const startile_matrix *A)
{
    int64_t panels = moves->last - moves->first;
    joined_moves *joined = new_moves(ctx, moves);
    struct starpu_task *t = joined == NULL || !has_tiles(A)
                                ? NULL
                                : task_new(&join_moves, ctx, priority, A->shape.dtype, run_join,
                                           sizeof(struct join_args));
    if (t == NULL || !task_reserve(t, panels + PANELS))
        return joined;
    struct join_args *j = t->cl_arg;
    j->panels = (int)panels;
    j->row0 = pivots_first_row(moves->P, moves->first);
    task_access(t, joined->handle, STARPU_W);
    for (int64_t k = moves->first; k < moves->last; k++)
        task_access(t, pivots_handle(moves->P, k), STARPU_R);
    task_on_cpu(t);
    task_submit(t, (struct work){.m = joined->count, .n = 1});
    return joined;
}

static int run_move_rows(const startile_kernels *K, startile_exec *x, void **buffers,
                         struct task_args *task)
{
    struct move_rows_args *s = (struct move_rows_args *)task;
    int blocks = tile_column_blocks(&s->a, buffers, task->dtype, s->block);
    for (int r = 0; r < s->rows.processes; r++)
        if (s->buffer[r] > 0) {
            struct buffer b = matrix_buffer(buffers[s->buffer[r]]);
            s->messages[r] = (startile_piece){b.p, b.ld, b.m};
        }
    return (s->is_gather ? K->gather_rows : K->scatter_rows)(
        x, blocks, s->block, tile_column_width(&s->a, buffers), s->rows,
        pivots_buffer(buffers[MOVES]), s->inverse, s->messages);
}

/* Submits gather_rows or scatter_rows; messages[r]: rows for or from process row r. */
static void insert(struct operation *op, context ctx, int64_t priority, const joined_moves *moves,
                   column A, const tile *messages)
{
    bool is_gather = op == &gather_rows;
    int64_t tiles = column_tiles(A), rows = process_rows(A.A);
    size_t bytes_with_pieces =
        sizeof(struct move_rows_args) + (size_t)(tiles + rows) * sizeof(startile_piece);
    struct starpu_task *t = task_new(op, ctx, priority, A.A->shape.dtype, run_move_rows,
                                     bytes_with_pieces + (size_t)rows * sizeof(int));
    if (t == NULL || !task_reserve(t, tiles + rows + 1))
        return;
    struct move_rows_args *s = t->cl_arg;
    s->rows = rows_of_column(A);
    s->inverse = moves->inverse;
    s->is_gather = is_gather;
    s->messages = s->block + tiles;
    s->buffer = (int *)((char *)s + bytes_with_pieces);
    task_access(t, moves->handle, STARPU_R);
    for (int64_t r = 0; r < rows; r++)
        if (messages[r].A != NULL) {
            s->buffer[r] = t->nbuffers; /* > 0: the first buffer is the moves */
            task_tile(t, messages[r], is_gather ? STARPU_W : STARPU_R);
        }
    s->a = column_access(t, A, is_gather ? STARPU_R : STARPU_RW);
    task_submit(t, (struct work){.m = moves->count, .n = column_width(A)});
}

void insert_gather_rows(context ctx, int64_t priority, const joined_moves *moves, column A,
                        const tile *to)
{
    insert(&gather_rows, ctx, priority, moves, A, to);
}

void insert_scatter_rows(context ctx, int64_t priority, const joined_moves *moves, column A,
                         const tile *from)
{
    insert(&scatter_rows, ctx, priority, moves, A, from);
    for (int r = 0; r < process_rows(A.A); r++)
        discard_tile(ctx, from[r]);
}
