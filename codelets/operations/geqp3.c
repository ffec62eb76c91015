/* QR factorization with column pivoting of a panel, with all updates to its right */
#include "data/permutation.h"
#include "memory/memories.h"
#include "operations/insert_pivoted.h"
#include "task/operands.h"
#include "task/team.h"

struct geqp3_args {
    struct task_args task;
    int64_t row0, n, chosen;
    int nb, k, norms, t; /* norms, t: buffers */
    int blocks;
    startile_piece block[];
};

enum { ORDER, FIRST_BLOCK };
static struct operation geqp3 = {.name = "geqp3", .color = 0xe15759};

static int run_geqp3(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct geqp3_args *g = (struct geqp3_args *)task;
    struct buffer t = matrix_buffer(buffers[g->t]);
    for (int j = 0; j < g->blocks; j++) {
        struct buffer b = matrix_buffer(buffers[FIRST_BLOCK + j]);
        g->block[j] = (startile_piece){b.p, b.ld, b.m};
    }
    startile_team *team = x == NULL ? task_team_open((g->block->m - g->row0) * g->n) : NULL;
    int status = K->geqp3(x, team, g->blocks, g->block, g->nb, g->row0, g->n, g->k, g->chosen,
                          matrix_buffer(buffers[ORDER]).p, values_in_buffer(buffers, g->norms, 0),
                          t.p, t.ld);
    task_team_close(team);
    return status;
}

void insert_geqp3(context ctx, int64_t priority, const startile_matrix *A, int64_t k,
                  startile_permutation *P, const values *norms, tile T)
{
    const startile_shape *s = &A->shape;
    int64_t blocks = s->nt - k;
    struct starpu_task *t =
        task_new(&geqp3, ctx, priority, s->dtype, run_geqp3,
                 sizeof(struct geqp3_args) + (size_t)blocks * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, blocks + 3))
        return;
    struct geqp3_args *g = t->cl_arg;
    g->row0 = k * s->nb;
    g->n = s->n - g->row0;
    g->chosen = permutation_chosen(P);
    g->nb = (int)s->nb;
    g->k = (int)tile_columns(T);
    g->blocks = (int)blocks;
    /* STARPU_RW: a skipped task leaves all data unchanged */
    task_access(t, permutation_handle(P), STARPU_RW);
    for (int64_t j = k; j < s->nt; j++)
        task_tile(t, (tile){A, 0, j, 'N'}, STARPU_RW);
    g->norms = values_access(t, norms, STARPU_RW);
    g->t = t->nbuffers;
    task_tile(t, T, STARPU_RW);
    if (!fits_each_memory(s->dtype, s->m, s->n))
        task_on_cpu(t);
    double m = (double)(s->m - g->row0), n = (double)g->n, b = (double)g->k;
    task_submit(t, (struct work){.m = s->m - g->row0,
                                 .n = g->n,
                                 .k = g->k,
                                 .flops = flops_of(s->dtype, 2 * m * n * b)});
}
