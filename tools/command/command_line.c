/*
 * Messages on stderr, and the parser of integers in arguments.
 */
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool is_silent;

void report(const char *format, ...)
{
    va_list arguments;
    if (is_silent)
        return;
    va_start(arguments, format);
    fputs("startile: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void usage_error(const char *command, const char *format, ...)
{
    va_list arguments;
    if (is_silent)
        exit(EXIT_USAGE);
    va_start(arguments, format);
    fprintf(stderr, "%s: ", command);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, " (see %s --help)\n", command);
    va_end(arguments);
    exit(EXIT_USAGE);
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
