/* T := T^-1 for a triangular diagonal tile */
#include "operations/insert.h"
#include "task/operands.h"

struct trtri_args {
    struct task_args task;
    char uplo, diag;
};

static struct operation trtri = {.name = "trtri", .color = 0xe15759};

/* Solves T X = I and copies the triangle of X to T, without the diagonal if it is unit. */
static int run_trtri(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    const startile_scalar zero = {0, 0}, one = {1, 0};
    struct trtri_args *i = (struct trtri_args *)task;
    struct buffer t = matrix_buffer(buffers[0]), w = matrix_buffer(buffers[1]);
    /* skip 1: copies the triangle without its diagonal, which begins one row lower (L) or one
     * column further right (U) */
    int n = t.n, skip = i->diag == 'U';
    size_t size = (size_t)startile_element_size[task->dtype];
    size_t from = skip ? size * (size_t)(i->uplo == 'L' ? 1 : w.ld) : 0;
    size_t to = skip ? size * (size_t)(i->uplo == 'L' ? 1 : t.ld) : 0;
    int error = K->laset(x, 'G', n, n, 0, zero, one, w.p, w.ld);
    if (error == 0)
        error = K->trsm(x, 'L', i->uplo, 'N', i->diag, n, n, one, t.p, t.ld, w.p, w.ld);
    if (error == 0 && n > skip)
        error = K->lacpy(x, i->uplo, n - skip, n - skip, (const char *)w.p + from, w.ld,
                         (char *)t.p + to, t.ld);
    return error;
}

void insert_trtri(context ctx, int64_t priority, char uplo, char diag, tile T)
{
    int64_t n = tile_rows(T);
    const temporary *before = newest_temporary(ctx);
    startile_matrix *W = temporary_matrix(ctx, T.A, n, n, n, n);
    struct starpu_task *t = W == NULL ? NULL
                                      : task_new(&trtri, ctx, priority, T.A->shape.dtype, run_trtri,
                                                 sizeof(struct trtri_args));
    if (t != NULL) {
        struct trtri_args *i = t->cl_arg;
        i->uplo = uplo;
        i->diag = diag;
        task_tile(t, T, STARPU_RW);
        task_tile(t, at(view_of(W, 'N'), 0, 0), STARPU_W);
        task_submit(t, (struct work){.m = n,
                                     .n = n,
                                     .flops = flops_of(T.A->shape.dtype,
                                                       (double)n * (double)n * (double)n / 2)});
    }
    release_temporaries(ctx, before);
}
