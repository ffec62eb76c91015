/* Numerical rank of the triangle of a QR factorization with column pivoting, and tasks that depend
 * on it. */
#include "data/temporary.h"
#include "operations/insert_pivoted.h"
#include "request/request.h"
#include "task/operands.h"

#include <stdlib.h>

struct triangle_rank {
    temporary owned;
    values *order;                     /* orders the tasks that use the rank after the search */
    int64_t value;                     /* set by the search */
    atomic_bool is_full, is_deficient; /* one of them is set by the search */
};

struct trank_args {
    struct task_args task;
    triangle_rank *rank;
    int64_t *result;
    double *estimate; /* or NULL */
    double rcond;
    int64_t n;
    int k, nb, blocks;
    startile_piece block[];
};

struct rank_args {
    struct task_args task;
    const triangle_rank *rank;
    struct tile_column a;
    int64_t row; /* number of rows above and columns left of the block */
    startile_piece block[];
};

static struct operation trank = {.name = "trank", .color = 0x76b7b2},
                        clear_below = {.name = "clear_below", .color = 0xbab0ac},
                        unit_diagonal = {.name = "unit_diagonal", .color = 0xbab0ac};

static void release_rank(temporary *owned)
{
    free(owned);
}

static int run_trank(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct trank_args *g = (struct trank_args *)task;
    (void)x;
    for (int j = 0; j < g->blocks; j++) {
        struct buffer b = matrix_buffer(buffers[j]);
        g->block[j] = (startile_piece){b.p, b.ld, b.m};
    }
    triangle_rank *r = g->rank;
    double estimate;
    int error = K->trank(g->block, g->nb, g->n, g->k, g->rcond, &r->value, &estimate);
    if (error != 0)
        return error;
    *g->result = r->value;
    if (g->estimate != NULL)
        *g->estimate = estimate;
    atomic_store(r->value == g->n ? &r->is_full : &r->is_deficient, true);
    return 0;
}

triangle_rank *insert_trank(context ctx, startile_matrix *A, double rcond, int64_t *rank,
                            double *estimate)
{
    const startile_shape *s = &A->shape;
    triangle_rank *r = calloc(1, sizeof *r);
    if (r == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    own_temporary(ctx, &r->owned, release_rank);
    r->order = values_begin(ctx, 1);
    struct starpu_task *t =
        r->order == NULL
            ? NULL
            : task_new(&trank, ctx, 0, s->dtype, run_trank,
                       sizeof(struct trank_args) + (size_t)s->nt * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, s->nt + 1))
        return NULL;
    struct trank_args *g = t->cl_arg;
    g->rank = r;
    g->result = rank;
    g->estimate = estimate;
    g->rcond = rcond;
    g->n = s->n;
    g->k = (int)(s->m < s->n ? s->m : s->n);
    g->nb = (int)s->nb;
    g->blocks = (int)s->nt;
    for (int64_t j = 0; j < s->nt; j++)
        task_tile(t, (tile){A, 0, j, 'N'}, STARPU_RW);
    values_access(t, r->order, STARPU_RW);
    task_on_cpu(t);
    double k = (double)g->k;
    task_submit(t, (struct work){.m = s->m, .n = s->n, .flops = flops_of(s->dtype, 2 * k * k)});
    return r;
}

context if_rank(context ctx, const triangle_rank *r, bool is_full)
{
    ctx.superfluous = is_full ? &r->is_deficient : &r->is_full;
    return ctx;
}

/* Submits a task on A that uses the rank. */
static void insert(struct operation *op, task_function run, context ctx, const triangle_rank *r,
                   int64_t row, column A)
{
    int64_t tiles = column_tiles(A);
    struct starpu_task *t =
        task_new(op, ctx, 0, A.A->shape.dtype, run,
                 sizeof(struct rank_args) + (size_t)tiles * sizeof(startile_piece));
    if (t == NULL || !task_reserve(t, tiles + 1))
        return;
    struct rank_args *g = t->cl_arg;
    g->rank = r;
    g->row = row;
    g->a = column_access(t, A, STARPU_RW);
    values_access(t, r->order, STARPU_R);
    task_submit(t, (struct work){.m = A.rows, .n = column_width(A)});
}

static int run_clear_below(const startile_kernels *K, startile_exec *x, void **buffers,
                           struct task_args *task)
{
    struct rank_args *g = (struct rank_args *)task;
    const startile_scalar zero = {0, 0};
    int n = tile_column_width(&g->a, buffers), error = 0;
    tile_column_blocks(&g->a, buffers, task->dtype, g->block);
    for (int64_t row = g->rank->value, m; row < g->a.rows && error == 0; row += m) {
        startile_piece a = tile_column_from(g->block, row, task->dtype);
        m = a.m;
        error = K->laset(x, 'G', a.m, n, 0, zero, zero, a.p, a.ld);
    }
    return error;
}

void insert_clear_below(context ctx, const triangle_rank *r, column X)
{
    insert(&clear_below, run_clear_below, ctx, r, 0, X);
}

static int run_unit_diagonal(const startile_kernels *K, startile_exec *x, void **buffers,
                             struct task_args *task)
{
    struct rank_args *g = (struct rank_args *)task;
    const startile_scalar zero = {0, 0}, one = {1, 0};
    struct buffer a = matrix_buffer(buffers[g->a.buffer]);
    int64_t first = g->rank->value > g->row ? g->rank->value - g->row : 0;
    int n = first < a.n ? a.n - (int)first : 0;
    size_t offset = (size_t)(g->row + first) + (size_t)first * (size_t)a.ld;
    char *p = (char *)a.p + offset * (size_t)startile_element_size[task->dtype];
    return n == 0 ? 0 : K->laset(x, 'U', n, n, 0, zero, one, p, a.ld);
}

void insert_unit_diagonal(context ctx, const triangle_rank *r, const startile_matrix *A, int64_t k)
{
    insert(&unit_diagonal, run_unit_diagonal, ctx, r, k * A->shape.nb, rows_from(A, k, 0));
}
