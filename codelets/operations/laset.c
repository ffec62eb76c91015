/* Tasks that fill a tile: laset, random elements, real diagonals */
#include "operations/insert.h"
#include "task/operands.h"

struct laset_args {
    struct task_args task;
    char uplo;
    int64_t shift;
    startile_scalar offdiag, diag;
};

struct laset_column_args {
    struct task_args task;
    char uplo;
    startile_scalar diag;
    struct tile_column a;
    startile_piece block[];
};

struct random_args {
    struct task_args task;
    startile_symmetry kind;
    uint64_t seed;
    double bump;
    int64_t i0, j0;
};

static struct operation laset = {.name = "laset", .color = 0xbab0ac};
static struct operation real_diagonal = {.name = "real_diagonal", .color = 0xbab0ac};
static struct operation random_tile = {.name = "random", .color = 0xbab0ac};

/* Returns the access mode of the written tile. A task that writes one triangle keeps the other. */
static enum starpu_data_access_mode write_mode(char uplo)
{
    return uplo == 'G' ? STARPU_W : STARPU_RW;
}

static int run_laset(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct laset_args *l = (struct laset_args *)task;
    struct buffer a = matrix_buffer(buffers[0]);
    return K->laset(x, l->uplo, a.m, a.n, l->shift, l->offdiag, l->diag, a.p, a.ld);
}

void insert_laset(context ctx, char uplo, startile_complex offdiag, startile_complex diag, tile A)
{
    struct starpu_task *t =
        task_new(&laset, ctx, 0, A.A->shape.dtype, run_laset, sizeof(struct laset_args));
    if (t == NULL)
        return;
    struct laset_args *l = t->cl_arg;
    l->uplo = uplo;
    l->shift = tile_first_row(A) - tile_first_column(A);
    l->offdiag = to_scalar(offdiag);
    l->diag = to_scalar(diag);
    task_tile(t, A, write_mode(uplo));
    task_submit(t, (struct work){.m = tile_rows(A), .n = tile_columns(A), .variant = uplo != 'G'});
}

/* Fills the triangle of the first block ('U') or all blocks ('G'). */
static int run_laset_column(const startile_kernels *K, startile_exec *x, void **buffers,
                            struct task_args *task)
{
    struct laset_column_args *l = (struct laset_column_args *)task;
    const startile_scalar zero = {0, 0};
    int blocks = tile_column_blocks(&l->a, buffers, task->dtype, l->block), error = 0;
    int n = tile_column_width(&l->a, buffers);
    int64_t row = 0;
    for (int q = 0; q < blocks && error == 0; row += l->block[q++].m) {
        startile_piece a = l->block[q];
        error = K->laset(x, l->uplo, a.m, n, row, zero, l->diag, a.p, a.ld);
    }
    return error;
}

void insert_laset_column(context ctx, int64_t priority, char uplo, startile_complex diag, column A)
{
    int64_t tiles = column_tiles(A);
    struct starpu_task *t =
        task_new(&laset, ctx, priority, A.A->shape.dtype, run_laset_column,
                 sizeof(struct laset_column_args) + (size_t)tiles * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles))
        return;
    struct laset_column_args *l = t->cl_arg;
    l->uplo = uplo;
    l->diag = to_scalar(diag);
    /* STARPU_RW: A may be a part of its tiles */
    l->a = column_access(t, A, STARPU_RW);
    task_submit(t, (struct work){.m = A.rows, .n = column_width(A), .variant = uplo != 'G'});
}

/* Sets the diagonal's imaginary parts to 0 with the real type's kernel laset. The kernel sees
 * these parts as one row of a matrix whose leading dimension is the distance between diagonal
 * elements. */
static int run_real_diagonal(const startile_kernels *K, startile_exec *x, void **buffers,
                             struct task_args *task)
{
    const startile_scalar zero = {0, 0};
    struct buffer a = matrix_buffer(buffers[0]);
    char *imaginary = (char *)a.p + startile_element_size[task->dtype];
    return K->laset(x, 'G', 1, a.n, 0, zero, zero, imaginary, 2 * (a.ld + 1));
}

void insert_real_diagonal(context ctx, tile A)
{
    startile_dtype dtype = A.A->shape.dtype;
    if (dtype != STARTILE_C && dtype != STARTILE_Z)
        return;
    struct starpu_task *t =
        task_new(&real_diagonal, ctx, 0, dtype == STARTILE_C ? STARTILE_S : STARTILE_D,
                 run_real_diagonal, sizeof(struct task_args));
    if (t == NULL)
        return;
    task_tile(t, A, STARPU_RW);
    task_submit(t, (struct work){.m = 1, .n = tile_columns(A)});
}

static int run_random(const startile_kernels *K, startile_exec *x, void **buffers,
                      struct task_args *task)
{
    struct random_args *q = (struct random_args *)task;
    struct buffer a = matrix_buffer(buffers[0]);
    return K->random(x, q->kind, q->seed, q->bump, q->i0, q->j0, a.m, a.n, a.p, a.ld);
}

/* Submits A := elements of a random matrix, of which column `column` is A's first column. */
static void insert_random_tile(context ctx, startile_symmetry kind, uint64_t seed, double bump,
                               tile A, int64_t column)
{
    struct starpu_task *t =
        task_new(&random_tile, ctx, 0, A.A->shape.dtype, run_random, sizeof(struct random_args));
    if (t == NULL)
        return;
    struct random_args *q = t->cl_arg;
    q->kind = kind;
    q->seed = seed;
    q->bump = bump;
    q->i0 = tile_first_row(A);
    q->j0 = column;
    task_tile(t, A, STARPU_W);
    task_submit(t, (struct work){.m = tile_rows(A), .n = tile_columns(A)});
}

void insert_random(context ctx, char kind, uint64_t seed, double bump, tile A)
{
    insert_random_tile(ctx,
                       kind == 'G'   ? STARTILE_GENERAL
                       : kind == 'S' ? STARTILE_SYMMETRIC
                                     : STARTILE_HERMITIAN,
                       seed, bump, A, tile_first_column(A));
}

void insert_random_columns(context ctx, uint64_t seed, int64_t column, tile A)
{
    insert_random_tile(ctx, STARTILE_GENERAL, seed, 0, A, column);
}
