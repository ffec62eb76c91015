/* C := op(Q) C for the block reflector Q of a panel */
#include "operations/insert.h"
#include "task/operands.h"

struct larfb_args {
    struct task_args task;
    char trans;
    struct tile_column v, c;
    int t;                   /* buffer of the triangle T */
    startile_piece *c_block; /* space for C's blocks, after V's */
    startile_piece block[];
};

static struct operation larfb = {.name = "larfb", .color = 0x4e79a7};

static int run_larfb(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct larfb_args *l = (struct larfb_args *)task;
    struct buffer t = matrix_buffer(buffers[l->t]);
    int v_blocks = tile_column_blocks(&l->v, buffers, task->dtype, l->block);
    int c_blocks = tile_column_blocks(&l->c, buffers, task->dtype, l->c_block);
    /* a short panel has fewer reflectors than columns */
    int k = l->v.rows < t.n ? (int)l->v.rows : t.n;
    return K->larfb(x, l->trans, v_blocks, l->block, k, t.p, t.ld, c_blocks, l->c_block,
                    tile_column_width(&l->c, buffers));
}

void insert_larfb(context ctx, int64_t priority, char trans, column V, tile T, column C)
{
    startile_dtype dtype = C.A->shape.dtype;
    int64_t v = column_tiles(V), c = column_tiles(C);
    struct starpu_task *t =
        task_new(&larfb, ctx, priority, dtype, run_larfb,
                 sizeof(struct larfb_args) + (size_t)(v + c) * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, v + c + 1))
        return;
    struct larfb_args *l = t->cl_arg;
    l->trans = trans;
    l->c_block = l->block + v;
    l->v = column_access(t, V, STARPU_R);
    l->c = column_access(t, C, STARPU_RW);
    l->t = t->nbuffers;
    task_tile(t, T, STARPU_R);
    /* as LAPACK counts: without the product with T */
    int64_t m = C.rows, n = column_width(C), k = tile_columns(T) < m ? tile_columns(T) : m;
    task_submit(
        t, (struct work){m, n, k,
                         .flops = flops_of(dtype, (double)k * (double)(2 * m - k) * (double)n)});
}
