/* Column permutation of QR with column pivoting, from the interchanges of its panels */
#include "data/permutation.h"
#include "data/pivots.h"
#include "operations/insert_pivoted.h"
#include "task/operands.h"

struct permute_args {
    struct task_args task;
    int64_t row0, n;
};

enum { ORDER, PIVOTS };
static struct operation permute = {.name = "permute", .color = 0xbab0ac};

static int run_permute(const startile_kernels *K, startile_exec *x, void **buffers,
                       struct task_args *task)
{
    struct permute_args *p = (struct permute_args *)task;
    int64_t *order = matrix_buffer(buffers[ORDER]).p;
    startile_pivots_of_panel pivots = pivots_buffer(buffers[PIVOTS]);
    (void)K;
    (void)x;
    for (int64_t j = 0; j < p->n && p->row0 == 0; j++)
        order[j] = j + 1;
    for (int64_t j = p->row0; j < p->row0 + pivots.k; j++) {
        int64_t other = pivots.of[j - p->row0] - 1, number = order[j];
        order[j] = order[other];
        order[other] = number;
    }
    return 0;
}

void insert_permute(context ctx, startile_permutation *P, const startile_pivots *pivots, int64_t k)
{
    struct starpu_task *t =
        task_new(&permute, ctx, 0, STARTILE_D, run_permute, sizeof(struct permute_args));
    if (t == NULL)
        return;
    struct permute_args *p = t->cl_arg;
    starpu_data_handle_t order = permutation_handle(P);
    p->row0 = pivots_first_row(pivots, k);
    p->n = starpu_matrix_get_nx(order);
    task_access(t, order, STARPU_RW);
    task_access(t, pivots_handle(pivots, k), STARPU_R);
    task_on_cpu(t);
    task_submit(t, (struct work){.m = p->n, .n = 1});
}
