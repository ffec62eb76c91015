/* Tournament pivoting: a leaf selects n candidate rows, a match selects n rows from two sets of
 * candidates. The winners of the last match are the pivot rows, from which the interchanges
 * follow. */
#include "data/handle.h"
#include "data/pivots.h"
#include "data/row_pivots.h"
#include "library/library.h"
#include "operations/insert_rows.h"
#include "request/request.h"
#include "task/operands.h"

#include <stdlib.h>

struct candidates {
    temporary owned;
    startile_dtype dtype;
    startile_grid *grid; /* grid of the matrix, or NULL */
    int64_t n;
    starpu_data_handle_t rows;        /* elements of the n rows, n × n */
    starpu_data_handle_t row_numbers; /* indices of the n rows in the matrix */
};

struct select_args {
    struct task_args task;
    int n;
    int64_t row0; /* of the pivots, if the task orders the rows */
    startile_rows rows;
    struct tile_column a;
    startile_piece block[];
};

struct match_rows_args {
    struct task_args task;
    int64_t first; /* index of b's first row in the matrix */
    struct tile_column b;
};

struct order_args {
    struct task_args task;
    int64_t row0;
};

/* Buffers of match, of select and of order. */
enum { ROWS, ROW_NUMBERS, LOSERS_ROWS, LOSERS_ROW_NUMBERS };
enum { LEAF_ROWS, LEAF_ROW_NUMBERS, LEAF_PIVOTS };
enum { PIVOTS, WINNERS }; /* pivots first: the process that owns the first buffer runs the task */

static struct operation select_op = {.name = "tntpiv_select", .color = 0xe15759};
static struct operation match = {.name = "tntpiv_match", .color = 0xff9da7};
static struct operation order = {.name = "tntpiv_order", .color = 0xedc948};

/* Returns 8 n rows, so that the matches of 2 n × n cost less than the leaves. With GPUs returns at
 * least CUDA_ROWS, because there leaves run one after the other, and four times the rows take 2.4
 * times as long (H100, d, panels of 512 columns: 0.79 ms for 8192 rows, 1.90 ms for 32768). */
int64_t leaf_rows(int64_t n)
{
    enum { CPU_HEIGHT = 8, CUDA_ROWS = 32768 };
    return runtime_has_cuda() && CPU_HEIGHT * n < CUDA_ROWS ? CUDA_ROWS : CPU_HEIGHT * n;
}

static void release_candidates(temporary *owned)
{
    candidates *c = (candidates *)owned;
    release_handle(c->rows);
    release_handle(c->row_numbers);
    free(c);
}

/* Allocates candidates. Traces show their data at the first tile of A. */
static candidates *new_candidates(context ctx, column A, int64_t n)
{
    startile_dtype dtype = A.A->shape.dtype;
    int row = (int)(A.row / A.A->shape.mb), j = (int)A.j;
    candidates *c = malloc(sizeof *c);
    if (c == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    *c = (candidates){.dtype = dtype, .grid = A.A->grid, .n = n};
    /* The data are registered with zeros, because a task may read them after the task that should
     * write them was refused. */
    register_temporary(&c->rows, n, n, (size_t)startile_element_size[dtype]);
    register_temporary(&c->row_numbers, n, 1, sizeof(int64_t));
    starpu_data_set_coordinates(c->rows, 2, row, j);
    starpu_data_set_coordinates(c->row_numbers, 2, row, j);
    own_temporary(ctx, &c->owned, release_candidates);
    return c;
}

static int run_select(const startile_kernels *K, startile_exec *x, void **buffers,
                      struct task_args *task)
{
    struct select_args *s = (struct select_args *)task;
    struct buffer b = matrix_buffer(buffers[LEAF_ROWS]),
                  row_numbers = matrix_buffer(buffers[LEAF_ROW_NUMBERS]);
    int blocks = tile_column_blocks(&s->a, buffers, task->dtype, s->block);
    const int64_t *row_numbers_of[blocks];
    for (int q = 0; q < blocks; q++)
        row_numbers_of[q] = NULL; /* the row numbers follow from s->rows */
    return K->select_rows(x, blocks, s->block, s->n, s->rows, row_numbers_of, b.p, b.ld,
                          row_numbers.p);
}

static int run_select_and_order(const startile_kernels *K, startile_exec *x, void **buffers,
                                struct task_args *task)
{
    struct select_args *s = (struct select_args *)task;
    int error = run_select(K, x, buffers, task);
    return error != 0 ? error
                      : K->order_rows(x, s->row0, matrix_buffer(buffers[LEAF_ROW_NUMBERS]).p,
                                      pivots_buffer(buffers[LEAF_PIVOTS]));
}

/* Submits the selection of n rows, and of their order in `pivots` unless it is NULL. */
static candidates *select_rows(context ctx, int64_t priority, column A, int64_t n,
                               starpu_data_handle_t pivots, int64_t row0)
{
    startile_dtype dtype = A.A->shape.dtype;
    int64_t tiles = column_tiles(A);
    candidates *c = new_candidates(ctx, A, n);
    struct starpu_task *t =
        c == NULL ? NULL
                  : task_new(&select_op, ctx, priority, dtype,
                             pivots != NULL ? run_select_and_order : run_select,
                             sizeof(struct select_args) + (size_t)tiles * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + 3))
        return c;
    struct select_args *s = t->cl_arg;
    s->n = (int)n;
    s->row0 = row0;
    s->rows = rows_of_column(A);
    task_access(t, c->rows, STARPU_W);
    /* STARPU_RW on a grid: if this process skips the task because its request was cancelled, other
     * processes that do not know that yet receive zeros, not memory that was never written */
    task_access(t, c->row_numbers, c->grid != NULL ? STARPU_RW : STARPU_W);
    if (pivots != NULL)
        task_access(t, pivots, STARPU_RW);
    s->a = column_access(t, A, STARPU_R);
    task_submit(
        t, (struct work){.m = A.rows,
                         .n = n,
                         .flops = flops_of(dtype, panel_multiply_adds((double)A.rows, (double)n))});
    return c;
}

candidates *insert_select(context ctx, int64_t priority, column A, int64_t n)
{
    return select_rows(ctx, priority, A, n, NULL, 0);
}

void insert_select_and_order(context ctx, int64_t priority, column A, int64_t n, startile_pivots *P,
                             int64_t k)
{
    select_rows(ctx, priority, A, n, pivots_handle(P, k), pivots_first_row(P, k));
}

static int run_match(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    (void)task;
    struct buffer a = matrix_buffer(buffers[ROWS]), b = matrix_buffer(buffers[LOSERS_ROWS]);
    int64_t *row_numbers = matrix_buffer(buffers[ROW_NUMBERS]).p;
    const startile_piece both[2] = {{a.p, a.ld, a.m}, {b.p, b.ld, b.m}};
    const int64_t *row_numbers_of[2] = {row_numbers, matrix_buffer(buffers[LOSERS_ROW_NUMBERS]).p};
    const startile_rows no_rows = {0, 0, 1, 1}; /* not used: both pieces have row numbers */
    return K->select_rows(x, 2, both, a.n, no_rows, row_numbers_of, a.p, a.ld, row_numbers);
}

void insert_match(context ctx, int64_t priority, candidates *winners, candidates *losers)
{
    struct starpu_task *t =
        winners == NULL || losers == NULL
            ? NULL
            : task_new(&match, ctx, priority, winners->dtype, run_match, sizeof(struct task_args));
    if (t == NULL)
        return;
    double n = (double)winners->n;
    task_at_first_owner(t, winners->grid);
    task_access(t, winners->rows, STARPU_RW);
    task_access(t, winners->row_numbers, STARPU_RW);
    task_access(t, losers->rows, STARPU_R);
    task_access(t, losers->row_numbers, STARPU_R);
    task_submit(t, (struct work){.m = 2 * winners->n,
                                 .n = winners->n,
                                 .flops = flops_of(winners->dtype, panel_multiply_adds(2 * n, n))});
}

static int run_match_rows(const startile_kernels *K, startile_exec *x, void **buffers,
                          struct task_args *task)
{
    struct match_rows_args *m = (struct match_rows_args *)task;
    struct buffer a = matrix_buffer(buffers[ROWS]);
    int64_t *row_numbers = matrix_buffer(buffers[ROW_NUMBERS]).p;
    startile_piece both[2] = {{a.p, a.ld, a.m}};
    const int64_t *row_numbers_of[2] = {row_numbers, NULL};
    tile_column_blocks(&m->b, buffers, task->dtype, &both[1]);
    /* b has consecutive rows. Kernels count them from the top of the winners: b's first row is row
     * a.m there. */
    const startile_rows rows = {m->first - a.m, 0, 1, 1};
    return K->select_rows(x, 2, both, a.n, rows, row_numbers_of, a.p, a.ld, row_numbers);
}

void insert_match_rows(context ctx, int64_t priority, candidates *winners, column B)
{
    struct starpu_task *t = winners == NULL
                                ? NULL
                                : task_new(&match, ctx, priority, winners->dtype, run_match_rows,
                                           sizeof(struct match_rows_args));
    if (t == NULL)
        return;
    struct match_rows_args *m = t->cl_arg;
    double n = (double)winners->n, rows = n + (double)B.rows;
    m->first = B.row;
    task_access(t, winners->rows, STARPU_RW);
    task_access(t, winners->row_numbers, STARPU_RW);
    m->b = column_access(t, B, STARPU_R);
    task_at_first_owner(t, winners->grid); /* the owner of the winners, not of B, runs the task */
    task_submit(t, (struct work){.m = winners->n + B.rows,
                                 .n = winners->n,
                                 .flops = flops_of(winners->dtype, panel_multiply_adds(rows, n))});
}

static int run_order(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct order_args *o = (struct order_args *)task;
    return K->order_rows(x, o->row0, matrix_buffer(buffers[WINNERS]).p,
                         pivots_buffer(buffers[PIVOTS]));
}

/* Submits pivots := the interchanges that move the winners to row row0 and those below it. */
static void order_rows(context ctx, int64_t priority, candidates *winners, int64_t row0,
                       starpu_data_handle_t pivots)
{
    struct starpu_task *t = winners == NULL ? NULL
                                            : task_new(&order, ctx, priority, winners->dtype,
                                                       run_order, sizeof(struct order_args));
    if (t == NULL)
        return;
    struct order_args *o = t->cl_arg;
    o->row0 = row0;
    task_at_first_owner(t, winners->grid);
    task_access(t, pivots, STARPU_RW);
    task_access(t, winners->row_numbers, STARPU_R);
    task_submit(t, (struct work){.m = winners->n, .n = 1});
}

void insert_order(context ctx, int64_t priority, candidates *winners, startile_pivots *P, int64_t k)
{
    order_rows(ctx, priority, winners, pivots_first_row(P, k), pivots_handle(P, k));
}

void insert_order_part(context ctx, int64_t priority, const grid_panel *p, candidates *winners,
                       row_pivots *P)
{
    if (P != NULL)
        order_rows(ctx, priority, winners, p->row, P->handle);
}
