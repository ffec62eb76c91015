/*
 * `startile bench`: arguments, and the loop over precisions, sizes and tile sizes.
 */
#include "bench.h"
#include "command.h"
#include "measure.h"
#include "peer_cpu.h"
#include "peer_cuda.h"
#include "scalar.h"
#include "size_list.h"

#include <errno.h>
#include <inttypes.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "startile bench";

/* -- arguments ------------------------------------------------------------------------------ */

struct arguments {
    struct bench_settings settings;
    const struct routine *routine;
    struct size_list m, n, nb;
    int64_t k; /* 0: the routine's default */
    startile_dtype dtypes[4];
    int dtype_count;
    char uplo;
    bool resident_given;
    const char *csv_file;
};

enum {
    KEY_M = 256,
    KEY_N,
    KEY_NRHS,
    KEY_PRECISION,
    KEY_NB,
    KEY_UPLO,
    KEY_WHERE,
    KEY_RESIDENT,
    KEY_REPEAT,
    KEY_CHECK,
    KEY_PEER,
    KEY_CSV,
    KEY_SCHEDULER,
    KEY_WORKERS,
    KEY_GPUS
};

static const struct argp_option options[] = {
    {"n", KEY_N, "SIZES", 0, "orders, or columns of C for gemm (needed)", 0},
    {"m", KEY_M, "SIZES", 0, "rows of C for gemm (default: n)", 0},
    {"nrhs", KEY_NRHS, "N", 0,
     "right-hand sides of potrs, posv (default 1) and trsm (default n); the inner dimension of "
     "gemm and herk (default n)",
     0},
    {"precision", KEY_PRECISION, "LIST", 0, "of s, d, c, z (default: d)", 0},
    {"nb", KEY_NB, "SIZES", 0, "tile sizes; 0: chosen by the library (default)", 0},
    {"uplo", KEY_UPLO, "L|U", 0, "triangle (default: L)", 0},
    {"where", KEY_WHERE, "cpu|gpu|hybrid", 0, "devices that take part (default: cpu)", 0},
    {"resident", KEY_RESIDENT, "host|gpu", 0,
     "where the matrix is before and after (default: gpu for --where gpu, else host)", 0},
    {"repeat", KEY_REPEAT, "R", 0, "timed runs after one that warms up (default: 3)", 0},
    {"check", KEY_CHECK, NULL, 0, "compute residuals", 0},
    {"peer", KEY_PEER, NULL, 0, "time the vendor's routine and gemm too", 0},
    {"csv", KEY_CSV, "FILE", 0, "write all fields there, as CSV", 0},
    {"scheduler", KEY_SCHEDULER, "NAME", 0, "StarPU's scheduling policy", 0},
    {"workers", KEY_WORKERS, "N", 0, "CPU workers (default: one a core)", 0},
    {"gpus", KEY_GPUS, "N", 0, "GPUs (default: all)", 0},
    {0},
};

static const char doc[] =
    "Times a routine on random matrices: potrf, potrs, posv, gemm, herk or trsm. SIZES is a list "
    "such as 1024,2048 or START:STOP:STEP."
    "\v"
    "One row a precision, size and tile size: the median of the timed runs, every one on a fresh "
    "matrix. Time goes from the first submission until all tasks have ended and, with --resident "
    "host, until the result is in the caller's storage. Allocation, page-locking, registration "
    "with StarPU and generation come before. With --resident host nothing of the matrix is on a "
    "GPU when the time starts, for the peer too.\n\n"
    "The peer is OpenBLAS's threaded LAPACK with as many threads as there are CPU workers (--where "
    "cpu), or cuSOLVER and cuBLAS on one GPU, in this process, on the same matrix, warmed up, "
    "while "
    "StarPU is down.\n\n"
    "Fields of the CSV file:\n"
    "  routine            as given\n"
    "  precision          s, d, c or z\n"
    "  m, n               rows and columns; m = n unless the routine is gemm\n"
    "  nrhs               right-hand sides, or gemm's and herk's inner dimension\n"
    "  mb, nb             rows and columns of a tile\n"
    "  where              as given\n"
    "  workers            StarPU workers of all kinds\n"
    "  tasks              tasks that StarPU executed in one run\n"
    "  submit_seconds     median time until the last task was submitted\n"
    "  seconds            median time of a run\n"
    "  gflop_s            operations (LAPACK Working Note 41) by seconds, in 10^9/s\n"
    "  peer_name          the peer's name and version\n"
    "  peer_gflop_s       the same operations by the peer's median time\n"
    "  ratio              gflop_s / peer_gflop_s: above 1 the library is faster\n"
    "  gemm_gflop_s       the peer's gemm: order 2048 on CPUs (less where that\n"
    "                     takes long), 8192 on one GPU\n"
    "  fraction_of_gemm   gflop_s / gemm_gflop_s\n"
    "  scaled_residual    of the last run, see below\n"
    "  lapack_residual    the same for the peer's result, up to n = 8192 on CPUs\n"
    "                     and 32768 on GPUs\n"
    "  status             ok; FAIL: and a residual of 30 or more, or info;\n"
    "                     error: and the reason\n"
    "  seconds_min        fastest run\n"
    "  seconds_max        slowest run\n"
    "\n"
    "Residuals, eps being the unit roundoff:\n"
    "  potrf              ||A - L L^H||_1 / (n ||A||_1 eps)\n"
    "  potrs, posv        ||B - A X||_1 / (n ||A||_1 ||X||_1 eps)\n"
    "  gemm, herk, trsm   of their product with random vectors, by the size of\n"
    "                     its terms, the largest dimension and eps\n"
    "\n"
    "Exit code 1 when the status of any row is not ok.";

static void set_sizes(struct size_list *list, const char *option, const char *argument,
                      int64_t least)
{
    size_list_free(list);
    const char *wrong = size_list_parse(list, argument, least);
    if (wrong)
        usage_error(command, "%s %s: %s", option, argument, wrong);
}

static int64_t to_integer(const char *option, const char *argument, int64_t least, int64_t most)
{
    int64_t value;
    if (!parse_integer(argument, least, most, &value))
        usage_error(command, "%s %s: must be an integer from %" PRId64 " to %" PRId64, option,
                    argument, least, most);
    return value;
}

static void set_precisions(struct arguments *a, const char *argument)
{
    const char *at = argument;
    a->dtype_count = 0;
    do {
        at += *at == ',';
        if (a->dtype_count == 4 || !dtype_from_letter(*at, &a->dtypes[a->dtype_count++]))
            usage_error(command, "--precision %s: must be a list of s, d, c, z", argument);
        at++;
    } while (*at == ',');
    if (*at)
        usage_error(command, "--precision %s: must be a list of s, d, c, z", argument);
}

/* Index of the argument in the words, which end with NULL. */
static int choose(const char *option, const char *argument, const char *const *words,
                  const char *in_words)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(argument, words[i]))
            return i;
    usage_error(command, "%s %s: must be %s", option, argument, in_words);
}

static void set_scheduler(struct arguments *a, const char *name)
{
    struct starpu_sched_policy **policy = starpu_sched_get_predefined_policies();
    while (*policy && strcmp((*policy)->policy_name, name))
        policy++;
    if (!*policy)
        usage_error(command, "--scheduler %s: StarPU has no policy of that name", name);
    a->settings.library.scheduler = name;
}

static void set_routine(struct arguments *a, const char *name)
{
    if (a->routine)
        usage_error(command, "'%s': one routine at a time", name);
    a->routine = find_routine(name);
    if (!a->routine)
        usage_error(command, "no routine '%s': must be potrf, potrs, posv, gemm, herk or trsm",
                    name);
}

static void check_arguments(struct arguments *a)
{
    struct bench_settings *s = &a->settings;
    if (!a->routine)
        usage_error(command, "a routine is needed: potrf, potrs, posv, gemm, herk or trsm");
    if (!a->n.count)
        usage_error(command, "--n is needed");
    if (a->m.count && !a->routine->m_is_free)
        usage_error(command, "--m: %s is square", a->routine->name);
    if (a->k && a->routine->meaning_of_k == K_UNUSED)
        usage_error(command, "--nrhs: %s has no right-hand sides", a->routine->name);
    if (!a->nb.count)
        set_sizes(&a->nb, "--nb", "0", 0);
    if (!a->resident_given)
        s->resident_on_gpu = s->where == WHERE_GPU;
    if (s->where == WHERE_CPU && s->resident_on_gpu)
        usage_error(command, "--resident gpu: needs --where gpu or hybrid");
    if (s->where == WHERE_CPU && s->library.ncuda > 0)
        usage_error(command, "--gpus: needs --where gpu or hybrid");
    if (s->where == WHERE_GPU && s->library.ncpu > 0)
        usage_error(command, "--workers: needs --where cpu or hybrid");
    if (s->where == WHERE_CPU)
        s->library.ncuda = 0;
    if (s->where == WHERE_GPU)
        s->library.ncpu = 0;
    s->library.hybrid = s->where == WHERE_HYBRID;
}

/* Options about the problem; whether it was one of them. */
static bool parse_problem(int key, char *argument, struct arguments *a)
{
    static const char *const triangles[] = {"L", "U", NULL};
    switch (key) {
    case KEY_M:
        set_sizes(&a->m, "--m", argument, 1);
        return true;
    case KEY_N:
        set_sizes(&a->n, "--n", argument, 1);
        return true;
    case KEY_NB:
        set_sizes(&a->nb, "--nb", argument, 0);
        return true;
    case KEY_NRHS:
        a->k = to_integer("--nrhs", argument, 1, INT32_MAX);
        return true;
    case KEY_PRECISION:
        set_precisions(a, argument);
        return true;
    case KEY_UPLO:
        a->uplo = *triangles[choose("--uplo", argument, triangles, "L or U")];
        return true;
    default:
        return false;
    }
}

/* Options about devices; whether it was one of them. */
static bool parse_devices(int key, char *argument, struct arguments *a)
{
    static const char *const places[] = {"cpu", "gpu", "hybrid", NULL};
    static const char *const homes[] = {"host", "gpu", NULL};
    struct bench_settings *s = &a->settings;
    switch (key) {
    case KEY_WHERE:
        s->where = (enum bench_where)choose("--where", argument, places, "cpu, gpu or hybrid");
        return true;
    case KEY_RESIDENT:
        s->resident_on_gpu = choose("--resident", argument, homes, "host or gpu");
        a->resident_given = true;
        return true;
    case KEY_SCHEDULER:
        set_scheduler(a, argument);
        return true;
    case KEY_WORKERS:
        s->library.ncpu = (int)to_integer("--workers", argument, 1, STARPU_MAXCPUS);
        return true;
    case KEY_GPUS:
        s->library.ncuda = (int)to_integer("--gpus", argument, 1, STARPU_MAXCUDADEVS);
        return true;
    default:
        return false;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct arguments *a = state->input;
    if (parse_problem(key, argument, a) || parse_devices(key, argument, a))
        return 0;
    switch (key) {
    case KEY_REPEAT:
        a->settings.repeats = (int)to_integer("--repeat", argument, 1, 1000);
        return 0;
    case KEY_CHECK:
        a->settings.check = true;
        return 0;
    case KEY_PEER:
        a->settings.peer = true;
        return 0;
    case KEY_CSV:
        a->csv_file = argument;
        return 0;
    case ARGP_KEY_ARG:
        set_routine(a, argument);
        return 0;
    case ARGP_KEY_END:
        check_arguments(a);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {options, parse, "ROUTINE", doc, NULL, NULL, NULL};

/* -- rows ----------------------------------------------------------------------------------- */

/* Main memory at the worst moment: the peer's input and result, or the run's storage, the peer's
 * result and two matrices of the check. */
static double memory_needed(const struct bench_settings *s, const struct problem *p)
{
    struct operand o[MAX_OPERANDS];
    double inputs = 0, results = 0, largest = 0;
    p->routine->describe(p, o);
    for (int i = 0; i < p->routine->operands; i++) {
        double bytes = (double)operand_bytes(p, &o[i]);
        inputs += bytes;
        results += o[i].result ? bytes : 0;
        largest = bytes > largest ? bytes : largest;
    }
    double run = s->resident_on_gpu ? 0 : inputs;
    double check = s->check && s->where == WHERE_CPU ? 2 * largest : 0;
    double kept = s->check ? results : 0;
    double race = s->peer || s->check ? 2 * inputs + results : 0;
    return run + check + kept > race ? run + check + kept : race;
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
                        .lapack_residual = none};
    snprintf(row->status, sizeof row->status, "error: %.140s", reason);
}

static bool show(const struct arguments *a, FILE *csv, const struct row *row)
{
    print_row(row);
    if (csv && !csv_row(csv, row)) {
        report("%s: %s", a->csv_file, strerror(errno));
        return false;
    }
    return row->ok;
}

/* All tile sizes of one problem; the library's start and the peer's run serve them all. */
static bool run_tile_sizes(const struct arguments *a, struct problem p,
                           const struct reference *reference, FILE *csv)
{
    struct row row;
    bool good = true;
    int status = startile_init(&a->settings.library);
    for (size_t i = 0; i < a->nb.count; i++) {
        p.mb = p.nb = a->nb.values[i];
        if (status)
            failed_row(&a->settings, &p, &row, startile_strerror(status));
        else
            run_problem(&a->settings, &p, reference, &row);
        good = show(a, csv, &row) && good;
    }
    if (!status)
        startile_finalize();
    return good;
}

static bool run_case(const struct arguments *a, const struct problem *p, FILE *csv)
{
    char reason[160];
    struct reference reference = {0};
    struct row row;
    double needed = memory_needed(&a->settings, p), available = (double)memory_available();
    if (needed > available)
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

static struct problem make_problem(const struct arguments *a, startile_dtype dtype, int64_t m,
                                   int64_t n)
{
    int64_t k = a->k;
    if (!k)
        k = a->routine->meaning_of_k == K_UNUSED          ? 0
            : a->routine->meaning_of_k == K_DEFAULTS_TO_1 ? 1
                                                          : n;
    return (struct problem){
        .routine = a->routine, .dtype = dtype, .uplo = a->uplo, .m = m, .n = n, .k = k};
}

static bool run_all(const struct arguments *a, FILE *csv)
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

static void print_peer(enum bench_where where)
{
#ifdef STARTILE_HAVE_CUDA
    if (where != WHERE_CPU) {
        printf("# peer: %s\n", cuda_peer_name());
        return;
    }
#endif
    (void)where;
    if (cpu_peer_load())
        printf("# peer: %s\n", cpu_peer_name());
    else
        printf("# no peer: neither libopenblas.so.0 nor libblas.so.3 and liblapack.so.3 here\n");
}

static void print_conditions(const struct arguments *a)
{
    const struct bench_settings *s = &a->settings;
    printf("# startile %s, matrix in %s, median of %d\n", startile_version(),
           s->resident_on_gpu ? "GPU memory" : "main memory", s->repeats);
    if (s->peer)
        print_peer(s->where);
    print_heading();
}

static bool bench(const struct arguments *a)
{
    FILE *csv = NULL;
    if (a->settings.where != WHERE_CPU && !cuda_count()) {
        report("bench: --where %s: no GPU that CUDA can use here",
               a->settings.where == WHERE_GPU ? "gpu" : "hybrid");
        return false;
    }
    if (a->csv_file && (!(csv = fopen(a->csv_file, "w")) || !csv_heading(csv))) {
        report("%s: %s", a->csv_file, strerror(errno));
        return false;
    }
    print_conditions(a);
    bool good = run_all(a, csv);
    if (csv && fclose(csv)) {
        report("%s: %s", a->csv_file, strerror(errno));
        return false;
    }
    return good;
}

int bench_command(int argc, char **argv)
{
    struct arguments a = {
        .settings = {.repeats = 3}, .uplo = 'L', .dtypes = {STARTILE_D}, .dtype_count = 1};
    startile_options_default(&a.settings.library);
    parse_command_line(&argp, command, argc, argv, &a);
    bool good = bench(&a);
    size_list_free(&a.m);
    size_list_free(&a.n);
    size_list_free(&a.nb);
    return good ? EXIT_SUCCESS : EXIT_FAILED;
}
