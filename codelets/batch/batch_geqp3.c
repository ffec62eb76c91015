/* QR factorizations with column pivoting, and least squares of any rank, of a batch. */
#include "batch/batch_private.h"
#include "batch/insert_batch.h"

static struct operation geqp3 = {.name = "geqp3_batch", .color = 0xe15759};
static struct operation gelsy = {.name = "gelsy_batch", .color = 0xf28e2b};

static int run_geqp3(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices A = batch_operand(b, buffers, 0), P = batch_operand(b, buffers, 1),
                      tau = batch_operand(b, buffers, 2);
    (void)K;
    return batch_kernels(x, task->dtype)->geqp3(x, batch_count(b), &A, &P, &tau);
}

/* Returns the multiply-adds of QR, twice those of LU. */
static double cost_of_geqp3(double m, double n, double k, double l)
{
    (void)k;
    (void)l;
    return 2 * panel_multiply_adds(m, n);
}

void insert_geqp3_batch(startile_request *r, const startile_batch *A, const startile_batch *P,
                        const startile_batch *tau, int64_t q)
{
    struct starpu_task *t = batch_task(&geqp3, r, A, run_geqp3);
    if (t == NULL)
        return;
    batch_access(t, A, q, STARPU_RW);
    batch_access(t, P, q, STARPU_W);
    batch_access(t, tau, q, STARPU_W);
    batch_submit(t, A, NULL, q, cost_of_geqp3, 0);
}

static int run_gelsy(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices A = batch_operand(b, buffers, 0), B = batch_operand(b, buffers, 1);
    int64_t *rank = batch_numbers(b, buffers, 2);
    (void)K;
    return batch_kernels(x, task->dtype)->gelsy(x, b->alpha.re, batch_count(b), &A, &B, rank);
}

/* Returns the multiply-adds of QR of A, m × n, of the product of Q with B, k × l, and of the solve
 * for a matrix of full rank. */
static double cost_of_gelsy(double m, double n, double k, double l)
{
    double smaller = m < n ? m : n;
    return 2 * panel_multiply_adds(m, n) + (2 * k - smaller) * smaller * l +
           smaller * smaller * l / 2;
}

void insert_gelsy_batch(startile_request *r, const startile_batch *A, const startile_batch *B,
                        double rcond, const startile_batch *rank, int64_t q)
{
    struct starpu_task *t = batch_task(&gelsy, r, A, run_gelsy);
    if (t == NULL)
        return;
    batch_args_of(t->cl_arg)->alpha.re = rcond;
    batch_access(t, A, q, STARPU_RW);
    batch_access(t, B, q, STARPU_RW);
    batch_access(t, rank, q, STARPU_W);
    batch_submit(t, A, B, q, cost_of_gelsy, 0);
}
