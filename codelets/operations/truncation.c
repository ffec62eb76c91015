/* Truncation of a QR factorization with column pivoting: the sums of squares of the rows that are
 * left, and the decision to stop. */
#include "data/pivots.h"
#include "data/temporary.h"
#include "operations/handles.h"
#include "operations/insert_pivoted.h"
#include "request/request.h"
#include "task/operands.h"

#include <math.h>
#include <stdlib.h>

/* Result of the decision before a step; until it both are false */
struct decided {
    atomic_bool stops, goes_on;
};

struct truncation {
    temporary owned;
    values *order; /* orders the tasks of insert_limit() and insert_truncation() */
    double tol, limit;
    int64_t m, nb, columns, steps, max_rank; /* columns: min(m, n) */
    int64_t *rank;
    struct decided before[];
};

struct squares_args {
    struct task_args task;
    char uplo;
    struct tile_column a;
    int sums; /* index + 1 of the buffer */
};

struct truncation_args {
    struct task_args task;
    truncation *T;
    int64_t k;
};

enum { LARGEST };
static struct operation row_squares = {.name = "row_squares", .color = 0x76b7b2},
                        clear_truncated = {.name = "clear_truncated", .color = 0xbab0ac},
                        truncate_limit = {.name = "truncate_limit", .color = 0x76b7b2},
                        truncate_rank = {.name = "truncate_rank", .color = 0x76b7b2};

static void release_truncation(temporary *owned)
{
    free(owned);
}

truncation *truncation_begin(context ctx, const startile_matrix *A, int64_t steps, double tol,
                             int64_t max_rank, int64_t *rank)
{
    truncation *T = calloc(1, sizeof *T + (size_t)steps * sizeof T->before[0]);
    if (T == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    own_temporary(ctx, &T->owned, release_truncation);
    T->tol = tol;
    T->m = A->shape.m;
    T->nb = A->shape.nb;
    T->columns = A->shape.m < A->shape.n ? A->shape.m : A->shape.n;
    T->steps = steps;
    T->max_rank = max_rank;
    T->rank = rank;
    atomic_store(&T->before[0].goes_on, true);
    T->order = values_begin(ctx, 1);
    return T->order == NULL ? NULL : T;
}

context unless_truncated(context ctx, const truncation *T, int64_t k)
{
    ctx.superfluous = &T->before[k].stops;
    return ctx;
}

static int run_clear(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    const startile_scalar zero = {0, 0};
    struct buffer a = matrix_buffer(buffers[0]);
    (void)task;
    return K->laset(x, 'G', a.m, a.n, 0, zero, zero, a.p, a.ld);
}

void insert_clear_truncated(context ctx, const truncation *T, int64_t k, tile A)
{
    ctx.superfluous = &T->before[k].goes_on;
    struct starpu_task *t =
        task_new(&clear_truncated, ctx, 0, A.A->shape.dtype, run_clear, sizeof(struct task_args));
    if (t == NULL)
        return;
    task_tile(t, A, STARPU_RW); /* not STARPU_W: a skipped task leaves A unchanged */
    task_submit(t, (struct work){.m = tile_rows(A), .n = tile_columns(A)});
}

/* -- sums of squares ------------------------------------------------------------------------- */

static int run_row_squares(const startile_kernels *K, startile_exec *x, void **buffers,
                           struct task_args *task)
{
    struct squares_args *s = (struct squares_args *)task;
    startile_piece a;
    int n = tile_column_width(&s->a, buffers);
    tile_column_blocks(&s->a, buffers, task->dtype, &a);
    return K->row_squares(x, s->uplo, a.m, n, a.p, a.ld, matrix_buffer(buffers[LARGEST]).p,
                          values_in_buffer(buffers, s->sums, s->a.skip));
}

void insert_row_squares(context ctx, int64_t priority, char uplo, column A,
                        const magnitude *largest, const values *sums)
{
    struct starpu_task *t = task_new(&row_squares, ctx, priority, A.A->shape.dtype, run_row_squares,
                                     sizeof(struct squares_args));
    if (t == NULL)
        return;
    struct squares_args *s = t->cl_arg;
    s->uplo = uplo;
    task_access(t, magnitude_handle(largest), STARPU_R);
    s->a = column_access(t, A, STARPU_R);
    s->sums = values_access(t, sums, STARPU_RW);
    int64_t m = A.rows, n = column_width(A);
    task_submit(t, (struct work){.m = m, .n = n, .flops = (double)(m * n)});
}

/* -- decisions ------------------------------------------------------------------------------- */

static int run_limit(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    truncation *T = ((struct truncation_args *)task)->T;
    const double *sums = values_in_buffer(buffers, 2, 0);
    double sum = 0;
    (void)K, (void)x;
    for (int64_t i = 0; i < T->m; i++)
        sum += sums[i];
    T->limit = sum == 0 ? 0 : T->tol * T->tol * sum;
    return 0;
}

/* Returns the smallest r with Σ_{i ≥ r} sums_i ≤ limit. */
static int64_t rows_above(const double *sums, int64_t m, double limit)
{
    double sum = 0;
    for (int64_t i = m; i-- > 0;) {
        sum += sums[i];
        if (!(sum <= limit && sum < INFINITY)) /* or NaN */
            return i + 1;
    }
    return 0;
}

static int run_rank(const startile_kernels *K, startile_exec *x, void **buffers,
                    struct task_args *task)
{
    struct truncation_args *g = (struct truncation_args *)task;
    truncation *T = g->T;
    int64_t end = (g->k + 1) * T->nb, factored = end < T->columns ? end : T->columns,
            first = g->k * T->nb;
    const double *sums = values_in_buffer(buffers, 2, first);
    int64_t r = first + rows_above(sums, T->m - first, T->limit);
    bool stops = r <= factored;
    (void)K, (void)x;
    *T->rank = r < factored ? r : factored;
    if (*T->rank > T->max_rank)
        *T->rank = T->max_rank;
    for (int64_t k = g->k + 1; k < T->steps && (stops || k == g->k + 1); k++)
        atomic_store(stops ? &T->before[k].stops : &T->before[k].goes_on, true);
    return 0;
}

/* Submits a decision; pivots: those that it writes, or NULL */
static void insert(struct operation *op, task_function run, context ctx, truncation *T, int64_t k,
                   const values *sums, starpu_data_handle_t pivots)
{
    struct starpu_task *t =
        task_new(op, ctx, critical(0), STARTILE_D, run, sizeof(struct truncation_args));
    if (t == NULL)
        return;
    struct truncation_args *g = t->cl_arg;
    g->T = T;
    g->k = k;
    values_access(t, T->order, STARPU_RW);
    values_access(t, sums, STARPU_R);
    if (pivots != NULL)
        task_access(t, pivots, STARPU_W);
    task_on_cpu(t);
    task_submit(t, (struct work){.m = T->m, .n = 1, .flops = (double)T->m});
}

void insert_limit(context ctx, truncation *T, const values *sums)
{
    insert(&truncate_limit, run_limit, ctx, T, 0, sums, NULL);
}

void insert_truncation(context ctx, truncation *T, int64_t k, const values *sums,
                       const startile_pivots *pivots)
{
    insert(&truncate_rank, run_rank, ctx, T, k, sums,
           k + 1 < T->steps ? pivots_handle(pivots, k + 1) : NULL);
}
