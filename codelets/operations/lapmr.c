/* Permutation of the rows of a tile by a column permutation, or by its inverse */
#include "data/permutation.h"
#include "operations/insert_pivoted.h"
#include "task/operands.h"

#include <stdlib.h>

struct lapmr_args {
    struct task_args task;
    bool inverse;
};

static struct operation lapmr = {.name = "lapmr", .color = 0xedc948};

/* Returns the inverse of the permutation of m rows, or NULL without memory. Verification calls this
 * with an order that may be corrupt; numbers out of range are ignored. */
static int64_t *inverse_of(const int64_t *order, int m)
{
    int64_t *inverse = malloc((size_t)m * sizeof *inverse + 1);
    if (inverse == NULL)
        return NULL;
    for (int i = 0; i < m; i++)
        inverse[i] = i + 1;
    for (int i = 0; i < m; i++)
        if (order[i] >= 1 && order[i] <= m)
            inverse[order[i] - 1] = i + 1;
    return inverse;
}

static int run_lapmr(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct buffer a = matrix_buffer(buffers[0]);
    const int64_t *order = matrix_buffer(buffers[1]).p;
    (void)x;
    if (!((struct lapmr_args *)task)->inverse)
        return K->lapmr(a.m, a.n, order, a.p, a.ld);
    int64_t *inverse = inverse_of(order, a.m);
    int error = inverse == NULL ? STARTILE_ERROR_MEMORY : K->lapmr(a.m, a.n, inverse, a.p, a.ld);
    free(inverse);
    return error;
}

void insert_lapmr(context ctx, const startile_permutation *P, bool inverse, tile A)
{
    struct starpu_task *t =
        task_new(&lapmr, ctx, 0, A.A->shape.dtype, run_lapmr, sizeof(struct lapmr_args));
    if (t == NULL)
        return;
    ((struct lapmr_args *)t->cl_arg)->inverse = inverse;
    task_tile(t, A, STARPU_RW);
    task_access(t, permutation_handle(P), STARPU_R);
    task_on_cpu(t);
    task_submit(t, (struct work){.m = tile_rows(A), .n = tile_columns(A)});
}
