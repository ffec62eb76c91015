/*
 * Checksums of matrices: weighted sums of their columns (algorithms/verify.h)
 *
 * A task works on a block column, because on a GPU one task for each tile would cost more than the
 * sums.
 */
#include "data/arguments.h"
#include "operations/insert_checksum.h"
#include "task/operands.h"

struct checksum_args {
    struct task_args task;
    char op;   /* 'N', 'T' or 'C': how the view shows A's tiles */
    char uplo; /* as the view shows A; 'G': no triangle */
    char diag;
    bool is_hermitian;
    int64_t order; /* of the triangle, or of the Hermitian tile */
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
static startile_piece rows_from(const struct checksum_args *c, void **buffers, int64_t row)
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

/* S := before + alpha op(A)^H W, or before + alpha op(A) W unless `adjoint`, for a block A of m × n
 * elements as the view shows it. uplo is its triangle in the view. */
static int add_sums(const startile_kernels *K, startile_exec *x, const struct checksum_args *c,
                    bool adjoint, char uplo, char diag, int m, int n, startile_piece a,
                    startile_piece w, startile_piece before, startile_piece s)
{
    bool is_stored = c->op == 'N';
    char op = !adjoint ? c->op : is_stored ? 'C' : c->op == 'C' ? 'N' : 'J';
    char stored = uplo == 'G' || is_stored ? uplo : uplo == 'L' ? 'U' : 'L';
    return K->checksum(x, op, stored, diag, is_stored ? m : n, is_stored ? n : m, c->alpha, a.p,
                       a.ld, w.p, w.ld, before.p, before.ld, s.p, s.ld);
}

/* Adds the sums of m rows of A, which are a triangle if uplo is not 'G'. w are the rows of W from
 * those of A on. */
static int add_rows(const startile_kernels *K, startile_exec *x, const struct checksum_args *c,
                    char uplo, int m, startile_piece a, startile_piece w)
{
    startile_piece s = tile_column_from(c->s_block, 0, STARTILE_D);
    bool is_triangle = uplo != 'G';
    int n = is_triangle ? m : c->n;
    int error = add_sums(K, x, c, true, uplo, c->diag, m, n, a, w, s, s);
    if (error == 0 && is_triangle && c->n > m) { /* the columns right of the triangle */
        startile_piece rest = {
            (char *)a.p + (int64_t)m * a.ld * startile_element_size[c->task.dtype], a.ld, a.m};
        startile_piece to = tile_column_from(c->s_block, m, STARTILE_D);
        error = add_sums(K, x, c, true, 'G', 'N', m, c->n - m, rest, w, to, to);
    }
    if (error == 0 && c->is_hermitian && is_triangle) /* the elements that the triangle mirrors */
        error = add_sums(K, x, c, false, uplo, 'Z', m, n, a, w, s, s);
    return error;
}

/* Cuts the rows of A where tiles of A or W end, and at the triangle. */
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
        startile_piece a = rows_from(c, buffers, row),
                       w = tile_column_from(c->block, row, STARTILE_D);
        m = (is_triangle || row < first ? is_triangle ? end : first : c->a.rows) - row;
        m = m < a.m ? m : a.m;
        m = m < w.m ? m : w.m;
        error = add_rows(K, x, c, is_triangle ? c->uplo : 'G', (int)m, a, w);
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

void insert_column_checksum(context ctx, int64_t priority, char uplo, char diag, int64_t order,
                            column A, int64_t n, column W, column S)
{
    struct starpu_task *t = new_checksum(ctx, priority, A.A->shape.dtype, column_tiles(A), W, S);
    if (t == NULL)
        return;
    struct checksum_args *c = t->cl_arg;
    c->op = 'N', c->uplo = uplo, c->diag = diag;
    c->order = order;
    c->n = (int)n;
    c->alpha = (startile_scalar){1, 0};
    c->a = column_access(t, A, STARPU_R);
    task_submit(t, (struct work){.m = A.rows, .n = n});
}

/* Returns the task of insert_checksum() and insert_hermitian_checksum() with its accesses, or NULL.
 * `more`: number of tiles that the caller will add. */
static struct starpu_task *new_range_checksum(context ctx, int64_t priority, tile_range A, column W,
                                              column S, int64_t more)
{
    struct starpu_task *t = new_checksum(ctx, priority, A.A.A->shape.dtype, A.count + more, W, S);
    if (t == NULL)
        return NULL;
    struct checksum_args *c = t->cl_arg;
    tile first = at(A.A, A.i, A.j);
    bool is_stored = A.A.op == 'N';
    c->op = A.A.op;
    c->n = (int)(is_stored ? tile_columns(first) : tile_rows(first));
    c->order = c->n;
    c->alpha = (startile_scalar){1, 0};
    c->a = (struct tile_column){.buffer = t->nbuffers, .tiles = (int)A.count, .rows = W.rows};
    tile_range_access(t, A, STARPU_R);
    return t;
}

void insert_checksum(context ctx, int64_t priority, char uplo, char diag, startile_complex alpha,
                     tile_range A, column W, column S, const tile *after)
{
    struct starpu_task *t = new_range_checksum(ctx, priority, A, W, S, 1);
    if (t == NULL)
        return;
    struct checksum_args *c = t->cl_arg;
    c->uplo = uplo, c->diag = diag;
    c->alpha = to_scalar(alpha);
    if (after != NULL)
        task_tile(t, *after, STARPU_R);
    task_submit(t, (struct work){.m = c->a.rows, .n = c->n});
}

void insert_hermitian_checksum(context ctx, int64_t priority, tile_range A, column W, column S)
{
    struct starpu_task *t = new_range_checksum(ctx, priority, A, W, S, 0);
    if (t == NULL)
        return;
    struct checksum_args *c = t->cl_arg;
    c->uplo = 'L', c->diag = 'R';
    c->is_hermitian = true;
    task_submit(t, (struct work){.m = c->a.rows, .n = c->n, .variant = true});
}

/* -- sums from each tile to the end of the column ---------------------------------------------- */

static startile_piece piece_of(const void *interface)
{
    struct buffer b = matrix_buffer(interface);
    return (startile_piece){b.p, b.ld, b.m};
}

/* c->s: the tiles Y(i) of the range's tiles i, and the one below them if there is one. */
static int run_suffix_checksums(const startile_kernels *K, startile_exec *x, void **buffers,
                                struct task_args *task)
{
    struct checksum_args *c = (struct checksum_args *)task;
    int64_t row = c->a.rows;
    int error = 0;
    tile_column_blocks(&c->w, buffers, STARTILE_D, c->block);
    for (int i = c->a.tiles - 1; i >= 0 && error == 0; i--) {
        void *tile = buffers[c->a.buffer + i], **y = buffers + c->s.buffer + i;
        struct buffer a = matrix_buffer(tile);
        int m = c->op == 'N' ? a.m : a.n;
        row -= m;
        error = add_sums(K, x, c, true, i == 0 ? c->uplo : 'G', c->diag, m, c->n, piece_of(tile),
                         tile_column_from(c->block, row, STARTILE_D),
                         piece_of(i + 1 < c->s.tiles ? y[1] : y[0]), piece_of(y[0]));
    }
    return error;
}

void insert_suffix_checksums(context ctx, int64_t priority, char uplo, tile_range A, column W,
                             tile Y)
{
    tile first = at(A.A, A.i, A.j);
    bool is_stored = A.A.op == 'N', is_last = A.i + A.count == A.A.mt;
    int64_t pieces = column_tiles(W);
    struct starpu_task *t =
        task_new(&checksum, ctx, priority, A.A.A->shape.dtype, run_suffix_checksums,
                 sizeof(struct checksum_args) + (size_t)pieces * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, pieces + 2 * A.count + 1))
        return;
    struct checksum_args *c = t->cl_arg;
    c->op = A.A.op;
    c->uplo = uplo, c->diag = 'N';
    c->n = (int)(is_stored ? tile_columns(first) : tile_rows(first));
    c->alpha = (startile_scalar){1, 0};
    c->w = column_access(t, W, STARPU_R);
    c->s = (struct tile_column){.buffer = t->nbuffers, .tiles = (int)A.count + !is_last};
    for (int64_t i = 0; i < c->s.tiles; i++)
        task_tile(t, (tile){Y.A, Y.i, Y.j + i, 'N'}, i < A.count ? STARPU_RW : STARPU_R);
    c->a = (struct tile_column){.buffer = t->nbuffers, .tiles = (int)A.count, .rows = W.rows};
    tile_range_access(t, A, STARPU_R);
    task_submit(t, (struct work){.m = c->a.rows, .n = c->n});
}
