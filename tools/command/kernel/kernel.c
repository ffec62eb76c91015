/*
 * `startile bench kernel`: options and help.
 */
#include "kernel.h"

#include "command.h"
#include "peer/peer_cuda.h"
#include "trace.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "startile bench kernel";

const char *const contender_names[CONTENDERS] = {"own",  "vendor", "split", "fp16x2",
                                                 "fp16", "bf16",   "tf32",  "peer"};

#define FIELD(name) offsetof(struct kernel_settings, name)

/* clang-format off */
static const struct option_row options[] = {
    {"m", "SIZES", "rows (default: the kernel's, see --list)", OPTION_SIZES, FIELD(m), 1, 0, NULL,
     FIELD(m_given)},
    {"n", "SIZES", "columns, or order", OPTION_SIZES, FIELD(n), 1, 0, NULL, FIELD(n_given)},
    {"k", "SIZES", "inner dimension, interchanges or reflectors", OPTION_SIZES, FIELD(k), 1, 0,
     NULL, FIELD(k_given)},
    {"pieces", "P", "members of a group (default: 8)", OPTION_INT, FIELD(pieces), 1,
     STARTILE_MOST_PRODUCTS, NULL, FIELD(pieces_given)},
    {"trans", "NC|NN|CN|CC", "op(A) and op(B) of products (default: NC)", OPTION_WORD,
     FIELD(trans), 0, 0, NULL, FIELD(trans_given)},
    {"precision", "LIST", "of s, d, c, z (default: d)", OPTION_PRECISIONS, FIELD(precisions), 0, 0,
     NULL, 0},
    {"implementation", "own|vendor|split|fp16x2|fp16|bf16|tf32",
     "a list of them; vendor: cuBLAS and cuSOLVER by way of the library, of products and potrf; "
     "split, fp16x2, fp16, bf16: own with operands in such parts on tensor cores, of products in "
     "s, c; tf32: cuBLAS with TF32 tensor cores, of products in s, c (default: own)",
     OPTION_WORDS, FIELD(implementation), 0, 0, NULL, FIELD(implementation_given)},
    {"repeat", "R", "timed runs after one that is checked (default: 7)", OPTION_INT,
     FIELD(repeats), 1, 1000, NULL, 0},
    {"csv", "FILE", "write all fields there, as CSV", OPTION_TEXT, FIELD(csv_file), 0, 0, NULL, 0},
    {"list", NULL, "name the kernels with their sizes", OPTION_FLAG, FIELD(list), 0, 0, NULL, 0},
    REFUSED("trace", NO_TASKS_TO_TRACE),
    {0},
};
/* clang-format on */

static const char doc[] =
    "Times one kernel of the library, or all of them at their usual sizes, on the first GPU, "
    "beside cuBLAS or cuSOLVER, and compares the results. SIZES is a list such as 1024,2048 or "
    "START:STOP:STEP.\v";

static const char rows[] =
    "One row per precision, size and implementation. Implementations and the peer run in turns on "
    "the same data in GPU memory, and none of it is in the L2 cache when the time starts. A time "
    "is what passes between two events around the kernel: the median of several runs, after one "
    "that warms up and is checked.\n\n"
    "Own is cuBLAS's for trsm, and cuSOLVER's for potrf beyond an order of 4096 (s, c: 2048, z: "
    "1024) and for getrf_nopiv beyond 3072 (s, c: 2048, z: 1024). Small products are own here, "
    "which the library leaves to cuBLAS.\n\n"
    "Exit code 1 when the status of any row is FAIL or error. The CSV file:\n";

static char *epilogue(void)
{
    const struct report all = {kernel_fields, 0, false, NULL, NULL};
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    fputs(rows, f);
    report_describe(&all, f);
    return fclose(f) ? NULL : text;
}

/* -- options -------------------------------------------------------------------------------- */

static void set_kernel(void *settings, const char *name)
{
    struct kernel_settings *s = settings;
    if (s->named)
        usage_error(command, "'%s': one kernel at a time", name);
    s->named = true;
    for (const struct kernel *k = kernels; k->name; k++)
        if (!strcmp(k->name, name))
            s->kernel = k;
    if (!s->kernel && strcmp(name, "all"))
        usage_error(command, "no kernel '%s': see --list", name);
}

/* Ends the program if a size is given with "all", or for a kernel that does not have it. */
static void refuse_size(const struct kernel_settings *s, char size, const char *given)
{
    if (given && !s->kernel)
        usage_error(command, "--%s: 'all' has sizes of its own", given);
    if (given && !kernel_has_size(s->kernel, size))
        usage_error(command, "--%s: %s has no such size", given, s->kernel->name);
}

/* Ends the program if the options do not fit together. Without --implementation chooses OWN. */
static void check_arguments(struct kernel_settings *s)
{
    bool has_single = false;
    if (!s->named)
        usage_error(command, "a kernel is needed, or 'all': see --list");
    s->implementation[OWN] = s->implementation[OWN] || !s->implementation_given;
    refuse_size(s, 'm', s->m_given);
    refuse_size(s, 'n', s->n_given);
    refuse_size(s, 'k', s->k_given);
    refuse_size(s, 'p', s->pieces_given);
    refuse_size(s, 'a', s->trans_given); /* 'p', 'a': letters of struct kernel's `sizes` */
    for (int t = 0; t < s->precisions.count; t++)
        has_single = has_single || s->precisions.dtype[t] == STARTILE_S;
    if (s->kernel && s->implementation[VENDOR] && !kernel_has_flag(s->kernel, 'v'))
        usage_error(command, "--implementation vendor: the library has no such %s",
                    s->kernel->name);
    for (int who = SPLIT; who < PEER; who++) {
        const char *name = contender_names[who];
        if (s->kernel && s->implementation[who] && !kernel_has_flag(s->kernel, 's'))
            usage_error(command, "--implementation %s: %s is no product", name, s->kernel->name);
        if (s->implementation[who] && !has_single)
            usage_error(command, "--implementation %s: only of --precision s", name);
    }
}

/* -- runs ----------------------------------------------------------------------------------- */

static bool run(const struct kernel_settings *s)
{
    struct report report_of_kernels = {kernel_fields, 0, false, NULL, NULL};
    if (!cuda_count()) {
        report("bench kernel: no GPU that CUDA can use here");
        return false;
    }
    bool good = report_open(&report_of_kernels, s->csv_file);
#ifdef STARTILE_HAVE_CUDA
    good = good && kernel_run(s, &report_of_kernels);
#endif
    return report_close(&report_of_kernels) && good;
}

/* Prints the kernels with their default sizes. */
static void print_kernels(void)
{
    for (const struct kernel *k = kernels; k->name; k++) {
        const int n = (int)k->usual.n;
        printf("%-14s %s\n%14s n = %d", k->name, k->description, "", n);
        if (kernel_has_size(k, 'm'))
            printf(", m = %d", k->usual.m ? (int)k->usual.m : n);
        if (kernel_has_size(k, 'k'))
            printf(", k = %d", k->usual.k ? (int)k->usual.k : n);
        puts(kernel_has_size(k, 'p') ? ", p = 8" : "");
    }
}

int kernel_command(int argc, char **argv)
{
    static const struct command_options o = {command, "KERNEL|all", doc,
                                             options, set_kernel,   epilogue};
    struct kernel_settings s = {.repeats = 7, .pieces = 8, .precisions = {{STARTILE_D}, 1}};
    bool good = true;
    parse_options(&o, argc, argv, &s);
    if (s.list) {
        print_kernels();
    } else {
        check_arguments(&s);
        good = run(&s);
    }
    size_list_free(&s.m);
    size_list_free(&s.n);
    size_list_free(&s.k);
    return good ? 0 : EXIT_FAILED;
}
