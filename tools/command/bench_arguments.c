/*
 * `startile bench`: options and their explanation.
 */
#include "bench.h"
#include "command.h"
#include "scalar.h"

#include <inttypes.h>
#include <starpu.h>
#include <string.h>

static const char command[] = "startile bench";

#define ROUTINES                                                                                   \
    "potrf, potrs, posv, getrf, getrf_nopiv, getrf_tntpiv, gesv, getri, geqrf, geqrf_tree, "       \
    "gelqf, "                                                                                      \
    "gels, ormqr, orgqr, gemm, herk or trsm"

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
    KEY_SCHEDULER,
    KEY_WORKERS,
    KEY_GPUS
};

static const struct argp_option options[] = {
    {"n", KEY_N, "SIZES", 0, "orders, or columns of C for gemm (needed)", 0},
    {"m", KEY_M, "SIZES", 0, "rows of A for LU and QR, of C for gemm (default: n)", 0},
    {"nrhs", KEY_NRHS, "N", 0,
     "right-hand sides of potrs, posv, gesv, gels (default 1) and trsm (default n); columns of C "
     "for "
     "ormqr (default n); the inner dimension of gemm and herk (default n)",
     0},
    {"precision", KEY_PRECISION, "LIST", 0, "of s, d, c, z (default: d)", 0},
    {"nb", KEY_NB, "SIZES", 0,
     "columns of a tile, and rows but for LU and QR; 0: chosen by the library (default)", 0},
    {"mb", KEY_MB, "N", 0,
     "rows of a tile for LU and QR: a multiple of nb, or at least m; 0: all rows, but the "
     "library's "
     "choice for geqrf_tree (default)",
     0},
    {"tree", KEY_TREE, "flat|binary|greedy", 0, "tree of geqrf_tree (default: greedy)", 0},
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
    "Times a routine on random matrices: " ROUTINES ". SIZES is a list such as 1024,2048 or "
    "START:STOP:STEP."
    "\v"
    "One row a precision, size and tile size: the median of the timed runs, every one on a fresh "
    "matrix. Time goes from the first submission until all tasks have ended and, with --resident "
    "host, until the result is in the caller's storage. Allocation, page-locking, registration "
    "with StarPU and generation come before. With --resident host nothing of the matrix is on a "
    "GPU when the time starts, for the peer too.\n\n"
    "The peer is OpenBLAS's threaded LAPACK with as many threads as there are CPU workers (--where "
    "cpu), or cuSOLVER and cuBLAS on one GPU, in this process, on the same matrix, warmed up, "
    "while StarPU is down. Where it has no such routine, the nearest stands in: getrf for "
    "getrf_tntpiv, and on CPUs for getrf_nopiv; geqrf for geqrf_tree; on a GPU getrs on the "
    "identity for getri, geqrf of A^H with both transpositions for gelqf, and geqrf, ormqr and "
    "trsm "
    "for gels.\n\n"
    "getrf_nopiv gets a diagonally dominant matrix. potrs, getri, ormqr and orgqr start from "
    "factors. For complex types ormqr and orgqr are LAPACK's unmqr and ungqr, and may be called "
    "so. "
    "ormqr applies Q^H to C from the left. Operations of gels are those of the factorization, of "
    "the reflectors on the right-hand sides and of the triangular solve.\n\n"
    "Fields of the CSV file:\n"
    "  routine            as given\n"
    "  precision          s, d, c or z\n"
    "  m, n               rows and columns; m = n but for LU, QR and gemm\n"
    "  nrhs               right-hand sides, ormqr's columns of C, or gemm's and\n"
    "                     herk's inner dimension\n"
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
    "                     and 32768 on GPUs (gelqf: 8192)\n"
    "  status             ok; FAIL: and a residual of 30 or more, or info;\n"
    "                     error: and the reason\n"
    "  seconds_min        fastest run\n"
    "  seconds_max        slowest run\n"
    "  tree               of geqrf_tree, as given\n"
    "\n"
    "Residuals, eps being the unit roundoff:\n"
    "  potrf              ||A - L L^H||_1 / (n ||A||_1 eps)\n"
    "  potrs, posv, gesv  ||B - A X||_1 / (n ||A||_1 ||X||_1 eps)\n"
    "  getrf...           ||(P A - L U) V||_1 / (n ||A||_1 eps)\n"
    "  getri              ||(I - A X) V||_1 or ||(I - X A) V||_1, the smaller,\n"
    "                     / (n ||A||_1 ||X||_1 eps)\n"
    "  geqrf..., gelqf    ||(A - Q R) V||_1 / (max(m, n) ||A||_1 eps) or\n"
    "                     ||(I - Q^H Q) V||_1 / (order eps), the larger\n"
    "  orgqr              the same, R being the upper triangle of Q^H A\n"
    "  ormqr              ||(C_0 - Q C) V||_1 / (m ||C_0||_1 eps)\n"
    "  gels               ||A^H (B - A X)||_1 / (max(m, n, nrhs) ||A||_1 ||B||_1\n"
    "                     eps) for m > n, else ||B - A X||_1 / (max(m, n) ||A||_1\n"
    "                     ||X||_1 eps); for m < n also how far X is from the span\n"
    "                     of A's rows, by max(m, n) ||X||_1 eps, the larger\n"
    "  gemm, herk, trsm   of their product with random vectors, by the size of\n"
    "                     its terms, the largest dimension and eps\n"
    "V is 31 unit vectors, spread evenly, and a random vector, of 1-norm 1.\n"
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

static void set_precisions(struct bench_arguments *a, const char *argument)
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

static void set_scheduler(struct bench_arguments *a, const char *name)
{
    struct starpu_sched_policy **policy = starpu_sched_get_predefined_policies();
    while (*policy && strcmp((*policy)->policy_name, name))
        policy++;
    if (!*policy)
        usage_error(command, "--scheduler %s: StarPU has no policy of that name", name);
    a->settings.library.scheduler = name;
}

static void set_routine(struct bench_arguments *a, const char *name)
{
    if (a->routine)
        usage_error(command, "'%s': one routine at a time", name);
    a->routine = find_routine(name);
    if (!a->routine)
        usage_error(command, "no routine '%s': must be " ROUTINES, name);
}

static void check_arguments(struct bench_arguments *a)
{
    struct bench_settings *s = &a->settings;
    if (!a->routine)
        usage_error(command, "a routine is needed: " ROUTINES);
    if (!a->n.count)
        usage_error(command, "--n is needed");
    if (a->m.count && !a->routine->m_is_free)
        usage_error(command, "--m: %s is square", a->routine->name);
    if (a->k && a->routine->meaning_of_k == K_UNUSED)
        usage_error(command, "--nrhs: %s has no right-hand sides", a->routine->name);
    if (a->mb && !a->routine->tall_tiles)
        usage_error(command, "--mb: %s takes square tiles: use --nb", a->routine->name);
    if (a->tree_given && !a->routine->by_tree)
        usage_error(command, "--tree: %s has no tree: use geqrf_tree", a->routine->name);
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
static bool parse_problem(int key, char *argument, struct bench_arguments *a)
{
    static const char *const triangles[] = {"L", "U", "l", "u", NULL};
    static const char *const trees[] = {"flat", "binary", "greedy", NULL};
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
    case KEY_MB:
        a->mb = to_integer("--mb", argument, 0, INT32_MAX);
        return true;
    case KEY_NRHS:
        a->k = to_integer("--nrhs", argument, 1, INT32_MAX);
        return true;
    case KEY_PRECISION:
        set_precisions(a, argument);
        return true;
    case KEY_UPLO:
        a->uplo = "LULU"[choose("--uplo", argument, triangles, "L or U")];
        return true;
    case KEY_TREE:
        a->tree = (startile_tree_kind)choose("--tree", argument, trees, "flat, binary or greedy");
        a->tree_given = true;
        return true;
    default:
        return false;
    }
}

/* Options about devices; whether it was one of them. */
static bool parse_devices(int key, char *argument, struct bench_arguments *a)
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
    struct bench_arguments *a = state->input;
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

void bench_parse(int argc, char **argv, struct bench_arguments *a)
{
    *a = (struct bench_arguments){.settings = {.repeats = 3},
                                  .uplo = 'L',
                                  .tree = STARTILE_TREE_GREEDY,
                                  .dtypes = {STARTILE_D},
                                  .dtype_count = 1};
    startile_options_default(&a->settings.library);
    parse_command_line(&argp, command, argc, argv, a);
}
