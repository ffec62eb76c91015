/* C := alpha A A^H + beta C (herk) or alpha A A^T + beta C (syrk) on one triangle */
#include "operations/insert.h"
#include "task/operands.h"

struct herk_args {
    struct task_args task;
    char uplo, trans;
    startile_scalar alpha, beta;
};

static struct operation herk = {.name = "herk", .color = 0x59a14f, .has_vendor_kernels = true};
static struct operation syrk = {.name = "syrk", .color = 0x59a14f, .has_vendor_kernels = true};

/* Returns A's buffer and sets *trans and *k. Without A it sets *k = 0 for a scaling by beta and
 * returns C's buffer, because BLAS checks leading dimensions. */
static struct buffer operand_a(void **buffers, const struct task_args *task, char *trans, int *k)
{
    const struct herk_args *h = (const struct herk_args *)task;
    struct buffer c = matrix_buffer(buffers[0]);
    if (h->trans == 0) {
        *trans = 'N';
        *k = 0;
        return c;
    }
    struct buffer a = matrix_buffer(buffers[1]);
    *trans = h->trans;
    *k = h->trans == 'N' ? a.n : a.m;
    return a;
}

static int run_herk(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct herk_args *h = (struct herk_args *)task;
    char trans;
    int k;
    struct buffer c = matrix_buffer(buffers[0]), a = operand_a(buffers, task, &trans, &k);
    return K->herk(x, h->uplo, trans, c.n, k, h->alpha, a.p, a.ld, h->beta, c.p, c.ld);
}

static int run_syrk(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct herk_args *h = (struct herk_args *)task;
    char trans;
    int k;
    struct buffer c = matrix_buffer(buffers[0]), a = operand_a(buffers, task, &trans, &k);
    return K->syrk(x, h->uplo, trans, c.n, k, h->alpha, a.p, a.ld, h->beta, c.p, c.ld);
}

void insert_herk(context ctx, int64_t priority, char op, char uplo, startile_complex alpha, tile A,
                 startile_complex beta, tile C)
{
    bool hermitian = op == 'C';
    struct starpu_task *t = task_new(hermitian ? &herk : &syrk, ctx, priority, C.A->shape.dtype,
                                     hermitian ? run_herk : run_syrk, sizeof(struct herk_args));
    if (t == NULL)
        return;
    struct herk_args *h = t->cl_arg;
    int64_t n = tile_rows(C), k = 0;
    h->uplo = uplo;
    h->alpha = to_scalar(alpha);
    h->beta = to_scalar(beta);
    /* STARPU_RW even for beta = 0: the other triangle of the tile stays */
    task_tile(t, C, STARPU_RW);
    if (A.A != NULL) {
        h->trans = A.op;
        k = A.op == 'N' ? tile_columns(A) : tile_rows(A);
        task_tile(t, A, STARPU_R);
    }
    double flops = flops_of(C.A->shape.dtype, (double)k * (double)n * (double)(n + 1) / 2);
    task_submit(t, (struct work){n, n, k, .flops = flops});
}
