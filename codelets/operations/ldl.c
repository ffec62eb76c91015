/* Tasks on Bunch–Kaufman factors: D, the triangle in the order of all interchanges, solves with D,
 * checksums, inertia, determinant. The order, checksums, inertia and determinant are computed by
 * CPU kernels. */
#include "data/pivots.h"
#include "data/symmetric_pivots.h"
#include "operations/insert_symmetric.h"
#include "request/request.h"
#include "request/state.h"
#include "symmetric.h"
#include "task/operands.h"

#include <complex.h>
#include <stdlib.h>

struct ldl_args {
    struct task_args task;
    char uplo;
    bool hermitian;
    int nb, k, n;
    int64_t *inertia; /* results for the host */
    startile_complex *sign;
    double *logarithm;
    struct tile_column b;
    int tiles;
    startile_piece tile[];
};

static struct operation
    ldl_diagonal = {.name = "ldl_diagonal", .color = 0xbab0ac},
    ldl_order = {.name = "ldl_order", .color = 0xedc948, .has_host_tasks = true},
    ldl_column = {.name = "ldl_column", .color = 0xedc948},
    ldl_solve = {.name = "ldl_solve", .color = 0xf28e2b},
    ldl_checksum = {.name = "ldl_checksum", .color = 0xbab0ac, .has_host_tasks = true},
    ldl_inertia = {.name = "ldl_inertia", .color = 0x76b7b2, .has_host_tasks = true},
    ldl_determinant = {.name = "ldl_determinant", .color = 0x76b7b2, .has_host_tasks = true};

static const startile_symmetric_kernels *kernels_of(const struct task_args *task,
                                                    const startile_exec *x)
{
#if defined STARTILE_SIMULATION /* whose tasks run no kernels */
    (void)task, (void)x;
    return NULL;
#elif defined STARTILE_HAVE_CUDA
    return (x != NULL ? startile_cuda_symmetric_kernels
                      : startile_cpu_symmetric_kernels)[task->dtype];
#else
    (void)x;
    return startile_cpu_symmetric_kernels[task->dtype];
#endif
}

/* Returns a task with `count` tiles among its accesses, or NULL, and the request has failed. */
static struct starpu_task *new_task(struct operation *op, context ctx, int64_t priority,
                                    startile_dtype dtype, task_function run, int64_t count)
{
    struct starpu_task *t =
        task_new(op, ctx, priority, dtype, run,
                 sizeof(struct ldl_args) + (size_t)count * sizeof(startile_piece));
    return t == NULL || !task_reserve(t, count + 3) ? NULL : t;
}

/* Stores the addresses of the task's tiles, which begin at buffer `first`. */
static void find_tiles(struct ldl_args *g, void **buffers, int first)
{
    for (int i = 0; i < g->tiles; i++) {
        struct buffer b = matrix_buffer(buffers[first + i]);
        g->tile[i] = (startile_piece){b.p, b.ld, b.m};
    }
}

/* -- D ------------------------------------------------------------------------------------------
 */

static int run_diagonal(const startile_kernels *K, startile_exec *x, void **buffers,
                        struct task_args *task)
{
    struct ldl_args *g = (struct ldl_args *)task;
    struct buffer d = matrix_buffer(buffers[1]);
    (void)K;
    find_tiles(g, buffers, 2);
    return kernels_of(task, x)->diagonal(x, g->uplo, g->hermitian, g->tile, g->nb, g->n,
                                         matrix_buffer(buffers[0]).p, d.p, d.ld, task->tile_status);
}

bool insert_ldl_diagonal(context ctx, char trans, const startile_matrix *A,
                         const startile_symmetric_pivots *P, bool fails, tile D)
{
    const startile_shape *s = &A->shape;
    char uplo = symmetric_pivots_triangle(P);
    startile_tile_status *status = fails ? request_tile_status(ctx.request) : NULL;
    if (fails && status == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return false;
    }
    struct starpu_task *t = new_task(&ldl_diagonal, ctx, 0, s->dtype, run_diagonal, 2 * s->nt - 1);
    if (t == NULL)
        return false;
    struct ldl_args *g = t->cl_arg;
    g->uplo = uplo;
    g->hermitian = trans == 'C';
    g->nb = (int)s->nb;
    g->n = (int)s->n;
    g->tiles = (int)(2 * s->nt - 1);
    g->task.tile_status = status;
    task_access(t, symmetric_pivots_handle(P), STARPU_R);
    task_tile(t, D, STARPU_W);
    for (int64_t i = 0; i < s->nt; i++) {
        if (i > 0)
            task_tile(t, uplo == 'L' ? (tile){A, i, i - 1, 'N'} : (tile){A, i - 1, i, 'N'},
                      STARPU_R);
        task_tile(t, (tile){A, i, i, 'N'}, STARPU_R);
    }
    task_submit(t, (struct work){.m = s->n, .n = 1});
    return true;
}

static int run_inertia(const startile_kernels *K, startile_exec *x, void **buffers,
                       struct task_args *task)
{
    struct buffer d = matrix_buffer(buffers[0]);
    (void)K;
    kernels_of(task, x)->inertia(d.m, d.p, d.ld, ((struct ldl_args *)task)->inertia);
    return 0;
}

void insert_ldl_inertia(context ctx, tile D, int64_t *inertia)
{
    startile_shape s = D.A->shape;
    struct starpu_task *t = new_task(&ldl_inertia, ctx, 0, s.dtype, run_inertia, 0);
    if (t == NULL)
        return;
    ((struct ldl_args *)t->cl_arg)->inertia = inertia;
    task_tile(t, D, STARPU_R);
    task_on_host(t);
    task_submit(t, (struct work){.m = s.m, .n = 1});
}

static int run_determinant(const startile_kernels *K, startile_exec *x, void **buffers,
                           struct task_args *task)
{
    struct ldl_args *g = (struct ldl_args *)task;
    struct buffer d = matrix_buffer(buffers[0]);
    startile_scalar sign;
    (void)K;
    kernels_of(task, x)->determinant(g->hermitian, d.m, d.p, d.ld, &sign, g->logarithm);
    *g->sign = CMPLX(sign.re, sign.im);
    return 0;
}

void insert_ldl_determinant(context ctx, char trans, tile D, startile_complex *sign,
                            double *logabsdet)
{
    startile_shape s = D.A->shape;
    struct starpu_task *t = new_task(&ldl_determinant, ctx, 0, s.dtype, run_determinant, 0);
    if (t == NULL)
        return;
    struct ldl_args *g = t->cl_arg;
    g->hermitian = trans == 'C';
    g->sign = sign;
    g->logarithm = logabsdet;
    task_tile(t, D, STARPU_R);
    task_on_host(t);
    task_submit(t, (struct work){.m = s.m, .n = 1});
}

static int run_solve(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct ldl_args *g = (struct ldl_args *)task;
    struct buffer d = matrix_buffer(buffers[0]);
    (void)K;
    int pieces = tile_column_blocks(&g->b, buffers, task->dtype, g->tile);
    return kernels_of(task, x)->solve(x, g->hermitian, d.p, d.ld, pieces, g->tile,
                                      tile_column_width(&g->b, buffers));
}

void insert_ldl_solve(context ctx, int64_t priority, char trans, tile D, column B)
{
    struct starpu_task *t =
        new_task(&ldl_solve, ctx, priority, B.A->shape.dtype, run_solve, column_tiles(B));
    if (t == NULL)
        return;
    struct ldl_args *g = t->cl_arg;
    g->hermitian = trans == 'C';
    task_tile(t, D, STARPU_R);
    g->b = column_access(t, B, STARPU_RW);
    task_submit(t, (struct work){.m = B.rows, .n = column_width(B)});
}

static int run_checksum(const startile_kernels *K, startile_exec *x, void **buffers,
                        struct task_args *task)
{
    struct ldl_args *g = (struct ldl_args *)task;
    struct buffer d = matrix_buffer(buffers[0]);
    (void)K;
    int pieces = tile_column_blocks(&g->b, buffers, STARTILE_D, g->tile);
    kernels_of(task, x)->checksum(g->hermitian, d.p, d.ld, pieces, g->tile);
    return 0;
}

void insert_ldl_checksum(context ctx, char trans, tile D, column W)
{
    struct starpu_task *t =
        new_task(&ldl_checksum, ctx, 0, D.A->shape.dtype, run_checksum, column_tiles(W));
    if (t == NULL)
        return;
    struct ldl_args *g = t->cl_arg;
    g->hermitian = trans == 'C';
    task_tile(t, D, STARPU_R);
    g->b = column_access(t, W, STARPU_RW);
    task_on_host(t);
    task_submit(t, (struct work){.m = W.rows, .n = column_width(W)});
}

/* -- interchanges --------------------------------------------------------------------------------
 */

static int run_order(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct ldl_args *g = (struct ldl_args *)task;
    int64_t *interchanges = malloc((size_t)g->n * sizeof *interchanges);
    int error =
        interchanges == NULL
            ? STARTILE_ERROR_MEMORY
            : startile_symmetric_order(g->uplo, g->n, matrix_buffer(buffers[0]).p, interchanges);
    (void)K;
    (void)x;
    for (int64_t row = 0, k = 1; row < g->n && error == 0; k++) {
        startile_pivots_of_panel p = pivots_buffer(buffers[k]);
        for (int j = 0; j < p.k; j++)
            p.of[j] = interchanges[row + j];
        error = startile_moves_of_pivots(row, p);
        row += p.k;
    }
    free(interchanges);
    return error;
}

void insert_ldl_order(context ctx, const startile_symmetric_pivots *P, startile_pivots *to,
                      int64_t n)
{
    int64_t panels = pivots_panels(to);
    struct starpu_task *t = new_task(&ldl_order, ctx, 0, STARTILE_D, run_order, panels);
    if (t == NULL)
        return;
    struct ldl_args *g = t->cl_arg;
    g->uplo = symmetric_pivots_triangle(P);
    g->n = (int)n;
    task_access(t, symmetric_pivots_handle(P), STARPU_R);
    for (int64_t k = 0; k < panels; k++)
        task_access(t, pivots_handle(to, k), STARPU_W);
    task_on_host(t);
    task_submit(t, (struct work){.m = n, .n = 1});
}

static int run_column(const startile_kernels *K, startile_exec *x, void **buffers,
                      struct task_args *task)
{
    struct ldl_args *g = (struct ldl_args *)task;
    int count = g->tiles / 2;
    (void)K;
    find_tiles(g, buffers, 1);
    return kernels_of(task, x)->column(x, g->uplo, g->tile, g->nb, g->k, g->n,
                                       matrix_buffer(buffers[0]).p, g->tile + count);
}

void insert_ldl_column(context ctx, int64_t priority, const startile_matrix *A, int64_t k,
                       const startile_symmetric_pivots *P, const startile_matrix *T, int64_t j)
{
    const startile_shape *s = &A->shape;
    char uplo = symmetric_pivots_triangle(P);
    int64_t first = uplo == 'L' ? k : 0, end = uplo == 'L' ? s->nt : k + 1;
    struct starpu_task *t =
        new_task(&ldl_column, ctx, priority, s->dtype, run_column, 2 * (end - first));
    if (t == NULL)
        return;
    struct ldl_args *g = t->cl_arg;
    g->uplo = uplo;
    g->nb = (int)s->nb;
    g->k = (int)k;
    g->n = (int)s->n;
    g->tiles = (int)(2 * (end - first));
    task_access(t, symmetric_pivots_handle(P), STARPU_R);
    for (int64_t i = first; i < end; i++)
        task_tile(t, (tile){A, i, k, 'N'}, STARPU_R);
    for (int64_t i = first; i < end; i++)
        task_tile(t, (tile){T, i, j, 'N'}, STARPU_W);
    task_submit(t, (struct work){.m = (end - first) * s->nb, .n = s->nb, .variant = uplo == 'U'});
}
