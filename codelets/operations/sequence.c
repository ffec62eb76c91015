/* Tasks on tiles or block columns at equal distances, several of which are too small to fill a GPU
 * or take about as long as StarPU's overhead of a task */
#include "library/integers.h"
#include "operations/insert.h"
#include "task/operands.h"

struct gemm_sequence_args {
    struct task_args task;
    char transa, transb;
    startile_scalar beta;
    int count;
    startile_product product[];
};

struct gemm_columns_args {
    struct task_args task;
    int64_t a_row, c_row; /* first rows in the tiles */
    int rows, count;
};

struct copy_sequence_args {
    struct task_args task;
    int64_t a_row; /* first row in A's tiles */
    bool is_transposed;
    int count;
};

static struct operation gemm_sequence = {
    .name = "gemm_sequence", .color = 0xa0cbe8, .has_vendor_kernels = true};
static struct operation gemm_columns = {
    .name = "gemm_columns", .color = 0x4e79a7, .has_vendor_kernels = true};
static struct operation copy_sequence = {.name = "copy_sequence", .color = 0xbab0ac};

/* Returns the part of a buffer from `row` on. */
static struct buffer buffer_from(const void *interface, startile_dtype dtype, int64_t row)
{
    struct buffer b = matrix_buffer(interface);
    b.p = (char *)b.p + row * startile_element_size[dtype];
    return b;
}

static tile tile_of_sequence(tile_sequence s, int64_t q)
{
    return (tile){s.first.A, s.first.i + q * s.down, s.first.j + q * s.right, s.first.op};
}

static void sequence_access(struct starpu_task *t, tile_sequence s,
                            enum starpu_data_access_mode mode)
{
    for (int64_t q = 0; q < s.count; q++)
        task_tile(t, tile_of_sequence(s, q), mode);
}

/* Adds accesses to the tiles of A in block columns A.j, A.j + step, … */
static void columns_access(struct starpu_task *t, column A, int64_t step, int64_t count)
{
    for (int64_t q = 0; q < count; q++)
        task_tile(t, (tile){A.A, A.row / A.A->shape.mb, A.j + q * step, 'N'}, STARPU_R);
}

static int64_t row_in_tile(column c)
{
    return c.row % c.A->shape.mb;
}

/* Computes products of the same inner dimension k. */
static int multiply(const struct gemm_sequence_args *g, const startile_kernels *K, startile_exec *x,
                    int k, int count, const startile_product *p)
{
    const startile_scalar one = {1, 0};
    return count == 1 ? K->gemm(x, g->transa, g->transb, p->m, p->n, k, one, p->a, p->lda, p->b,
                                p->ldb, g->beta, p->c, p->ldc)
                      : K->gemm_group(x, g->transa, g->transb, k, one, count, p, g->beta, 'G');
}

/* The buffers are the tiles of C, A and B. */
static int run_gemm_sequence(const startile_kernels *K, startile_exec *x, void **buffers,
                             struct task_args *task)
{
    struct gemm_sequence_args *g = (struct gemm_sequence_args *)task;
    int first = 0, k_of_group = 0, error = 0;
    for (int q = 0; q < g->count && error == 0; q++) {
        struct buffer c = matrix_buffer(buffers[q]), a = matrix_buffer(buffers[g->count + q]),
                      b = matrix_buffer(buffers[2 * g->count + q]);
        int k = g->transa == 'N' ? a.n : a.m;
        if (q > first && k != k_of_group) {
            error = multiply(g, K, x, k_of_group, q - first, g->product + first);
            first = q;
        }
        k_of_group = k;
        g->product[q] = (startile_product){a.p, b.p, c.p, a.ld, b.ld, c.ld, c.m, c.n};
    }
    return error != 0 ? error : multiply(g, K, x, k_of_group, g->count - first, g->product + first);
}

void insert_gemm_sequence(context ctx, int64_t priority, tile_sequence A, tile_sequence B,
                          startile_complex beta, tile_sequence C)
{
    startile_dtype dtype = C.first.A->shape.dtype;
    if (C.count == 0)
        return;
    struct starpu_task *t =
        task_new(&gemm_sequence, ctx, priority, dtype, run_gemm_sequence,
                 sizeof(struct gemm_sequence_args) + (size_t)C.count * sizeof(startile_product));
    if (t == NULL || !task_reserve(t, 3 * C.count))
        return;
    struct gemm_sequence_args *g = t->cl_arg;
    g->transa = A.first.op;
    g->transb = B.first.op;
    g->beta = to_scalar(beta);
    g->count = (int)C.count;
    sequence_access(t, C, beta == 0 ? STARPU_W : STARPU_RW);
    sequence_access(t, A, STARPU_R);
    sequence_access(t, B, STARPU_R);
    int64_t m = tile_rows(C.first), n = tile_columns(C.first),
            k = A.first.op == 'N' ? tile_columns(A.first) : tile_rows(A.first);
    double flops = flops_of(dtype, (double)(C.count * m) * (double)n * (double)k);
    task_submit(t, (struct work){C.count * m, n, k, .flops = flops});
}

/* The buffers are C, the tiles of A and those of B. */
static int run_gemm_columns(const startile_kernels *K, startile_exec *x, void **buffers,
                            struct task_args *task)
{
    struct gemm_columns_args *g = (struct gemm_columns_args *)task;
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    struct buffer c = buffer_from(buffers[0], task->dtype, g->c_row);
    int error = 0;
    for (int q = 0; q < g->count && error == 0; q++) {
        struct buffer a = buffer_from(buffers[1 + q], task->dtype, g->a_row),
                      b = matrix_buffer(buffers[1 + g->count + q]);
        error = K->gemm(x, 'N', 'N', g->rows, c.n, b.m, minus_one, a.p, a.ld, b.p, b.ld, one, c.p,
                        c.ld);
    }
    return error;
}

void insert_gemm_columns(context ctx, int64_t priority, column A, int64_t step, tile_sequence B,
                         column C)
{
    startile_dtype dtype = C.A->shape.dtype;
    struct starpu_task *t = task_new(&gemm_columns, ctx, priority, dtype, run_gemm_columns,
                                     sizeof(struct gemm_columns_args));
    if (t == NULL || !task_reserve(t, 2 * B.count + 1))
        return;
    struct gemm_columns_args *g = t->cl_arg;
    g->a_row = row_in_tile(A);
    g->c_row = row_in_tile(C);
    g->rows = (int)C.rows;
    g->count = (int)B.count;
    task_tile(t, (tile){C.A, C.row / C.A->shape.mb, C.j, 'N'}, STARPU_RW);
    columns_access(t, A, step, B.count);
    sequence_access(t, B, STARPU_R);
    int64_t n = column_width(C), k = B.count * tile_rows(B.first);
    double flops = flops_of(dtype, (double)C.rows * (double)n * (double)k);
    task_submit(t, (struct work){C.rows, n, k, .flops = flops});
}

/* The buffers are the tiles of B and those of A. */
static int run_copy_sequence(const startile_kernels *K, startile_exec *x, void **buffers,
                             struct task_args *task)
{
    struct copy_sequence_args *s = (struct copy_sequence_args *)task;
    int error = 0;
    for (int q = 0; q < s->count && error == 0; q++) {
        struct buffer b = matrix_buffer(buffers[q]),
                      a = buffer_from(buffers[s->count + q], task->dtype, s->a_row);
        error = s->is_transposed ? K->transpose(x, b.n, b.m, a.p, a.ld, b.p, b.ld)
                                 : K->lacpy(x, 'G', b.m, b.n, a.p, a.ld, b.p, b.ld);
    }
    return error;
}

void insert_copy_sequence(context ctx, int64_t priority, column A, int64_t step, tile_sequence B)
{
    struct starpu_task *t = task_new(&copy_sequence, ctx, priority, A.A->shape.dtype,
                                     run_copy_sequence, sizeof(struct copy_sequence_args));
    if (t == NULL || !task_reserve(t, 2 * B.count))
        return;
    struct copy_sequence_args *s = t->cl_arg;
    s->a_row = row_in_tile(A);
    s->is_transposed = B.first.op != 'N';
    s->count = (int)B.count;
    sequence_access(t, B, STARPU_RW);
    columns_access(t, A, step, B.count);
    task_submit(t, (struct work){.m = A.rows, .n = B.count * column_width(A)});
}
