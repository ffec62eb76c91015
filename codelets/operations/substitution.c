/*
 * One step of a substitution on a block column (trsm_gemm). With row interchanges before it, the
 * step is the update of LU (laswp_trsm_gemm).
 */
#include "operations/handles.h"
#include "task/operands.h"

struct substitution_args {
    struct task_args task;
    char uplo, trans, diag;
    int n; /* order of the triangle */
    struct tile_column t, b;
    int64_t row0;     /* first row of T and B in the matrix */
    bool interchange; /* interchange rows of B first, by the pivots in the first buffer */
    int w;            /* buffer of the inverse, or 0 */
    const startile_tile_status *tile_status;
    startile_piece *b_block; /* space for B's blocks, after T's */
    startile_piece block[];
};

static struct operation substitution_op = {
    .name = "trsm_gemm", .color = 0x59a14f, .has_vendor_kernels = true};
static struct operation update = {
    .name = "laswp_trsm_gemm", .color = 0x4e79a7, .has_vendor_kernels = true};

/* Largest number of right-hand sides for which trsm is used in spite of an inverse: for them the
 * launches of a substitution by products cost more than they save (H100, one right-hand side,
 * gesv_mixed of 8192: 0.0388 s by products, 0.0309 by trsm). The number itself is an estimate. */
enum { FEW_COLUMNS = 16 };

/* B_k := op(T_k)^-1 B_k */
static int solve(const startile_kernels *K, startile_exec *x, void **buffers,
                 const struct substitution_args *s, startile_piece t, startile_piece b, int columns)
{
    const startile_scalar one = {1, 0};
    if (s->w != 0 && x != NULL && columns > FEW_COLUMNS && s->tile_status->use_inverse != 0) {
        struct buffer w = matrix_buffer(buffers[s->w]);
        if (s->tile_status->use_inverse == 1)
            return K->trmm(x, 'L', s->uplo, s->trans, s->n, columns, one, w.p, w.ld, b.p, b.ld);
        return K->trsm_by_inverses(x, s->uplo, s->trans, s->diag, s->n, columns, t.p, t.ld, w.p,
                                   w.ld, b.p, b.ld);
    }
    return K->trsm(x, 'L', s->uplo, s->trans, s->diag, s->n, columns, one, t.p, t.ld, b.p, b.ld);
}

/* B_rest := B_rest - T_rest B_k if trans is 'N', else B_k := B_k - op(T_rest) B_rest, block by
 * block. T_rest and B_rest are rows first … last − 1 of T and B. */
static int multiply(const startile_kernels *K, startile_exec *x, const struct substitution_args *s,
                    startile_piece b_k, int columns, int64_t first, int64_t last)
{
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    int error = 0;
    for (int64_t row = first, m; row < last && error == 0; row += m) {
        startile_piece t = tile_column_from(s->block, row, s->task.dtype),
                       b = tile_column_from(s->b_block, row, s->task.dtype);
        m = t.m < b.m ? t.m : b.m;
        m = m < last - row ? m : last - row;
        error = s->trans == 'N' ? K->gemm(x, 'N', 'N', (int)m, columns, s->n, minus_one, t.p, t.ld,
                                          b_k.p, b_k.ld, one, b.p, b.ld)
                                : K->gemm(x, s->trans, 'N', s->n, columns, (int)m, minus_one, t.p,
                                          t.ld, b.p, b.ld, one, b_k.p, b_k.ld);
    }
    return error;
}

static int run_substitution(const startile_kernels *K, startile_exec *x, void **buffers,
                            struct task_args *task)
{
    struct substitution_args *s = (struct substitution_args *)task;
    int columns = tile_column_width(&s->b, buffers), error = 0;
    tile_column_blocks(&s->t, buffers, task->dtype, s->block);
    int blocks = tile_column_blocks(&s->b, buffers, task->dtype, s->b_block);
    if (s->interchange) {
        startile_pivots_of_panel p = pivots_buffer(buffers[0]);
        error = K->laswp(x, blocks, s->b_block, columns, s->row0, 1, &p, 0);
    }
    bool is_at_top = s->uplo == 'L';
    int64_t triangle_row = is_at_top ? 0 : s->t.rows - s->n;
    int64_t first = is_at_top ? s->n : 0, last = first + s->t.rows - s->n;
    startile_piece t_k = tile_column_from(s->block, triangle_row, task->dtype),
                   b_k = tile_column_from(s->b_block, triangle_row, task->dtype);
    if (s->trans != 'N' && error == 0)
        error = multiply(K, x, s, b_k, columns, first, last);
    if (error == 0)
        error = solve(K, x, buffers, s, t_k, b_k, columns);
    if (s->trans == 'N' && error == 0)
        error = multiply(K, x, s, b_k, columns, first, last);
    return error;
}

/* Submits the step; pivots NULL: without interchanges. */
static void insert(struct operation *op, context ctx, int64_t priority, starpu_data_handle_t pivots,
                   const substitution *step, column B)
{
    startile_dtype dtype = B.A->shape.dtype;
    int64_t t_tiles = column_tiles(step->columns), b_tiles = column_tiles(B);
    struct starpu_task *t = task_new(op, ctx, priority, dtype, run_substitution,
                                     sizeof(struct substitution_args) +
                                         (size_t)(t_tiles + b_tiles) * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, t_tiles + b_tiles + 3))
        return;
    struct substitution_args *s = t->cl_arg;
    s->uplo = step->uplo;
    s->trans = step->trans;
    s->diag = step->diag;
    s->n = (int)step->n;
    s->row0 = B.row;
    s->b_block = s->block + t_tiles;
    s->interchange = pivots != NULL;
    if (pivots != NULL)
        task_access(t, pivots, STARPU_R);
    s->t = column_access(t, step->columns, STARPU_R);
    s->b = column_access(t, B, STARPU_RW);
    if (step->W != NULL) {
        s->w = t->nbuffers;
        s->tile_status = step->W->tile_status;
        task_access(t, step->W->handle, STARPU_R);
    }
    if (step->after != NULL)
        task_tile(t, *step->after, STARPU_R);
    double order = (double)step->n, other_rows = (double)(B.rows - step->n);
    int64_t n = column_width(B);
    task_submit(t, (struct work){.m = B.rows,
                                 .n = n,
                                 .k = step->n,
                                 .variant = step->W != NULL,
                                 .flops = flops_of(dtype, (order * order / 2 + order * other_rows) *
                                                              (double)n)});
}

void insert_substitution(context ctx, int64_t priority, const substitution *s, column B)
{
    insert(&substitution_op, ctx, priority, NULL, s, B);
}

void insert_update(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                   const substitution *s, column B)
{
    insert(&update, ctx, priority, pivots_handle(P, k), s, B);
}
