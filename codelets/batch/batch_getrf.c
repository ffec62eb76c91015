/* LU factorizations of a batch, with and without pivoting, solves, inverses and determinants. */
#include "batch/batch_private.h"
#include "batch/insert_batch.h"

#include <math.h>

static struct operation getrf = {.name = "getrf_batch", .color = 0xe15759};
static struct operation getrf_nopiv = {.name = "getrf_nopiv_batch", .color = 0xe15759};
static struct operation getrs = {.name = "getrs_batch", .color = 0xf28e2b};
static struct operation getri = {.name = "getri_batch", .color = 0x59a14f};
static struct operation det = {.name = "det_batch", .color = 0x76b7b2};

/* Returns M, or NULL if the operand is absent. */
static const startile_matrices *or_null(const struct batch_args *b, int operand,
                                        const startile_matrices *M)
{
    return b->operand[operand].buffer < 0 ? NULL : M;
}

static int run_getrf(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices A = batch_operand(b, buffers, 0), P = batch_operand(b, buffers, 1);
    int64_t *info = batch_numbers(b, buffers, 2);
    (void)K;
    int error =
        batch_kernels(x, task->dtype)->getrf(x, batch_count(b), &A, or_null(b, 1, &P), info);
    return error != 0 ? error : batch_find_failure(b, x, info);
}

static double cost_of_getrf(double m, double n, double k, double l)
{
    (void)k;
    (void)l;
    return panel_multiply_adds(m, n);
}

double getrf_batch_time(enum model_device device, struct matrix_work one, double count)
{
    const struct model *model = operation_model(&getrf, one.of.dtype);
    double flops = flops_of(one.of.dtype, count * panel_multiply_adds(one.m, one.n));
    /* Footprint 0 has no measurement, so the time comes from the regression: measurements are for
     * other numbers of matrices. */
    return model == NULL ? NAN : model_time(model, device, 0, 0, flops, count * one.bytes);
}

void insert_getrf_batch(startile_request *r, const startile_batch *A, const startile_batch *P,
                        const startile_batch *info, int64_t q)
{
    struct starpu_task *t = batch_task(P != NULL ? &getrf : &getrf_nopiv, r, A, run_getrf);
    if (t == NULL)
        return;
    batch_access(t, A, q, STARPU_RW);
    batch_access(t, P, q, STARPU_W);
    batch_access(t, info, q, STARPU_W);
    batch_note_failure(t, info);
    batch_submit(t, A, NULL, q, cost_of_getrf, 0);
}

static int run_getrs(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices A = batch_operand(b, buffers, 0), P = batch_operand(b, buffers, 1),
                      B = batch_operand(b, buffers, 2);
    (void)K;
    return batch_kernels(x, task->dtype)
        ->getrs(x, b->letter[0], batch_count(b), &A, or_null(b, 1, &P), &B,
                batch_numbers(b, buffers, 3));
}

static double cost_of_getrs(double m, double n, double k, double l)
{
    (void)m;
    (void)k;
    return n * n * l;
}

void insert_getrs_batch(startile_request *r, char trans, const startile_batch *A,
                        const startile_batch *P, const startile_batch *B,
                        const startile_batch *factor_info, int64_t q)
{
    struct starpu_task *t = batch_task(&getrs, r, A, run_getrs);
    if (t == NULL)
        return;
    batch_args_of(t->cl_arg)->letter[0] = trans;
    batch_access(t, A, q, STARPU_R);
    batch_access(t, P, q, STARPU_R);
    batch_access(t, B, q, STARPU_RW);
    batch_access(t, factor_info, q, STARPU_R);
    /* variant: 'N', 'T', 'C' without pivots, the letter after it with pivots */
    batch_submit(t, A, B, q, cost_of_getrs, trans + (P != NULL));
}

static int run_getri(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices A = batch_operand(b, buffers, 0), P = batch_operand(b, buffers, 1);
    int64_t *info = batch_numbers(b, buffers, 2);
    (void)K;
    int error =
        batch_kernels(x, task->dtype)->getri(x, batch_count(b), &A, or_null(b, 1, &P), info);
    return error != 0 ? error : batch_find_failure(b, x, info);
}

static double cost_of_getri(double m, double n, double k, double l)
{
    (void)m;
    (void)k;
    (void)l;
    return 2 * n * n * n / 3;
}

void insert_getri_batch(startile_request *r, const startile_batch *A, const startile_batch *P,
                        const startile_batch *info, int64_t q)
{
    struct starpu_task *t = batch_task(&getri, r, A, run_getri);
    if (t == NULL)
        return;
    batch_access(t, A, q, STARPU_RW);
    batch_access(t, P, q, STARPU_R);
    batch_access(t, info, q, STARPU_W);
    batch_note_failure(t, info);
    batch_submit(t, A, NULL, q, cost_of_getri, P != NULL);
}

static int run_det(const startile_kernels *K, startile_exec *x, void **buffers,
                   struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices A = batch_operand(b, buffers, 0), P = batch_operand(b, buffers, 1);
    (void)K;
    return batch_kernels(x, task->dtype)
        ->det(x, batch_count(b), &A, or_null(b, 1, &P), batch_numbers(b, buffers, 2),
              batch_numbers(b, buffers, 3));
}

static double cost_of_det(double m, double n, double k, double l)
{
    (void)m;
    (void)k;
    (void)l;
    return n;
}

void insert_det_batch(startile_request *r, const startile_batch *A, const startile_batch *P,
                      const startile_batch *sign, const startile_batch *logabsdet, int64_t q)
{
    struct starpu_task *t = batch_task(&det, r, A, run_det);
    if (t == NULL)
        return;
    batch_access(t, A, q, STARPU_R);
    batch_access(t, P, q, STARPU_R);
    batch_access(t, sign, q, STARPU_W);
    batch_access(t, logabsdet, q, STARPU_W);
    batch_submit(t, A, NULL, q, cost_of_det, P != NULL);
}
