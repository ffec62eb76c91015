/*
 * The library's own runs of a batch.
 */
#include "batch.h"
#include "measure.h"
#include "models.h"
#include "scalar.h"
#include "trace.h"

#include "startile_batch.h"

#include <inttypes.h>
#include <stdlib.h>

struct run {
    const struct batch_settings *settings;
    struct batch_data *data;
    void *device[BATCH_ARRAYS]; /* where the batch resides on the GPU */
    void *alpha;                /* the factor of scal and axpy: one element */
    startile_batch *array[BATCH_ARRAYS + 1];
    int64_t status;
    bool device_failed; /* then batch_gpu_reason() */
};

/* -- wrapping ------------------------------------------------------------------------------- */

/* Of each matrix of array i */
struct places {
    void **each;
    int64_t *m, *n, *ld;
};

static bool find_places(const struct run *run, int i, struct places *p)
{
    const struct batch_data *d = run->data;
    const struct batch_case *c = d->batch;
    void *const *arrays = run->settings->resident_on_gpu ? run->device : d->now;
    size_t count = (size_t)c->count, size = batch_element_size(c, i);
    *p = (struct places){malloc(count * sizeof *p->each), malloc(count * sizeof *p->m),
                         malloc(count * sizeof *p->n), malloc(count * sizeof *p->ld)};
    if (!p->each || !p->m || !p->n || !p->ld)
        return false;
    for (size_t q = 0; q < count; q++) {
        struct batch_extent extent[BATCH_ARRAYS];
        struct batch_shape shape = batch_shape_of(c, (int64_t)q);
        c->routine->describe(&shape, extent);
        p->each[q] = (char *)arrays[i] + d->start[i][q] * size;
        p->m[q] = p->ld[q] = extent[i].m;
        p->n[q] = extent[i].n;
    }
    return true;
}

static void free_places(struct places *p)
{
    free((void *)p->each);
    free(p->m);
    free(p->n);
    free(p->ld);
}

static startile_dtype dtype_of(const struct batch_case *c, int i)
{
    bool real = c->routine->operand[i].element == REALS;
    return !real ? c->dtype : dtype_is_single(c->dtype) ? STARTILE_S : STARTILE_D;
}

static int wrap_strided(struct run *run, int i, const struct places *p)
{
    const struct batch_case *c = run->data->batch;
    const startile_batch *like = i ? run->array[0] : NULL;
    if (c->routine->operand[i].element == INTEGERS)
        return startile_batch_wrap_integers(&run->array[i], c->count, p->m[0], p->each[0], p->m[0],
                                            c->per_task, like);
    return startile_batch_wrap(&run->array[i], dtype_of(c, i), c->count, p->m[0], p->n[0],
                               p->each[0], p->ld[0], p->m[0] * p->n[0], c->per_task, like);
}

static int wrap_scattered(struct run *run, int i, const struct places *p)
{
    const struct batch_case *c = run->data->batch;
    const startile_batch *like = i ? run->array[0] : NULL;
    if (c->routine->operand[i].element == INTEGERS)
        return startile_batch_wrap_integer_pointers(&run->array[i], c->count, p->m,
                                                    (int64_t *const *)p->each, c->per_task, like);
    if (c->layout == BATCH_POINTERS)
        return startile_batch_wrap_pointers(&run->array[i], dtype_of(c, i), c->count, p->m[0],
                                            p->n[0], p->each, p->ld[0], c->per_task, like);
    return startile_batch_wrap_sizes(&run->array[i], dtype_of(c, i), c->count, p->m, p->n, p->each,
                                     p->ld, c->per_task, like);
}

static int wrap_all(struct run *run)
{
    const struct batch_case *c = run->data->batch;
    int status = 0;
    for (int i = 0; i < c->routine->arrays && !status; i++) {
        struct places places;
        bool found = find_places(run, i, &places);
        status = !found ? STARTILE_ERROR_MEMORY
                 : c->layout == BATCH_STRIDED || c->routine->operand[i].number
                     ? wrap_strided(run, i, &places)
                     : wrap_scattered(run, i, &places);
        free_places(&places);
    }
    if (!status && c->routine->scaled)
        status = startile_batch_wrap(&run->array[BATCH_ARRAYS], c->dtype, c->count, 1, 1,
                                     run->alpha, 1, 0, c->per_task, run->array[0]);
    return status;
}

static void unwrap_all(struct run *run)
{
    for (int i = BATCH_ARRAYS; i >= 0; i--) {
        startile_batch_destroy(run->array[i]);
        run->array[i] = NULL;
    }
}

/* -- one run -------------------------------------------------------------------------------- */

static int64_t gather(struct run *run)
{
    const struct batch_routine *routine = run->data->batch->routine;
    int64_t status = 0;
    for (int i = 0; i < routine->arrays && !status; i++)
        if (routine->operand[i].written)
            status = startile_batch_gather(run->array[i]);
    return status;
}

/* From the call until the results are where they belong */
static int64_t call(struct run *run, double *seconds)
{
    const struct batch_case *c = run->data->batch;
    startile_request *r;
    int64_t status = startile_request_create(&r);
    if (status)
        return status;
    double start = now_seconds();
    int64_t submitted = c->routine->submit(c, run->array, r);
    status = startile_wait(r);
    if (!submitted && !status)
        status = gather(run);
    *seconds = now_seconds() - start;
    startile_request_destroy(r);
    return submitted ? submitted : status;
}

static double run_once(void *argument)
{
    struct run *run = argument;
    double seconds = 0;
    if (run->settings->resident_on_gpu)
        run->device_failed = batch_gpu_restore(run->data, run->device) != 0;
    else
        batch_data_restore(run->data);
    if (run->device_failed)
        return -1;
    run->status = wrap_all(run);
    if (!run->status)
        run->status = call(run, &seconds);
    unwrap_all(run);
    return run->status ? -1 : seconds;
}

/* -- all runs ------------------------------------------------------------------------------- */

static void *make_alpha(startile_dtype dtype)
{
    void *alpha = malloc(dtype_size(dtype));
    if (alpha)
        element_set(dtype, alpha, 0, BATCH_FACTOR);
    return alpha;
}

static void pin(struct batch_data *d, bool on)
{
    /* Transfers work without page-locking too, slower. */
    for (int i = 0; i < d->batch->routine->arrays; i++)
        (void)(on ? startile_pin(d->now[i], d->bytes[i]) : startile_unpin(d->now[i], d->bytes[i]));
}

/* LAPACK's, in the last array of what has it */
static void look_at_info(const struct batch_data *d, struct batch_row *row)
{
    const struct batch_routine *r = d->batch->routine;
    if (r->vectors || !r->operand[r->arrays - 1].number)
        return;
    const int64_t *info = d->now[r->arrays - 1];
    for (int64_t q = 0; q < d->batch->count; q++)
        if (info[q]) {
            batch_fail(row, "FAIL: info %" PRId64 " of problem %" PRId64, info[q], q + 1);
            return;
        }
}

static bool time_all(struct run *run, struct batch_row *row)
{
    bool resident = run->settings->resident_on_gpu;
    run->device_failed = resident && batch_gpu_alloc(run->data, run->device);
    bool good =
        !run->device_failed && batch_time(run->settings->repeats, run_once, run, &row->seconds);
    if (good && resident)
        run->device_failed = batch_gpu_fetch(run->data, run->device) != 0;
    if (run->device_failed)
        batch_fail(row, "error: %.140s", batch_gpu_reason());
    else if (!good)
        batch_fail(row, "error: %.100s (%" PRId64 ")", startile_strerror(run->status), run->status);
    if (resident)
        batch_gpu_free(run->device);
    return good && !run->device_failed;
}

bool batch_run_library(const struct batch_settings *s, struct batch_data *d, struct batch_row *row)
{
    struct run run = {.settings = s, .data = d, .alpha = make_alpha(d->batch->dtype)};
    int status = run.alpha ? startile_init(&s->library) : STARTILE_ERROR_MEMORY;
    bool good = !status;
    if (good) {
        warn_of_models();
        row->workers = startile_cpu_workers() + startile_cuda_workers();
        pin(d, true);
        good = time_all(&run, row);
        pin(d, false);
        startile_finalize();
    } else {
        batch_fail(row, "error: %.140s", start_strerror(status));
    }
    free(run.alpha);
    if (good)
        look_at_info(d, row);
    return good;
}
