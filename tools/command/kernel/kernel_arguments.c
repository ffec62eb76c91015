/*
 * `startile bench kernel`: options.
 */
#include "command.h"
#include "kernel.h"
#include "kernel_help.h"
#include "scalar.h"

#include <inttypes.h>
#include <string.h>

static const char command[] = "startile bench kernel";

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

static void check_implementations(const struct kernel_settings *s)
{
    bool has_single = false;
    if (!s->kernel)
        return;
    for (int t = 0; t < s->dtype_count; t++)
        has_single = has_single || s->dtypes[t] == STARTILE_S;
    if (s->implementation[VENDOR] && !s->kernel->by_vendor)
        usage_error(command, "--implementation vendor: the library has no such %s",
                    s->kernel->name);
    if (s->implementation[SPLIT] && !s->kernel->splits)
        usage_error(command, "--implementation split: %s is no product", s->kernel->name);
    if (s->implementation[SPLIT] && !has_single)
        usage_error(command, "--implementation split: only of --precision s");
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
    check_implementations(s);
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
    case KERNEL_KEY_M:
        set_sizes(&s->m, "--m", argument);
        return 0;
    case KERNEL_KEY_N:
        set_sizes(&s->n, "--n", argument);
        return 0;
    case KERNEL_KEY_K:
        set_sizes(&s->k, "--k", argument);
        return 0;
    case KERNEL_KEY_PIECES:
        s->pieces = to_integer("--pieces", argument, STARTILE_MOST_PRODUCTS);
        return 0;
    case KERNEL_KEY_TRANS:
        set_trans(s, argument);
        return 0;
    case KERNEL_KEY_PRECISION:
        set_precisions(s, argument);
        return 0;
    case KERNEL_KEY_IMPLEMENTATION:
        set_implementations(s, argument);
        return 0;
    case KERNEL_KEY_REPEAT:
        s->repeats = to_integer("--repeat", argument, 1000);
        return 0;
    case KERNEL_KEY_CSV:
        s->csv_file = argument;
        return 0;
    case KERNEL_KEY_LIST:
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

static const struct argp argp = {kernel_options, parse, "KERNEL|all", kernel_doc, NULL, NULL, NULL};

void kernel_parse(int argc, char **argv, struct kernel_settings *s)
{
    struct parsing p = {.settings = s};
    *s = (struct kernel_settings){.repeats = 7, .implementation = {[OWN] = true}};
    parse_command_line(&argp, command, argc, argv, &p);
}
