/* Tasks on a GPU whose operands are a whole square matrix and block columns of other matrices.
 */
#include "whole.h"
#include "data/pivots.h"
#include "operations/insert_refinement.h"
#include "request/decision.h"
#include "task/operands.h"

struct whole_args {
    struct task_args task;
    startile_dtype dtype; /* type of A; task.dtype is that of the vectors */
    char uplo;            /* triangle of A that the task reads, or 'G' */
    triangular_factor step[2];
    int steps;  /* number of triangles to solve with */
    int panels; /* panels of pivots, which are the first buffers */
    int64_t n;  /* order of A */
    int nb, count;
    int vectors;             /* number of block columns on the other side */
    struct tile_column v[3]; /* these block columns */
    int sums;                /* buffer + 1 of the sums */
    struct tile_column a[STARTILE_MOST_BLOCKS];
    startile_piece *row_block[3]; /* blocks of rows of v[0], v[1], v[2] */
    startile_piece *space;        /* for the tiles of a block column */
    startile_pivots_of_panel panel[STARTILE_MOST_BLOCKS];
    startile_piece block[]; /* count × count blocks of A, then the other arrays */
};

static struct operation whole_solve = {.name = "whole_solve", .color = 0x59a14f},
                        whole_residual = {.name = "whole_residual", .color = 0x4e79a7},
                        whole_abs_sums = {.name = "whole_abs_sums", .color = 0x76b7b2};

/* Returns the rows of block column l that the operation reads. */
static column stored_rows(const startile_matrix *A, char uplo, int64_t l)
{
    int64_t n = A->shape.n, nb = A->shape.nb, top = uplo == 'L' ? l * nb : 0;
    int64_t end = uplo == 'U' && (l + 1) * nb < n ? (l + 1) * nb : n;
    return (column){A, l, top, end - top, 1};
}

static int64_t tiles_of(const startile_matrix *A, char uplo)
{
    int64_t tiles = 0;
    for (int64_t l = 0; l < A->shape.nt; l++)
        tiles += column_tiles(stored_rows(A, uplo, l));
    return tiles;
}

/* Returns a task with space for its operands: first `vectors` block columns of n rows in type
 * dtype, which the caller adds, then the triangle uplo of A ('G': all of A), which
 * add_matrix_and_submit() adds. Returns NULL without memory. */
static struct starpu_task *task_on_whole(struct operation *op, context ctx, task_function run,
                                         startile_dtype dtype, char uplo, const startile_matrix *A,
                                         int vectors)
{
    const startile_shape *a = &A->shape;
    int64_t count = a->nt, tiles = tiles_of(A, uplo);
    int64_t pieces = count * count + vectors * count + a->mt + count;
    struct starpu_task *t =
        task_new(op, ctx, 0, dtype, run,
                 sizeof(struct whole_args) + (size_t)pieces * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + vectors * (a->mt + count) + count + 1))
        return NULL;
    struct whole_args *w = t->cl_arg;
    w->dtype = a->dtype;
    w->uplo = uplo;
    w->n = a->n;
    w->nb = (int)a->nb;
    w->count = (int)count;
    w->vectors = vectors;
    for (int q = 0; q < vectors; q++)
        w->row_block[q] = w->block + count * count + q * count;
    w->space = w->block + count * count + vectors * count;
    return t;
}

static void add_matrix_and_submit(struct starpu_task *t, const startile_matrix *A, int64_t columns)
{
    struct whole_args *w = t->cl_arg;
    for (int64_t l = 0; l < w->count; l++)
        w->a[l] = column_access(t, stored_rows(A, w->uplo, l), STARPU_R);
    task_on_gpus(t); /* cores have no kernels for it */
    double n = (double)w->n;
    double products = w->steps > 0 ? w->steps * n * n / 2 : n * n;
    task_submit(t, (struct work){.m = w->n,
                                 .n = columns,
                                 .k = w->n,
                                 .flops = flops_of(w->task.dtype, products * (double)columns)});
}

/* Returns the blocks of A, and finds those of the block columns on the other side. */
static startile_blocks find_blocks(struct whole_args *w, void **buffers)
{
    startile_dtype dtype = w->task.dtype;
    for (int l = 0; l < w->count; l++) {
        tile_column_blocks(&w->a[l], buffers, w->dtype, w->space);
        int first = w->uplo == 'L' ? l : 0, last = w->uplo == 'U' ? l : w->count - 1;
        for (int k = first; k <= last; k++)
            w->block[k + l * w->count] =
                tile_column_from(w->space, (int64_t)(k - first) * w->nb, w->dtype);
    }
    for (int q = 0; q < w->vectors; q++) {
        tile_column_blocks(&w->v[q], buffers, dtype, w->space);
        for (int k = 0; k < w->count; k++)
            w->row_block[q][k] = tile_column_from(w->space, (int64_t)k * w->nb, dtype);
    }
    return (startile_blocks){w->n, w->nb, w->count, w->block};
}

/* Returns the kernels; NULL in a simulation and without CUDA, where no task is on a whole matrix.
 */
static const startile_whole_kernels *kernels_of(startile_dtype dtype)
{
#if defined STARTILE_HAVE_CUDA && !defined STARTILE_SIMULATION
    return startile_cuda_whole_kernels[dtype];
#else
    (void)dtype;
    return NULL;
#endif
}

static int run_solve(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct whole_args *w = (struct whole_args *)task;
    int columns = tile_column_width(&w->v[0], buffers), error = 0;
    startile_blocks t = find_blocks(w, buffers);
    if (w->panels > 0) {
        for (int k = 0; k < w->panels; k++)
            w->panel[k] = pivots_buffer(buffers[k]);
        int blocks = tile_column_blocks(&w->v[0], buffers, task->dtype, w->space);
        error = K->laswp(x, blocks, w->space, columns, 0, w->panels, w->panel, 0);
    }
    const startile_whole_kernels *W = kernels_of(task->dtype);
    for (int q = 0; q < w->steps && error == 0; q++) {
        triangular_factor T = w->step[q];
        error = (w->dtype == task->dtype ? W->solve : W->solve_by_single)(
            x, T.uplo, T.trans, T.diag, t, columns, w->row_block[0]);
    }
    return error;
}

static int run_residual(const startile_kernels *K, startile_exec *x, void **buffers,
                        struct task_args *task)
{
    (void)K;
    struct whole_args *w = (struct whole_args *)task;
    startile_blocks a = find_blocks(w, buffers);
    return kernels_of(task->dtype)
        ->residual(x, w->uplo, a, tile_column_width(&w->v[0], buffers), w->row_block[0],
                   w->row_block[1], w->row_block[2]);
}

static int run_abs_sums(const startile_kernels *K, startile_exec *x, void **buffers,
                        struct task_args *task)
{
    (void)K;
    struct whole_args *w = (struct whole_args *)task;
    startile_blocks a = find_blocks(w, buffers);
    return kernels_of(task->dtype)->abs_sums(x, w->uplo, a, values_in_buffer(buffers, w->sums, 0));
}

/* Returns block column j of V. */
static column whole_column(const startile_matrix *V, int64_t j, int64_t rows)
{
    return (column){V, j, 0, rows, 1};
}

void insert_whole_solve(context ctx, const startile_pivots *P, int steps,
                        const triangular_factor *step, const startile_matrix *T,
                        const startile_matrix *V, int64_t j)
{
    char uplo = steps == 2 && step[0].uplo != step[1].uplo ? 'G' : step[0].uplo;
    struct starpu_task *t = task_on_whole(&whole_solve, ctx, run_solve, V->shape.dtype, uplo, T, 1);
    if (t == NULL)
        return;
    struct whole_args *w = t->cl_arg;
    w->steps = steps;
    for (int q = 0; q < steps; q++)
        w->step[q] = step[q];
    w->panels = P == NULL ? 0 : (int)pivots_panels(P);
    for (int64_t k = 0; k < w->panels; k++)
        task_access(t, pivots_handle(P, k), STARPU_R);
    column V_j = whole_column(V, j, w->n);
    w->v[0] = column_access(t, V_j, STARPU_RW);
    add_matrix_and_submit(t, T, column_width(V_j));
}

void insert_whole_residual(context ctx, char uplo, const startile_matrix *A,
                           const startile_matrix *X, const startile_matrix *B,
                           const startile_matrix *R, int64_t j)
{
    struct starpu_task *t =
        task_on_whole(&whole_residual, ctx, run_residual, A->shape.dtype, uplo, A, 3);
    if (t == NULL)
        return;
    struct whole_args *w = t->cl_arg;
    w->v[0] = column_access(t, whole_column(X, j, w->n), STARPU_R);
    w->v[1] = column_access(t, whole_column(B, j, w->n), STARPU_R);
    w->v[2] = column_access(t, whole_column(R, j, w->n), STARPU_W);
    add_matrix_and_submit(t, A, column_width(whole_column(X, j, w->n)));
}

void insert_whole_abs_sums(context ctx, char uplo, const startile_matrix *A, const values *sums)
{
    struct starpu_task *t =
        task_on_whole(&whole_abs_sums, ctx, run_abs_sums, A->shape.dtype, uplo, A, 0);
    if (t == NULL)
        return;
    struct whole_args *w = t->cl_arg;
    w->sums = values_access(t, sums, STARPU_W);
    add_matrix_and_submit(t, A, 1);
}
