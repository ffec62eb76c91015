/* QR factorizations of a batch, products with Q, and least squares. */
#include "batch/batch_private.h"
#include "batch/insert_batch.h"

static struct operation geqrf = {.name = "geqrf_batch", .color = 0xe15759};
static struct operation ormqr = {.name = "ormqr_batch", .color = 0x4e79a7};
static struct operation gels = {.name = "gels_batch", .color = 0xf28e2b};

static int run_geqrf(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices A = batch_operand(b, buffers, 0), tau = batch_operand(b, buffers, 1);
    (void)K;
    return batch_kernels(x, task->dtype)->geqrf(x, batch_count(b), &A, &tau);
}

/* Returns the multiply-adds of QR, twice those of LU. */
static double cost_of_geqrf(double m, double n, double k, double l)
{
    (void)k;
    (void)l;
    return 2 * panel_multiply_adds(m, n);
}

void insert_geqrf_batch(startile_request *r, const startile_batch *A, const startile_batch *tau,
                        int64_t q)
{
    struct starpu_task *t = batch_task(&geqrf, r, A, run_geqrf);
    if (t == NULL)
        return;
    batch_access(t, A, q, STARPU_RW);
    batch_access(t, tau, q, STARPU_W);
    batch_submit(t, A, NULL, q, cost_of_geqrf, 0);
}

static int run_ormqr(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices C = batch_operand(b, buffers, 0), tau = batch_operand(b, buffers, 1),
                      A = batch_operand(b, buffers, 2);
    (void)K;
    return batch_kernels(x, task->dtype)
        ->ormqr(x, b->letter[0], b->letter[1], batch_count(b), &A, &tau, &C);
}

/* Return the multiply-adds of a product with Q: C is m × n, tau has k elements. */
static double cost_on_the_left(double m, double n, double k, double l)
{
    (void)l;
    return (2 * m - k) * n * k;
}

static double cost_on_the_right(double m, double n, double k, double l)
{
    (void)l;
    return (2 * n - k) * m * k;
}

void insert_ormqr_batch(startile_request *r, char side, char trans, const startile_batch *A,
                        const startile_batch *tau, const startile_batch *C, int64_t q)
{
    struct starpu_task *t = batch_task(&ormqr, r, C, run_ormqr);
    if (t == NULL)
        return;
    struct batch_args *b = batch_args_of(t->cl_arg);
    b->letter[0] = side;
    b->letter[1] = trans;
    batch_access(t, C, q, STARPU_RW);
    batch_access(t, tau, q, STARPU_R);
    batch_access(t, A, q, STARPU_R);
    /* tau has a row for each reflector; the two lowest bits of the variant are side and trans */
    int64_t reflectors = tau->chunk[q].layout.m;
    batch_submit(t, C, tau, q, side == 'L' ? cost_on_the_left : cost_on_the_right,
                 (int)reflectors * 4 + (side == 'L') + 2 * (trans == 'N'));
}

static int run_gels(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices A = batch_operand(b, buffers, 0), B = batch_operand(b, buffers, 1);
    int64_t *info = batch_numbers(b, buffers, 2);
    (void)K;
    int error = batch_kernels(x, task->dtype)->gels(x, b->letter[0], batch_count(b), &A, &B, info);
    return error != 0 ? error : batch_find_failure(b, x, info);
}

/* Returns the multiply-adds of QR of A, m × n, of the product of Q with B, k × l, and of the
 * solve. */
static double cost_of_gels(double m, double n, double k, double l)
{
    double smaller = m < n ? m : n;
    return 2 * panel_multiply_adds(m, n) + (2 * k - smaller) * smaller * l +
           smaller * smaller * l / 2;
}

void insert_gels_batch(startile_request *r, char trans, const startile_batch *A,
                       const startile_batch *B, const startile_batch *info, int64_t q)
{
    struct starpu_task *t = batch_task(&gels, r, A, run_gels);
    if (t == NULL)
        return;
    batch_args_of(t->cl_arg)->letter[0] = trans;
    batch_access(t, A, q, STARPU_RW);
    batch_access(t, B, q, STARPU_RW);
    batch_access(t, info, q, STARPU_W);
    batch_note_failure(t, info);
    batch_submit(t, A, B, q, cost_of_gels, trans);
}
