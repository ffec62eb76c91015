/* Componentwise backward errors: W := |A| |X|, and the largest |r_ij| / (|b_ij| + w_ij). */
#include "operations/insert_refinement.h"
#include "request/decision.h"
#include "task/operands.h"

struct abs_gemm_args {
    struct task_args task;
    char trans, uplo;
};

struct ratio_args {
    struct task_args task;
    struct tile_column r, b, w;
    int64_t column;                    /* first column of R in the matrix */
    int v;                             /* index + 1 of the result's buffer */
    startile_piece *b_block, *w_block; /* space for the blocks of B and W, after R's */
    startile_piece block[];
};

static struct operation abs_gemm = {.name = "abs_gemm", .color = 0x76b7b2},
                        ratio_maxima = {.name = "ratio_maxima", .color = 0x76b7b2};

static int run_abs_gemm(const startile_kernels *K, startile_exec *x, void **buffers,
                        struct task_args *task)
{
    struct abs_gemm_args *g = (struct abs_gemm_args *)task;
    struct buffer w = matrix_buffer(buffers[0]), a = matrix_buffer(buffers[1]),
                  b = matrix_buffer(buffers[2]);
    return K->abs_gemm(x, g->trans, g->uplo, w.m, w.n, b.m, a.p, a.ld, b.p, b.ld, w.p, w.ld);
}

void insert_abs_gemm(context ctx, char uplo, tile A, tile B, tile W)
{
    startile_dtype dtype = A.A->shape.dtype;
    struct starpu_task *t =
        task_new(&abs_gemm, ctx, 0, dtype, run_abs_gemm, sizeof(struct abs_gemm_args));
    if (t == NULL)
        return;
    struct abs_gemm_args *g = t->cl_arg;
    g->trans = A.op;
    g->uplo = uplo;
    task_tile(t, W, STARPU_RW);
    task_tile(t, A, STARPU_R);
    task_tile(t, B, STARPU_R);
    int64_t m = tile_rows(W), n = tile_columns(W), k = tile_rows(B);
    task_submit(
        t, (struct work){m, n, k, .flops = flops_of(dtype, (double)m * (double)n * (double)k)});
}

/* Compares block by block. */
static int run_ratio_maxima(const startile_kernels *K, startile_exec *x, void **buffers,
                            struct task_args *task)
{
    struct ratio_args *s = (struct ratio_args *)task;
    int n = tile_column_width(&s->r, buffers), error = 0;
    tile_column_blocks(&s->r, buffers, task->dtype, s->block);
    tile_column_blocks(&s->b, buffers, task->dtype, s->b_block);
    tile_column_blocks(&s->w, buffers, STARTILE_D, s->w_block);
    for (int64_t row = 0, m; row < s->r.rows && error == 0; row += m) {
        startile_piece r = tile_column_from(s->block, row, task->dtype),
                       b = tile_column_from(s->b_block, row, task->dtype),
                       w = tile_column_from(s->w_block, row, STARTILE_D);
        m = r.m < b.m ? r.m : b.m;
        m = m < w.m ? m : w.m;
        error = K->ratio_maxima(x, (int)m, n, r.p, r.ld, b.p, b.ld, w.p, w.ld,
                                values_in_buffer(buffers, s->v, s->column));
    }
    return error;
}

void insert_ratio_maxima(context ctx, column R, column B, column W, const values *v)
{
    int64_t r = column_tiles(R), b = column_tiles(B), w = column_tiles(W);
    struct starpu_task *t =
        task_new(&ratio_maxima, ctx, 0, R.A->shape.dtype, run_ratio_maxima,
                 sizeof(struct ratio_args) + (size_t)(r + b + w) * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, r + b + w + 1))
        return;
    struct ratio_args *s = t->cl_arg;
    s->b_block = s->block + r;
    s->w_block = s->b_block + b;
    s->column = R.j * R.A->shape.nb;
    s->v = values_access(t, v, STARPU_RW);
    s->r = column_access(t, R, STARPU_R);
    s->b = column_access(t, B, STARPU_R);
    s->w = column_access(t, W, STARPU_R);
    task_submit(t, (struct work){.m = R.rows, .n = column_width(R)});
}
