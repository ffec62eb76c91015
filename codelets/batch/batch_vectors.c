/* Reductions and updates of a batch of vectors, each stored as a matrix. */
#include "batch/batch_private.h"
#include "batch/insert_batch.h"

static struct operation nrm2 = {.name = "nrm2_batch", .color = 0x76b7b2};
static struct operation asum = {.name = "asum_batch", .color = 0x76b7b2};
static struct operation iamax = {.name = "iamax_batch", .color = 0x76b7b2};
static struct operation dot = {.name = "dot_batch", .color = 0x76b7b2};
static struct operation scal = {.name = "scal_batch", .color = 0xbab0ac};
static struct operation axpy = {.name = "axpy_batch", .color = 0x4e79a7};

/* Return the multiply-adds of an operation: one, or half of one, per element. */
static double one_each(double m, double n, double k, double l)
{
    (void)k;
    (void)l;
    return m * n;
}

static double half_each(double m, double n, double k, double l)
{
    return one_each(m, n, k, l) / 2;
}

static int run_nrm2(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices X = batch_operand(b, buffers, 0);
    (void)K;
    return batch_kernels(x, task->dtype)->nrm2(x, batch_count(b), &X, batch_numbers(b, buffers, 1));
}

static int run_asum(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices X = batch_operand(b, buffers, 0);
    (void)K;
    return batch_kernels(x, task->dtype)->asum(x, batch_count(b), &X, batch_numbers(b, buffers, 1));
}

static int run_iamax(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices X = batch_operand(b, buffers, 0);
    (void)K;
    return batch_kernels(x, task->dtype)
        ->iamax(x, batch_count(b), &X, batch_numbers(b, buffers, 1));
}

/* Submits a reduction of the vectors of chunk q. */
static void reduce(struct operation *op, task_function run, startile_request *r,
                   const startile_batch *X, const startile_batch *result, int64_t q,
                   batch_cost *cost)
{
    struct starpu_task *t = batch_task(op, r, X, run);
    if (t == NULL)
        return;
    batch_access(t, X, q, STARPU_R);
    batch_access(t, result, q, STARPU_W);
    batch_submit(t, X, NULL, q, cost, 0);
}

void insert_nrm2_batch(startile_request *r, const startile_batch *X, const startile_batch *result,
                       int64_t q)
{
    reduce(&nrm2, run_nrm2, r, X, result, q, one_each);
}

void insert_asum_batch(startile_request *r, const startile_batch *X, const startile_batch *result,
                       int64_t q)
{
    reduce(&asum, run_asum, r, X, result, q, half_each);
}

void insert_iamax_batch(startile_request *r, const startile_batch *X, const startile_batch *result,
                        int64_t q)
{
    reduce(&iamax, run_iamax, r, X, result, q, half_each);
}

static int run_dot(const startile_kernels *K, startile_exec *x, void **buffers,
                   struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices X = batch_operand(b, buffers, 0), Y = batch_operand(b, buffers, 1);
    (void)K;
    return batch_kernels(x, task->dtype)
        ->dot(x, b->letter[0] == 'C', batch_count(b), &X, &Y, batch_numbers(b, buffers, 2));
}

void insert_dot_batch(startile_request *r, bool conjugate, const startile_batch *X,
                      const startile_batch *Y, const startile_batch *result, int64_t q)
{
    struct starpu_task *t = batch_task(&dot, r, X, run_dot);
    if (t == NULL)
        return;
    batch_args_of(t->cl_arg)->letter[0] = conjugate ? 'C' : 'N';
    batch_access(t, X, q, STARPU_R);
    batch_access(t, Y, q, STARPU_R);
    batch_access(t, result, q, STARPU_W);
    batch_submit(t, X, NULL, q, one_each, conjugate);
}

/* Returns 1 if each vector has its own alpha, 0 if one alpha stands for all. */
static int alpha_stride(const struct batch_args *b, int operand)
{
    return b->operand[operand].layout.stride != 0;
}

static int run_scal(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices X = batch_operand(b, buffers, 0);
    (void)K;
    return batch_kernels(x, task->dtype)
        ->scal(x, batch_count(b), batch_numbers(b, buffers, 1), alpha_stride(b, 1), &X);
}

void insert_scal_batch(startile_request *r, const startile_batch *alpha, const startile_batch *X,
                       int64_t q)
{
    struct starpu_task *t = batch_task(&scal, r, X, run_scal);
    if (t == NULL)
        return;
    batch_access(t, X, q, STARPU_RW);
    batch_access(t, alpha, q, STARPU_R);
    batch_submit(t, X, NULL, q, half_each, 0);
}

static int run_axpy(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct batch_args *b = batch_args_of(task);
    startile_matrices Y = batch_operand(b, buffers, 0), X = batch_operand(b, buffers, 2);
    (void)K;
    return batch_kernels(x, task->dtype)
        ->axpy(x, batch_count(b), batch_numbers(b, buffers, 1), alpha_stride(b, 1), &X, &Y);
}

void insert_axpy_batch(startile_request *r, const startile_batch *alpha, const startile_batch *X,
                       const startile_batch *Y, int64_t q)
{
    struct starpu_task *t = batch_task(&axpy, r, Y, run_axpy);
    if (t == NULL)
        return;
    batch_access(t, Y, q, STARPU_RW);
    batch_access(t, alpha, q, STARPU_R);
    batch_access(t, X, q, STARPU_R);
    batch_submit(t, Y, NULL, q, one_each, 0);
}
