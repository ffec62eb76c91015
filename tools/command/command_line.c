/*
 * What all commands do alike: messages, and reading their arguments with argp.
 */
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void report(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("startile: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void usage_error(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", command);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, " (see %s --help)\n", command);
    va_end(arguments);
    exit(EXIT_USAGE);
}

/* The option that an argument such as "--name" or "--name=value" means; a unique beginning of its
 * name will do. NULL: none or several. */
static const struct argp_option *find_option(const struct argp *argp, const char *argument)
{
    const struct argp_option *found = NULL;
    size_t length = strcspn(argument + 2, "=");
    int matches = 0;
    for (const struct argp_option *o = argp->options; o && o->name; o++) {
        if (strncmp(o->name, argument + 2, length))
            continue;
        if (!o->name[length])
            return o;
        found = o;
        matches++;
    }
    return matches == 1 ? found : NULL;
}

/* argp does not tell what it stumbled over. */
__attribute__((noreturn)) static void name_bad_option(const struct argp *argp, const char *command,
                                                      int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || !argv[i][1])
            continue;
        bool is_long = argv[i][1] == '-' && argv[i][2];
        const struct argp_option *o = is_long ? find_option(argp, argv[i]) : NULL;
        bool has_value = strchr(argv[i], '=');
        if (!o)
            usage_error(command, "unknown or ambiguous option '%s'", argv[i]);
        if (!o->arg && has_value)
            usage_error(command, "--%s takes no value", o->name);
        if (o->arg && !has_value && ++i == argc)
            usage_error(command, "--%s needs a value", o->name);
    }
    usage_error(command, "bad arguments");
}

/* argp's own messages take two lines; but told to keep quiet, it does not print help either.
 * Arguments are parsed in order, so that `run python3 -c ...` stops at python3. */
static unsigned argp_flags(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-?") || !strcmp(argv[i], "--usage"))
            return ARGP_IN_ORDER;
    return ARGP_IN_ORDER | ARGP_NO_ERRS;
}

void parse_command_line(const struct argp *argp, const char *command, int argc, char **argv,
                        void *settings)
{
    char *given[argc + 1]; /* argp changes the order */
    memcpy(given, argv, sizeof given);
    argv[0] = (char *)command;
    if (argp_parse(argp, argc, argv, argp_flags(argc, argv), NULL, settings))
        name_bad_option(argp, command, argc, given);
}

bool parse_integer(const char *text, int64_t min, int64_t max, int64_t *value)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end || errno || v < min || v > max)
        return false;
    *value = v;
    return true;
}
