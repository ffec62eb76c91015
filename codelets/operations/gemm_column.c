/* Products of block columns: C := C - A B, W := W + |A| |B| and C := alpha A^H B + beta C */
#include "operations/insert.h"
#include "operations/insert_refinement.h"
#include "task/operands.h"

struct gemm_column_args {
    struct task_args task;
    struct tile_column a, b, c;
    startile_dtype c_dtype;
    startile_piece *a_block, *b_block; /* space for A's and B's blocks, after C's */
    startile_piece block[];
};

struct column_product_args {
    struct task_args task;
    struct tile_column a, b;
    startile_scalar alpha, beta;
    startile_piece *b_block; /* space for B's blocks, after A's */
    startile_piece block[];
};

static struct operation gemm_column = {
    .name = "gemm_column", .color = 0x4e79a7, .has_vendor_kernels = true};
static struct operation abs_gemm_column = {.name = "abs_gemm_column", .color = 0x76b7b2};
static struct operation column_product = {
    .name = "column_product", .color = 0x4e79a7, .has_vendor_kernels = true};

/* Product of one block of A with one of B, added to or subtracted from a block of C */
typedef int block_product(const startile_kernels *K, startile_exec *x, int m, int n, int k,
                          const void *a, int lda, startile_piece b, startile_piece c);

static int subtract_product(const startile_kernels *K, startile_exec *x, int m, int n, int k,
                            const void *a, int lda, startile_piece b, startile_piece c)
{
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    return K->gemm(x, 'N', 'N', m, n, k, minus_one, a, lda, b.p, b.ld, one, c.p, c.ld);
}

static int add_abs_product(const startile_kernels *K, startile_exec *x, int m, int n, int k,
                           const void *a, int lda, startile_piece b, startile_piece c)
{
    return K->abs_gemm(x, 'N', 'G', m, n, k, a, lda, b.p, b.ld, c.p, c.ld);
}

/* Multiplies block by block. The borders of B's blocks also cut the columns of A. */
static int multiply(block_product *product, const startile_kernels *K, startile_exec *x,
                    void **buffers, struct task_args *task)
{
    struct gemm_column_args *g = (struct gemm_column_args *)task;
    size_t size = (size_t)startile_element_size[task->dtype];
    int n = tile_column_width(&g->c, buffers), error = 0;
    tile_column_blocks(&g->c, buffers, g->c_dtype, g->block);
    tile_column_blocks(&g->a, buffers, task->dtype, g->a_block);
    tile_column_blocks(&g->b, buffers, task->dtype, g->b_block);
    for (int64_t row = 0, m; row < g->c.rows; row += m) {
        startile_piece c = tile_column_from(g->block, row, g->c_dtype),
                       a = tile_column_from(g->a_block, row, task->dtype);
        m = a.m < c.m ? a.m : c.m;
        for (int64_t l = 0, k; l < g->b.rows && error == 0; l += k) {
            startile_piece b = tile_column_from(g->b_block, l, task->dtype);
            const char *a_l = (const char *)a.p + (size_t)l * (size_t)a.ld * size;
            k = b.m;
            error = product(K, x, (int)m, n, (int)k, a_l, a.ld, b, c);
        }
    }
    return error;
}

static int run_gemm_column(const startile_kernels *K, startile_exec *x, void **buffers,
                           struct task_args *task)
{
    return multiply(subtract_product, K, x, buffers, task);
}

static int run_abs_gemm_column(const startile_kernels *K, startile_exec *x, void **buffers,
                               struct task_args *task)
{
    return multiply(add_abs_product, K, x, buffers, task);
}

static void insert(struct operation *op, task_function run, context ctx, int64_t priority, column A,
                   column B, column C)
{
    startile_dtype dtype = A.A->shape.dtype;
    int64_t a = column_tiles(A), b = column_tiles(B), c = column_tiles(C);
    struct starpu_task *t =
        task_new(op, ctx, priority, dtype, run,
                 sizeof(struct gemm_column_args) + (size_t)(a + b + c) * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, a + b + c))
        return;
    struct gemm_column_args *g = t->cl_arg;
    g->c_dtype = C.A->shape.dtype;
    g->a_block = g->block + c;
    g->b_block = g->a_block + a;
    g->c = column_access(t, C, STARPU_RW);
    g->a = column_access(t, A, STARPU_R);
    g->b = column_access(t, B, STARPU_R);
    int64_t m = C.rows, n = column_width(C), k = B.rows;
    task_submit(
        t, (struct work){m, n, k, .flops = flops_of(dtype, (double)m * (double)n * (double)k)});
}

void insert_gemm_column(context ctx, int64_t priority, column A, column B, column C)
{
    insert(&gemm_column, run_gemm_column, ctx, priority, A, B, C);
}

void insert_abs_gemm_column(context ctx, column A, column B, column W)
{
    insert(&abs_gemm_column, run_abs_gemm_column, ctx, 0, A, B, W);
}

/* Sums the products of blocks of rows, which end where a block of A or of B ends. */
static int run_column_product(const startile_kernels *K, startile_exec *x, void **buffers,
                              struct task_args *task)
{
    struct column_product_args *g = (struct column_product_args *)task;
    const startile_scalar one = {1, 0};
    struct buffer c = matrix_buffer(buffers[0]);
    int error = 0;
    tile_column_blocks(&g->a, buffers, task->dtype, g->block);
    tile_column_blocks(&g->b, buffers, task->dtype, g->b_block);
    for (int64_t row = 0, m; row < g->a.rows && error == 0; row += m) {
        startile_piece a = tile_column_from(g->block, row, task->dtype),
                       b = tile_column_from(g->b_block, row, task->dtype);
        m = a.m < b.m ? a.m : b.m;
        error = K->gemm(x, 'C', 'N', c.m, c.n, (int)m, g->alpha, a.p, a.ld, b.p, b.ld,
                        row == 0 ? g->beta : one, c.p, c.ld);
    }
    return error;
}

void insert_column_product(context ctx, int64_t priority, double alpha, column A, column B,
                           double beta, tile C)
{
    startile_dtype dtype = C.A->shape.dtype;
    int64_t a = column_tiles(A), b = column_tiles(B);
    struct starpu_task *t =
        task_new(&column_product, ctx, priority, dtype, run_column_product,
                 sizeof(struct column_product_args) + (size_t)(a + b) * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, a + b + 1))
        return;
    struct column_product_args *g = t->cl_arg;
    g->alpha.re = alpha;
    g->beta.re = beta;
    g->b_block = g->block + a;
    task_tile(t, C, beta == 0 ? STARPU_W : STARPU_RW);
    g->a = column_access(t, A, STARPU_R);
    g->b = column_access(t, B, STARPU_R);
    int64_t m = tile_rows(C), n = tile_columns(C), k = A.rows;
    task_submit(
        t, (struct work){m, n, k, .flops = flops_of(dtype, (double)m * (double)n * (double)k)});
}
