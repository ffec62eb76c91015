/* Products and triangular solves of a batch. */
#include "batch/batch_private.h"
#include "batch/insert_batch.h"

static struct operation gemm = {.name = "gemm_batch", .color = 0x4e79a7};
static struct operation trsm = {.name = "trsm_batch", .color = 0xf28e2b};

static int run_gemm(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices C = batch_operand(b, buffers, 0), A = batch_operand(b, buffers, 1),
                      B = batch_operand(b, buffers, 2);
    (void)K;
    return batch_kernels(x, task->dtype)
        ->gemm(x, b->letter[0], b->letter[1], batch_count(b), b->alpha, &A, &B, b->beta, &C);
}

/* Returns the multiply-adds: C is m × n, A is k × l, and l is the inner dimension. */
static double cost_of_gemm(double m, double n, double k, double l)
{
    (void)k;
    return m * n * l;
}

/* Returns the multiply-adds: C is m × n, A is k × l, and k is the inner dimension. */
static double cost_of_gemm_transposed(double m, double n, double k, double l)
{
    (void)l;
    return m * n * k;
}

void insert_gemm_batch(startile_request *r, char transa, char transb, startile_complex alpha,
                       const startile_batch *A, const startile_batch *B, startile_complex beta,
                       const startile_batch *C, int64_t q)
{
    struct starpu_task *t = batch_task(&gemm, r, C, run_gemm);
    if (t == NULL)
        return;
    struct batch_args *b = batch_args_of(t->cl_arg);
    b->letter[0] = transa;
    b->letter[1] = transb;
    b->alpha = to_scalar(alpha);
    b->beta = to_scalar(beta);
    batch_access(t, C, q, STARPU_RW);
    batch_access(t, A, q, STARPU_R);
    batch_access(t, B, q, STARPU_R);
    /* variant: both letters in one number */
    batch_submit(t, C, A, q, transa == 'N' ? cost_of_gemm : cost_of_gemm_transposed,
                 transa * 256 + transb);
}

static int run_trsm(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices B = batch_operand(b, buffers, 0), A = batch_operand(b, buffers, 1);
    (void)K;
    return batch_kernels(x, task->dtype)
        ->trsm(x, b->letter[0], b->letter[1], b->letter[2], b->letter[3], batch_count(b), b->alpha,
               &A, &B);
}

/* Returns the multiply-adds: B is m × n, A has order k. */
static double cost_of_trsm(double m, double n, double k, double l)
{
    (void)l;
    return m * n * k / 2;
}

void insert_trsm_batch(startile_request *r, char side, char uplo, char trans, char diag,
                       startile_complex alpha, const startile_batch *A, const startile_batch *B,
                       int64_t q)
{
    struct starpu_task *t = batch_task(&trsm, r, B, run_trsm);
    if (t == NULL)
        return;
    struct batch_args *b = batch_args_of(t->cl_arg);
    b->letter[0] = side;
    b->letter[1] = uplo;
    b->letter[2] = trans;
    b->letter[3] = diag;
    b->alpha = to_scalar(alpha);
    batch_access(t, B, q, STARPU_RW);
    batch_access(t, A, q, STARPU_R);
    batch_submit(t, B, A, q, cost_of_trsm,
                 (side == 'L') + 2 * (uplo == 'L') + 4 * (trans == 'N') + 8 * (diag == 'N'));
}
