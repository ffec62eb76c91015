/*
 * `startile bench`: options.
 */
#include "bench.h"
#include "bench_help.h"
#include "command.h"
#include "option_values.h"

#include <starpu.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "startile bench";

enum {
    KEY_M = 256,
    KEY_MB,
    KEY_N,
    KEY_NRHS,
    KEY_PRECISION,
    KEY_NB,
    KEY_UPLO,
    KEY_TREE,
    KEY_WHERE,
    KEY_RESIDENT,
    KEY_REPEAT,
    KEY_CHECK,
    KEY_PEER,
    KEY_CSV,
    KEY_PLACEMENT,
    KEY_ENERGY,
    KEY_TRACE,
    KEY_SCHEDULER,
    KEY_WORKERS,
    KEY_GPUS,
    KEY_GPU_WORKERS,
    KEY_IMPLEMENTATION,
    KEY_SIMULATE,
    KEY_TENSOR_SINGLE,
    KEY_GPU_MEM,
    KEY_MAIN_MEM,
    KEY_DISK
};

static const struct argp_option options[] = {
    {"n", KEY_N, "SIZES", 0, "orders, or columns of C for gemm (needed)", 0},
    {"m", KEY_M, "SIZES", 0, "rows of A for LU and QR, of C for gemm (default: n)", 0},
    {"nrhs", KEY_NRHS, "N", 0,
     "right-hand sides of potrs, posv, getrs, gesv, gels (default 1) and trsm (default n); columns "
     "of C for ormqr (default n); the inner dimension of gemm and herk (default n)",
     0},
    {"precision", KEY_PRECISION, "LIST", 0, "of s, d, c, z (default: d)", 0},
    {"nb", KEY_NB, "SIZES", 0,
     "columns of a tile, and rows but for LU and QR; 0: chosen by the library (default)", 0},
    {"mb", KEY_MB, "N", 0,
     "rows of a tile for LU and QR: a multiple of nb, or at least m; 0: all rows, but where a tree "
     "does better the library's choice (default)",
     0},
    {"tree", KEY_TREE, "flat|binary|greedy", 0, "tree of geqrf_tree (default: greedy)", 0},
    {"uplo", KEY_UPLO, "L|U", 0, "triangle (default: L)", 0},
    {"where", KEY_WHERE, "cpu|gpu|hybrid|all", 0,
     "devices that take part; all: each of the three, one after the other (default: cpu; of a "
     "simulation: gpu, if that machine has one)",
     0},
    {"resident", KEY_RESIDENT, "host|gpu", 0,
     "where the matrix is before and after (default: gpu for --where gpu, else host)", 0},
    {"simulate", KEY_SIMULATE, "MACHINE", 0,
     "tell the time that the run would take on that machine, from its performance models: its "
     "name, "
     "or their folder if there is a '/' in it",
     0},
    {"gpu-mem", KEY_GPU_MEM, "MIB", 0,
     "memory of each GPU that StarPU may use (default: nine tenths of it, or what "
     "STARPU_LIMIT_CUDA_MEM says); matrices that need more than all GPUs have of it "
     "need --resident host",
     0},
    {"main-mem", KEY_MAIN_MEM, "MIB", 0,
     "main memory that StarPU may use for tiles (default: nine tenths, or what "
     "STARPU_LIMIT_CPU_MEM says); --disk with --check needs room for 3.2 times the matrices",
     0},
    {"disk", KEY_DISK, "FOLDER", 0, "matrices are in files there before and after", 0},
    {"repeat", KEY_REPEAT, "R", 0,
     "timed runs after one that warms up (default: 3, or 1 of a simulation)", 0},
    {"check", KEY_CHECK, NULL, 0, "compute residuals", 0},
    {"peer", KEY_PEER, NULL, 0, "time the vendor's routine and gemm too", 0},
    {"csv", KEY_CSV, "FILE", 0, "write all fields there, as CSV", 0},
    {"placement", KEY_PLACEMENT, NULL, 0,
     "say where the tasks of one more run went, and how far it is from its bounds", 0},
    {"energy", KEY_ENERGY, NULL, 0, "measure joules, in further runs", 0},
    {"trace", KEY_TRACE, "FOLDER", 0,
     "write StarPU's execution trace of one more run there, and a picture of it; with one "
     "precision, size and tile size",
     0},
    {"scheduler", KEY_SCHEDULER, "NAME", 0, "StarPU's scheduling policy", 0},
    {"workers", KEY_WORKERS, "N", 0, "CPU workers (default: one a core)", 0},
    {"gpus", KEY_GPUS, "N", 0, "GPUs (default: all)", 0},
    {"gpu-workers", KEY_GPU_WORKERS, "N", 0, "StarPU workers a GPU (default: 3)", 0},
    {"implementation", KEY_IMPLEMENTATION, "auto|own|vendor", 0,
     "whose kernels GPUs run where there are two: the library's, or cuBLAS' and cuSOLVER's "
     "(default: auto)",
     0},
    {"tensor-single", KEY_TENSOR_SINGLE, NULL, 0,
     "single precision: products of split operands on tensor cores, as accurate", 0},
    {0},
};

static void set_routine(struct bench_arguments *a, const char *name)
{
    if (a->routine)
        usage_error(command, "'%s': one routine at a time", name);
    a->routine = find_routine(name);
    if (!a->routine)
        usage_error(command, "no routine '%s': must be " BENCH_ROUTINES, name);
}

struct bench_settings settings_for(const struct bench_arguments *a, enum bench_where where)
{
    struct bench_settings s = a->settings;
    s.where = where;
    if (!a->resident_given)
        s.resident_on_gpu = where == WHERE_GPU && !s.disk;
    if (where == WHERE_CPU)
        s.library.ncuda = 0;
    if (where == WHERE_GPU)
        s.library.ncpu = 0;
    s.library.hybrid = where == WHERE_HYBRID;
    return s;
}

static void check_devices(const struct bench_arguments *a)
{
    const struct bench_settings *s = &a->settings;
    bool cpu_only = !a->everywhere && s->where == WHERE_CPU;
    if ((a->everywhere || cpu_only) && s->resident_on_gpu)
        usage_error(command, "--resident gpu: needs --where gpu or hybrid");
    if (cpu_only && a->option_of_gpus)
        usage_error(command, "%s: needs --where gpu or hybrid", a->option_of_gpus);
    if (!a->everywhere && s->where == WHERE_GPU && s->library.ncpu > 0)
        usage_error(command, "--workers: needs --where cpu or hybrid");
}

static void check_simulation(struct bench_arguments *a)
{
    struct bench_settings *s = &a->settings;
    if (s->disk)
        usage_error(command, "--disk: machines are simulated without disks");
    if (s->check || s->peer)
        usage_error(command, "--simulate: nothing is computed that %s could %s",
                    s->check ? "--check" : "--peer", s->check ? "check" : "be compared with");
    if (a->trace_folder)
        usage_error(command, "--trace: a simulation has no second run, which would be traced; see "
                             "--placement");
    if (s->energy)
        usage_error(command, "--energy: a simulation takes none that could be read");
    if (a->everywhere)
        usage_error(command, "--where all: one place at a time in a simulation");
    if (!a->where_given)
        s->where = WHERE_GPU;
}

static void check_arguments(struct bench_arguments *a)
{
    if (!a->routine)
        usage_error(command, "a routine is needed: " BENCH_ROUTINES);
    if (!a->n.count)
        usage_error(command, "--n is needed");
    if (a->m.count && !a->routine->m_is_free)
        usage_error(command, "--m: %s is square", a->routine->name);
    if (a->k && a->routine->meaning_of_k == K_UNUSED)
        usage_error(command, "--nrhs: %s has no right-hand sides", a->routine->name);
    if (a->uplo_given && !a->routine->triangle)
        usage_error(command, "--uplo: %s has no triangle", a->routine->name);
    if (a->mb && !a->routine->tall_tiles)
        usage_error(command, "--mb: %s takes square tiles: use --nb", a->routine->name);
    if (a->tree_given && !a->routine->by_tree)
        usage_error(command, "--tree: %s has no tree: use geqrf_tree", a->routine->name);
    if (a->settings.simulate)
        check_simulation(a);
    if (!a->settings.repeats)
        a->settings.repeats = a->settings.simulate ? 1 : 3;
    if (!a->nb.count)
        option_sizes(command, &a->nb, "--nb", "0", 0);
    if (a->trace_folder && (a->dtype_count > 1 || a->n.count > 1 || a->m.count > 1 ||
                            a->nb.count > 1 || a->everywhere))
        usage_error(command, "--trace: one precision, size, tile size and place at a time");
    check_devices(a);
    if (a->settings.disk && a->resident_given)
        usage_error(command, "--disk: is another place than --resident names");
    refuse_folder(a);
    refuse_check_without_room(a);
}

/* Options about the problem; whether it was one of them. */
static bool parse_problem(int key, char *argument, struct bench_arguments *a)
{
    static const char *const triangles[] = {"L", "U", "l", "u", NULL};
    static const char *const trees[] = {"flat", "binary", "greedy", NULL};
    switch (key) {
    case KEY_M:
        option_sizes(command, &a->m, "--m", argument, 1);
        return true;
    case KEY_N:
        option_sizes(command, &a->n, "--n", argument, 1);
        return true;
    case KEY_NB:
        option_sizes(command, &a->nb, "--nb", argument, 0);
        return true;
    case KEY_MB:
        a->mb = option_integer(command, "--mb", argument, 0, INT32_MAX);
        return true;
    case KEY_NRHS:
        a->k = option_integer(command, "--nrhs", argument, 1, INT32_MAX);
        return true;
    case KEY_PRECISION:
        a->dtype_count = option_precisions(command, argument, a->dtypes);
        return true;
    case KEY_UPLO:
        a->uplo = "LULU"[option_word(command, "--uplo", argument, triangles, "L or U")];
        a->uplo_given = true;
        return true;
    case KEY_TREE:
        a->tree = (startile_tree_kind)option_word(command, "--tree", argument, trees,
                                                  "flat, binary or greedy");
        a->tree_given = true;
        return true;
    default:
        return false;
    }
}

/* StarPU takes it from the environment only, when it starts. */
static void limit_memory(const char *variable, const char *option, const char *argument)
{
    option_integer(command, option, argument, 1, INT32_MAX);
    setenv(variable, argument, 1);
}

/* Options about devices; whether it was one of them. */
static bool parse_devices(int key, char *argument, struct bench_arguments *a)
{
    static const char *const places[] = {"cpu", "gpu", "hybrid", "all", NULL};
    enum { ALL = WHERE_HYBRID + 1 };
    static const char *const homes[] = {"host", "gpu", NULL};
    static const char *const implementations[] = {"auto", "own", "vendor", NULL};
    struct bench_settings *s = &a->settings;
    int where;
    switch (key) {
    case KEY_WHERE:
        where = option_word(command, "--where", argument, places, "cpu, gpu, hybrid or all");
        a->everywhere = where == ALL;
        s->where = a->everywhere ? WHERE_CPU : (enum bench_where)where;
        a->where_given = true;
        return true;
    case KEY_RESIDENT:
        s->resident_on_gpu = option_word(command, "--resident", argument, homes, "host or gpu");
        a->resident_given = true;
        return true;
    case KEY_SCHEDULER:
        s->library.scheduler = option_scheduler(command, argument);
        return true;
    case KEY_WORKERS:
        s->library.ncpu = (int)option_integer(command, "--workers", argument, 1, STARPU_MAXCPUS);
        return true;
    case KEY_GPUS:
        a->option_of_gpus = "--gpus";
        s->library.ncuda = (int)option_integer(command, "--gpus", argument, 1, STARPU_MAXCUDADEVS);
        return true;
    case KEY_GPU_WORKERS:
        a->option_of_gpus = "--gpu-workers";
        s->library.workers_per_cuda =
            (int)option_integer(command, "--gpu-workers", argument, 1, 16);
        return true;
    case KEY_SIMULATE:
        s->simulate = argument;
        return true;
    case KEY_IMPLEMENTATION:
        a->option_of_gpus = "--implementation";
        s->library.implementation = (startile_implementation)option_word(
            command, "--implementation", argument, implementations, "auto, own or vendor");
        return true;
    case KEY_GPU_MEM:
        a->option_of_gpus = "--gpu-mem";
        limit_memory("STARPU_LIMIT_CUDA_MEM", "--gpu-mem", argument);
        return true;
    case KEY_MAIN_MEM:
        limit_memory("STARPU_LIMIT_CPU_MEM", "--main-mem", argument);
        return true;
    case KEY_DISK:
        s->disk = argument;
        return true;
    case KEY_TENSOR_SINGLE:
        a->option_of_gpus = "--tensor-single";
        s->library.tensor_single = 1;
        return true;
    default:
        return false;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct bench_arguments *a = state->input;
    if (parse_problem(key, argument, a) || parse_devices(key, argument, a))
        return 0;
    switch (key) {
    case KEY_REPEAT:
        a->settings.repeats = (int)option_integer(command, "--repeat", argument, 1, 1000);
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
    case KEY_PLACEMENT:
        a->settings.placement = true;
        return 0;
    case KEY_ENERGY:
        a->settings.energy = true;
        return 0;
    case KEY_TRACE:
        a->trace_folder = argument;
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

/* argp frees it. */
static char *add_help(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_EXTRA)
        return (char *)text;
    size_t size = strlen(bench_doc_peer) + strlen(bench_doc_looking) + 1;
    char *both = malloc(size);
    if (both)
        snprintf(both, size, "%s%s", bench_doc_peer, bench_doc_looking);
    return both;
}

static const struct argp argp = {options, parse, "ROUTINE", bench_doc, NULL, add_help, NULL};

void bench_parse(int argc, char **argv, struct bench_arguments *a)
{
    *a = (struct bench_arguments){
        .uplo = 'L', .tree = STARTILE_TREE_GREEDY, .dtypes = {STARTILE_D}, .dtype_count = 1};
    startile_options_default(&a->settings.library);
    parse_command_line(&argp, command, argc, argv, a);
}

void bench_free(struct bench_arguments *a)
{
    size_list_free(&a->m);
    size_list_free(&a->n);
    size_list_free(&a->nb);
}
