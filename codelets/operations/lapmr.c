/* Permutation of the rows of a tile by a column permutation */
#include "data/permutation.h"
#include "operations/insert_pivoted.h"
#include "task/operands.h"

static struct operation lapmr = {.name = "lapmr", .color = 0xedc948};

static int run_lapmr(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct buffer a = matrix_buffer(buffers[0]);
    (void)x, (void)task;
    return K->lapmr(a.m, a.n, matrix_buffer(buffers[1]).p, a.p, a.ld);
}

void insert_lapmr(context ctx, const startile_permutation *P, tile A)
{
    struct starpu_task *t =
        task_new(&lapmr, ctx, 0, A.A->shape.dtype, run_lapmr, sizeof(struct task_args));
    if (t == NULL)
        return;
    task_tile(t, A, STARPU_RW);
    task_access(t, permutation_handle(P), STARPU_R);
    task_on_cpu(t);
    task_submit(t, (struct work){.m = tile_rows(A), .n = tile_columns(A)});
}
