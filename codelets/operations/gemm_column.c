/* C := C − A B for the rows of whole block columns: the residual of a solve */
#include "runtime/runtime.h"

struct gemm_column_args {
    struct task_args task;
    struct stack a, b, c;
    startile_piece *a_piece, *b_piece; /* behind c's */
    startile_piece piece[];
};

static struct operation gemm_column = {
    .name = "gemm_column", .color = 0x4e79a7, .has_vendors = true};

/* Row pieces of A and C, and row pieces of B, which cut the columns of A. */
static int run_gemm_column(const startile_kernels *K, startile_exec *x, void **buffers,
                           struct task_args *task)
{
    struct gemm_column_args *g = (struct gemm_column_args *)task;
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    size_t size = (size_t)startile_element_size[task->dtype];
    int n = stack_columns(&g->c, buffers), error = 0;
    stack_pieces(&g->c, buffers, task->dtype, g->piece);
    stack_pieces(&g->a, buffers, task->dtype, g->a_piece);
    stack_pieces(&g->b, buffers, task->dtype, g->b_piece);
    for (int64_t row = 0, m; row < g->c.rows; row += m) {
        startile_piece c = stack_from(g->piece, row, task->dtype),
                       a = stack_from(g->a_piece, row, task->dtype);
        m = a.m < c.m ? a.m : c.m;
        for (int64_t l = 0, k; l < g->b.rows && error == 0; l += k) {
            startile_piece b = stack_from(g->b_piece, l, task->dtype);
            const char *a_l = (const char *)a.p + (size_t)l * (size_t)a.ld * size;
            k = b.m;
            error = K->gemm(x, 'N', 'N', (int)m, n, (int)k, minus_one, a_l, a.ld, b.p, b.ld, one,
                            c.p, c.ld);
        }
    }
    return error;
}

void insert_gemm_column(startile_request *r, int64_t priority, column A, column B, column C)
{
    startile_dtype dtype = C.A->shape.dtype;
    int64_t a = column_tiles(A), b = column_tiles(B), c = column_tiles(C);
    struct starpu_task *t =
        task_new(&gemm_column, r, priority, dtype, run_gemm_column,
                 sizeof(struct gemm_column_args) + (size_t)(a + b + c) * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, a + b + c))
        return;
    struct gemm_column_args *g = t->cl_arg;
    g->a_piece = g->piece + c;
    g->b_piece = g->a_piece + a;
    g->c = column_access(t, C, STARPU_RW);
    g->a = column_access(t, A, STARPU_R);
    g->b = column_access(t, B, STARPU_R);
    int64_t m = C.rows, n = column_width(C), k = B.rows;
    task_submit(
        t, (struct work){m, n, k, .flops = flops_of(dtype, (double)m * (double)n * (double)k)});
}
