/* QR factorization of a panel (geqrf); triangle T of given reflectors (larft) */
#include "operations/insert.h"
#include "task/operands.h"

struct geqrf_args {
    struct task_args task;
    struct tile_column a;
    int t; /* buffer of the triangle T */
    startile_piece block[];
};

static struct operation geqrf = {.name = "geqrf", .color = 0xe15759};
static struct operation larft = {.name = "larft", .color = 0xf28e2b};

static int run_geqrf(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct geqrf_args *g = (struct geqrf_args *)task;
    struct buffer t = matrix_buffer(buffers[g->t]);
    int blocks = tile_column_blocks(&g->a, buffers, task->dtype, g->block);
    return K->geqrf(x, blocks, g->block, tile_column_width(&g->a, buffers), t.p, t.ld);
}

static int run_larft(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct geqrf_args *g = (struct geqrf_args *)task;
    struct buffer t = matrix_buffer(buffers[g->t]);
    int blocks = tile_column_blocks(&g->a, buffers, task->dtype, g->block);
    return K->larft(x, blocks, g->block, t.n, t.p, t.ld);
}

static void insert(struct operation *op, task_function run, context ctx, int64_t priority, column A,
                   enum starpu_data_access_mode mode, tile T, double multiply_adds)
{
    startile_dtype dtype = A.A->shape.dtype;
    int64_t tiles = column_tiles(A);
    struct starpu_task *t =
        task_new(op, ctx, priority, dtype, run,
                 sizeof(struct geqrf_args) + (size_t)tiles * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + 1))
        return;
    struct geqrf_args *g = t->cl_arg;
    g->a = column_access(t, A, mode);
    g->t = t->nbuffers;
    /* STARPU_RW: a skipped task leaves T unchanged */
    task_tile(t, T, STARPU_RW);
    task_submit(t, (struct work){
                       .m = A.rows, .n = tile_columns(T), .flops = flops_of(dtype, multiply_adds)});
}

void insert_geqrf(context ctx, int64_t priority, column A, tile T)
{
    insert(&geqrf, run_geqrf, ctx, priority, A, STARPU_RW, T,
           2 * panel_multiply_adds((double)A.rows, (double)column_width(A)));
}

void insert_larft(context ctx, column V, tile T)
{
    double m = (double)V.rows, k = (double)tile_columns(T);
    insert(&larft, run_larft, ctx, 0, V, STARPU_R, T, m * k * k / 2);
}
