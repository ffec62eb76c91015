/*
 * `startile bench`: the loop over precisions, sizes and tile sizes.
 */
#include "bench.h"
#include "bench_race.h"
#include "command.h"
#include "measure.h"
#include "models.h"
#include "peer_cuda.h"
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Main memory at the worst moment: the peer's input and result, or the run's storage, what the peer
 * leaves for the check and two matrices of the check. */
static double memory_needed(const struct bench_settings *s, const struct problem *p)
{
    struct operand o[MAX_OPERANDS];
    double inputs = 0, results = 0, kept = 0, largest = 0;
    p->routine->describe(p, o);
    for (int i = 0; i < p->routine->operands; i++) {
        double bytes = (double)operand_bytes(p, &o[i]);
        inputs += bytes;
        results += o[i].result ? bytes : 0;
        kept += s->check && (o[i].result || p->routine->reflectors) ? bytes : 0;
        largest = bytes > largest ? bytes : largest;
    }
    double run = s->resident_on_gpu || s->disk ? 0 : inputs;
    double own = s->where == WHERE_CPU ? p->routine->temporaries * largest : 0;
    double check = !s->check ? 0 : s->where == WHERE_CPU ? 2 * largest : largest;
    double race = s->peer || s->check ? 2 * inputs + results : 0;
    run += kept + (check > own ? check : own);
    return run > race ? run : race;
}

static void failed_row(const struct bench_settings *s, const struct problem *p, struct row *row,
                       const char *reason)
{
    const double none = __builtin_nan("");
    *row = (struct row){.problem = *p,
                        .where = s->where,
                        .tasks = -1,
                        .submit_seconds = none,
                        .seconds = none,
                        .seconds_min = none,
                        .seconds_max = none,
                        .gflop_s = none,
                        .peer_name = "",
                        .peer_gflop_s = none,
                        .ratio = none,
                        .gemm_gflop_s = none,
                        .fraction_of_gemm = none,
                        .scaled_residual = none,
                        .lapack_residual = none,
                        .joules = {none, none},
                        .energy_seconds = none};
    snprintf(row->status, sizeof row->status, "error: %.140s", reason);
}

static bool show(const struct bench_arguments *a, FILE *csv, struct row *row)
{
    print_row(&a->settings, row);
    if (a->settings.energy)
        print_power(&a->settings, row);
    if (row->placement.count > 0)
        print_placement(&row->placement);
    bool written = !csv || csv_row(csv, row);
    if (!written)
        report("%s: %s", a->csv_file, strerror(errno));
    placement_free(&row->placement);
    return row->ok && written;
}

/* StarPU starts at most one CPU worker per core, less those that launch tasks on GPUs. */
static void warn_of_fewer_workers(const struct bench_settings *s)
{
    static bool warned;
    int workers = startile_cpu_workers();
    if (warned || s->simulate || s->library.ncpu <= workers)
        return;
    report("--workers %d: only %d started, one per core", s->library.ncpu, workers);
    warned = true;
}

/* All tile sizes of one problem; the library's start and the peer's run serve them all. */
static bool run_tile_sizes(const struct bench_arguments *a, struct problem p,
                           const struct reference *reference, FILE *csv)
{
    struct row row;
    bool good = true;
    int status = startile_init(&a->settings.library);
    if (!status) {
        warn_of_models();
        warn_of_fewer_workers(&a->settings);
    }
    for (size_t i = 0; i < a->nb.count; i++) {
        p.nb = a->nb.values[i];
        p.mb = a->mb;
        if (status)
            failed_row(&a->settings, &p, &row, start_strerror(status));
        else
            run_problem(&a->settings, &p, reference, &row);
        good = show(a, csv, &row) && good;
    }
    if (!status)
        startile_finalize();
    return good;
}

static bool run_case(const struct bench_arguments *a, const struct problem *p, FILE *csv)
{
    char reason[160];
    struct reference reference = {0};
    struct row row;
    double needed = memory_needed(&a->settings, p), available = (double)memory_available();
    if (a->settings.simulate) /* whose memory it is that has to do */
        needed = 0;
    if (p->routine->needs_m_ge_n && p->m < p->n)
        snprintf(reason, sizeof reason, "%s needs m >= n", p->routine->name);
    else if (needed > available)
        snprintf(reason, sizeof reason, "needs %.3g GiB of main memory; %.3g are available",
                 needed / 0x1p30, available / 0x1p30);
    else if (reference_measure(&a->settings, p, &reference, reason, sizeof reason)) {
        bool good = run_tile_sizes(a, *p, &reference, csv);
        reference_free(&reference);
        return good;
    }
    reference_free(&reference);
    failed_row(&a->settings, p, &row, reason);
    return show(a, csv, &row);
}

struct problem make_problem(const struct bench_arguments *a, startile_dtype dtype, int64_t m,
                            int64_t n)
{
    int64_t k = a->k;
    if (!k)
        k = a->routine->meaning_of_k == K_UNUSED          ? 0
            : a->routine->meaning_of_k == K_DEFAULTS_TO_1 ? 1
                                                          : n;
    return (struct problem){.routine = a->routine,
                            .dtype = dtype,
                            .uplo = a->uplo,
                            .m = m,
                            .n = n,
                            .k = k,
                            .tree = a->tree};
}

static int64_t first_m(const struct bench_arguments *a)
{
    return a->m.count ? a->m.values[0] : a->n.values[0];
}

static bool run_all(const struct bench_arguments *a, FILE *csv)
{
    bool good = true;
    for (int t = 0; t < a->dtype_count; t++)
        for (size_t j = 0; j < a->n.count; j++)
            for (size_t i = 0; i < (a->m.count ? a->m.count : 1); i++) {
                int64_t n = a->n.values[j], m = a->m.count ? a->m.values[i] : n;
                struct problem p = make_problem(a, a->dtypes[t], m, n);
                good = run_case(a, &p, csv) && good;
            }
    return good;
}

/* Another line where the next size has another one. */
static void print_peers(const struct bench_arguments *a)
{
    char name[PEER_NAME], last[PEER_NAME] = "";
    for (size_t j = 0; j < a->n.count; j++) {
        struct problem p = make_problem(a, a->dtypes[0], first_m(a), a->n.values[j]);
        name_peer(&a->settings, &p, name);
        if (name[0] && strcmp(name, last))
            printf("# peer: %s\n", name);
        memcpy(last, name, sizeof last);
    }
    if (!last[0])
        printf("# no peer: neither libopenblas.so.0 nor libblas.so.3 and liblapack.so.3 here\n");
}

static void print_conditions(const struct bench_arguments *a)
{
    const struct bench_settings *s = &a->settings;
    printf("# startile %s, matrix in %s, median of %d\n", startile_version(),
           s->disk              ? "a file"
           : s->resident_on_gpu ? "GPU memory"
                                : "main memory",
           s->repeats);
    if (s->simulate)
        printf("# simulated: %s, %d workers of CPU cores, %d of GPUs\n", s->simulate,
               startile_cpu_workers(), startile_cuda_workers());
    if (s->peer)
        print_peers(a);
    print_heading(s);
}

/* All problems at one place. */
static bool bench_at(const struct bench_arguments *a, enum bench_where where, FILE *csv)
{
    struct bench_arguments there = *a;
    there.settings = settings_for(a, where);
    if (there.settings.energy)
        find_idle_power(&there.settings);
    print_conditions(&there);
    bool good = run_all(&there, csv);
    if (good && a->trace_folder)
        good = trace_problem(&there, make_problem(a, a->dtypes[0], first_m(a), a->n.values[0]));
    return good;
}

static bool bench_places(const struct bench_arguments *a, FILE *csv)
{
    static const enum bench_where all[] = {WHERE_CPU, WHERE_HYBRID, WHERE_GPU};
    bool good = true;
    if (!a->everywhere)
        return bench_at(a, a->settings.where, csv);
    for (int w = 0; w < 3; w++)
        good = bench_at(a, all[w], csv) && good;
    return good;
}

/* Not of a simulation, which the machine that it tells of was asked for before. */
static bool has_gpus(const struct bench_arguments *a)
{
    enum bench_where where = a->settings.where;
    int wanted = a->settings.library.ncuda;
    if (a->settings.simulate || (!a->everywhere && where == WHERE_CPU))
        return true;
    if (!cuda_count()) {
        report("bench: --where %s: no GPU that CUDA can use here", a->everywhere        ? "all"
                                                                   : where == WHERE_GPU ? "gpu"
                                                                                        : "hybrid");
        return false;
    }
    if (wanted > cuda_count()) {
        report("bench: --gpus %d: CUDA can use %d here", wanted, cuda_count());
        return false;
    }
    struct bench_settings s = settings_for(a, a->everywhere ? WHERE_GPU : where);
    if (!gpus_have_room(a, gpus_in_use(&s)))
        refuse_gpus_without_room(a, gpus_in_use(&s));
    return true;
}

bool bench(const struct bench_arguments *a)
{
    FILE *csv = NULL;
    if (!has_gpus(a))
        return false;
    if (a->trace_folder && !trace_begin(a->trace_folder))
        return false;
    if (a->csv_file && (!(csv = fopen(a->csv_file, "w")) || !csv_heading(csv))) {
        report("%s: %s", a->csv_file, strerror(errno));
        return false;
    }
    if (a->settings.energy)
        energy_open();
    bool good = bench_places(a, csv);
    if (a->settings.energy)
        energy_close();
    if (csv && fclose(csv)) {
        report("%s: %s", a->csv_file, strerror(errno));
        return false;
    }
    return good;
}
