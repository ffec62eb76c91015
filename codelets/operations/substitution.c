/*
 * One step of a substitution on a block column (trsm_gemm). With row interchanges before it, the
 * step is the update of LU (laswp_trsm_gemm).
 */
#include "runtime/runtime.h"

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

/* Order of the diagonal blocks whose inverses replace a substitution. Larger ones take fewer
 * kernels, and the residual grows. LU of random matrices of order 4096 to 16384 in double precision
 * on an H100: seconds divided by those with 128, and residual divided by LAPACK's, are 0.96 to 0.98
 * and 1.16 to 1.49 with 256, 0.95 to 0.96 and 2.8 to 4.7 with the whole inverse
 * (perf_models/NOTES.md). */
enum { INVERTED = 256 };

/* Largest number of right-hand sides for which trsm is used in spite of an inverse: for them the
 * kernels of many blocks cost more than they save (H100, one right-hand side, gesv_mixed of 8192:
 * 0.0388 s by blocks, 0.0309 by trsm). The number itself is an estimate. */
enum { FEW_COLUMNS = 16 };

/* Returns the part of the array p from row i and column j on. */
static char *part(const void *p, int ld, int i, int j, startile_dtype dtype)
{
    return (char *)p + (i + (int64_t)j * ld) * startile_element_size[dtype];
}

/* B_k := op(T_k)^-1 B_k by diagonal blocks. The diagonal blocks of W = T_k^-1 are the inverses of
 * those of T_k. */
static int solve_by_inverses(const startile_kernels *K, startile_exec *x,
                             const struct substitution_args *s, struct buffer w, startile_piece t,
                             startile_piece b, int columns)
{
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    const startile_dtype dtype = s->task.dtype;
    const bool is_downward = (s->uplo == 'L') == (s->trans == 'N');
    const int blocks = (s->n + INVERTED - 1) / INVERTED;
    int error = 0;
    for (int q = 0; q < blocks && error == 0; q++) {
        int i = INVERTED * (is_downward ? q : blocks - 1 - q);
        int k = s->n - i < INVERTED ? s->n - i : INVERTED;
        int first = is_downward ? i + k : 0, rest = is_downward ? s->n - first : i;
        void *b_i = part(b.p, b.ld, i, 0, dtype);
        /* B_i := op(W_ii) B_i, B_rest -= op(T)_(rest,i) B_i */
        error = K->trmm(x, 'L', s->uplo, s->trans, k, columns, one, part(w.p, w.ld, i, i, dtype),
                        w.ld, b_i, b.ld);
        if (rest > 0 && error == 0)
            error = K->gemm(x, s->trans, 'N', rest, columns, k, minus_one,
                            s->trans == 'N' ? part(t.p, t.ld, first, i, dtype)
                                            : part(t.p, t.ld, i, first, dtype),
                            t.ld, b_i, b.ld, one, part(b.p, b.ld, first, 0, dtype), b.ld);
    }
    return error;
}

/* B_k := op(T_k)^-1 B_k */
static int solve(const startile_kernels *K, startile_exec *x, void **buffers,
                 const struct substitution_args *s, startile_piece t, startile_piece b, int columns)
{
    const startile_scalar one = {1, 0};
    if (s->w != 0 && x != NULL && columns > FEW_COLUMNS && s->tile_status->use_inverse != 0) {
        struct buffer w = matrix_buffer(buffers[s->w]);
        return s->tile_status->use_inverse == 1
                   ? K->trmm(x, 'L', s->uplo, s->trans, s->n, columns, one, w.p, w.ld, b.p, b.ld)
                   : solve_by_inverses(K, x, s, w, t, b, columns);
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
    int64_t t_tiles = column_tiles(step->T), b_tiles = column_tiles(B);
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
    s->t = column_access(t, step->T, STARPU_R);
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
