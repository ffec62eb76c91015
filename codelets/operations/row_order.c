/* Blocks of P A P^T, gathered from a Hermitian or symmetric matrix with both triangles */
#include "data/handle.h"
#include "data/zero_init.h"
#include "library/integers.h"
#include "memory/capacity.h"
#include "operations/insert_symmetric.h"
#include "request/request.h"
#include "task/operands.h"

#include <stdlib.h>

struct row_order {
    temporary owned;
    starpu_data_handle_t handle; /* see kernel compose_moves */
};

struct gather_args {
    struct task_args task;
    int nb, count, step; /* these block columns of A: the first one, its step-th successor, … */
    int64_t first;
    int64_t row, column;
    int64_t row_in_tile;
    int rows;
    startile_piece block[];
};

struct both_triangles_args {
    struct task_args task;
    char uplo, op;
    int64_t j;
    int nb, count;
};

static struct operation compose_moves = {.name = "compose_moves", .color = 0xbab0ac};
static struct operation gather_block = {.name = "gather_block", .color = 0xedc948};
static struct operation both_triangles = {.name = "both_triangles", .color = 0xbab0ac};

static void release_row_order(temporary *owned)
{
    row_order *o = (row_order *)owned;
    release_handle(o->handle);
    free(o);
}

row_order *row_order_begin(context ctx, int64_t rows)
{
    row_order *o = malloc(sizeof *o);
    if (o == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    register_temporary(&o->handle, rows, 1, sizeof(int64_t));
    set_per_process(o->handle);
    zero_submit(o->handle); /* the first tasks all read it (StarPU quirk 64) */
    own_temporary(ctx, &o->owned, release_row_order);
    return o;
}

static int run_compose_moves(const startile_kernels *K, startile_exec *x, void **buffers,
                             struct task_args *task)
{
    (void)task;
    return K->compose_moves(x, pivots_buffer(buffers[1]), matrix_buffer(buffers[0]).p);
}

void insert_compose_moves(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                          row_order *order)
{
    struct starpu_task *t = task_new(&compose_moves, ctx, priority, STARTILE_D, run_compose_moves,
                                     sizeof(struct task_args));
    if (t == NULL)
        return;
    task_access(t, order->handle, STARPU_RW);
    task_access(t, pivots_handle(P, k), STARPU_R);
    task_submit(t, (struct work){.m = starpu_matrix_get_nx(pivots_handle(P, k)), .n = 1});
}

/* Returns the number of block columns from the first to the last one of a sequence. */
static int blocks_between(int64_t count, int64_t step)
{
    return (int)((count - 1) * step + 1);
}

/* The buffers are C, the order and the blocks of A. */
static int run_gather_block(const startile_kernels *K, startile_exec *x, void **buffers,
                            struct task_args *task)
{
    enum { C, ORDER, A };
    struct gather_args *g = (struct gather_args *)task;
    struct buffer c = matrix_buffer(buffers[C]);
    for (int q = 0; q < g->count; q++) {
        struct buffer a = matrix_buffer(buffers[A + q]);
        g->block[q * g->step] = (startile_piece){a.p, a.ld, a.m};
    }
    return K->gather_block(x, blocks_between(g->count, g->step), g->block, g->nb, g->first * g->nb,
                           matrix_buffer(buffers[ORDER]).p, g->row, g->column, g->rows, c.n,
                           (char *)c.p + g->row_in_tile * startile_element_size[task->dtype], c.ld);
}

static void gather_from(context ctx, int64_t priority, tile_sequence A, const row_order *order,
                        column block, column C)
{
    const startile_shape *c = &C.A->shape;
    int64_t pieces = blocks_between(A.count, A.right);
    struct starpu_task *t =
        task_new(&gather_block, ctx, priority, c->dtype, run_gather_block,
                 sizeof(struct gather_args) + (size_t)pieces * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, A.count + 2))
        return;
    struct gather_args *g = t->cl_arg;
    g->nb = (int)A.first.A->shape.nb;
    g->count = (int)A.count;
    g->step = (int)A.right;
    g->first = A.first.j;
    g->row = block.row;
    g->column = block.j * block.A->shape.nb;
    g->row_in_tile = C.row % c->mb;
    g->rows = (int)C.rows;
    task_tile(t, (tile){C.A, C.row / c->mb, C.j, 'N'}, STARPU_RW);
    task_access(t, order->handle, STARPU_R);
    for (int64_t q = 0; q < A.count; q++)
        task_tile(t, (tile){A.first.A, 0, A.first.j + q * A.right, 'N'}, STARPU_R);
    task_submit(t, (struct work){.m = C.rows, .n = column_width(C), .variant = (int)A.count});
}

void insert_gather_block(context ctx, int64_t priority, tile_sequence A, const row_order *order,
                         column block, column C)
{
    int64_t most = columns_of_task(A.first.A) >= A.count ? A.count : 1;
    for (int64_t q = 0; q < A.count; q += most) {
        tile_sequence part = A;
        part.first.j += q * A.right;
        part.count = most;
        gather_from(ctx, priority, part, order, block, C);
    }
}

/* The buffers are C, the blocks of A and I. */
static int run_both_triangles(const startile_kernels *K, startile_exec *x, void **buffers,
                              struct task_args *task)
{
    struct both_triangles_args *s = (struct both_triangles_args *)task;
    const startile_scalar one = {1, 0}, zero = {0, 0};
    struct buffer c = matrix_buffer(buffers[0]);
    int error = 0;
    for (int i = 0; i < s->count && error == 0; i++) {
        struct buffer a = matrix_buffer(buffers[1 + i]);
        char *to = (char *)c.p + (int64_t)i * s->nb * startile_element_size[task->dtype];
        if (i == s->j) {
            error = K->mirror(x, s->uplo, s->op == 'C', a.n, a.p, a.ld, to, c.ld);
        } else if ((s->uplo == 'L') == (i > s->j)) {
            error = K->lacpy(x, 'G', a.m, a.n, a.p, a.ld, to, c.ld);
        } else if (s->op == 'C' || task->dtype < STARTILE_C) {
            error = K->transpose(x, a.m, a.n, a.p, a.ld, to, c.ld);
        } else {
            struct buffer I = matrix_buffer(buffers[1 + s->count]);
            error = K->gemm(x, 'T', 'N', a.n, a.m, a.m, one, a.p, a.ld, I.p, I.ld, zero, to, c.ld);
        }
    }
    return error;
}

void insert_both_triangles(context ctx, char uplo, char op, const startile_matrix *A, int64_t j,
                           tile I, tile C)
{
    int64_t count = A->shape.nt;
    struct starpu_task *t = task_new(&both_triangles, ctx, 0, A->shape.dtype, run_both_triangles,
                                     sizeof(struct both_triangles_args));
    if (t == NULL || !task_reserve(t, count + 2))
        return;
    struct both_triangles_args *s = t->cl_arg;
    s->uplo = uplo;
    s->op = op;
    s->j = j;
    s->nb = (int)A->shape.nb;
    s->count = (int)count;
    task_tile(t, C, STARPU_RW);
    for (int64_t i = 0; i < count; i++)
        task_tile(t, at(view_of(A, (uplo == 'L') == (i >= j) ? 'N' : 'T'), i, j), STARPU_R);
    task_tile(t, I, STARPU_R);
    task_submit(t, (struct work){.m = tile_rows(C), .n = tile_columns(C)});
}
