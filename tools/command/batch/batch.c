/*
 * `startile bench ROUTINE_batch`: the loop over precisions and sizes.
 */
#include "batch.h"
#include "command.h"
#include "measure.h"
#include "models.h"
#include "peer_cpu.h"
#include "peer_cuda.h"
#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const place_names[] = {"cpu", "gpu", "hybrid"};
/* CONTRIBUTING.md, Correctness */
static const double largest_residual = 30;

const struct batch_routine *batch_routine_named(const char *name)
{
    static const struct batch_routine *const lists[] = {batch_factors, batch_solves, batch_vectors};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct batch_routine *r = lists[i]; r->name; r++)
            if (!strcmp(name, r->name) || (r->alias && !strcmp(name, r->alias)))
                return r;
    return NULL;
}

bool batch_time(int repeats, double (*work)(void *argument), void *argument,
                struct batch_times *times)
{
    double seconds[repeats + 1];
    for (int i = 0; i <= repeats; i++)
        if ((seconds[i] = work(argument)) < 0)
            return false;
    if (repeats)
        *times = (struct batch_times){.median = median(seconds + 1, (size_t)repeats),
                                      .least = seconds[1], /* median() has sorted them */
                                      .most = seconds[repeats]};
    return true;
}

/* -- one row -------------------------------------------------------------------------------- */

static void compare(struct batch_row *row)
{
    double flops, bytes;
    batch_totals(row->batch, &flops, &bytes, &row->mean_n);
    row->gflop_s = 1e-9 * flops / row->seconds.median;
    row->gbyte_s = 1e-9 * bytes / row->seconds.median;
    row->ratio = row->peer_seconds / row->seconds.median;
    row->fraction = row->gbyte_s / row->ceiling;
}

/* The loop over LAPACK is the peer on CPUs, and tells elsewhere what residual to expect. */
static void run_lapack(const struct batch_settings *s, struct batch_data *d, struct team *team,
                       struct batch_row *row)
{
    bool peer = s->peer && s->where == BATCH_CPU;
    struct batch_times times = {NAN, NAN, NAN};
    if (!peer && !s->check)
        return;
    int threads = peer && row->workers ? row->workers : team_threads(team);
    if (!batch_race_cpu(d, threads, peer ? s->repeats : 0, &times)) {
        batch_fail(row, "error: no host memory for LAPACK");
        return;
    }
    row->peer_seconds = times.median;
    if (peer)
        snprintf(row->peer_name, sizeof row->peer_name, "%.60s in a loop", cpu_peer_name());
    if (s->check)
        row->lapack_residual = batch_check(d, team);
}

static void run_peers(const struct batch_settings *s, struct batch_data *d, struct team *team,
                      struct batch_row *row)
{
    run_lapack(s, d, team, row);
    if (s->where == BATCH_CPU)
        return;
    if (s->peer)
        batch_race_gpu(s, d, team, row);
    double reading = NAN, copying = NAN;
    enum batch_ceiling ceiling = row->batch->routine->ceiling;
    if (ceiling != NO_CEILING && !batch_ceilings(&reading, &copying))
        row->ceiling = 1e-9 * (ceiling == READING ? reading : copying);
}

static void run_on(const struct batch_settings *s, struct batch_data *d, struct team *team,
                   struct batch_row *row)
{
    bool ran = batch_run_library(s, d, row);
    if (ran && s->check) {
        row->residual = batch_check(d, team);
        if (!(row->residual < largest_residual))
            batch_fail(row, "FAIL: residual %.3g", row->residual);
    }
    if (ran)
        run_peers(s, d, team, row);
    compare(row);
}

/* Main memory at the worst moment: what is before and after a run, and the sizes of all. */
static double memory_needed(const struct batch_case *c)
{
    double sizes = (double)(c->routine->arrays * (c->count + 1)) * (double)sizeof(size_t);
    return 2 * (double)c->count * batch_bytes_of_one(c) + sizes;
}

static void run_case(const struct batch_settings *s, const struct batch_case *c,
                     struct batch_row *row)
{
    struct batch_data d = {.batch = c};
    int64_t info = 0;
    double needed = memory_needed(c), available = (double)memory_available();
    if (needed > available) {
        batch_fail(row, "error: needs %.3g GiB of main memory; %.3g are available", needed / 0x1p30,
                   available / 0x1p30);
        return;
    }
    struct team *team = team_open(team_cores());
    if (!team || !batch_data_open(&d, c, team, &info))
        batch_fail(row, "error: %s", startile_strerror(STARTILE_ERROR_MEMORY));
    else if (info)
        batch_fail(row, "error: info %" PRId64 " from LAPACK on the input", info);
    else
        run_on(s, &d, team, row);
    batch_data_close(&d);
    team_close(team);
}

static bool run_row(const struct batch_arguments *a, const struct batch_case *c, FILE *csv)
{
    struct batch_row row = {.batch = c,
                            .where = place_names[a->settings.where],
                            .mean_n = NAN,
                            .seconds = {NAN, NAN, NAN},
                            .gflop_s = NAN,
                            .gbyte_s = NAN,
                            .peer_name = "",
                            .peer_seconds = NAN,
                            .ratio = NAN,
                            .ceiling = NAN,
                            .fraction = NAN,
                            .residual = NAN,
                            .lapack_residual = NAN,
                            .peer_residual = NAN,
                            .ok = true,
                            .status = "ok"};
    run_case(&a->settings, c, &row);
    batch_print_row(&row);
    if (!csv || batch_csv_row(csv, &row))
        return row.ok;
    report("%s: %s", a->csv_file, strerror(errno));
    return false;
}

/* -- all ------------------------------------------------------------------------------------ */

/* Without a number given: as many as make some 100 MB. */
static int64_t usual_count(const struct batch_case *c)
{
    const double bytes = 100e6;
    const int64_t most = 1000000;
    double count = bytes / batch_bytes_of_one(c);
    return count < 1 ? 1 : count > (double)most ? most : (int64_t)count;
}

static struct batch_case make_case(const struct batch_arguments *a, startile_dtype dtype, int64_t m,
                                   int64_t n)
{
    int64_t k = a->k ? a->k : a->routine->meaning_of_k == BATCH_K_IS_N ? n : 1;
    struct batch_case c = {.routine = a->routine,
                           .dtype = dtype,
                           .uplo = a->uplo,
                           .layout = a->layout,
                           .shape = {m, n, a->routine->meaning_of_k == BATCH_NO_K ? 0 : k},
                           .per_task = a->per_task};
    c.count = a->count ? a->count : usual_count(&c);
    return c;
}

static bool run_all(const struct batch_arguments *a, FILE *csv)
{
    bool good = true;
    for (int t = 0; t < a->dtype_count; t++)
        for (size_t j = 0; j < a->n.count; j++)
            for (size_t i = 0; i < (a->m.count ? a->m.count : 1); i++) {
                int64_t n = a->n.values[j], m = a->m.count ? a->m.values[i] : n;
                struct batch_case c = make_case(a, a->dtypes[t], m, n);
                good = run_row(a, &c, csv) && good;
            }
    return good;
}

static void print_peer(const struct batch_arguments *a)
{
    const char *does = a->routine->lapack_does;
    struct batch_case first =
        make_case(a, a->dtypes[0], a->m.count ? a->m.values[0] : a->n.values[0], a->n.values[0]);
    if (a->settings.where == BATCH_CPU)
        printf("# peer: %s in a loop on all cores%s%s\n", cpu_peer_name(), does ? ": " : "",
               does ? does : "");
    else if (batch_gpu_peer(&first))
        printf("# peer: %s\n", batch_gpu_peer(&first));
    else
        printf("# no peer: cuBLAS and cuSOLVER have no such routine on such a batch\n");
}

static bool batch_bench(const struct batch_arguments *a)
{
    static const char *const layouts[] = {"one size, strided", "one size, by pointers",
                                          "variable sizes"};
    const struct batch_settings *s = &a->settings;
    FILE *csv = NULL;
    if (s->where != BATCH_CPU && !cuda_count()) {
        report("bench: --where %s: no GPU that CUDA can use here", place_names[s->where]);
        return false;
    }
    bool needs_lapack = s->check || s->peer || a->routine->prepare;
    if (needs_lapack && !cpu_peer_batch_load()) {
        report("bench: %s needs libopenblas.so.0, or libblas.so.3 and liblapack.so.3",
               a->routine->name);
        return false;
    }
    if (needs_lapack)
        cpu_peer_set_threads(1);
    if (a->csv_file && (!(csv = fopen(a->csv_file, "w")) || !batch_csv_heading(csv))) {
        report("%s: %s", a->csv_file, strerror(errno));
        return false;
    }
    printf("# startile %s, %s in %s, median of %d\n", startile_version(), layouts[a->layout],
           s->resident_on_gpu ? "GPU memory" : "main memory", s->repeats);
    if (s->peer)
        print_peer(a);
    batch_print_heading();
    bool good = run_all(a, csv);
    if (csv && fclose(csv)) {
        report("%s: %s", a->csv_file, strerror(errno));
        return false;
    }
    return good;
}

bool is_batch_routine(const char *name)
{
    return batch_routine_named(name) != NULL;
}

int batch_command(int argc, char **argv)
{
    struct batch_arguments a;
    batch_parse(argc, argv, &a);
    bool good = batch_bench(&a);
    size_list_free(&a.m);
    size_list_free(&a.n);
    return good ? 0 : EXIT_FAILED;
}
