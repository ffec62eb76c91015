/*
 * Runs of a batch by the library.
 */
#include "batch.h"
#include "models.h"
#include "scalar.h"

#include <inttypes.h>
#include <math.h>
#include <starpu.h>
#include <stdlib.h>

struct library_run {
    const struct bench_settings *settings;
    struct batch_data *data;
    struct gpu_arrays on_gpu; /* the arrays on the GPU, if the batch resides there */
    startile_batch *array[OPERANDS];
    int64_t status;
    bool gpu_failed; /* true: cuda_peer_reason() has the reason */
};

/* -- wrapping ------------------------------------------------------------------------------- */

/* Address, shape and leading dimension of each matrix of one array */
struct matrix_list {
    void **address;
    int64_t *m, *n, *ld;
};

/* Lists the matrices of array i where it resides. Returns false if memory does not suffice; the
 * caller frees the list also then. */
static bool list_matrices(const struct library_run *run, int i, struct matrix_list *list)
{
    const struct batch_data *d = run->data;
    const struct operand *o = &d->batch->routine->operand[i];
    char *array = run->settings->resident_on_gpu ? run->on_gpu.array[i].device : d->current[i];
    size_t count = (size_t)d->batch->count, size = operand_size(o, d->batch->dtype);
    *list =
        (struct matrix_list){malloc(count * sizeof *list->address), malloc(count * sizeof *list->m),
                             malloc(count * sizeof *list->n), malloc(count * sizeof *list->ld)};
    if (!list->address || !list->m || !list->n || !list->ld)
        return false;
    for (size_t q = 0; q < count; q++) {
        struct problem of_q = batch_problem(d->batch, (int64_t)q);
        list->address[q] = array + d->start[i][q] * size;
        list->m[q] = list->ld[q] = operand_rows(o, &of_q.size);
        list->n[q] = operand_columns(o, &of_q.size);
    }
    return true;
}

static void free_list(struct matrix_list *list)
{
    free((void *)list->address);
    free(list->m);
    free(list->n);
    free(list->ld);
}

/* Wraps an array as *b, in the form that the batch's layout needs. like: the array wrapped first,
 * whose chunks *b gets, or NULL. Returns 0 or a startile_error. */
static int wrap(const struct problem *batch, const struct operand *o,
                const struct matrix_list *list, const startile_batch *like, startile_batch **b)
{
    bool strided = batch->layout == BATCH_STRIDED || operand_is_number(o);
    startile_dtype dtype = o->element != REALS             ? batch->dtype
                           : dtype_is_single(batch->dtype) ? STARTILE_S
                                                           : STARTILE_D;
    if (o->element == INTEGERS)
        return strided ? startile_batch_wrap_integers(b, batch->count, list->m[0], list->address[0],
                                                      list->m[0], batch->per_task, like)
                       : startile_batch_wrap_integer_pointers(b, batch->count, list->m,
                                                              (int64_t *const *)list->address,
                                                              batch->per_task, like);
    if (strided)
        return startile_batch_wrap(b, dtype, batch->count, list->m[0], list->n[0], list->address[0],
                                   list->ld[0], list->m[0] * list->n[0], batch->per_task, like);
    if (batch->layout == BATCH_POINTERS)
        return startile_batch_wrap_pointers(b, dtype, batch->count, list->m[0], list->n[0],
                                            list->address, list->ld[0], batch->per_task, like);
    return startile_batch_wrap_sizes(b, dtype, batch->count, list->m, list->n, list->address,
                                     list->ld, batch->per_task, like);
}

/* Wraps all arrays. The array wrapped first determines the chunks, so it must not be an array of
 * numbers (1 × 1 matrices). */
static int wrap_all(struct library_run *run)
{
    const struct batch_data *d = run->data;
    const struct operand *operand = d->batch->routine->operand;
    int status = 0, first = operand_is_number(&operand[0]) ? 1 : 0;
    for (int step = 0; step < d->arrays && !status; step++) {
        int i = (first + step) % d->arrays;
        struct matrix_list list;
        status = list_matrices(run, i, &list)
                     ? wrap(d->batch, &operand[i], &list, step ? run->array[first] : NULL,
                            &run->array[i])
                     : STARTILE_ERROR_MEMORY;
        free_list(&list);
    }
    return status;
}

static void unwrap_all(struct library_run *run)
{
    for (int i = OPERANDS - 1; i >= 0; i--) {
        startile_batch_destroy(run->array[i]);
        run->array[i] = NULL;
    }
}

/* -- one run -------------------------------------------------------------------------------- */

/* Brings the arrays that the routine writes back to where they reside. */
static int64_t gather(struct library_run *run)
{
    int64_t status = 0;
    for (int i = 0; i < run->data->arrays && !status; i++)
        if (run->data->batch->routine->operand[i].written)
            status = startile_batch_gather(run->array[i]);
    return status;
}

/* Runs the routine. *seconds: time from the call until the results are where they reside */
static int64_t run_timed(struct library_run *run, double *seconds)
{
    const struct problem *batch = run->data->batch;
    double start = now_seconds();
    int64_t status = batch->routine->run_batch(batch, run->array);
    /* info > 0: check_info() names the problem */
    if (status >= 0)
        status = run->settings->resident_on_gpu ? 0 : gather(run);
    *seconds = now_seconds() - start;
    return status;
}

/* Returns whether the arrays stay wrapped for all runs: they are on the only GPU, where all tasks
 * run, so that StarPU has no other copies of them. Wrapping makes a list of all matrices, which may
 * displace what a call needs from the caches. The peer has such a list in advance. */
static bool stays_wrapped(const struct library_run *run)
{
    return run->settings->resident_on_gpu && run->settings->where == WHERE_GPU &&
           starpu_memory_nodes_get_count_by_kind(STARPU_CUDA_RAM) == 1;
}

/* Runs the routine once on restored arrays. Returns the seconds; after a failure a negative
 * value. */
static double run_library_once(struct library_run *run)
{
    double seconds = 0;
    if (run->settings->resident_on_gpu)
        run->gpu_failed = batch_gpu_load_and_flush_l2(&run->on_gpu, true) || cuda_peer_wait();
    else
        batch_data_restore(run->data);
    if (run->gpu_failed)
        return -1;
    run->status = stays_wrapped(run) ? 0 : wrap_all(run);
    if (!run->status)
        run->status = run_timed(run, &seconds);
    if (!stays_wrapped(run))
        unwrap_all(run);
    return run->status ? -1 : seconds;
}

/* -- all runs ------------------------------------------------------------------------------- */

/* Page-locks the arrays, or undoes that if not `on`. */
static void pin(struct batch_data *d, bool on)
{
    /* Page-locking may fail; transfers are then slower. */
    for (int i = 0; i < d->arrays; i++)
        (void)(on ? startile_pin(d->current[i], d->bytes[i])
                  : startile_unpin(d->current[i], d->bytes[i]));
}

/* Marks the row as failed if a problem has a nonzero info. Routines with info have it in the last
 * array, whose letter is 'i'. */
static void check_info(const struct batch_data *d, struct row *row)
{
    int last = d->arrays - 1;
    const int64_t *info = d->current[last];
    for (int64_t q = 0; d->batch->routine->operand[last].letters[0] == 'i' && q < d->batch->count;
         q++)
        if (info[q]) {
            row_fail(row, "FAIL: info %" PRId64 " of problem %" PRId64, info[q], q + 1);
            return;
        }
}

/* Times the runs after a warm-up run. */
static bool time_runs(struct library_run *run, struct row *row)
{
    int repeats = run->settings->repeats;
    double seconds[repeats + 1];
    for (int i = 0; i <= repeats; i++)
        if ((seconds[i] = run_library_once(run)) < 0)
            return false;
    row->seconds = spread_of(seconds + 1, (size_t)repeats);
    return true;
}

/* Times all runs, on a GPU if the batch resides there, and brings the results to main memory.
 * Returns false after a failure, which marks the row as failed. */
static bool time_all(struct library_run *run, struct row *row)
{
    bool resident = run->settings->resident_on_gpu;
    run->on_gpu = batch_arrays(run->data);
    run->gpu_failed = resident && batch_gpu_open(&run->on_gpu);
    run->status = stays_wrapped(run) && !run->gpu_failed ? wrap_all(run) : 0;
    bool good = !run->gpu_failed && !run->status && time_runs(run, row);
    unwrap_all(run);
    if (good && resident)
        run->gpu_failed = gpu_arrays_fetch(&run->on_gpu) || cuda_peer_wait();
    if (run->gpu_failed)
        row_fail(row, "error: %.140s", cuda_peer_reason());
    else if (!good)
        row_fail(row, "error: %s (%" PRId64 ")", startile_strerror(run->status), run->status);
    if (resident)
        batch_gpu_close(&run->on_gpu);
    return good && !run->gpu_failed;
}

bool batch_run_library(const struct bench_settings *s, struct batch_data *d, struct row *row)
{
    struct library_run run = {.settings = s, .data = d};
    int64_t status = startile_init(&s->library);
    bool good = !status;
    if (good) {
        warn_of_models();
        row->workers = startile_cpu_workers() + startile_cuda_workers();
        pin(d, true);
        good = time_all(&run, row);
        pin(d, false);
        startile_finalize();
    } else {
        row_fail(row, "error: %s", startile_strerror(status));
    }
    if (good)
        check_info(d, row);
    return good;
}
