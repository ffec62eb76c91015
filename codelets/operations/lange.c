/* Matrix norms. The task of a tile adds to the accumulator of its block column (block row for 'I').
 * The accumulators are copied to main memory and combined there. */
#include "runtime/grid/exchange.h"

#include <math.h>
#include <stdlib.h>

struct norm_parts {
    startile_request *request;
    const startile_grid *grid; /* grid of the matrix, or NULL */
    int factorization;
    char norm;
    double *value;
    int64_t count;
    atomic_llong missing; /* accumulators not yet in main memory */
    starpu_data_handle_t part[];
};

struct lange_args {
    struct task_args task;
    char norm, uplo;
    bool hermitian;
    double weight;
};

static struct operation lange = {.name = "lange", .color = 0x76b7b2};
static struct operation lansy = {.name = "lansy", .color = 0x76b7b2};

norm_parts *norm_begin(context ctx, char norm, const startile_matrix *A)
{
    const startile_shape *s = &A->shape;
    int64_t count = norm == 'I' ? s->mt : s->nt, nb = norm == 'I' ? s->mb : s->nb;
    int64_t length = norm == 'M' || norm == 'F' ? 2 : nb;
    norm_parts *parts = malloc(sizeof *parts + (size_t)count * sizeof parts->part[0]);
    if (parts == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    parts->request = ctx.request;
    parts->factorization = ctx.factorization;
    parts->grid = A->grid;
    parts->norm = norm;
    parts->count = count;
    atomic_init(&parts->missing, count);
    for (int64_t p = 0; p < count; p++) {
        register_temporary(&parts->part[p], length, 1, sizeof(double));
    }
    return parts;
}

static int run_lange(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct lange_args *l = (struct lange_args *)task;
    struct buffer a = matrix_buffer(buffers[0]), acc = matrix_buffer(buffers[1]);
    return K->lange(x, l->norm, a.m, a.n, l->weight, a.p, a.ld, acc.p);
}

static int run_lansy(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct lange_args *l = (struct lange_args *)task;
    struct buffer a = matrix_buffer(buffers[0]), acc = matrix_buffer(buffers[1]);
    return K->lansy(x, l->norm, l->uplo, l->hermitian, a.n, a.p, a.ld, acc.p);
}

/* Submits the task of a tile; kernel_args has the arguments of the kernel. Does nothing if parts is
 * NULL. */
static void insert(struct operation *op, task_function run, context ctx,
                   struct lange_args kernel_args, tile A, norm_parts *parts, int64_t p)
{
    struct starpu_task *t =
        parts == NULL ? NULL : task_new(op, ctx, 0, A.A->shape.dtype, run, sizeof kernel_args);
    if (t == NULL)
        return;
    struct lange_args *l = t->cl_arg;
    kernel_args.task = l->task;
    *l = kernel_args;
    task_tile(t, A, STARPU_R);
    task_access(t, parts->part[p], STARPU_RW);
    int64_t m = tile_rows(A), n = tile_columns(A);
    task_submit(t, (struct work){.m = m, .n = n, .flops = (double)(m * n)});
}

void insert_lange(context ctx, char norm, double weight, tile A, norm_parts *parts, int64_t p)
{
    insert(&lange, run_lange, ctx, (struct lange_args){.norm = norm, .weight = weight}, A, parts,
           p);
}

void insert_lansy(context ctx, char norm, char uplo, bool hermitian, tile A, norm_parts *parts,
                  int64_t p)
{
    insert(&lansy, run_lansy, ctx,
           (struct lange_args){.norm = norm, .uplo = uplo, .hermitian = hermitian}, A, parts, p);
}

/* sum := sum + part, two sums of squares, each stored as (a, b) for a² b. */
static void add_squares(double sum[2], const double part[2])
{
    double big = fmax(sum[0], part[0]);
    if (isnan(part[0]) || isnan(part[1]) || isnan(sum[1])) {
        sum[1] = NAN;
        return;
    }
    if (big == 0)
        return;
    double sum_ratio = sum[0] == big ? 1 : sum[0] / big,
           part_ratio = part[0] == big ? 1 : part[0] / big;
    sum[1] = sum[1] * sum_ratio * sum_ratio + part[1] * part_ratio * part_ratio;
    sum[0] = big;
}

/* Returns the norm from all accumulators. */
static double combine(const norm_parts *parts)
{
    double largest = 0, sum[2] = {0, 0};
    for (int64_t p = 0; p < parts->count; p++) {
        /* not starpu_data_get_local_ptr(): a GPU worker's thread may run this (StarPU quirk 13) */
        const double *v = starpu_data_handle_to_pointer(parts->part[p], STARPU_MAIN_RAM);
        int64_t length = starpu_matrix_get_nx(parts->part[p]);
        if (parts->norm == 'F')
            add_squares(sum, v);
        else
            for (int64_t i = 0; i < length; i++)
                if (!(v[i] <= largest) && !isnan(largest)) /* NaN is kept */
                    largest = v[i];
    }
    return parts->norm == 'F' ? sum[0] * sqrt(sum[1]) : largest;
}

/* Callback: one accumulator is in main memory. After the last one, stores the norm and frees the
 * parts. */
static void part_arrived(void *arg)
{
    norm_parts *parts = arg;
    startile_request *r = parts->request;
    if (atomic_fetch_sub(&parts->missing, 1) > 1)
        return;
    if (!request_skips(r, parts->factorization))
        *parts->value = combine(parts);
    for (int64_t p = 0; p < parts->count; p++) {
        starpu_data_release_on_node(parts->part[p], STARPU_MAIN_RAM);
        release_handle(parts->part[p]);
    }
    free(parts);
    request_end_one(r);
}

void insert_norm_end(context ctx, norm_parts *parts, double *value)
{
    if (parts == NULL)
        return;
    parts->value = value;
    if (parts->count == 0) {
        *value = 0;
        free(parts);
        return;
    }
    int64_t count = parts->count;
    request_begin_one(ctx.request);
    for (int64_t p = 0; p < count && parts->grid != NULL; p++)
        exchange_with_all(ctx, parts->grid, parts->part[p]);
    for (int64_t p = 0; p < count; p++)
        starpu_data_acquire_on_node_cb(parts->part[p], STARPU_MAIN_RAM, STARPU_R, part_arrived,
                                       parts);
}
