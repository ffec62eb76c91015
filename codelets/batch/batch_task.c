/* Tasks on chunks: submission, and the operands of the kernel that runs. */
#include "batch/batch_private.h"
#include "batch/insert_batch.h"
#include "data/handle.h"
#include "data/tiles.h"
#include "library/library.h"
#include "library/runtime.h"

/* -- submitting ----------------------------------------------------------------------------- */

struct starpu_task *batch_task(struct operation *op, startile_request *r, const startile_batch *A,
                               task_function run)
{
    struct starpu_task *t =
        task_new(op, context_of(r), 0, A->of.dtype, run, sizeof(struct batch_args));
    if (t == NULL)
        return NULL;
    t->where = (int32_t)runtime_where_of_batches();
    t->workerids = runtime_workers_of_batches();
    return task_reserve(t, HANDLES_OF_CHUNK * MAX_OPERANDS) ? t : NULL;
}

/* Returns whether results on a GPU are copied back to main memory after the task. */
static bool must_return_to_host(const startile_batch *b, int64_t q)
{
    return runtime_has_cuda() && (b->kind == BATCH_WRAPPED || b->kind == BATCH_PACKED) &&
           starpu_data_get_home_node(b->chunk[q].data) == STARPU_MAIN_RAM;
}

/* Returns whether a task that writes a chunk of the caller's handle must also read it: a transfer
 * to the home node overwrites the elements between the matrices. A vector without a value has no
 * elements to keep. */
static bool must_keep_gaps(const struct chunk *c)
{
    const struct layout *l = &c->layout;
    return l->stride > (int64_t)l->m * l->n && starpu_data_get_home_node(c->data) >= 0 &&
           handle_has_value(c->data);
}

void batch_access(struct starpu_task *t, const startile_batch *b, int64_t q,
                  enum starpu_data_access_mode mode)
{
    struct batch_args *args = t->cl_arg;
    int index = args->operands++;
    args->operand[index].buffer = -1;
    if (b == NULL)
        return;
    struct chunk *c = &b->chunk[q];
    args->operand[index].layout = c->layout;
    args->task.is_on_part |= batch_chunks(b) > 1;
    /* a write of empty matrices would invalidate the elements between them */
    if (b->kind == BATCH_CALLERS && (c->layout.m == 0 || c->layout.n == 0))
        return;
    args->operand[index].buffer = t->nbuffers;
    if ((mode & STARPU_W) != 0) {
        c->written = true;
        if (must_return_to_host(b, q))
            args->to_return[args->returns++] = c->data;
    }
    if (b->kind == BATCH_CALLERS && (mode & STARPU_R) == 0 && must_keep_gaps(c))
        mode |= STARPU_R;
    bool lacks_value =
        b->kind == BATCH_CALLERS && (mode & STARPU_R) != 0 && !handle_has_value(c->data);
    task_access(t, lacks_value ? NULL : c->data, mode);
    if (c->layout.scattered)
        task_access(t, c->each, STARPU_R);
    if (c->layout.varies)
        task_access(t, c->sizes, STARPU_R);
    /* addresses in the memory of one GPU are invalid elsewhere */
    if (b->device >= 0 && c->layout.scattered)
        t->workerids = runtime_workers_of_device(b->device);
}

/* Returns the multiply-adds for matrix i of the operands A and B; B may be NULL. */
static double cost_of(const startile_batch *A, const startile_batch *B, int64_t i, batch_cost *cost)
{
    const startile_batch *second = B != NULL ? B : A;
    return cost((double)batch_rows(A, i), (double)batch_columns(A, i),
                (double)batch_rows(second, i), (double)batch_columns(second, i));
}

/* Returns the multiply-adds for all matrices of chunk q. */
static double cost_of_chunk(const startile_batch *A, const startile_batch *B, int64_t q,
                            batch_cost *cost)
{
    int64_t first = chunk_first(A, q), count = chunk_count(A, q);
    double sum = 0;
    if (!batch_varies(A) && (B == NULL || !batch_varies(B)))
        return (double)count * cost_of(A, B, first, cost);
    for (int64_t i = first; i < first + count; i++)
        sum += cost_of(A, B, i, cost);
    return sum;
}

void batch_submit(struct starpu_task *t, const startile_batch *A, const startile_batch *B,
                  int64_t q, batch_cost *cost, int variant)
{
    const struct layout *a = &A->chunk[q].layout;
    const struct batch_args args =
        *(const struct batch_args *)t->cl_arg; /* t->cl_arg is freed with the task */
    double multiply_adds = cost_of_chunk(A, B, q, cost);
    task_submit(t, (struct work){.m = a->m,
                                 .n = a->n,
                                 .k = B != NULL ? B->chunk[q].layout.n : 0,
                                 .variant = variant,
                                 .count = a->count,
                                 .flops = flops_of(A->of.dtype, multiply_adds)});
    for (int h = 0; h < args.returns; h++)
        return_handle_to_host(args.task.ctx.request, args.to_return[h], STARPU_R);
}

/* -- running -------------------------------------------------------------------------------- */

const startile_batch_kernels *batch_kernels(const startile_exec *x, startile_dtype dtype)
{
#ifdef STARTILE_SIMULATION
    (void)x;
    (void)dtype;
    return NULL; /* a simulation runs no kernel */
#else
#ifdef STARTILE_HAVE_CUDA
    if (x != NULL)
        return startile_cuda_batch_kernels[dtype];
#endif
    (void)x;
    return startile_cpu_batch_kernels[dtype];
#endif
}

struct batch_args *batch_args_of(struct task_args *task)
{
    return (struct batch_args *)task;
}

int batch_count(const struct batch_args *args)
{
    return args->operand[0].layout.count;
}

/* Sets M's address and stride from the interface; on a GPU the stride may differ. */
static void set_address(const void *interface, startile_matrices *M)
{
    if (*(const enum starpu_data_interface_id *)interface == STARPU_VECTOR_INTERFACE_ID) {
        M->a = (void *)STARPU_VECTOR_GET_PTR(interface);
        return;
    }
    M->a = (void *)STARPU_MATRIX_GET_PTR(interface);
    if (M->stride != 0)
        M->stride = STARPU_MATRIX_GET_LD(interface);
}

startile_matrices batch_operand(const struct batch_args *args, void **buffers, int operand)
{
    const struct layout *l = &args->operand[operand].layout;
    int next = args->operand[operand].buffer;
    startile_matrices M = {.stride = l->stride, .m = l->m, .n = l->n, .ld = l->ld};
    if (next < 0)
        return M;
    set_address(buffers[next++], &M);
    if (l->scattered)
        M.each = (void *const *)STARPU_VECTOR_GET_PTR(buffers[next++]);
    if (l->varies)
        M.sizes = (const int *)STARPU_VECTOR_GET_PTR(buffers[next]);
    return M;
}

void *batch_numbers(const struct batch_args *args, void **buffers, int operand)
{
    return batch_operand(args, buffers, operand).a;
}
