/*
 * Checksums of matrices: weighted sums of their columns (algorithms/verify.h).
 *
 * A task works on a block column, because on a GPU one task for each tile would cost more than the
 * sums.
 */
#include "operations/insert_checksum.h"
#include "task/operands.h"

struct checksum_args {
    struct task_args task;
    char trans; /* S += alpha op(A) W with op 'N', 'T' or 'C' */
    char op;    /* 'N', 'T' or 'C': how the view shows A's tiles */
    char uplo;  /* as the view shows A; 'G': no triangle */
    char diag;
    int64_t order; /* of the triangle */
    int n;         /* columns of A */
    startile_scalar alpha;
    struct tile_column a, w, s;
    startile_piece *s_block; /* space for the blocks of S, after those of W */
    startile_piece block[];
};

static struct operation checksum = {.name = "checksum", .color = 0xbab0ac};

int64_t checksum_columns(const startile_matrix *A)
{
    return is_complex(A) ? 5 : 3;
}

/* Returns the rows of A, as the view shows it, from `row` to the end of the tile that has them. */
static startile_piece rows_at(const struct checksum_args *c, void **buffers, int64_t row)
{
    row += c->a.skip;
    for (int i = c->a.buffer;; i++) {
        struct buffer b = matrix_buffer(buffers[i]);
        int m = c->op == 'N' ? b.m : b.n;
        int64_t elements = c->op == 'N' ? row : row * b.ld;
        if (row < m)
            return (startile_piece){(char *)b.p + elements * startile_element_size[c->task.dtype],
                                    b.ld, m - (int)row};
        row -= m;
    }
}

/* Returns the kernel's op for a tile that the view shows with the letter `shown`. */
static char op_of_stored(char trans, char shown)
{
    return trans == 'N' ? shown : shown == 'N' ? trans : shown == trans ? 'N' : 'J';
}

/* S := S + alpha op(A) W for a block A of m × n elements as the view shows it. uplo is its triangle
 * in the view. */
static int add_sums(const startile_kernels *K, startile_exec *x, const struct checksum_args *c,
                    char uplo, char diag, int m, int n, startile_piece a, startile_piece w,
                    startile_piece s)
{
    bool is_stored = c->op == 'N';
    char op = op_of_stored(c->trans, c->op);
    char stored = uplo == 'G' || is_stored ? uplo : uplo == 'L' ? 'U' : 'L';
    return K->checksum(x, op, stored, diag, is_stored ? m : n, is_stored ? n : m, c->alpha, a.p,
                       a.ld, w.p, w.ld, s.p, s.ld);
}

/* Adds the sums of m rows of A, which are a triangle if uplo is not 'G'. rows: the rows that
 * correspond to them, of S with trans 'N', else of W. */
static int add_rows(const startile_kernels *K, startile_exec *x, const struct checksum_args *c,
                    char uplo, int m, startile_piece a, startile_piece rows)
{
    startile_piece other = tile_column_from(c->trans != 'N' ? c->s_block : c->block, 0, STARTILE_D);
    bool is_triangle = uplo != 'G';
    int n = is_triangle ? m : c->n;
    if (c->trans == 'N')
        return add_sums(K, x, c, uplo, c->diag, m, n, a, other, rows);
    int error = add_sums(K, x, c, uplo, c->diag, m, n, a, rows, other);
    if (error != 0 || !is_triangle || c->n == m)
        return error;
    /* the columns right of the triangle */
    a.p = (char *)a.p + (int64_t)m * a.ld * startile_element_size[c->task.dtype];
    return add_sums(K, x, c, 'G', 'N', m, c->n - m, a, rows,
                    tile_column_from(c->s_block, m, STARTILE_D));
}

/* Cuts the rows of A where tiles of A, and of W or S, end, and at the triangle. */
static int run_checksum(const startile_kernels *K, startile_exec *x, void **buffers,
                        struct task_args *task)
{
    struct checksum_args *c = (struct checksum_args *)task;
    int64_t first = c->uplo == 'U' ? c->a.rows - c->order : 0; /* rows of the triangle */
    int64_t end = c->uplo == 'G' ? 0 : first + c->order;
    int error = 0;
    tile_column_blocks(&c->w, buffers, STARTILE_D, c->block);
    tile_column_blocks(&c->s, buffers, STARTILE_D, c->s_block);
    for (int64_t row = 0, m; row < c->a.rows && error == 0; row += m) {
        bool is_triangle = row >= first && row < end;
        startile_piece a = rows_at(c, buffers, row),
                       r = tile_column_from(c->trans != 'N' ? c->block : c->s_block, row,
                                            STARTILE_D);
        m = (is_triangle || row < first ? is_triangle ? end : first : c->a.rows) - row;
        m = m < a.m ? m : a.m;
        m = m < r.m ? m : r.m;
        error = add_rows(K, x, c, is_triangle ? c->uplo : 'G', (int)m, a, r);
    }
    return error;
}

/* Returns a task with the accesses to W and S and space for `tiles` tiles of A, or NULL. */
static struct starpu_task *new_checksum(context ctx, int64_t priority, startile_dtype dtype,
                                        int64_t tiles, column W, column S)
{
    int64_t pieces = column_tiles(W) + column_tiles(S);
    struct starpu_task *t =
        task_new(&checksum, ctx, priority, dtype, run_checksum,
                 sizeof(struct checksum_args) + (size_t)pieces * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + pieces))
        return NULL;
    struct checksum_args *c = t->cl_arg;
    c->s_block = c->block + column_tiles(W);
    c->s = column_access(t, S, STARPU_RW);
    c->w = column_access(t, W, STARPU_R);
    return t;
}

/* Submits the task, to cores if GPUs and cores share the tasks on A: dmdas then keeps to the
 * models' rates (perf_models/NOTES.md, "CPU cores and GPUs together"). */
static void submit(struct starpu_task *t, struct work w)
{
    if (t->where == (STARPU_CPU | STARPU_CUDA))
        task_on_cpu(t);
    task_submit(t, w);
}

void insert_column_checksum(context ctx, int64_t priority, char uplo, char diag, int64_t order,
                            column A, int64_t n, column W, column S)
{
    struct starpu_task *t = new_checksum(ctx, priority, A.A->shape.dtype, column_tiles(A), W, S);
    if (t == NULL)
        return;
    struct checksum_args *c = t->cl_arg;
    c->trans = 'C';
    c->op = 'N', c->uplo = uplo, c->diag = diag;
    c->order = order;
    c->n = (int)n;
    c->alpha = (startile_scalar){1, 0};
    c->a = column_access(t, A, STARPU_R);
    submit(t, (struct work){.m = A.rows, .n = n});
}

void insert_checksum(context ctx, int64_t priority, char trans, char uplo, char diag,
                     startile_complex alpha, tile_range A, column W, column S, const tile *after)
{
    struct starpu_task *t =
        new_checksum(ctx, priority, A.A.A->shape.dtype, A.count + (after != NULL), W, S);
    if (t == NULL)
        return;
    struct checksum_args *c = t->cl_arg;
    int64_t rows = trans != 'N' ? W.rows : S.rows;
    c->trans = trans;
    c->op = A.A.op;
    c->uplo = uplo, c->diag = diag;
    c->n = (int)(trans != 'N' ? S.rows : W.rows);
    c->order = c->n;
    c->alpha = to_scalar(alpha);
    c->a = (struct tile_column){.buffer = t->nbuffers, .tiles = (int)A.count, .rows = rows};
    tile_range_access(t, A, STARPU_R);
    if (after != NULL)
        task_tile(t, *after, STARPU_R);
    submit(t, (struct work){.m = rows, .n = c->n, .variant = trans == 'N'});
}
