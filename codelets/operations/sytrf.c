/* Bunch–Kaufman factorization of a block column, with all updates of the triangle behind it */
#include "data/symmetric_pivots.h"
#include "memory/memories.h"
#include "operations/insert_symmetric.h"
#include "request/request.h"
#include "request/state.h"
#include "task/operands.h"
#include "task/team.h"

struct sytrf_args {
    struct task_args task;
    char uplo;
    bool hermitian;
    int nb;
    int64_t k, n;
    int tiles;
    startile_piece tile[];
};

enum { PIVOTS, FIRST_TILE };
static struct operation sytrf = {.name = "sytrf", .color = 0xe15759};

static int run_sytrf(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct sytrf_args *s = (struct sytrf_args *)task;
    int64_t done = s->k * s->nb, rows = s->uplo == 'L' ? s->n - done : done + s->nb;
    for (int i = 0; i < s->tiles; i++) {
        struct buffer b = matrix_buffer(buffers[FIRST_TILE + i]);
        s->tile[i] = (startile_piece){b.p, b.ld, b.m};
    }
    startile_team *team = x == NULL ? task_team_open(rows * rows / 2) : NULL;
    int error = K->sytrf(x, team, s->uplo, s->hermitian, s->tile, s->nb, s->k, s->n,
                         matrix_buffer(buffers[PIVOTS]).p, task->tile_status);
    task_team_close(team);
    return error;
}

/* Adds the tiles of the triangle that the panel changes, in the order of the kernel. */
static void access_triangle(struct starpu_task *t, char uplo, const startile_matrix *A, int64_t k)
{
    bool is_lower = uplo == 'L';
    int64_t first = is_lower ? k : 0, end = is_lower ? A->shape.nt : k + 1;
    for (int64_t i = first; i < end; i++)
        for (int64_t j = first; j <= i; j++)
            task_tile(t, is_lower ? (tile){A, i, j, 'N'} : (tile){A, j, i, 'N'}, STARPU_RW);
}

void insert_sytrf(context ctx, int64_t priority, char uplo, char trans, const startile_matrix *A,
                  int64_t k, const startile_symmetric_pivots *P)
{
    const startile_shape *s = &A->shape;
    int64_t width = uplo == 'L' ? s->nt - k : k + 1, tiles = width * (width + 1) / 2;
    startile_tile_status *status = request_tile_status(ctx.request);
    if (status == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return;
    }
    struct starpu_task *t =
        task_new(&sytrf, ctx, priority, s->dtype, run_sytrf,
                 sizeof(struct sytrf_args) + (size_t)tiles * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + 1))
        return;
    struct sytrf_args *args = t->cl_arg;
    args->uplo = uplo;
    args->hermitian = trans == 'C';
    args->nb = (int)s->nb;
    args->k = k;
    args->n = s->n;
    args->tiles = (int)tiles;
    args->task.tile_status = status;
    args->task.panel_row = k * s->nb;
    args->task.continues_on_zero_pivot = true;
    /* STARPU_RW: a skipped task leaves all data unchanged */
    task_access(t, symmetric_pivots_handle(P), STARPU_RW);
    access_triangle(t, uplo, A, k);
    if (!fits_each_memory(s->dtype, s->n, (s->n + s->nb + 1) / 2))
        task_on_cpu(t);
    int64_t done = k * s->nb, rows = uplo == 'L' ? s->n - done : done + s->nb,
            columns = s->n - done < s->nb ? s->n - done : s->nb;
    double m = (double)rows, b = (double)columns;
    task_submit(t, (struct work){.m = rows,
                                 .n = rows,
                                 .k = columns,
                                 .variant = uplo == 'U',
                                 .flops = flops_of(s->dtype, m * m * b / 2)});
}
