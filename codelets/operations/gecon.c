/* Tasks on the factors of LU: search for the first zero on U's diagonal (getri), and steps of the
 * estimator of a 1-norm (gecon). */
#include "data/handle.h"
#include "grid/exchange.h"
#include "library/thread_state.h"
#include "operations/handles.h"
#include "operations/insert_norms.h"
#include "request/request.h"
#include "request/state.h"
#include "task/operands.h"

#include <math.h>
#include <stdlib.h>

/* -- zero on the diagonal ------------------------------------------------------------------- */

struct first_zero_args {
    struct task_args task;
    int64_t before, skip; /* diagonal elements before the block; rows of the tile above the block */
    bool has_largest;
};

static struct operation first_zero = {.name = "first_zero", .color = 0x76b7b2};

static int run_first_zero(const startile_kernels *K, startile_exec *x, void **buffers,
                          struct task_args *task)
{
    struct first_zero_args *f = (struct first_zero_args *)task;
    struct buffer u = matrix_buffer(buffers[0]);
    const char *diagonal =
        (const char *)u.p + (size_t)f->skip * (size_t)startile_element_size[task->dtype];
    const double *largest = f->has_largest ? matrix_buffer(buffers[1]).p : NULL;
    return K->first_zero(x, u.n, diagonal, u.ld, f->before, largest, task->tile_status);
}

void insert_zero_check(context ctx, const startile_matrix *U, int64_t k, const magnitude *largest)
{
    const startile_shape *u = &U->shape;
    startile_tile_status *tile_status = request_tile_status(ctx.request);
    if (tile_status == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return;
    }
    struct starpu_task *t =
        task_new(&first_zero, ctx, 0, u->dtype, run_first_zero, sizeof(struct first_zero_args));
    if (t == NULL)
        return;
    struct first_zero_args *f = t->cl_arg;
    f->before = k * u->nb;
    f->skip = f->before % u->mb;
    f->task.tile_status = tile_status;
    f->has_largest = largest != NULL;
    task_tile(t, (tile){U, f->before / u->mb, k, 'N'}, STARPU_R);
    if (largest != NULL)
        task_access(t, magnitude_handle(largest), STARPU_R);
    if (U->grid != NULL)
        task_info(t, STARPU_RW);
    task_submit(t, (struct work){.m = u->nb, .n = 1});
}

/* -- the estimator -------------------------------------------------------------------------- */

struct norm_estimate {
    startile_request *request;
    struct stage *stage;       /* counts the transfer of the value as unfinished */
    const startile_grid *grid; /* grid of the vector, or NULL */
    int factorization;
    const double *anorm; /* norm of A, or NULL */
    double *rcond;       /* NULL: the result is the estimate, *norm */
    double *norm;
    const startile_matrix *best;         /* see insert_keep(); or NULL */
    atomic_bool repeats;                 /* a CPU core has run a step that set the state's one */
    starpu_data_handle_t value;          /* the state of the kernel lacn2 */
    starpu_data_handle_t norm_is_stored; /* readable when *anorm has its value; or NULL */
};

struct lacn2_args {
    struct task_args task;
    startile_lacn2 step;
    const double *anorm; /* see estimate_begin() */
    bool has_best;
    atomic_bool *repeats; /* that of norm_estimate */
};

/* A may be near the ends of the range. ‖s A⁻¹‖ is s/anorm times the condition number. */
static double scale_for(const double *anorm)
{
    return anorm == NULL ? 1 : *anorm < 0x1p-40 ? 0x1p-100 : *anorm > 0x1p40 ? 0x1p60 : 1;
}

static struct operation lacn2 = {.name = "lacn2", .color = 0x76b7b2};

static int run_lacn2(const startile_kernels *K, startile_exec *x, void **buffers,
                     struct task_args *task)
{
    struct lacn2_args *l = (struct lacn2_args *)task;
    struct buffer v = matrix_buffer(buffers[0]);
    void *best = l->has_best ? matrix_buffer(buffers[2]).p : NULL;
    double *state = matrix_buffer(buffers[1]).p;
    int error = K->lacn2(x, l->step, v.m, scale_for(l->anorm), v.p, best, state);
    if (x == NULL && state[STARTILE_LACN2_REPEATS] != 0)
        atomic_store(l->repeats, true);
    return error;
}

/* Submits one step of the estimator; does nothing if e is NULL. */
static void insert_step(context ctx, norm_estimate *e, startile_lacn2 step, tile v)
{
    struct starpu_task *t = e == NULL ? NULL
                                      : task_new(&lacn2, ctx, 0, v.A->shape.dtype, run_lacn2,
                                                 sizeof(struct lacn2_args));
    if (t == NULL)
        return;
    struct lacn2_args *l = t->cl_arg;
    enum starpu_data_access_mode mode = step == STARTILE_LACN2_START ? STARPU_W : STARPU_RW;
    l->step = step;
    l->anorm = e->anorm;
    l->has_best = e->best != NULL;
    l->repeats = &e->repeats;
    task_tile(t, v, mode);
    task_access(t, e->value, mode);
    if (l->has_best)
        task_tile(t, (tile){e->best, 0, 0, 'N'}, STARPU_RW);
    if (e->norm_is_stored != NULL && step == STARTILE_LACN2_START)
        task_access(t, e->norm_is_stored, STARPU_R);
    task_submit(t, (struct work){.m = tile_rows(v), .n = 1});
}

norm_estimate *estimate_begin(context ctx, const double *anorm, tile v)
{
    norm_estimate *e = malloc(sizeof *e);
    if (e == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    *e = (norm_estimate){.request = ctx.request,
                         .grid = v.A->grid,
                         .factorization = ctx.factorization,
                         .anorm = anorm};
    int64_t failed = anorm == NULL ? 0 : startile_request_outcome(ctx.request, &e->norm_is_stored);
    if (failed != 0) {
        request_fail(ctx.request, failed);
        free(e);
        return NULL;
    }
    register_temporary(&e->value, STARTILE_LACN2_STATE, 1, sizeof(double));
    insert_step(ctx, e, STARTILE_LACN2_START, v);
    return e;
}

context without_repetition(context ctx, const norm_estimate *e)
{
    if (e != NULL && e->grid == NULL)
        ctx.superfluous = &e->repeats;
    return ctx;
}

void insert_keep(context ctx, norm_estimate *e, const startile_matrix *v,
                 const startile_matrix *best)
{
    if (e == NULL)
        return;
    insert_copy(ctx, 0, 'G', rows_from(v, 0, 0), rows_from(best, 0, 0));
    e->best = best;
}

void insert_sign(context ctx, norm_estimate *e, tile v)
{
    insert_step(ctx, e, STARTILE_LACN2_SIGN, v);
}

void insert_unit(context ctx, norm_estimate *e, tile v)
{
    insert_step(ctx, e, STARTILE_LACN2_UNIT, v);
}

void insert_alternating(context ctx, norm_estimate *e, tile v)
{
    insert_step(ctx, e, STARTILE_LACN2_ALTERNATING, v);
}

/* Returns s / (anorm * estimate), the reciprocal condition number if `estimate` is the norm of s
 * times the inverse; 0 if anorm is not above 0, or if the estimate is 0 or not finite: the solves
 * overflowed, because the matrix is singular to working precision, or met NaN. */
static double reciprocal_condition(double anorm, double s, double estimate)
{
    if (!(anorm > 0) || !isfinite(estimate) || estimate == 0)
        return 0;
    return s / anorm / estimate; /* the product of the norms, or s / estimate, may overflow */
}

/* Callback: the estimate is in main memory. Stores the result and frees e. */
static void estimate_arrived(void *arg)
{
    norm_estimate *e = arg;
    startile_request *r = e->request;
    /* not starpu_data_get_local_ptr(): a GPU worker's thread may run this (StarPU quirk 13) */
    const double *value = starpu_data_handle_to_pointer(e->value, STARPU_MAIN_RAM);
    bool skips = request_skips(r, e->factorization);
    struct floating_point caller = use_default_floating_point();
    if (e->rcond != NULL)
        *e->rcond = skips ? 0 : reciprocal_condition(*e->anorm, scale_for(e->anorm), *value);
    else if (!skips)
        *e->norm = *value;
    restore_floating_point(&caller);
    starpu_data_release_on_node(e->value, STARPU_MAIN_RAM);
    release_handle(e->value);
    struct stage *stage = e->stage;
    free(e);
    request_end_one(stage);
}

/* Submits the last step and the transfer of the estimate. */
static void end_estimate(context ctx, norm_estimate *e, tile v)
{
    insert_step(ctx, e, STARTILE_LACN2_END, v);
    if (e->grid != NULL)
        exchange_with_all(ctx, e->grid, e->value);
    e->stage = request_begin_one(ctx.request);
    starpu_data_acquire_on_node_cb(e->value, STARPU_MAIN_RAM, STARPU_R, estimate_arrived, e);
}

void insert_estimate_end(context ctx, norm_estimate *e, tile v, double *norm)
{
    if (e == NULL)
        return;
    e->norm = norm;
    end_estimate(ctx, e, v);
}

void insert_rcond(context ctx, norm_estimate *e, tile v, double *rcond)
{
    if (e == NULL)
        return;
    e->rcond = rcond;
    end_estimate(ctx, e, v);
}
