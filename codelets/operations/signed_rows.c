/* B := A with the sign changed in the rows in which the diagonal of D is negative */
#include "operations/insert.h"
#include "task/operands.h"

struct signed_rows_args {
    struct task_args task;
    char uplo;
    int a, b; /* buffers of A and B; that of D is 0 */
};

static struct operation signed_rows = {.name = "signed_rows", .color = 0xbab0ac};

static int run_signed_rows(const startile_kernels *K, startile_exec *x, void **buffers,
                           struct task_args *task)
{
    struct signed_rows_args *s = (struct signed_rows_args *)task;
    struct buffer d = matrix_buffer(buffers[0]), a = matrix_buffer(buffers[s->a]),
                  b = matrix_buffer(buffers[s->b]);
    return K->signed_rows(x, s->uplo, b.m, b.n, d.p, d.ld, a.p, a.ld, b.p, b.ld);
}

static bool is_same(tile a, tile b)
{
    return a.A == b.A && a.i == b.i && a.j == b.j;
}

void insert_signed_rows(context ctx, char uplo, tile D, tile A, tile B)
{
    struct starpu_task *t = task_new(&signed_rows, ctx, 0, B.A->shape.dtype, run_signed_rows,
                                     sizeof(struct signed_rows_args));
    if (t == NULL)
        return;
    struct signed_rows_args *s = t->cl_arg;
    s->uplo = uplo;
    task_tile(t, D, STARPU_R);
    if (!is_same(A, D) && !is_same(A, B)) {
        s->a = t->nbuffers;
        task_tile(t, A, STARPU_R);
    }
    s->b = t->nbuffers;
    task_tile(t, B, STARPU_RW);
    if (is_same(A, B))
        s->a = s->b;
    task_submit(t, (struct work){.m = tile_rows(B), .n = tile_columns(B), .variant = uplo != 'G'});
}
