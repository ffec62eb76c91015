/* Cholesky factorization with diagonal pivoting of a block column, with all updates to its right */
#include "data/permutation.h"
#include "memory/memories.h"
#include "operations/insert_pivoted.h"
#include "request/request.h"
#include "request/state.h"
#include "task/operands.h"
#include "task/team.h"

struct pstrf_args {
    struct task_args task;
    char uplo;
    int nb, stop; /* stop: buffer */
    int64_t k, n;
    double tol;
    startile_tile_status *status;
    bool has_run;
    int64_t *rank;
    int tiles;
    startile_piece tile[];
};

enum { ORDER, FIRST_TILE };
static struct operation pstrf = {.name = "pstrf", .color = 0xe15759};

static int run_pstrf(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct pstrf_args *p = (struct pstrf_args *)task;
    int64_t rows = p->n - p->k * p->nb;
    for (int i = 0; i < p->tiles; i++) {
        struct buffer b = matrix_buffer(buffers[FIRST_TILE + i]);
        p->tile[i] = (startile_piece){b.p, b.ld, b.m};
    }
    startile_team *team = x == NULL ? task_team_open(rows * rows / 2) : NULL;
    int error =
        K->pstrf(x, team, p->uplo, p->tile, p->nb, p->k, p->n, p->tol,
                 matrix_buffer(buffers[ORDER]).p, values_in_buffer(buffers, p->stop, 0), p->status);
    task_team_close(team);
    p->has_run = error == 0;
    return error;
}

/* Callback after the task's kernel, before the tasks that depend on it: sets the rank, and fails
 * the request with info 1 if a pivot was too small. */
static void note_rank(void *arg)
{
    const struct pstrf_args *p = arg;
    int64_t begin = p->k * p->nb, end = begin + p->nb, info = p->status->info;
    if (!p->has_run)
        return;
    *p->rank = info > 0 ? begin + info - 1 : end < p->n ? end : p->n;
    request_fail(p->task.ctx.request, info > 0);
}

void insert_pstrf(context ctx, int64_t priority, char uplo, view A, int64_t k,
                  startile_permutation *P, double tol, const values *stop, int64_t *rank)
{
    const startile_shape *s = &A.A->shape;
    int64_t tiles = (s->nt * (s->nt + 1) - k * (k + 1)) / 2;
    startile_tile_status *status = request_tile_status(ctx.request);
    if (status == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return;
    }
    struct starpu_task *t =
        task_new(&pstrf, ctx, priority, s->dtype, run_pstrf,
                 sizeof(struct pstrf_args) + (size_t)tiles * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + 2))
        return;
    struct pstrf_args *p = t->cl_arg;
    p->uplo = uplo;
    p->nb = (int)s->nb;
    p->k = k;
    p->n = s->n;
    p->tol = tol;
    p->status = status;
    p->rank = rank;
    p->tiles = (int)tiles;
    /* STARPU_RW: a skipped task leaves all data unchanged */
    task_access(t, permutation_handle(P), STARPU_RW);
    for (int64_t i = k; i < s->nt; i++)
        for (int64_t j = 0; j <= i; j++)
            task_tile(t, at(A, i, j), STARPU_RW);
    p->stop = values_access(t, stop, STARPU_RW);
    if (!fits_each_memory(s->dtype, s->n, (s->n + s->nb + 1) / 2))
        task_on_cpu(t);
    t->epilogue_callback_func = note_rank;
    t->epilogue_callback_arg = p;
    int64_t rows = s->n - k * s->nb, columns = rows < s->nb ? rows : s->nb;
    double m = (double)rows, b = (double)columns;
    task_submit(
        t, (struct work){
               .m = rows, .n = rows, .k = columns, .flops = flops_of(s->dtype, m * m * b / 2)});
}
