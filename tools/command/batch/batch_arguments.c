/*
 * `startile bench ROUTINE_batch`: options.
 */
#include "batch.h"
#include "batch_help.h"
#include "command.h"
#include "option_values.h"

#include <starpu.h>

/* With the routine's name, whose --help tells more. */
static char command[64] = "startile bench";

enum {
    KEY_M = 256,
    KEY_N,
    KEY_NRHS,
    KEY_BATCH,
    KEY_PER_TASK,
    KEY_LAYOUT,
    KEY_PRECISION,
    KEY_UPLO,
    KEY_WHERE,
    KEY_RESIDENT,
    KEY_REPEAT,
    KEY_CHECK,
    KEY_PEER,
    KEY_CSV,
    KEY_SCHEDULER,
    KEY_WORKERS
};

static const struct argp_option options[] = {
    {"n", KEY_N, "SIZES", 0, "orders, columns, or lengths of vectors (needed)", 0},
    {"m", KEY_M, "SIZES", 0,
     "rows of A for getrf, getrf_nopiv, geqrf, ormqr and gels, of C for gemm (default: n)", 0},
    {"nrhs", KEY_NRHS, "N", 0,
     "right-hand sides of potrs, posv, getrs, gesv, gels (default 1) and trsm (default n); columns "
     "of C for ormqr (default n); the inner dimension of gemm (default n)",
     0},
    {"batch", KEY_BATCH, "B", 0,
     "problems (default: as many as make some 100 MB, and at most a million)", 0},
    {"per-task", KEY_PER_TASK, "B", 0, "problems of a task; 0: chosen by the library (default)", 0},
    {"layout", KEY_LAYOUT, "strided|pointers|variable", 0,
     "one size, at a stride or by pointers, or sizes from 1 to n by pointers (default: strided)",
     0},
    {"precision", KEY_PRECISION, "LIST", 0, "of s, d, c, z (default: d)", 0},
    {"uplo", KEY_UPLO, "L|U", 0, "triangle for potrf, potrs, posv and trsm (default: L)", 0},
    {"where", KEY_WHERE, "cpu|gpu|hybrid", 0, "devices that take part (default: cpu)", 0},
    {"resident", KEY_RESIDENT, "host|gpu", 0,
     "where the batch is before and after (default: gpu for --where gpu, else host)", 0},
    {"repeat", KEY_REPEAT, "R", 0, "timed runs after one that warms up (default: 5)", 0},
    {"check", KEY_CHECK, NULL, 0, "compute residuals, and LAPACK's", 0},
    {"peer", KEY_PEER, NULL, 0, "time the vendor's routines too", 0},
    {"csv", KEY_CSV, "FILE", 0, "write all fields there, as CSV", 0},
    {"scheduler", KEY_SCHEDULER, "NAME", 0, "StarPU's scheduling policy", 0},
    {"workers", KEY_WORKERS, "N", 0, "CPU workers (default: one a core)", 0},
    {0},
};

static void set_routine(struct batch_arguments *a, const char *name)
{
    if (a->routine)
        usage_error(command, "'%s': one routine at a time", name);
    a->routine = batch_routine_named(name);
    if (!a->routine)
        usage_error(command, "no routine '%s': must be " BATCH_ROUTINES, name);
}

/* As the place has them */
static void settle_devices(struct batch_arguments *a)
{
    struct batch_settings *s = &a->settings;
    if (!a->resident_given)
        s->resident_on_gpu = s->where == BATCH_GPU;
    if (s->where == BATCH_CPU && s->resident_on_gpu)
        usage_error(command, "--resident gpu: needs --where gpu or hybrid");
    if (s->where == BATCH_GPU && s->library.ncpu > 0)
        usage_error(command, "--workers: needs --where cpu or hybrid");
    if (s->where == BATCH_CPU)
        s->library.ncuda = 0;
    if (s->where == BATCH_GPU)
        s->library.ncpu = 0;
    s->library.hybrid = s->where == BATCH_HYBRID;
}

static void check_arguments(struct batch_arguments *a)
{
    if (!a->routine)
        usage_error(command, "a routine is needed: " BATCH_ROUTINES);
    if (!a->n.count)
        usage_error(command, "--n is needed");
    if (a->m.count && !a->routine->m_is_free)
        usage_error(command,
                    a->routine->vectors ? "--m: %s takes vectors of n elements"
                                        : "--m: %s is square",
                    a->routine->name);
    if (a->k && a->routine->meaning_of_k == BATCH_NO_K)
        usage_error(command, "--nrhs: %s has no right-hand sides", a->routine->name);
    if (a->uplo && !a->routine->triangular)
        usage_error(command, "--uplo: %s has no triangle", a->routine->name);
    a->uplo = a->uplo ? a->uplo : 'L';
    settle_devices(a);
}

/* Options about the problem; whether it was one of them. */
static bool parse_problem(int key, char *argument, struct batch_arguments *a)
{
    static const char *const triangles[] = {"L", "U", "l", "u", NULL};
    static const char *const layouts[] = {"strided", "pointers", "variable", NULL};
    switch (key) {
    case KEY_M:
        option_sizes(command, &a->m, "--m", argument, 1);
        return true;
    case KEY_N:
        option_sizes(command, &a->n, "--n", argument, 1);
        return true;
    case KEY_NRHS:
        a->k = option_integer(command, "--nrhs", argument, 1, INT32_MAX);
        return true;
    case KEY_BATCH:
        a->count = option_integer(command, "--batch", argument, 1, INT32_MAX);
        return true;
    case KEY_PER_TASK:
        a->per_task = option_integer(command, "--per-task", argument, 0, INT32_MAX);
        return true;
    case KEY_LAYOUT:
        a->layout = (enum batch_layout)option_word(command, "--layout", argument, layouts,
                                                   "strided, pointers or variable");
        return true;
    case KEY_PRECISION:
        a->dtype_count = option_precisions(command, argument, a->dtypes);
        return true;
    case KEY_UPLO:
        a->uplo = "LULU"[option_word(command, "--uplo", argument, triangles, "L or U")];
        return true;
    default:
        return false;
    }
}

/* Options about devices; whether it was one of them. */
static bool parse_devices(int key, char *argument, struct batch_arguments *a)
{
    static const char *const places[] = {"cpu", "gpu", "hybrid", NULL};
    static const char *const homes[] = {"host", "gpu", NULL};
    struct batch_settings *s = &a->settings;
    switch (key) {
    case KEY_WHERE:
        s->where = (enum batch_place)option_word(command, "--where", argument, places,
                                                 "cpu, gpu or hybrid");
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
    default:
        return false;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct batch_arguments *a = state->input;
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

static const struct argp argp = {options, parse, NULL, batch_doc, NULL, NULL, NULL};

/* An unknown routine that stands first has this help, too. */
static void name_command(int argc, char **argv)
{
    const char *name = argv[1];
    for (int i = argc - 1; i > 0; i--)
        if (batch_routine_named(argv[i]))
            name = argv[i];
    snprintf(command, sizeof command, "startile bench %s", name);
}

void batch_parse(int argc, char **argv, struct batch_arguments *a)
{
    *a = (struct batch_arguments){
        .settings = {.repeats = 5}, .dtypes = {STARTILE_D}, .dtype_count = 1};
    startile_options_default(&a->settings.library);
    name_command(argc, argv);
    parse_command_line(&argp, command, argc, argv, a);
}
