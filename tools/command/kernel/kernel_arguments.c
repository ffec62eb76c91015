/*
 * `startile bench kernel`: options.
 */
#include "command.h"
#include "kernel.h"
#include "scalar.h"

#include <inttypes.h>
#include <string.h>

static const char command[] = "startile bench kernel";

enum {
    KEY_M = 256,
    KEY_N,
    KEY_K,
    KEY_PIECES,
    KEY_TRANS,
    KEY_PRECISION,
    KEY_IMPLEMENTATION,
    KEY_REPEAT,
    KEY_CSV,
    KEY_LIST
};

static const struct argp_option options[] = {
    {"m", KEY_M, "SIZES", 0, "rows (default: the kernel's, see --list)", 0},
    {"n", KEY_N, "SIZES", 0, "columns, or order", 0},
    {"k", KEY_K, "SIZES", 0, "inner dimension, interchanges or reflectors", 0},
    {"pieces", KEY_PIECES, "P", 0, "members of a group (default: 8)", 0},
    {"trans", KEY_TRANS, "NN|NC|CN|CC", 0, "op(A) and op(B) of products (default: NC)", 0},
    {"precision", KEY_PRECISION, "LIST", 0, "of s, d, c, z (default: d)", 0},
    {"implementation", KEY_IMPLEMENTATION, "LIST", 0,
     "of own; vendor, which is cuBLAS and cuSOLVER by way of the library, where they have the "
     "kernel; and split, which is own with split operands on tensor cores, for s and c (default: "
     "own)",
     0},
    {"repeat", KEY_REPEAT, "R", 0, "timed runs after one that is checked (default: 7)", 0},
    {"csv", KEY_CSV, "FILE", 0, "write all fields there, as CSV", 0},
    {"list", KEY_LIST, NULL, 0, "name the kernels with their sizes", 0},
    {0},
};

static const char doc[] =
    "Times one kernel of the library, or all of them at the sizes that matter, on the first GPU, "
    "beside cuBLAS or cuSOLVER, and checks its result. SIZES is a list such as 1024,2048 or "
    "START:STOP:STEP."
    "\v"
    "One row a precision, size and implementation. Implementations and the peer run in turns on "
    "the same data in GPU memory, which is none of it in the L2 cache when the time starts. A time "
    "is what passes between two events around the kernel; of several runs the median is taken, "
    "after one that warms up and is checked. Arrays are random, those to be written NaN.\n\n"
    "  rate      operations (LAPACK Working Note 41) or useful bytes by time; an\n"
    "            inverse counts as many operations as its factor, and the peer of\n"
    "            a product with a triangle is the triangular solve that it stands\n"
    "            for, by the same count\n"
    "  ratio     rate / the peer's: above 1 the library is faster\n"
    "  fraction  of the rate, in this run, of cuBLAS's gemm with m = n = 16384\n"
    "            (complex: 8192) and k = 4096, or of a copy on the device (read\n"
    "            and written)\n"
    "  error     against sums in long double, at 24 x 24 places or, for QR, in 4\n"
    "            columns, in units of the roundoff: for products by the sum of\n"
    "            the absolute terms (diagonal of herk and syrk: by sqrt(k), too),\n"
    "            for factors by that of the product of the factors, for QR by the\n"
    "            column's norm and sqrt(k); 0 for copies\n"
    "  peer's    the same for the peer, where it leaves the same result\n"
    "  status    ok; FAIL: and an error of 30 or more, or info; error: and why\n\n"
    "The CSV file has also transa, transb, pieces, the fastest and slowest time (seconds_min, "
    "seconds_max), the peer's name and the ceiling of fraction; rates there are in operations/s "
    "and bytes/s.\n\n"
    "Exit code 1 when the status of any row is not ok.";

static void set_sizes(struct size_list *list, const char *option, const char *argument)
{
    size_list_free(list);
    const char *wrong = size_list_parse(list, argument, 1);
    if (wrong)
        usage_error(command, "%s %s: %s", option, argument, wrong);
}

static int to_integer(const char *option, const char *argument, int most)
{
    int64_t value;
    if (!parse_integer(argument, 1, most, &value))
        usage_error(command, "%s %s: must be an integer from 1 to %d", option, argument, most);
    return (int)value;
}

static void set_precisions(struct kernel_settings *s, const char *argument)
{
    s->dtype_count = 0;
    for (const char *at = argument;; at += 2) {
        if (s->dtype_count == 4 || !dtype_from_letter(*at, &s->dtypes[s->dtype_count++]) ||
            (at[1] && at[1] != ','))
            usage_error(command, "--precision %s: must be a list of s, d, c, z", argument);
        if (!at[1])
            return;
    }
}

static void set_implementations(struct kernel_settings *s, const char *argument)
{
    const char *at = argument;
    memset(s->implementation, 0, sizeof s->implementation);
    for (;; at++) {
        size_t length = strcspn(at, ",");
        int who = 0;
        while (who < PEER && (strlen(contender_names[who]) != length ||
                              strncmp(contender_names[who], at, length)))
            who++;
        if (who == PEER)
            usage_error(command, "--implementation %s: must be a list of own, vendor, split",
                        argument);
        s->implementation[who] = true;
        at += length;
        if (!*at)
            return;
    }
}

static void set_trans(struct kernel_settings *s, const char *argument)
{
    if (strlen(argument) != 2 || strspn(argument, "NC") != 2)
        usage_error(command, "--trans %s: must be NN, NC, CN or CC", argument);
    s->transa = argument[0];
    s->transb = argument[1];
}

static void set_kernel(struct kernel_settings *s, bool *named, const char *name)
{
    if (*named)
        usage_error(command, "'%s': one kernel at a time", name);
    *named = true;
    s->kernel = kernel_named(name);
    if (!s->kernel && strcmp(name, "all"))
        usage_error(command, "no kernel '%s': see --list", name);
}

static void refuse(const struct kernel_settings *s, char size, bool given, const char *option)
{
    if (given && !s->kernel)
        usage_error(command, "%s: 'all' has sizes of its own", option);
    if (given && !kernel_has(s->kernel, size))
        usage_error(command, "%s: %s has no such size", option, s->kernel->name);
}

static void check_arguments(struct kernel_settings *s, bool named)
{
    if (s->list)
        return;
    if (!named)
        usage_error(command, "a kernel is needed, or 'all': see --list");
    refuse(s, 'm', s->m.count, "--m");
    refuse(s, 'n', s->n.count, "--n");
    refuse(s, 'k', s->k.count, "--k");
    refuse(s, 'p', s->pieces, "--pieces");
    refuse(s, 'a', s->transa, "--trans");
    if (!s->kernel && s->dtype_count)
        usage_error(command, "--precision: 'all' has precisions of its own");
    if (!s->dtype_count)
        s->dtypes[s->dtype_count++] = STARTILE_D;
}

struct parsing {
    struct kernel_settings *settings;
    bool named;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct parsing *p = state->input;
    struct kernel_settings *s = p->settings;
    switch (key) {
    case KEY_M:
        set_sizes(&s->m, "--m", argument);
        return 0;
    case KEY_N:
        set_sizes(&s->n, "--n", argument);
        return 0;
    case KEY_K:
        set_sizes(&s->k, "--k", argument);
        return 0;
    case KEY_PIECES:
        s->pieces = to_integer("--pieces", argument, STARTILE_MOST_PRODUCTS);
        return 0;
    case KEY_TRANS:
        set_trans(s, argument);
        return 0;
    case KEY_PRECISION:
        set_precisions(s, argument);
        return 0;
    case KEY_IMPLEMENTATION:
        set_implementations(s, argument);
        return 0;
    case KEY_REPEAT:
        s->repeats = to_integer("--repeat", argument, 1000);
        return 0;
    case KEY_CSV:
        s->csv_file = argument;
        return 0;
    case KEY_LIST:
        s->list = true;
        return 0;
    case ARGP_KEY_ARG:
        set_kernel(s, &p->named, argument);
        return 0;
    case ARGP_KEY_END:
        check_arguments(s, p->named);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {options, parse, "KERNEL|all", doc, NULL, NULL, NULL};

void kernel_parse(int argc, char **argv, struct kernel_settings *s)
{
    struct parsing p = {.settings = s};
    *s = (struct kernel_settings){.repeats = 7, .implementation = {[OWN] = true}};
    parse_command_line(&argp, command, argc, argv, &p);
}
