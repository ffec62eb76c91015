/* B := the tile of a Hermitian or symmetric matrix of which A has one triangle */
#include "operations/insert.h"
#include "task/operands.h"

struct mirror_args {
    struct task_args task;
    char uplo;
    bool hermitian;
};

static struct operation mirror = {.name = "mirror", .color = 0xbab0ac};

static int run_mirror(const startile_kernels *K, startile_exec *x, void **buffers,
                      struct task_args *task)
{
    struct mirror_args *s = (struct mirror_args *)task;
    struct buffer a = matrix_buffer(buffers[0]), b = matrix_buffer(buffers[1]);
    return K->mirror(x, s->uplo, s->hermitian, a.n, a.p, a.ld, b.p, b.ld);
}

void insert_mirror(context ctx, int64_t priority, char uplo, bool hermitian, tile A, tile B)
{
    struct starpu_task *t =
        task_new(&mirror, ctx, priority, B.A->shape.dtype, run_mirror, sizeof(struct mirror_args));
    if (t == NULL)
        return;
    struct mirror_args *s = t->cl_arg;
    s->uplo = uplo;
    s->hermitian = hermitian;
    task_tile(t, A, STARPU_R);
    task_tile(t, B, STARPU_W);
    task_submit(t, (struct work){.m = tile_rows(A), .n = tile_columns(A)});
}
