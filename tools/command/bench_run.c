/*
 * The library's own run in `startile bench`: timing, residual, and the peer's residual.
 */
#include "bench.h"
#include "measure.h"
#include "scalar.h"
#include "task_count.h"

#include <inttypes.h>
#include <math.h>
#include <starpu.h>
#include <stdarg.h>
#include <string.h>
#ifdef STARTILE_SIMULATION
#include "models/simulation.h"
#endif

/* CONTRIBUTING.md, Correctness */
static const double largest_residual = 30;

__attribute__((format(printf, 2, 3))) static void fail(struct row *row, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->status, sizeof row->status, format, arguments);
    va_end(arguments);
    row->ok = false;
}

/* Negative: a failure of the library, or of this program's arguments to it. Positive: info. */
static void fail_with(struct row *row, const char *what, int64_t outcome)
{
    if (outcome > 0)
        fail(row, "FAIL: info %" PRId64 " from %s", outcome, what);
    else
        fail(row, "error: %s: %s (%" PRId64 ")", what, startile_strerror(outcome), outcome);
}

/* -- timing --------------------------------------------------------------------------------- */

int64_t run_once(struct operands *x, struct times *times)
{
    startile_request *r;
    int64_t outcome = startile_request_create(&r);
    if (outcome)
        return outcome;
    double start = now_seconds();
    int64_t submitted = x->problem->routine->submit(x->problem, &x->data, r);
    times->submit = now_seconds() - start;
    outcome = startile_wait(r);
    if (!submitted && !outcome)
        outcome = operands_gather(x);
    times->total = now_seconds() - start;
    startile_request_destroy(r);
    return submitted ? submitted : outcome;
}

static int64_t warm_up(struct operands *x, struct row *row)
{
    struct times times;
    int64_t outcome = operands_fill(x);
    if (outcome)
        return outcome;
    task_count_begin();
    outcome = run_once(x, &times);
    row->tasks = task_count_end();
    return outcome;
}

static bool time_runs(const struct bench_settings *s, struct operands *x, struct row *row)
{
    double submit[s->repeats], total[s->repeats];
    const char *name = x->problem->routine->name;
    int64_t outcome = warm_up(x, row);
    for (int i = 0; i < s->repeats && !outcome; i++) {
        struct times times = {0, 0};
        outcome = operands_fill(x);
        if (!outcome)
            outcome = run_once(x, &times);
        submit[i] = times.submit;
        total[i] = times.total;
    }
    if (outcome) {
        fail_with(row, name, outcome);
        return false;
    }
    row->submit_seconds = median(submit, (size_t)s->repeats);
    row->seconds = median(total, (size_t)s->repeats);
    row->seconds_min = total[0]; /* median() has sorted them */
    row->seconds_max = total[s->repeats - 1];
    row->gflop_s = 1e-9 * x->problem->routine->flops(x->problem) / row->seconds;
    return true;
}

/* -- placement ------------------------------------------------------------------------------ */

static double memory_of(enum starpu_node_kind kind)
{
    double bytes = 0;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        if (starpu_node_get_kind(node) == kind)
            bytes += (double)starpu_memory_get_total(node);
    return bytes;
}

/* Of what tasks work in, that the matrix has to be brought to. */
static double memory_of_tasks(const struct operands *x)
{
    double gpus = memory_of(STARPU_CUDA_RAM);
    return gpus > 0 || !x->disk ? gpus : memory_of(STARPU_CPU_RAM);
}

struct disk_bytes {
    int64_t read, written;
};

/* Of a file that the system brings, of which StarPU knows nothing, and which counts for all; else
 * 0. */
static int64_t count_mapped(const struct operands *x, struct disk_bytes *bytes)
{
    startile_matrix *A = x->data.matrix[0];
    *bytes = (struct disk_bytes){0, 0};
    if (!x->disk || starpu_data_get_home_node(startile_matrix_handle(A, 0, 0)) != STARPU_MAIN_RAM)
        return 0;
    return startile_matrix_disk_bytes(A, &bytes->read, &bytes->written);
}

static void find_placement(struct operands *x, struct row *row)
{
    struct times times = {0, 0};
    struct disk_bytes before, after;
    int64_t outcome = operands_fill(x);
    if (!outcome)
        outcome = count_mapped(x, &before);
    if (!outcome)
        outcome = placement_begin();
    if (!outcome) {
        outcome = run_once(x, &times);
        int64_t ended = placement_end(times.total, &row->placement);
        outcome = outcome ? outcome : ended;
        if (!outcome)
            outcome = count_mapped(x, &after);
        if (!outcome) {
            row->placement.from_disk += (double)(after.read - before.read);
            row->placement.to_disk += (double)(after.written - before.written);
        }
        double memory = memory_of_tasks(x);
        if (!x->resident_on_gpu && memory > 0)
            row->placement.volume = volume_by_formula(&row->problem, memory);
        if (!x->disk)
            row->placement.volume_between =
                volume_between_gpus(&row->problem, row->placement.load[GPU].devices, memory);
    }
    if (outcome)
        fail_with(row, "placement", outcome);
}

/* What is measured in runs of its own, after the timed ones. */
static void look_closer(const struct bench_settings *s, struct operands *x, struct row *row)
{
    int64_t outcome = s->energy ? find_energy(x, row) : 0;
    if (outcome)
        fail_with(row, "energy", outcome);
    else if (s->placement)
        find_placement(x, row);
}

/* -- checks --------------------------------------------------------------------------------- */

/* StarPU would try for ever to find it. What the environment says of main memory has been looked
 * at; this is what there is. */
static bool has_room_for_check(const struct bench_settings *s, struct row *row)
{
    double needed = memory_for_check(&row->problem);
    double total = (double)starpu_memory_get_total(STARPU_MAIN_RAM);
    if (!s->check || !s->disk || total <= 0 || needed <= total)
        return true;
    fail(row, "error: --check needs %.0f MiB of main memory for tiles", ceil(needed / 0x1p20));
    return false;
}

static void check_result(struct operands *x, struct row *row)
{
    int64_t status = x->problem->routine->check(x->problem, &x->data, &row->scaled_residual);
    if (status)
        fail_with(row, "check", status);
    else if (!(row->scaled_residual < largest_residual))
        fail(row, "FAIL: residual %.3g", row->scaled_residual);
}

/* By the same formula as the library's. */
static void check_reference(const struct operands *x, const struct reference *reference,
                            struct row *row)
{
    struct library_data data = {.pivots = NULL};
    bool complete;
    int64_t status = result_take_over(x, reference, &data, &complete);
    if (!status && complete)
        status = x->problem->routine->check(x->problem, &data, &row->lapack_residual);
    result_free(&data);
    if (status && row->ok)
        fail_with(row, "check of the peer", status);
}

static void compare(const struct reference *reference, struct row *row)
{
    double flops = row->problem.routine->flops(&row->problem);
    row->peer_name = isnan(reference->seconds) ? "" : reference->name;
    row->peer_gflop_s = 1e-9 * flops / reference->seconds;
    row->ratio = row->gflop_s / row->peer_gflop_s;
    row->gemm_gflop_s = reference->gemm_gflop_s;
    row->fraction_of_gemm = row->gflop_s / row->gemm_gflop_s;
}

/* As LU and QR have it: no block on the diagonal straddles tiles. */
static bool tiles_fit(const struct problem *p)
{
    return !p->routine->tall_tiles || p->mb % p->nb == 0 || p->mb >= p->m;
}

/* Rows or columns that LU and QR take (startile.h) */
enum { MOST_TILES = 1024 };

static bool has_many_tiles(const struct problem *p)
{
    return p->routine->tall_tiles &&
           ((p->m - 1) / p->mb >= MOST_TILES || (p->n - 1) / p->nb >= MOST_TILES);
}

/* StarPU waits for ever for room for a task's tiles where there cannot be any. */
static bool has_large_tiles(const struct bench_settings *s, const struct problem *p)
{
    enum { OF_A_TASK = 4 };
    double bytes = OF_A_TASK * (double)p->mb * (double)p->nb * (double)dtype_size(p->dtype);
    for (unsigned node = 0; s->simulate && node < starpu_memory_nodes_get_count(); node++)
        if (starpu_node_get_kind(node) == STARPU_CUDA_RAM &&
            bytes > (double)starpu_memory_get_total(node))
            return true;
    return false;
}

/* What a simulation's row says: not of a result, of which there is none. */
static void conclude_simulation(const struct bench_settings *s, struct row *row)
{
#ifdef STARTILE_SIMULATION
    const char *lack = startile_simulation_lacks();
    if (lack)
        fail(row, "error: the models of %s have no %s", s->simulate, lack);
#endif
    if (s->simulate && row->ok)
        snprintf(row->status, sizeof row->status, "simulated");
}

void run_problem(const struct bench_settings *s, const struct problem *p,
                 const struct reference *reference, struct row *row)
{
    struct operands x;
    *row = (struct row){.problem = *p,
                        .where = s->where,
                        .workers = startile_cpu_workers() + startile_cuda_workers(),
                        .tasks = -1,
                        .submit_seconds = NAN,
                        .seconds = NAN,
                        .seconds_min = NAN,
                        .seconds_max = NAN,
                        .gflop_s = NAN,
                        .scaled_residual = NAN,
                        .lapack_residual = NAN,
                        .joules = {NAN, NAN},
                        .energy_seconds = NAN,
                        .ok = true,
                        .status = "ok"};
    int64_t status = operands_open(&x, &row->problem, s->resident_on_gpu, s->disk);
    if (x.pageable)
        printf("# main memory could not be page-locked: transfers are slower\n");
    bool ready = !status && tiles_fit(&row->problem) && !has_many_tiles(&row->problem) &&
                 !has_large_tiles(s, &row->problem);
    if (status)
        fail_with(row, "making the matrix", status);
    else if (has_many_tiles(&row->problem))
        fail(row, "error: more than %d rows or columns of tiles", MOST_TILES);
    else if (!status && has_large_tiles(s, &row->problem))
        fail(row,
             "error: the GPU's memory has no room for a task's tiles: take narrower ones (--nb)");
    else if (!ready)
        fail(row,
             "error: mb = %" PRId64 " is neither a multiple of nb = %" PRId64 " nor at least m",
             row->problem.mb, row->problem.nb);
    else if (!has_room_for_check(s, row))
        ready = false;
    else if (time_runs(s, &x, row)) {
        if (s->check)
            check_result(&x, row);
        look_closer(s, &x, row);
    }
    conclude_simulation(s, row);
    compare(reference, row);
    if (ready && s->check)
        check_reference(&x, reference, row);
    operands_close(&x);
}
