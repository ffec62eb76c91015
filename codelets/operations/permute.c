/* Column permutation of QR with column pivoting, from the interchanges of its panels */
#include "data/permutation.h"
#include "data/pivots.h"
#include "operations/insert_pivoted.h"
#include "task/operands.h"

struct permute_args {
    struct task_args task;
    bool is_first;
};

enum { ORDER, PIVOTS };
static struct operation permute = {.name = "permute", .color = 0xbab0ac};

/* Treats the numbers of the columns as a row of a matrix of 64-bit elements: the kernels only copy
 * them. Where no column was chosen, the second half of `order` is I. */
static int run_permute(const startile_kernels *K, startile_exec *x, void **buffers,
                       struct task_args *task)
{
    struct permute_args *p = (struct permute_args *)task;
    struct buffer b = matrix_buffer(buffers[ORDER]);
    int64_t *order = b.p;
    const startile_piece row = {order, 1, 1}, none = {NULL, 0, 0};
    int error = p->is_first ? K->lacpy(x, 'G', b.m, 1, order + b.ld, b.ld, order, b.ld) : 0;
    if (error == 0)
        error = K->lapmt(x, 1, &row, none, b.m, 0, pivots_buffer(buffers[PIVOTS]), 0);
    return error;
}

void insert_permute(context ctx, startile_permutation *P, const startile_pivots *pivots, int64_t k)
{
    struct starpu_task *t =
        task_new(&permute, ctx, 0, STARTILE_D, run_permute, sizeof(struct permute_args));
    if (t == NULL)
        return;
    struct permute_args *p = t->cl_arg;
    starpu_data_handle_t order = permutation_handle(P);
    p->is_first = k == 0;
    task_access(t, order, STARPU_RW);
    task_access(t, pivots_handle(pivots, k), STARPU_R);
    task_submit(t, (struct work){.m = starpu_matrix_get_nx(order), .n = 1});
}
