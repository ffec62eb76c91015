/*
 * `startile bench`: options.
 */
#include "bench.h"
#include "bench_help.h"
#include "command.h"
#include "peer/peer_cpu.h"
#include "platform.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char command[] = "startile bench";

/* Largest number of rows or columns of a grid of processes: the product is an int. */
enum { LARGEST_GRID = 32767 };

#define AT(member) .field = offsetof(struct bench_arguments, member)
#define SETTING(member) AT(settings.member)
#define LIBRARY(member) AT(settings.library.member)
#define FOR_GPUS .given = offsetof(struct bench_arguments, gpu_option)
#define FOR_TILES .given = offsetof(struct bench_arguments, tile_option)
#define FOR_BATCHES .given = offsetof(struct bench_arguments, batch_option)

static const struct option_row options[] = {
    {"n", "SIZES", "orders, columns of C for gemm, or lengths of vectors (needed)", OPTION_SIZES,
     AT(n), .least = 1},
    {"m", "SIZES", "rows of A for LU and QR, of C for gemm (default: n)", OPTION_SIZES, AT(m),
     .least = 1},
    {"nrhs", "N",
     "right-hand sides of potrs, posv, getrs, gesv, gels, sysv, hesv, sysv_aa, hesv_aa (default 1) "
     "and trsm (default n); columns of C for ormqr (default n); the inner dimension of gemm and "
     "herk (default n)",
     OPTION_INT64, AT(k), 1, INT32_MAX},
    {"batch", "B",
     "problems of a batch (default: as many as make some 100 MB, and at most a million)",
     OPTION_INT64, AT(count), 1, INT32_MAX, FOR_BATCHES},
    {"per-task", "B", "problems of a task; 0: chosen by the library (default)", OPTION_INT64,
     AT(per_task), 0, INT32_MAX, FOR_BATCHES},
    {"layout", "strided|pointers|variable",
     "batches of one size, at a stride (default) or by pointers, or of sizes from 1 to n by "
     "pointers",
     OPTION_WORD, AT(layout), FOR_BATCHES},
    {"precision", "LIST", "of s, d, c, z (default: d)", OPTION_PRECISIONS, AT(precisions)},
    {"nb", "SIZES",
     "columns of a tile, and rows but for LU and QR; 0: chosen by the library (default)",
     OPTION_SIZES, AT(nb), .least = 0, FOR_TILES},
    {"mb", "N",
     "rows of a tile for LU and QR: a multiple of nb, or at least m; 0: all rows, but where a tree "
     "does better the library's choice (default)",
     OPTION_INT64, AT(mb), 0, INT32_MAX, FOR_TILES},
    {"tree", "flat|binary|greedy", "tree of geqrf_tree (default: greedy)", OPTION_WORD, AT(tree),
     FOR_TILES},
    {"uplo", "L|U", "triangle (default: L)", OPTION_WORD, AT(uplo)},
    {"where", "cpu|gpu|hybrid|all",
     "devices that take part; all: each of the three, one after the other (default: cpu; of a "
     "simulation: gpu, if that machine has one)",
     OPTION_WORD, SETTING(where), .given = offsetof(struct bench_arguments, where_given)},
    {"resident", "host|gpu",
     "where the matrix is before and after (default: gpu for --where gpu, else host)", OPTION_WORD,
     AT(resident)},
    {"simulate", "MACHINE",
     "predict the time of the run on that machine, from its performance models: its name, or their "
     "folder if there is a '/' in it",
     OPTION_TEXT, SETTING(simulate), FOR_TILES},
    {"grid", "PxQ[xK]|symmetric",
     "matrices distributed over P x Q processes of mpirun (default under mpirun: nearly square, "
     "1 x Q for LU and QR), K adjacent block columns on the same processes (default: 1), or over "
     "R(R-1)/2 or R*R/2 as suits Cholesky; the processes of a node form a block of the grid",
     OPTION_TEXT, AT(grid), FOR_TILES},
    {"nodes", "N",
     "simulate a cluster of N such machines, with a process for each GPU: needs --grid", OPTION_INT,
     AT(nodes), 1, 4096, FOR_TILES},
    {"network", "RATE,LATENCY",
     "each node's link in a simulated cluster, such as 200Gb/s,2us (default) or 50GB/s,1us",
     OPTION_TEXT, AT(network), FOR_TILES},
    {"gpu-mem", "MIB",
     "memory of each GPU that StarPU may use (default: nine tenths of it, or what "
     "STARPU_LIMIT_CUDA_MEM says); matrices that need more than all GPUs have of it need "
     "--resident host",
     OPTION_VARIABLE, .least = 1, INT32_MAX, "STARPU_LIMIT_CUDA_MEM", FOR_GPUS},
    {"main-mem", "MIB",
     "main memory that StarPU may use for tiles (default: nine tenths, or what "
     "STARPU_LIMIT_CPU_MEM says)",
     OPTION_VARIABLE, .least = 1, INT32_MAX, "STARPU_LIMIT_CPU_MEM", FOR_TILES},
    {"disk", "FOLDER", "matrices are in files there before and after", OPTION_TEXT, SETTING(disk),
     FOR_TILES},
    {"resume", "FILE",
     "one run of a factorization in FILE, with a journal in FILE.journal, a line about the problem "
     "in FILE.problem and, on a terminal, a progress bar: after a kill the same command continues "
     "it, without a rate; the files, at first also FILE.new, are removed at the end",
     OPTION_TEXT, SETTING(resume_file), FOR_TILES},
    {"repeat", "R",
     "timed runs after one that warms up (default: 3, 5 of a batch, 1 of a simulation)", OPTION_INT,
     SETTING(repeats), 1, 1000},
    {"check", NULL, "compute residuals", OPTION_FLAG, SETTING(check)},
    {"peer", "mkl",
     "time the vendor's routine and gemm too; on CPUs OpenBLAS's, or with =mkl those of Intel's "
     "MKL, if libmkl_rt.so is installed or in LD_LIBRARY_PATH",
     OPTION_MAYBE_TEXT, SETTING(peer)},
    {"csv", "FILE", "write all fields there, as CSV", OPTION_TEXT, AT(csv_file)},
    {"placement", NULL,
     "say where the tasks of one more run went, and how far it is from its bounds", OPTION_FLAG,
     SETTING(placement), FOR_TILES},
    {"energy", NULL, "measure joules, in further runs", OPTION_FLAG, SETTING(energy), FOR_TILES},
    {"trace", "FOLDER",
     "write StarPU's execution trace of one more run there, and a picture of it, also of a "
     "simulation; with one precision, size and tile size",
     OPTION_TEXT, AT(trace_folder), FOR_TILES},
    {"scheduler", "NAME", "StarPU's scheduling policy", OPTION_SCHEDULER, LIBRARY(scheduler)},
    {"workers", "N", "CPU workers (default: one per core)", OPTION_INT, LIBRARY(ncpu), 1,
     STARPU_MAXCPUS},
    {"gpus", "N", "GPUs (default: all)", OPTION_INT, LIBRARY(ncuda), 1, STARPU_MAXCUDADEVS,
     FOR_GPUS},
    {"gpu-workers", "N", "StarPU workers per GPU (default: 3)", OPTION_INT,
     LIBRARY(workers_per_cuda), 1, 16, FOR_GPUS},
    {"implementation", "auto|own|vendor",
     "whose kernels GPUs run where there are two: the library's, or cuBLAS' and cuSOLVER's "
     "(default: auto)",
     OPTION_WORD, AT(implementation), FOR_GPUS},
    {"products", "auto|plain|split|fp16x2|tf32|bf16|fp16",
     "solvers in mixed precision: products of the factorization on GPUs (default: auto)",
     OPTION_WORD, AT(products), FOR_TILES},
    {"plain-single", NULL, "single precision: products of unsplit operands, not on tensor cores",
     OPTION_FLAG, AT(plain_single), FOR_GPUS},
    {"emulated-double", NULL, "double precision: large real products on INT8 tensor cores",
     OPTION_FLAG, AT(emulated_double), FOR_GPUS},
    {.name = NULL},
};

static void set_routine(void *arguments, const char *name)
{
    struct bench_arguments *a = arguments;
    if (a->routine && strcmp(name, "mkl") == 0)
        usage_error(command, "'mkl': MKL is compared by --peer=mkl");
    if (a->routine)
        usage_error(command, "'%s': one routine at a time; sizes are given by --n", name);
    a->name = name;
    a->batches = is_batch_name(name);
    a->routine = find_routine(name);
    if (!a->routine)
        usage_error(command, "no routine '%s': must be %s", name, routine_names(a->batches));
}

struct bench_settings settings_for(const struct bench_arguments *a, enum bench_where where)
{
    struct bench_settings s = a->settings;
    s.where = where;
    s.resident_on_gpu =
        a->resident >= 0 ? a->resident : where == WHERE_GPU && !s.disk && !s.resume_file;
    if (where == WHERE_CPU)
        s.library.ncuda = 0;
    /* some tasks on a grid have no CUDA implementation */
    if (where == WHERE_GPU)
        s.library.ncpu = s.ranks ? 1 : 0;
    s.library.hybrid = where == WHERE_HYBRID;
    return s;
}

bool for_problems(const struct bench_arguments *a,
                  bool (*call)(const struct problem *p, void *data), void *data)
{
    bool good = true;
    enum meaning_of_k meaning = a->routine->meaning_of_k;
    for (int t = 0; t < a->precisions.count; t++)
        for (size_t j = 0; j < a->n.count; j++)
            for (size_t i = 0; i < (a->m.count ? a->m.count : 1); i++) {
                int64_t n = a->n.values[j];
                int64_t k = meaning == K_UNUSED ? 0 : meaning == K_DEFAULTS_TO_1 ? 1 : n;
                struct problem p = {.routine = a->routine,
                                    .dtype = a->precisions.dtype[t],
                                    .uplo = a->uplo == 1 ? 'U' : 'L',
                                    .size = {a->m.count ? a->m.values[i] : n, n, a->k ? a->k : k},
                                    .tree = (startile_tree_kind)a->tree,
                                    .products = (startile_products)a->products,
                                    .per_task = a->per_task,
                                    .layout = (enum batch_layout)a->layout,
                                    .ranks = a->settings.ranks};
                if (a->routine->traits & VECTORS)
                    p.m = 1;
                if (a->batches)
                    p.count = a->count ? a->count : default_batch_count(&p);
                good = call(&p, data) && good;
            }
    return good;
}

/* -- memory and folders ----------------------------------------------------------------------- */

/* Returns the bytes of all operands in tiles. */
static double operand_memory(const struct problem *p)
{
    struct random_matrix o[MAX_OPERANDS];
    double bytes = 0;
    for (int i = describe_operands(p, o); i-- > 0;)
        bytes += (double)operand_bytes(p, &o[i]);
    return bytes;
}

/* Raises *data to the problem's operand memory in whole MiB, the unit of StarPU's limits. */
static bool keep_largest_memory(const struct problem *p, void *data)
{
    double *largest = data;
    *largest = fmax(*largest, ceil(operand_memory(p) / 0x1p20));
    return true;
}

void refuse_small_gpus(const struct bench_arguments *a, int gpus)
{
    enum bench_where where = a->settings.where == WHERE_ALL ? WHERE_GPU : a->settings.where;
    int limit = starpu_getenv_number("STARPU_LIMIT_CUDA_MEM");
    if (!settings_for(a, where).resident_on_gpu || limit <= 0 || gpus < 1)
        return;
    double needed = 0;
    for_problems(a, keep_largest_memory, &needed);
    if (needed > (double)gpus * limit)
        usage_error(command,
                    "--gpu-mem: %.0f MiB are to reside on GPUs, of which StarPU may use %d x %d "
                    "MiB: use --resident host",
                    needed, gpus, limit);
}

/* Creates and removes a file, as the library creates files of matrices. Returns 0 or errno. */
static int try_folder(const char *folder)
{
    char path[PATH_MAX];
    if (!folder[0])
        return ENOENT;
    if (snprintf(path, sizeof path, "%s/startile-XXXXXX", folder) >= (int)sizeof path)
        return ENAMETOOLONG;
    int file = mkstemp(path);
    if (file < 0)
        return errno;
    close(file);
    return unlink(path) ? errno : 0;
}

/* -- checks ----------------------------------------------------------------------------------- */

/* The functions check_…() end the program with a message if options do not fit together. */

static void check_devices(const struct bench_arguments *a)
{
    const struct bench_settings *s = &a->settings;
    if ((s->where == WHERE_ALL || s->where == WHERE_CPU) && a->resident == 1)
        usage_error(command, "--resident gpu: needs --where gpu or hybrid");
    if (s->where == WHERE_CPU && a->gpu_option)
        usage_error(command, "--%s: needs --where gpu or hybrid", a->gpu_option);
    if (s->where == WHERE_GPU && s->library.ncpu > 0)
        usage_error(command, "--workers: needs --where cpu or hybrid");
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!s->simulate && s->library.ncpu > cores)
        usage_error(command, "--workers %d: this machine has %ld cores", s->library.ncpu, cores);
    if (s->disk && a->resident >= 0)
        usage_error(command, "--disk: is another place than --resident names");
    int error = s->disk ? try_folder(s->disk) : 0;
    if (error)
        usage_error(command, "--disk '%s': %s", s->disk, strerror(error));
}

/* Checks the options of a run that can be continued. Sets the number of runs. */
static void check_resume(struct bench_arguments *a)
{
    struct bench_settings *s = &a->settings;
    static const char *const routines[] = {"potrf", "getrf", "getrf_nopiv", "getrf_tntpiv",
                                           "geqrf"};
    bool has_journal = false;
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        has_journal = has_journal || !strcmp(a->routine->name, routines[i]);
    if (!has_journal)
        usage_error(command,
                    "--resume: %s keeps no journal, only potrf, getrf, getrf_nopiv, getrf_tntpiv "
                    "and geqrf do",
                    a->name);
    const char *refused = s->disk            ? "disk"
                          : a->resident >= 0 ? "resident"
                          : s->simulate      ? "simulate"
                          : s->ranks         ? "grid"
                          : s->repeats       ? "repeat"
                          : s->energy        ? "energy"
                          : s->placement     ? "placement"
                          : a->trace_folder  ? "trace"
                                             : NULL;
    if (refused)
        usage_error(command, "--resume: not with --%s", refused);
    if (a->precisions.count > 1 || a->n.count > 1 || a->m.count > 1 || a->nb.count > 1 ||
        s->where == WHERE_ALL)
        usage_error(command, "--resume: one precision, size, tile size and place at a time");
    s->repeats = 1;
}

static bool is_symmetric(const struct bench_arguments *a)
{
    return a->grid && !strcmp(a->grid, "symmetric");
}

/* Returns the order of a symmetric grid of that number of processes. */
static int symmetric_order(int processes)
{
    for (int r = 2; r * (r - 1) / 2 <= processes; r++)
        if (r * (r - 1) / 2 == processes || (r % 2 == 0 && r * r / 2 == processes))
            return r;
    usage_error(command,
                "--grid symmetric: needs R(R-1)/2 processes or, for even R, R*R/2: 3, 6, 8, 10, "
                "15, 18, 21, 28, 32, 36, ..., not %d",
                processes);
}

/* Reads --grid PxQ or PxQxK. Sets *group to K, else to 1. */
static void parse_grid(const char *grid, int64_t *p, int64_t *q, int64_t *group)
{
    char shape[64];
    const char *end = strchr(grid, 'x'), *last = end ? strchr(end + 1, 'x') : NULL;
    int length = last ? (int)(last - grid) : (int)strlen(grid);
    *group = 1;
    snprintf(shape, sizeof shape, "%.*s", length, grid);
    if (!parse_shape(shape, LARGEST_GRID, p, q) ||
        (last && !parse_integer(last + 1, 1, LARGEST_GRID, group)))
        usage_error(command, "--grid %s: must be PxQ or PxQxK, such as 2x3, or symmetric", grid);
}

/* Checks the options of a simulated cluster, which has a process per GPU, or per node without
 * GPUs. Sets the default of --network. */
static void check_cluster(struct bench_arguments *a)
{
    struct link l;
    int gpus = a->settings.library.ncuda, on_node = gpus > 0 ? gpus : 1;
    int64_t p, q, group;
    if (!a->network)
        a->network = "200Gb/s,2us";
    if (!network_read(a->network, &l))
        usage_error(command, "--network %s: must be a rate and a latency, such as 200Gb/s,2us",
                    a->network);
    if (!a->grid)
        usage_error(command, "--nodes: needs --grid");
    if (is_symmetric(a))
        p = a->nodes * on_node, q = symmetric_order((int)p) > 0;
    else
        parse_grid(a->grid, &p, &q, &group);
    if (p * q != a->nodes * on_node)
        usage_error(command, "--grid %s: %d nodes have %d processes, one for each GPU", a->grid,
                    a->nodes, a->nodes * on_node);
    if (a->settings.placement)
        usage_error(command, "--placement: not of a cluster");
    if (a->settings.where == WHERE_ALL)
        usage_error(command, "--where all: not of a cluster");
    if (a->trace_folder && p * q > STARPU_FXT_MAX_FILES)
        usage_error(command, "--trace: StarPU traces at most %d processes", STARPU_FXT_MAX_FILES);
}

/* Checks the options of a simulation. Sets the default of --where. */
static void check_simulation(struct bench_arguments *a)
{
    struct bench_settings *s = &a->settings;
    if (a->nodes)
        check_cluster(a);
    else if (a->grid || a->network)
        usage_error(command, "--%s: needs --nodes in a simulation", a->grid ? "grid" : "network");
    if (s->disk)
        usage_error(command, "--disk: machines are simulated without disks");
    if (s->check || s->peer)
        usage_error(command, "--simulate: nothing is computed that %s could %s",
                    s->check ? "--check" : "--peer", s->check ? "check" : "be compared with");
    if (s->energy)
        usage_error(command, "--energy: a simulation takes none that could be measured");
    if (!a->where_given)
        s->where = WHERE_GPU;
}

static void check_routine(const struct bench_arguments *a)
{
    if (!a->routine)
        usage_error(command, "a routine is needed: %s; for batches %s", routine_names(false),
                    routine_names(true));
    const char *name = a->name;
    unsigned traits = a->routine->traits;
    if (!a->n.count)
        usage_error(command, "--n is needed");
    if (a->m.count && !(traits & M_IS_FREE))
        usage_error(command,
                    traits & VECTORS ? "--m: %s takes vectors of n elements" : "--m: %s is square",
                    name);
    if (a->k && a->routine->meaning_of_k == K_UNUSED)
        usage_error(command, "--nrhs: %s has no right-hand sides", name);
    if (a->batches && a->tile_option)
        usage_error(command, "--%s: not of batches", a->tile_option);
    if (!a->batches && a->batch_option)
        usage_error(command, "--%s: only of batches, such as potrf_batch", a->batch_option);
    if (a->uplo >= 0 && !(traits & TRIANGLE))
        usage_error(command, "--uplo: %s has no triangle", name);
    if (a->mb && !(traits & TALL_TILES))
        usage_error(command, "--mb: %s takes square tiles: use --nb", name);
    if (a->tree >= 0 && !(traits & BY_TREE))
        usage_error(command, "--tree: %s has no tree: use geqrf_tree", name);
    if (traits & MIXED && a->settings.ranks)
        usage_error(command, "%s takes no distributed matrices", name);
    if (a->products && !(traits & MIXED))
        usage_error(command,
                    "--products: %s is no solver in mixed precision: use gesv_mixed or posv_mixed",
                    name);
}

int nearly_square(int processes)
{
    int rows = 1;
    for (int p = 1; p * p <= processes; p++)
        rows = processes % p == 0 ? p : rows;
    return rows;
}

/* Sets the grid of mpirun's processes, p × q in a->settings.ranks. Refuses options that a grid does
 * not support. */
static void check_ranks(const struct bench_arguments *a)
{
    const struct bench_settings *s = &a->settings;
    struct ranks *r = s->ranks;
    bool is_tall = a->routine->traits & TALL_TILES;
    bool is_local = a->batches || (a->routine->traits & ONE_PROCESS) != 0;
    const char *refused = is_local                       ? a->name
                          : s->disk                      ? "--disk"
                          : s->simulate && !a->nodes     ? "--simulate"
                          : s->energy                    ? "--energy"
                          : s->placement                 ? "--placement"
                          : a->trace_folder && !a->nodes ? "--trace"
                          : a->resident >= 0             ? "--resident"
                          : s->where == WHERE_ALL        ? "--where all"
                                                         : NULL;
    if (refused)
        usage_error(command, "%s: not on a grid of processes", refused);
    int64_t p = is_tall ? 1 : nearly_square(r->count), q = r->count / p, group = 1;
    if (is_symmetric(a)) {
        if (is_tall || a->routine->traits & BAND)
            usage_error(command, "--grid symmetric: not for %s", a->name);
        r->order = symmetric_order(r->count);
    } else if (a->grid) {
        parse_grid(a->grid, &p, &q, &group);
    }
    r->p = (int)p;
    r->q = (int)q;
    r->group = (int)group;
    if (r->p * r->q != r->count)
        usage_error(command, "--grid %s: needs mpirun -n %d %sstartile bench ..., not %d process%s",
                    a->grid, r->p * r->q,
                    r->p * r->q > sysconf(_SC_NPROCESSORS_ONLN) ? "--oversubscribe " : "", r->count,
                    r->count > 1 ? "es" : "");
}

/* Checks the value of --peer=LIBRARY, and chooses that library. */
static void check_peer(const struct bench_settings *s)
{
    if (!s->peer || !strcmp(s->peer, "-"))
        return;
    if (strcmp(s->peer, "mkl"))
        usage_error(command, "--peer=%s: must be --peer or --peer=mkl", s->peer);
    if (s->where != WHERE_CPU || s->ranks)
        usage_error(command, "--peer=mkl: only of one process on CPU cores: --where cpu");
    cpu_peer_use_mkl();
    if (!cpu_peer_load())
        usage_error(command, "--peer=mkl: no libmkl_rt.so is installed or in LD_LIBRARY_PATH");
}

/* Sets defaults that depend on other options, and refuses combinations that make no sense. */
static void complete_arguments(struct bench_arguments *a)
{
    struct bench_settings *s = &a->settings;
    check_routine(a);
    if (s->resume_file)
        check_resume(a);
    if (s->ranks)
        check_ranks(a);
    if (s->simulate)
        check_simulation(a);
    else if (a->nodes || a->network)
        usage_error(command, "--%s: needs --simulate", a->nodes ? "nodes" : "network");
    if (!s->repeats)
        s->repeats = s->simulate ? 1 : a->batches ? 5 : 3;
    if (a->tree < 0)
        a->tree = STARTILE_TREE_GREEDY;
    s->library.implementation = (startile_implementation)a->implementation;
    s->library.plain_single = a->plain_single;
    s->library.emulated_double = a->emulated_double;
    if (a->trace_folder && (a->precisions.count > 1 || a->n.count > 1 || a->m.count > 1 ||
                            a->nb.count > 1 || s->where == WHERE_ALL))
        usage_error(command, "--trace: one precision, size, tile size and place at a time");
    check_devices(a);
    check_peer(s);
}

void bench_parse(int argc, char **argv, struct ranks *ranks, struct bench_arguments *a)
{
    static const struct command_options table = {command, "ROUTINE",   bench_doc,
                                                 options, set_routine, bench_epilogue};
    *a = (struct bench_arguments){.uplo = -1,
                                  .tree = -1,
                                  .resident = -1,
                                  .precisions = {{STARTILE_D}, 1},
                                  .settings.ranks = ranks};
    startile_options_default(&a->settings.library, sizeof a->settings.library);
    parse_options(&table, argc, argv, a);
    complete_arguments(a);
}

void bench_free(struct bench_arguments *a)
{
    size_list_free(&a->m);
    size_list_free(&a->n);
    size_list_free(&a->nb);
}
