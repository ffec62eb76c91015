/* Matrix norms. The task of a tile adds to the accumulator of its block column (block row for 'I').
 * The accumulators are copied to main memory and combined there. */
#include "data/partial_results.h"
#include "operations/insert_norms.h"
#include "task/operands.h"

#include <math.h>

struct norm_parts {
    struct partial_results parts; /* one for each accumulator */
    char norm;
    double *value;
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
    norm_parts *n = partial_results_begin(ctx, sizeof *n, A->grid, count, length);
    if (n != NULL)
        n->norm = norm;
    return n;
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
    task_access(t, parts->parts.part[p], STARPU_RW);
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

/* Stores the norm from all accumulators. */
static void combine(const struct partial_results *parts)
{
    const norm_parts *n = (const norm_parts *)parts;
    double largest = 0, sum[2] = {0, 0};
    for (int64_t p = 0; p < parts->count; p++) {
        const double *v = part_values(parts, p);
        int64_t length = part_length(parts, p);
        if (n->norm == 'F')
            add_squares(sum, v);
        else
            for (int64_t i = 0; i < length; i++)
                if (!(v[i] <= largest) && !isnan(largest)) /* NaN is kept */
                    largest = v[i];
    }
    *n->value = n->norm == 'F' ? sum[0] * sqrt(sum[1]) : largest;
}

void insert_norm_end(context ctx, norm_parts *parts, double *value)
{
    if (parts == NULL)
        return;
    parts->value = value;
    partial_results_end(ctx, &parts->parts, combine);
}
