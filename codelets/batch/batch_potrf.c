/* Cholesky factorizations of a batch, and solves with them. */
#include "batch/batch_private.h"
#include "batch/insert_batch.h"

static struct operation potrf = {.name = "potrf_batch", .color = 0xe15759};
static struct operation potrs = {.name = "potrs_batch", .color = 0xf28e2b};

static int run_potrf(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices A = batch_operand(b, buffers, 0);
    int64_t *info = batch_numbers(b, buffers, 1);
    (void)K;
    int error = batch_kernels(x, task->dtype)->potrf(x, b->letter[0], batch_count(b), &A, info);
    return error != 0 ? error : batch_find_failure(b, x, info);
}

static double cost_of_potrf(double m, double n, double k, double l)
{
    (void)m;
    (void)k;
    (void)l;
    return n * n * n / 6;
}

void insert_potrf_batch(startile_request *r, char uplo, const startile_batch *A,
                        const startile_batch *info, int64_t q)
{
    struct starpu_task *t = batch_task(&potrf, r, A, run_potrf);
    if (t == NULL)
        return;
    batch_args_of(t->cl_arg)->letter[0] = uplo;
    batch_access(t, A, q, STARPU_RW);
    batch_access(t, info, q, STARPU_W);
    batch_note_failure(t, info);
    batch_submit(t, A, NULL, q, cost_of_potrf, uplo);
}

static int run_potrs(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices A = batch_operand(b, buffers, 0), B = batch_operand(b, buffers, 1);
    (void)K;
    return batch_kernels(x, task->dtype)
        ->potrs(x, b->letter[0], batch_count(b), &A, &B, batch_numbers(b, buffers, 2));
}

static double cost_of_potrs(double m, double n, double k, double l)
{
    (void)m;
    (void)k;
    return n * n * l;
}

void insert_potrs_batch(startile_request *r, char uplo, const startile_batch *A,
                        const startile_batch *B, const startile_batch *factor_info, int64_t q)
{
    struct starpu_task *t = batch_task(&potrs, r, A, run_potrs);
    if (t == NULL)
        return;
    batch_args_of(t->cl_arg)->letter[0] = uplo;
    batch_access(t, A, q, STARPU_R);
    batch_access(t, B, q, STARPU_RW);
    batch_access(t, factor_info, q, STARPU_R);
    batch_submit(t, A, B, q, cost_of_potrs, uplo);
}
