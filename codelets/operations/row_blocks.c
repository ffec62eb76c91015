/* Tasks on a row of blocks: C := op(Q) C for the block reflector Q of a panel, and products with
 * each block. */
#include "library/integers.h"
#include "operations/insert.h"
#include "task/operands.h"

struct larfb_row_args {
    struct task_args task;
    char trans;
    int64_t row;
    int nb, n, blocks;
    startile_piece block[];
};

struct row_product_args {
    struct task_args task;
    int64_t a_row, b_row; /* first rows in the tiles */
    int k, blocks;
    startile_scalar alpha, beta;
    startile_product product[];
};

static struct operation larfb_row = {.name = "larfb_row", .color = 0x4e79a7};
static struct operation row_product = {.name = "row_product", .color = 0x4e79a7};

/* Returns the rows of a buffer from `row` on. */
static startile_piece rows_of_buffer(const void *interface, startile_dtype dtype, int64_t row)
{
    struct buffer b = matrix_buffer(interface);
    char *p = b.p;
    return (startile_piece){p + row * startile_element_size[dtype], b.ld, b.m - (int)row};
}

/* Returns the columns of the blocks together. */
static int64_t columns_of(row_blocks b)
{
    const startile_shape *a = &b.A->shape;
    return min(a->n, (b.j + b.count) * a->nb) - b.j * a->nb;
}

static tile tile_of(column c)
{
    return (tile){c.A, c.row / c.A->shape.mb, c.j, 'N'};
}

/* Adds accesses to the blocks' tiles. */
static void row_access(struct starpu_task *t, row_blocks b, enum starpu_data_access_mode mode)
{
    for (int64_t j = b.j; j < b.j + b.count; j++)
        task_tile(t, (tile){b.A, b.row / b.A->shape.mb, j, 'N'}, mode);
}

/* The buffers are V, T and the blocks. */
static int run_larfb_row(const startile_kernels *K, startile_exec *x, void **buffers,
                         struct task_args *task)
{
    struct larfb_row_args *l = (struct larfb_row_args *)task;
    enum { V, T, C };
    startile_piece v = rows_of_buffer(buffers[V], task->dtype, l->row);
    struct buffer t = matrix_buffer(buffers[T]);
    for (int j = 0; j < l->blocks; j++)
        l->block[j] = rows_of_buffer(buffers[C + j], task->dtype, l->row);
    /* a short panel has fewer reflectors than columns */
    int k = min(v.m, t.n);
    return K->larfb_row(x, l->trans, v, k, t.p, t.ld, l->blocks, l->block, l->nb, l->n);
}

void insert_larfb_row(context ctx, int64_t priority, char trans, column V, tile T, row_blocks C)
{
    startile_dtype dtype = C.A->shape.dtype;
    struct starpu_task *t =
        task_new(&larfb_row, ctx, priority, dtype, run_larfb_row,
                 sizeof(struct larfb_row_args) + (size_t)C.count * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, C.count + 2))
        return;
    struct larfb_row_args *l = t->cl_arg;
    int64_t m = C.rows, n = columns_of(C), k = min(tile_columns(T), m);
    l->trans = trans;
    l->row = C.row % C.A->shape.mb;
    l->nb = (int)C.A->shape.nb;
    l->n = (int)n;
    l->blocks = (int)C.count;
    task_tile(t, tile_of(V), STARPU_R);
    task_tile(t, T, STARPU_R);
    row_access(t, C, STARPU_RW);
    /* as LAPACK counts: without the product with T */
    task_submit(
        t, (struct work){m, n, k,
                         .flops = flops_of(dtype, (double)k * (double)(2 * m - k) * (double)n)});
}

/* The buffers are B, the blocks of A and the tiles of C. One kernel for each shape, so that equal
 * calls choose the same columns. */
static int run_row_product(const startile_kernels *K, startile_exec *x, void **buffers,
                           struct task_args *task)
{
    struct row_product_args *r = (struct row_product_args *)task;
    startile_piece b = rows_of_buffer(buffers[0], task->dtype, r->b_row);
    for (int j = 0; j < r->blocks; j++) {
        startile_piece a = rows_of_buffer(buffers[1 + j], task->dtype, r->a_row);
        struct buffer c = matrix_buffer(buffers[1 + r->blocks + j]);
        r->product[j] = (startile_product){a.p, b.p, c.p, a.ld, b.ld, c.ld, c.m, c.n};
    }
    const startile_product *p = r->product;
    return r->blocks == 1 ? K->gemm(x, 'C', 'N', p->m, p->n, r->k, r->alpha, p->a, p->lda, p->b,
                                    p->ldb, r->beta, p->c, p->ldc)
                          : K->gemm_group(x, 'C', 'N', r->k, r->alpha, r->blocks, p, r->beta, 'G');
}

void insert_row_product(context ctx, int64_t priority, double alpha, row_blocks A, column B,
                        double beta, const startile_matrix *C, int64_t c_column)
{
    startile_dtype dtype = A.A->shape.dtype;
    struct starpu_task *t =
        task_new(&row_product, ctx, priority, dtype, run_row_product,
                 sizeof(struct row_product_args) + (size_t)A.count * sizeof(startile_product));
    if (t == NULL || !task_reserve(t, 2 * A.count + 1))
        return;
    struct row_product_args *r = t->cl_arg;
    int64_t m = columns_of(A), n = tile_columns((tile){C, A.j, c_column, 'N'}), k = A.rows;
    r->a_row = A.row % A.A->shape.mb;
    r->b_row = B.row % B.A->shape.mb;
    r->k = (int)k;
    r->blocks = (int)A.count;
    r->alpha.re = alpha;
    r->beta.re = beta;
    task_tile(t, tile_of(B), STARPU_R);
    row_access(t, A, STARPU_R);
    for (int64_t j = A.j; j < A.j + A.count; j++)
        task_tile(t, (tile){C, j, c_column, 'N'}, beta == 0 ? STARPU_W : STARPU_RW);
    task_submit(
        t, (struct work){m, n, k, .flops = flops_of(dtype, (double)m * (double)n * (double)k)});
}
