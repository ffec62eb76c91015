/*
 * `startile bench`: the loop over kinds of workers, precisions, sizes and tile sizes.
 */
#include "bench.h"
#include "command.h"
#include "models.h"
#include "peer/peer_cpu.h"
#include "progress.h"
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bench_run {
    const struct bench_arguments *arguments;
    const struct report *report;
};

/* Returns the largest number of bytes of main memory in use at one time. During the peer's run
 * these are its inputs twice, and its results. During the library's run they are its storage, the
 * peer's operands that are kept for the check, and temporaries of the check or of the routine. */
static double memory_needed(const struct bench_settings *s, const struct problem *p)
{
    if (p->count)
        return batch_memory(p);
    struct random_matrix o[MAX_OPERANDS];
    bool keeps = check_needs_peer(s, p);
    double inputs = 0, results = 0, kept = 0, largest = 0;
    for (int i = describe_operands(p, o); i-- > 0;) {
        double bytes = (double)operand_bytes(p, &o[i]);
        inputs += bytes;
        results += o[i].result ? bytes : 0;
        kept += keeps ? bytes : 0;
        largest = bytes > largest ? bytes : largest;
    }
    double run = s->resident_on_gpu || s->disk || s->resume_file ? 0 : inputs;
    double temporaries = s->where == WHERE_CPU ? p->routine->temporaries * largest : 0;
    double check_bytes = s->check ? largest : 0;
    double peer_bytes = s->peer || keeps ? 2 * inputs + results : 0;
    run += kept + (check_bytes > temporaries ? check_bytes : temporaries);
    return run > peer_bytes ? run : peer_bytes;
}

/* Prints the mean power of the runs, unless the joules are unknown. */
static void print_watts(const char *name, double joules, double seconds, double idle)
{
    if (!isnan(joules))
        printf("# power of the %s: %.4g W, idle %.4g W\n", name, joules / seconds, idle);
}

/* Prints the row and writes it to the CSV file, then frees its placement. Returns whether the row
 * is ok and was written. */
static bool finish_row(const struct bench_run *run, struct row *row)
{
    const struct joules *idle = &run->arguments->settings.idle_watts;
    bool written = report_row(run->report, row);
    print_watts("CPUs", row->joules.cpu, row->energy_seconds, idle->cpu);
    print_watts("GPUs", row->joules.gpu, row->energy_seconds, idle->gpu);
    if (row->placement.count > 0)
        print_placement(&row->placement);
    placement_free(&row->placement);
    return row->ok && written;
}

/* Reports once if fewer CPU workers started than --workers asks for: StarPU starts at most one per
 * core, less those that launch tasks on GPUs. */
static void warn_of_fewer_workers(const struct bench_settings *s)
{
    static bool warned;
    int workers = startile_cpu_workers();
    if (warned || s->simulate || s->library.ncpu <= workers)
        return;
    report("--workers %d: only %d started, one per core", s->library.ncpu, workers);
    warned = true;
}

/* Runs the problem with each tile size, after one start of the library. reference: results of the
 * peer, which has run before */
static bool run_tile_sizes(const struct bench_run *run, struct problem p,
                           const struct reference *reference)
{
    const struct bench_arguments *a = run->arguments;
    struct row row;
    startile_options o = a->settings.library;
    bool good = true;
    if (a->settings.resume_file)
        progress_bar_begin(p.routine->name, &o); /* time_runs() removes it */
    int64_t status = startile_init(&o);
    bool is_started = !status;
    if (p.ranks)
        status = p.ranks->open(p.ranks, status);
    if (!status) {
        warn_of_models();
        warn_of_fewer_workers(&a->settings);
    }
    p.mb = a->mb;
    for (size_t i = 0; i < (a->nb.count ? a->nb.count : 1); i++) {
        p.nb = a->nb.count ? a->nb.values[i] : 0;
        row_clear(&row, &a->settings, &p);
        if (status)
            row_fail(&row, "error: %s", startile_strerror(status));
        else
            run_problem(&a->settings, &p, reference, &row);
        good = finish_row(run, &row) && good;
    }
    if (p.ranks)
        p.ranks->close(p.ranks);
    if (is_started)
        startile_finalize();
    return good;
}

/* Measures one problem, if main memory suffices, and prints its rows. Returns whether all are
 * ok. */
static bool run_case(const struct problem *p, void *data)
{
    const struct bench_run *run = data;
    const struct bench_settings *s = &run->arguments->settings;
    char reason[160];
    struct reference reference = {0};
    struct row row;
    bool good = false;
    /* A simulation takes no memory of this machine. */
    double needed = s->simulate ? 0 : memory_needed(s, p), available = (double)memory_available();
    if (p->ranks) { /* compares this host's share with the memory of the host that has the least */
        needed *= (double)p->ranks->on_host / p->ranks->count;
        available = -p->ranks->maximum(-available);
    }
    if (p->routine->traits & NEEDS_M_GE_N && p->m < p->n)
        snprintf(reason, sizeof reason, "%s needs m >= n", p->routine->name);
    else if (needed > available)
        snprintf(reason, sizeof reason, "needs %.3g GiB of main memory; %.3g are available",
                 needed / 0x1p30, available / 0x1p30);
    else
        /* the peer of a batch runs in run_batch() */
        good = p->count || (p->ranks ? p->ranks->peer : reference_measure)(s, p, &reference, reason,
                                                                           sizeof reason);
    if (good && p->count) {
        row_clear(&row, s, p);
        run_batch(s, p, &row);
        good = finish_row(run, &row);
    } else if (good) {
        good = run_tile_sizes(run, *p, &reference);
    } else {
        row_clear(&row, s, p);
        row_fail(&row, "error: %.140s", reason);
        finish_row(run, &row);
    }
    reference_free(&reference);
    return good;
}

/* -- headings --------------------------------------------------------------------------------- */

struct peer_names {
    const struct bench_settings *settings;
    char last[PEER_NAME];
};

/* Prints the name of the problem's peer if it differs from that of the previous problem. */
static bool print_peer(const struct problem *p, void *data)
{
    struct peer_names *names = data;
    char name[PEER_NAME];
    name_peer(names->settings, p, name);
    if (name[0] && strcmp(name, names->last))
        printf("# peer: %s\n", name);
    memcpy(names->last, name, sizeof name);
    return true;
}

static void print_simulated(const char *machine)
{
    int gpus = startile_cuda_workers();
    char gpu[256] = "";
    if (gpus > 0)
        gpu_of_models(gpu, sizeof gpu);
    printf("# simulated: %s, %d workers of CPU cores, %d of GPUs%s%s\n", machine,
           startile_cpu_workers(), gpus, *gpu ? ": " : "", gpu);
}

static void print_conditions(const struct bench_arguments *a)
{
    static const char *const layouts[] = {"one size, strided", "one size, by pointers",
                                          "variable sizes"};
    const struct bench_settings *s = &a->settings;
    struct peer_names names = {s, ""};
    printf("# startile %s, %s in %s, median of %d\n", startile_version(),
           a->batches ? layouts[a->layout] : "matrix",
           s->disk || s->resume_file ? "a file"
           : s->resident_on_gpu      ? "GPU memory"
                                     : "main memory",
           s->repeats);
    if (s->simulate)
        print_simulated(s->simulate);
    if (s->ranks) {
        if (s->ranks->order > 0)
            printf("# grid: symmetric, of order %d, %d processes", s->ranks->order,
                   s->ranks->count);
        else
            printf("# grid: %d x %d processes", s->ranks->p, s->ranks->q);
        if (s->ranks->group > 1)
            printf(", %d adjacent block columns each", s->ranks->group);
        printf(", %d on %s\n", s->ranks->on_host, s->simulate ? "each node" : "this host");
        return;
    }
    if (s->peer)
        for_problems(a, print_peer, &names);
    if (s->peer && !names.last[0])
        printf("# no peer: %s\n",
               a->batches && s->where != WHERE_CPU
                   ? "cuBLAS and cuSOLVER have no such routine on such a batch"
               : s->where != WHERE_CPU
                   ? "cuSOLVER has no such routine"
                   : "neither libopenblas.so.0 nor libblas.so.3 and liblapack.so.3 here");
}

/* -- kinds of workers ------------------------------------------------------------------------- */

/* Makes a traced run of one problem. */
static bool trace_case(const struct problem *p, void *data)
{
    const struct bench_run *run = data;
    return trace_problem(run->arguments, *p);
}

/* Runs all problems on the workers that `where` selects (CPU, GPU or both). Returns whether all
 * succeeded. */
static bool bench_on(const struct bench_arguments *a, enum bench_where where,
                     const struct report *report)
{
    struct bench_arguments arguments = *a;
    struct bench_run run = {&arguments, report};
    arguments.settings = settings_for(a, where);
    if (arguments.settings.energy)
        measure_idle_power(&arguments.settings);
    print_conditions(&arguments);
    report_heading(report);
    bool good = for_problems(&arguments, run_case, &run);
    return good && (!a->trace_folder || for_problems(&arguments, trace_case, &run));
}

/* Checks that CUDA can use the wanted GPUs; otherwise reports and returns false. Skips runs on CPUs
 * only, and simulations, whose machine bench_simulate() has checked. */
static bool check_gpus(const struct bench_arguments *a)
{
    static const char *const where_names[] = {"cpu", "gpu", "hybrid", "all"};
    int where = a->settings.where, wanted = a->settings.library.ncuda, here = cuda_count();
    if (a->settings.simulate || where == WHERE_CPU)
        return true;
    if (!here)
        report("bench: --where %s: no GPU that CUDA can use here", where_names[where]);
    else if (wanted > here)
        report("bench: --gpus %d: CUDA can use %d here", wanted, here);
    if (!here || wanted > here)
        return false;
    struct bench_settings s = settings_for(a, where == WHERE_ALL ? WHERE_GPU : where);
    refuse_small_gpus(a, gpus_in_use(&s));
    return true;
}

const enum bench_where bench_places[PLACES] = {WHERE_CPU, WHERE_HYBRID, WHERE_GPU};

/* Runs all problems on the kind of workers of --where, or on each kind. Returns whether all
 * succeeded. */
static bool bench_devices(const struct bench_arguments *a, struct report *report)
{
    bool good = true;
    if (a->settings.where != WHERE_ALL)
        return bench_on(a, (enum bench_where)a->settings.where, report);
    for (int i = 0; i < PLACES; i++) {
        good = bench_on(a, bench_places[i], report) && good;
        report->continues = true;
    }
    return good;
}

/* Checks that LAPACK is available if a batch needs it, for factors as input or as the CPU peer;
 * otherwise reports and returns false. */
static bool check_lapack(const struct bench_arguments *a)
{
    bool is_peer = a->settings.peer && a->settings.where == WHERE_CPU;
    if (!a->batches || !(is_peer || a->routine->cpu_prepare) || cpu_peer_load())
        return true;
    report("bench: %s needs libopenblas.so.0, or libblas.so.3 and liblapack.so.3", a->name);
    return false;
}

bool bench(const struct bench_arguments *a)
{
    struct report report = {
        bench_fields,
        (a->batches ? BATCHES : TILES) | (a->settings.energy ? ENERGY : 0) |
            (a->settings.ranks ? RANKS : 0) |
            (a->settings.ranks && a->settings.ranks->order > 0 ? SYMMETRIC_GRID : 0),
        a->continues, NULL, NULL};
    struct ranks *ranks = a->settings.ranks;
    /* a simulation traces from its start on, before which it has prepared the folder */
    bool prepares_trace = a->trace_folder && !a->settings.simulate;
    bool can_begin = check_gpus(a) && check_lapack(a) &&
                     (!prepares_trace || prepare_trace_folder(a->trace_folder)) &&
                     report_open(&report, ranks && ranks->rank > 0 ? NULL : a->csv_file);
    /* all processes stop if one cannot begin */
    if (ranks ? ranks->maximum(!can_begin) > 0 : !can_begin)
        return false;
    if (a->settings.energy)
        energy_open();
    bool good = bench_devices(a, &report);
    if (a->settings.energy)
        energy_close();
    return report_close(&report) && good;
}
