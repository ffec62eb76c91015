/*
 * The library's own run in `startile bench`: timing, residual, and the peer's residual.
 */
#include "bench.h"
#include "command.h"
#include "progress.h"
#include "scalar.h"

#include <inttypes.h>
#include <math.h>
#include <starpu.h>
#include <stdarg.h>
#include <string.h>
#ifdef STARTILE_SIMULATION
#include "models/simulation.h"
#include "startile_mixed.h"
#endif

/* limit of scaled residuals: see CONTRIBUTING.md, Correctness */
static const double largest_residual = 30;

/* -- rows ------------------------------------------------------------------------------------- */

void row_clear(struct row *row, const struct bench_settings *s, const struct problem *p)
{
    static const char *const where_names[] = {"cpu", "gpu", "hybrid"};
    static const char *const trees[] = {"flat", "binary", "greedy"};
    static const char *const layouts[] = {"strided", "pointers", "variable"};
    *row = (struct row){.problem = *p,
                        .precision = dtype_letter(p->dtype),
                        .where_name = where_names[s->where],
                        .tree = p->routine->traits & BY_TREE ? trees[p->tree] : "",
                        .layout = layouts[p->layout],
                        .repeats = s->repeats,
                        .ok = true,
                        .status = "ok"};
    snprintf(row->name, sizeof row->name, "%s%s", p->routine->name, p->count ? "_batch" : "");
    report_clear(bench_fields, row);
}

void row_fail(struct row *row, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->status, sizeof row->status, format, arguments);
    va_end(arguments);
    row->ok = false;
}

void row_rate(struct row *row, double flops)
{
    row->gflop_s = 1e-9 * flops / row->seconds.median;
    row->peer_gflop_s = 1e-9 * flops / row->peer_seconds.median;
    row->ratio = row->peer_seconds.median / row->seconds.median;
    row->fraction_of_gemm = row->gflop_s / row->gemm_gflop_s;
}

void row_check_residual(struct row *row)
{
    if (!(row->scaled_residual < largest_residual))
        row_fail(row, "FAIL: residual %.3g", row->scaled_residual);
}

/* Marks the row as failed if `status` is a startile_error or a positive info. what: name of the
 * failed step. Returns whether `status` is 0. */
static bool record_status(struct row *row, const char *what, int64_t status)
{
    if (status > 0)
        row_fail(row, "FAIL: info %" PRId64 " from %s", status, what);
    else if (status < 0)
        row_fail(row, "error: %s: %s (%" PRId64 ")", what, startile_strerror(status), status);
    return status == 0;
}

/* Calls record_status(). With --resume it also prints an error on standard error; for an error of
 * the journal the message says which files to remove. */
static bool record_outcome(struct row *row, const struct operands *x, const char *what,
                           int64_t status)
{
    if (x->resume.file && status < 0)
        report("--resume: %s", resume_strerror(&x->resume, status));
    return record_status(row, what, status);
}

/* -- timing ----------------------------------------------------------------------------------- */

int64_t run_once(struct operands *x, struct times *times)
{
    startile_request *r;
    int64_t outcome = startile_request_create(&r);
    if (outcome)
        return outcome;
    const struct ranks *ranks = x->problem->ranks;
    double sent = ranks ? ranks->sent(ranks) : 0;
    if (ranks)
        ranks->maximum(0); /* collective, so all processes begin together */
    double start = now_seconds();
    int64_t submitted = x->problem->routine->submit(x->problem, &x->data, r);
    times->submit = now_seconds() - start;
    outcome = startile_request_wait(r);
    if (!submitted && !outcome)
        outcome = operands_gather(x);
    times->total = now_seconds() - start;
    if (ranks) {
        times->total = ranks->maximum(times->total);
        times->sent = ranks->sent(ranks) - sent;
    }
    startile_request_destroy(r);
    return submitted ? submitted : outcome;
}

/* Returns the number of tasks that StarPU's workers executed since the last call. Does not use
 * StarPU's performance counter of tasks: StarPU 1.4.10 crashes when the counter is read after
 * StarPU was stopped and started again (StarPU quirk 34). */
static double take_task_count(void)
{
    double tasks = 0;
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        struct starpu_profiling_worker_info info = {.executed_tasks = 0};
        if (!starpu_profiling_worker_get_info((int)w, &info))
            tasks += info.executed_tasks;
    }
    return tasks;
}

int64_t run_counted(struct operands *x, struct times *times, double *tasks)
{
    take_task_count();
    int64_t outcome = run_once(x, times);
    *tasks = take_task_count();
    return outcome;
}

/* Replaces this process's bytes and tasks by those of all processes, and adds the bytes by
 * formula. */
static void combine_ranks(const struct ranks *r, struct row *row)
{
    row->sent_most = r->maximum(row->sent_mean);
    r->sum(&row->sent_mean, 1);
    r->sum(&row->tasks, 1);
    row->sent_mean /= r->count;
    row->sent_2d = sent_by_formula(&row->problem, r->p, r->q);
    row->sent_bound =
        r->order > 0 ? sent_on_symmetric_grid(&row->problem, r->order, r->count) : row->sent_2d;
    row->sent_ratio = row->sent_bound > 0 ? row->sent_mean / row->sent_bound : NAN;
}

/* Stores in the status the steps and the error of a solver in mixed precision, or its fallback. */
static void describe_mixed(const startile_mixed_result *result, struct row *row)
{
    if (result->iterations < 0)
        snprintf(row->status, sizeof row->status, "ok, in double precision (%d)",
                 result->iterations);
    else
        snprintf(row->status, sizeof row->status, "ok, %d iterations, %.1f eps", result->iterations,
                 result->backward * 0x1p53);
}

/* Times the runs after a warm-up run, whose tasks it counts; with --resume only one run, at whose
 * end it removes the progress bar. Returns false after a failure, which marks the row as failed. */
static bool time_runs(const struct bench_settings *s, struct operands *x, struct row *row)
{
    size_t repeats = (size_t)s->repeats, warm_ups = s->resume_file ? 0 : 1;
    double submit[repeats + 1], total[repeats + 1];
    int64_t outcome = 0;
    for (size_t i = 0; i < repeats + warm_ups && !outcome; i++) {
        struct times times = {0};
        outcome = operands_fill(x);
        if (!outcome)
            outcome = i == 0 ? run_counted(x, &times, &row->tasks) : run_once(x, &times);
        submit[i] = times.submit;
        total[i] = times.total;
        row->sent_mean = times.sent; /* of this process; combine_ranks() makes it the mean */
    }
    if (s->resume_file)
        progress_bar_end();
    if (!record_outcome(row, x, x->problem->routine->name, outcome))
        return false;
    if (row->problem.routine->traits & MIXED)
        describe_mixed(&x->mixed, row);
    row->submit_seconds = median(submit + warm_ups, repeats);
    row->seconds = spread_of(total + warm_ups, repeats);
    if (x->resume.continues)
        snprintf(row->status, sizeof row->status, "ok, continued: the time is that of the rest");
    if (row->problem.ranks)
        combine_ranks(row->problem.ranks, row);
    return true;
}

/* -- checks ----------------------------------------------------------------------------------- */

/* Computes the residual of the library's result; marks the row as failed if it is too large. */
static void check_own(struct operands *x, struct row *row)
{
    int64_t status = check_result(x->problem, &x->data, &row->scaled_residual);
    if (record_status(row, "check", status))
        row_check_residual(row);
}

/* Computes the residual of the peer's result, by the formula of the library's result. */
static void check_peer(const struct operands *x, const struct reference *reference, struct row *row)
{
    struct library_data data;
    bool complete;
    int64_t status = wrap_peer_results(x, reference, &data, &complete);
    if (!status && complete)
        status = check_result(x->problem, &data, &row->lapack_residual);
    library_data_free(&data);
    if (row->ok)
        record_status(row, "check of the peer", status);
}

/* Copies the peer's times to the row, and computes rates and energy efficiency. gpus_only: only
 * GPUs computed, so that the row gets the efficiency of the GPUs alone, too */
static void add_reference(const struct reference *reference, bool gpus_only, struct row *row)
{
    double flops = row->problem.routine->flops(&row->problem);
    row->peer_seconds = reference->seconds;
    row->gemm_gflop_s = reference->gemm_gflop_s;
    if (!isnan(reference->seconds.median))
        memcpy(row->peer_name, reference->name, sizeof row->peer_name);
    row_rate(row, flops);
    row->gflops_per_watt = 1e-9 * flops / (row->joules.cpu + row->joules.gpu);
    row->gflops_per_watt_of_gpus = gpus_only ? 1e-9 * flops / row->joules.gpu : NAN;
}

/* Clears the rates and ratios that need the time of a whole run. */
static void clear_rates(struct row *row)
{
    row->gflop_s = row->ratio = row->fraction_of_gemm = NAN;
}

/* -- a problem -------------------------------------------------------------------------------- */

/* Returns whether the tiles of a task, of which it has up to TILES_OF_A_TASK, exceed a GPU's
 * memory. StarPU would then wait forever. */
static bool has_large_tiles(const struct problem *p)
{
    enum { TILES_OF_A_TASK = 4 };
    double bytes = TILES_OF_A_TASK * (double)p->mb * (double)p->nb * (double)dtype_size(p->dtype);
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        if (starpu_node_get_kind(node) == STARPU_CUDA_RAM &&
            bytes > (double)starpu_memory_get_total(node))
            return true;
    return false;
}

/* Returns whether the problem can run in its tiles; otherwise marks the row as failed. */
static bool check_tiles(const struct bench_settings *s, const struct problem *p, struct row *row)
{
    enum {
        MOST_TILES = 1024
    }; /* limit of tile rows and of tile columns for LU and QR (startile.h) */
    bool tall = p->routine->traits & TALL_TILES;
    if (tall && ((p->m - 1) / p->mb >= MOST_TILES || (p->n - 1) / p->nb >= MOST_TILES))
        row_fail(row, "error: more than %d rows or columns of tiles", MOST_TILES);
    else if (s->simulate && has_large_tiles(p))
        row_fail(row, "error: the GPU's memory is too small for a task's tiles: take narrower ones "
                      "(--nb)");
    else if (tall && p->mb % p->nb != 0 && p->mb < p->m)
        row_fail(row,
                 "error: mb = %" PRId64 " is neither a multiple of nb = %" PRId64 " nor at least m",
                 p->mb, p->nb);
    return row->ok;
}

/* Times the library's runs, and then makes the checks and the further runs that are wanted. */
static void run_and_check(const struct bench_settings *s, struct operands *x,
                          const struct reference *reference, struct row *row)
{
    if (time_runs(s, x, row)) {
        if (s->check)
            check_own(x, row);
        if (s->energy)
            record_status(row, "energy", measure_energy(x, row));
        if (s->placement)
            record_status(row, "placement", measure_placement(x, row));
        if (row->ok)
            resume_end(&x->resume);
    }
    if (s->check)
        check_peer(x, reference, row);
}

/* Sets the status of a simulated row: simulated, or an error if a model is missing. */
static void conclude_simulation(const struct bench_settings *s, struct row *row)
{
#ifdef STARTILE_SIMULATION
    const char *lack = startile_simulation_lacks();
    if (lack)
        row_fail(row, "error: the models of %s have no %s", s->simulate, lack);
#endif
    if (s->simulate && row->ok)
        snprintf(row->status, sizeof row->status, "simulated");
}

void run_problem(const struct bench_settings *s, const struct problem *p,
                 const struct reference *reference, struct row *row)
{
    struct operands x;
    row_clear(row, s, p);
    row->workers = startile_cpu_workers() + startile_cuda_workers();
    row->gpus = (int)starpu_memory_nodes_get_count_by_kind(STARPU_CUDA_RAM);
    int64_t status = operands_open(&x, &row->problem, s);
    if (x.pageable)
        printf("# main memory could not be page-locked: transfers are slower\n");
    if (record_outcome(row, &x, "making the matrix", status) && check_tiles(s, &row->problem, row))
        run_and_check(s, &x, reference, row);
    conclude_simulation(s, row);
    add_reference(reference, s->where == WHERE_GPU, row);
    if (x.resume.continues)
        clear_rates(row);
    operands_close(&x);
}
