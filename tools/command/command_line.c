/*
 * Messages on stderr, and the parsers of numbers in arguments and files.
 */
#include "command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const char digits[] = "0123456789";

bool is_integer(const char *text)
{
    text += *text == '+' || *text == '-';
    size_t length = strspn(text, digits);
    return length && !text[length];
}

bool is_number(const char *text, const char *exponent_letters)
{
    text += *text == '+' || *text == '-';
    size_t whole = strspn(text, digits), fraction = 0;
    text += whole;
    if (*text == '.') {
        fraction = strspn(++text, digits);
        text += fraction;
    }
    if (!whole && !fraction)
        return false;
    return !*text || (strchr(exponent_letters, *text) && is_integer(text + 1));
}

bool parse_integer(const char *text, int64_t min, int64_t max, int64_t *value)
{
    errno = 0;
    long long v = strtoll(text, NULL, 10);
    if (!is_integer(text) || errno || v < min || v > max)
        return false;
    *value = v;
    return true;
}

bool parse_shape(const char *text, int64_t max, int64_t *p, int64_t *q)
{
    char first[24];
    size_t length = strcspn(text, "x");
    if (!text[length] || length >= sizeof first)
        return false;
    memcpy(first, text, length);
    first[length] = '\0';
    return parse_integer(first, 1, max, p) && parse_integer(text + length + 1, 1, max, q);
}
