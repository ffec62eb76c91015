/* C := C - A B for one block column of the stored triangle of a Hermitian A, and its mirror image
 */
#include "operations/insert_refinement.h"
#include "task/operands.h"

struct hemm_args {
    struct task_args task;
    char uplo;
    int n; /* order of the diagonal block */
    struct tile_column a, b, c;
    startile_piece *b_block, *c_block; /* space for the blocks of B and C, after A's */
    startile_piece block[];
};

static struct operation hemm_column = {
    .name = "hemm_column", .color = 0x4e79a7, .has_vendor_kernels = true};

/* For a block A_i outside the diagonal: C_i := C_i - A_i B_k, C_k := C_k - A_i^H B_i, block by
 * block. These are rows first … last − 1 of A. */
static int multiply_rest(const startile_kernels *K, startile_exec *x, const struct hemm_args *h,
                         startile_piece b_k, startile_piece c_k, int columns, int64_t first,
                         int64_t last)
{
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    int error = 0;
    for (int64_t row = first, m; row < last && error == 0; row += m) {
        startile_piece a = tile_column_from(h->block, row, h->task.dtype),
                       b = tile_column_from(h->b_block, row, h->task.dtype),
                       c = tile_column_from(h->c_block, row, h->task.dtype);
        m = a.m < b.m ? a.m : b.m;
        m = c.m < m ? c.m : m;
        m = m < last - row ? m : last - row;
        error = K->gemm(x, 'N', 'N', (int)m, columns, h->n, minus_one, a.p, a.ld, b_k.p, b_k.ld,
                        one, c.p, c.ld);
        if (error == 0)
            error = K->gemm(x, 'C', 'N', h->n, columns, (int)m, minus_one, a.p, a.ld, b.p, b.ld,
                            one, c_k.p, c_k.ld);
    }
    return error;
}

/* The diagonal block of A, and the rows of B and C beside it, are in one tile each. */
static int run_hemm_column(const startile_kernels *K, startile_exec *x, void **buffers,
                           struct task_args *task)
{
    struct hemm_args *h = (struct hemm_args *)task;
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    int columns = tile_column_width(&h->c, buffers);
    tile_column_blocks(&h->a, buffers, task->dtype, h->block);
    tile_column_blocks(&h->b, buffers, task->dtype, h->b_block);
    tile_column_blocks(&h->c, buffers, task->dtype, h->c_block);
    bool is_at_top = h->uplo == 'L';
    int64_t diagonal_row = is_at_top ? 0 : h->a.rows - h->n, first = is_at_top ? h->n : 0;
    startile_piece a_k = tile_column_from(h->block, diagonal_row, task->dtype),
                   b_k = tile_column_from(h->b_block, diagonal_row, task->dtype),
                   c_k = tile_column_from(h->c_block, diagonal_row, task->dtype);
    int error = K->hemm(x, h->uplo, h->n, columns, minus_one, a_k.p, a_k.ld, b_k.p, b_k.ld, one,
                        c_k.p, c_k.ld);
    return error != 0 ? error
                      : multiply_rest(K, x, h, b_k, c_k, columns, first, first + h->a.rows - h->n);
}

void insert_hemm_column(context ctx, int64_t priority, char uplo, column A, int64_t n, column B,
                        column C)
{
    startile_dtype dtype = C.A->shape.dtype;
    int64_t a = column_tiles(A), b = column_tiles(B), c = column_tiles(C);
    struct starpu_task *t =
        task_new(&hemm_column, ctx, priority, dtype, run_hemm_column,
                 sizeof(struct hemm_args) + (size_t)(a + b + c) * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, a + b + c))
        return;
    struct hemm_args *h = t->cl_arg;
    h->uplo = uplo;
    h->n = (int)n;
    h->b_block = h->block + a;
    h->c_block = h->b_block + b;
    h->c = column_access(t, C, STARPU_RW);
    h->a = column_access(t, A, STARPU_R);
    h->b = column_access(t, B, STARPU_R);
    double multiply_adds = (2 * (double)A.rows - (double)n) * (double)n * (double)column_width(C);
    task_submit(
        t, (struct work){
               .m = A.rows, .n = column_width(C), .k = n, .flops = flops_of(dtype, multiply_adds)});
}
