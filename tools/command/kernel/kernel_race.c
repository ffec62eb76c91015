/*
 * One kernel at one shape: every implementation and the peer in turns, so that the GPU's clocks are
 * the same for all, on arrays that its L2 cache does not hold.
 */
#include "kernel.h"
#include "machine_kernels.h"
#include "measure.h"
#include "peer_cuda_state.h"
#include "scalar.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Of the roundoff, by the size of the terms: random errors stay near 1. */
static const double largest_error = 30;

const char *const contender_names[CONTENDERS] = {"own", "vendor", "split", "peer"};

struct race_of_kernels {
    struct trial trial;
    bool runs[CONTENDERS];
    bool not_split; /* SPLIT would be what OWN is, and does not run */
    void *cold;     /* read before each run, so that nothing else is in the L2 cache */
    size_t cold_bytes;
    cudaEvent_t begin, end;
    int repeats;
    double *seconds[CONTENDERS];
    double error[CONTENDERS];
    char reason[128];
};

__attribute__((format(printf, 2, 3))) static bool fail(struct race_of_kernels *r,
                                                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->reason, sizeof r->reason, format, arguments);
    va_end(arguments);
    return false;
}

/* -- one run ---------------------------------------------------------------------------------- */

static bool enqueue(struct race_of_kernels *r, int who)
{
    const startile_kernels *const *tables =
        who == VENDOR ? startile_cuda_vendor_kernels : startile_cuda_own_kernels;
    struct trial *t = &r->trial;
    if (who == PEER)
        return !t->kernel->run_peer(t) || fail(r, "error: %.100s", cuda_peer_reason());
    startile_exec_allow_tensor_single(t->exec, who == SPLIT);
    startile_exec_keep_own(t->exec, 1);
    int status = t->kernel->run(t, tables[t->shape.dtype]);
    return !status || fail(r, "error: %s: %s", contender_names[who], startile_strerror(status));
}

/* The read keeps the GPU busy while the host enqueues the run: launches are part of the time only
 * as far as the kernel outruns them. */
static bool run_once(struct race_of_kernels *r, int who, double *seconds)
{
    float milliseconds = 0;
    struct trial *t = &r->trial;
    t->panel->info = 0;
    if (trial_restore(t) ||
        library_check("reading", startile_machine_read(t->exec, r->cold, r->cold_bytes)) ||
        CUDA(cudaEventRecord(r->begin, cuda_peer.stream)))
        return fail(r, "error: %.100s", cuda_peer_reason());
    if (!enqueue(r, who))
        return false;
    if (CUDA(cudaEventRecord(r->end, cuda_peer.stream)) || cuda_peer_wait() ||
        CUDA(cudaEventElapsedTime(&milliseconds, r->begin, r->end)))
        return fail(r, "error: %.100s", cuda_peer_reason());
    *seconds = 1e-3 * milliseconds;
    if (who == PEER && cuda_peer_info())
        return fail(r, "FAIL: info %d from the peer", cuda_peer_info());
    return !t->panel->info || fail(r, "FAIL: info %d", (int)t->panel->info);
}

static bool check(struct race_of_kernels *r, int who)
{
    struct trial *t = &r->trial;
    r->error[who] = NAN;
    if (who == PEER && !t->kernel->alike)
        return true;
    trial_forget(t);
    r->error[who] = t->kernel->error(t);
    return !t->failed_to_read || fail(r, "error: %.100s", cuda_peer_reason());
}

/* The first run of each warms up and is checked, and shows whether operands are split. */
static bool run_first(struct race_of_kernels *r, int who)
{
    double seconds;
    const int64_t splits = startile_exec_splits(r->trial.exec);
    if (!run_once(r, who, &seconds))
        return false;
    r->not_split = r->not_split || (who == SPLIT && startile_exec_splits(r->trial.exec) == splits);
    return check(r, who);
}

static bool run_all(struct race_of_kernels *r)
{
    for (int i = 0; i <= r->repeats; i++)
        for (int who = 0; who < CONTENDERS; who++) {
            double seconds = NAN;
            if (!r->runs[who] || (who == SPLIT && r->not_split))
                continue;
            if (i == 0 ? !run_first(r, who) : !run_once(r, who, &seconds))
                return false;
            if (i > 0)
                r->seconds[who][i - 1] = seconds;
        }
    return true;
}

/* -- race ------------------------------------------------------------------------------------- */

/* No more reflectors or interchanges than rows */
static bool has_rows(struct race_of_kernels *r, const struct kernel *kernel, const struct shape *s)
{
    int least = kernel_has(kernel, 'k') ? s->k : s->n;
    return !kernel->tall || s->m >= least ||
           fail(r, "error: %s needs m >= %d here", kernel->name, least);
}

/* Several times the L2 cache, whose replacement is not strictly the oldest first. */
static bool open_cold(struct race_of_kernels *r)
{
    struct cudaDeviceProp properties;
    if (CUDA(cudaGetDeviceProperties(&properties, 0)))
        return false;
    r->cold_bytes = 4 * (size_t)properties.l2CacheSize;
    return !cuda_peer_alloc(&r->cold, r->cold_bytes) &&
           !CUDA(cudaMemset(r->cold, 0, r->cold_bytes));
}

static bool fits(struct race_of_kernels *r, const struct kernel *kernel, const struct shape *s)
{
    struct gpu gpu;
    const double gib = 0x1p30, needs = (double)trial_bytes(kernel, s) + gib;
    if (cuda_describe(0, &gpu))
        return fail(r, "error: %.100s", cuda_peer_reason());
    return needs < (double)gpu.available || fail(r, "error: needs %.3g GiB of GPU memory, has %.3g",
                                                 needs / gib, (double)gpu.available / gib);
}

static bool race(struct race_of_kernels *r, const struct kernel *kernel, const struct shape *s,
                 struct ceilings *ceilings)
{
    if (CUDA(cudaEventCreate(&r->begin)) || CUDA(cudaEventCreate(&r->end)))
        return fail(r, "error: %.100s", cuda_peer_reason());
    if (!has_rows(r, kernel, s) || !fits(r, kernel, s))
        return false;
    if (kernel_ceilings(s->dtype, ceilings) || !open_cold(r) || !trial_open(&r->trial, kernel, s))
        return fail(r, "error: %.100s", cuda_peer_reason());
    if (kernel->prepare_peer && kernel->prepare_peer(&r->trial))
        return fail(r, "error: %.100s", cuda_peer_reason());
    return run_all(r);
}

static void close_race(struct race_of_kernels *r)
{
    trial_close(&r->trial);
    cuda_peer_free(r->cold);
    if (r->begin)
        cudaEventDestroy(r->begin);
    if (r->end)
        cudaEventDestroy(r->end);
}

static void fill_row(struct race_of_kernels *r, int who, const struct ceilings *c, bool good,
                     struct kernel_row *row)
{
    const struct kernel *k = row->kernel;
    row->ok = false;
    snprintf(row->status, sizeof row->status, "%s", r->reason);
    if (!good)
        return;
    if (who == SPLIT && r->not_split) {
        row->ok = true;
        snprintf(row->status, sizeof row->status, "none: FFMA at this size or on this GPU");
        return;
    }
    double work = k->work(&r->trial);
    row->seconds = median(r->seconds[who], (size_t)r->repeats);
    row->seconds_min = r->seconds[who][0]; /* median() has sorted them */
    row->seconds_max = r->seconds[who][r->repeats - 1];
    row->rate = work / row->seconds;
    if (r->runs[PEER])
        row->peer_rate = work / median(r->seconds[PEER], (size_t)r->repeats);
    row->ratio = row->rate / row->peer_rate;
    row->ceiling = k->moves ? c->copy : c->gemm[row->shape.dtype];
    row->fraction = row->rate / row->ceiling;
    row->error = r->error[who];
    row->peer_error = r->error[PEER];
    row->ok = row->error < largest_error;
    snprintf(row->status, sizeof row->status, row->ok ? "ok" : "FAIL: error %.3g", row->error);
}

static bool takes_part(const struct kernel_settings *s, const struct kernel *kernel,
                       const struct shape *shape, int who)
{
    if (who == PEER)
        return kernel->run_peer != NULL;
    if (!s->implementation[who])
        return false;
    return who == VENDOR  ? kernel->by_vendor
           : who == SPLIT ? kernel->splits && shape->dtype == STARTILE_S
                          : true;
}

bool kernel_race(const struct kernel_settings *s, const struct kernel *kernel,
                 const struct shape *shape, struct ceilings *ceilings,
                 bool (*show)(FILE *csv, const struct kernel_row *row), FILE *csv)
{
    double seconds[CONTENDERS][s->repeats];
    struct race_of_kernels r = {.repeats = s->repeats};
    for (int who = 0; who < CONTENDERS; who++) {
        r.seconds[who] = seconds[who];
        r.error[who] = NAN;
        r.runs[who] = takes_part(s, kernel, shape, who);
    }
    bool good = race(&r, kernel, shape, ceilings), all_ok = true;
    for (int who = 0; who < PEER; who++) {
        struct kernel_row row = {.kernel = kernel,
                                 .shape = *shape,
                                 .implementation = contender_names[who],
                                 .seconds = NAN,
                                 .seconds_min = NAN,
                                 .seconds_max = NAN,
                                 .rate = NAN,
                                 .peer_rate = NAN,
                                 .ratio = NAN,
                                 .ceiling = NAN,
                                 .fraction = NAN,
                                 .error = NAN,
                                 .peer_error = NAN};
        if (!r.runs[who])
            continue;
        fill_row(&r, who, ceilings, good, &row);
        all_ok = show(csv, &row) && row.ok && all_ok;
    }
    close_race(&r);
    return all_ok;
}
