/*
 * Matrix Market files: opening, lines, banner and sizes.
 */
#include "command.h"
#include "matrix_market.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const char *const formats[] = {"coordinate", "array", NULL};
static const char *const fields[] = {"real", "complex", "integer", "pattern", NULL};
static const char *const symmetries[] = {"general", "symmetric", "hermitian", "skew-symmetric",
                                         NULL};

bool mm_fail(const struct mm_file *f, const char *format, ...)
{
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    report("%s:%lld: %s", f->path, (long long)f->line, reason);
    return false;
}

/* The file's next line, blank or not. */
static bool next_raw_line(struct mm_file *f)
{
    f->text[0] = '\0';
    if (!fgets(f->text, sizeof f->text, f->stream)) {
        if (!ferror(f->stream))
            return false;
        report("%s: %s", f->path, strerror(errno));
        f->line = -1;
        return false;
    }
    f->line++;
    size_t length = strlen(f->text);
    bool whole = length && (f->text[length - 1] == '\n' || feof(f->stream));
    if (!whole) {
        mm_fail(f, length < MM_LINE ? "not a text file" : "line longer than 1024 characters");
        f->line = -1;
        return false;
    }
    while (length && strchr("\r\n", f->text[length - 1]))
        f->text[--length] = '\0';
    return true;
}

bool mm_next_line(struct mm_file *f)
{
    while (next_raw_line(f))
        if (f->text[strspn(f->text, " \t")])
            return true;
    return false;
}

/* Index of the word in a list that ends with NULL, case ignored as the format says; or −1. */
static int find_word(const char *word, const char *const *list)
{
    for (int i = 0; word && list[i]; i++)
        if (!strcasecmp(word, list[i]))
            return i;
    return -1;
}

static bool check_combination(struct mm_file *f)
{
    const char *field = fields[f->field], *symmetry = symmetries[f->symmetry];
    if (f->field == MM_PATTERN && f->format == MM_ARRAY)
        return mm_fail(f, "an array file cannot be a pattern");
    if (f->field == MM_PATTERN && f->symmetry >= MM_HERMITIAN)
        return mm_fail(f, "a pattern file cannot be %s", symmetry);
    if (f->symmetry == MM_HERMITIAN && f->field != MM_COMPLEX)
        return mm_fail(f, "a hermitian file must be complex, not %s", field);
    return true;
}

static bool read_banner(struct mm_file *f)
{
    if (!next_raw_line(f)) {
        if (f->line < 0)
            return false;
        f->line = 1;
        return mm_fail(f, "the file is empty");
    }
    char *rest, *words[6] = {strtok_r(f->text, " \t", &rest)};
    for (int i = 1; i < 6 && words[i - 1]; i++)
        words[i] = strtok_r(NULL, " \t", &rest);
    if (!words[0] || strcasecmp(words[0], "%%MatrixMarket"))
        return mm_fail(f, "not a Matrix Market file: the first line must begin with "
                          "%%%%MatrixMarket");
    int format = find_word(words[2], formats), field = find_word(words[3], fields);
    int symmetry = find_word(words[4], symmetries);
    if (!words[1] || strcasecmp(words[1], "matrix") || !words[4] || words[5])
        return mm_fail(f, "the first line must read: %%%%MatrixMarket matrix FORMAT FIELD "
                          "SYMMETRY");
    if (format < 0)
        return mm_fail(f, "format '%s' is neither coordinate nor array", words[2]);
    if (field < 0)
        return mm_fail(f, "field '%s' is none of real, complex, integer, pattern", words[3]);
    if (symmetry < 0)
        return mm_fail(f,
                       "symmetry '%s' is none of general, symmetric, hermitian, "
                       "skew-symmetric",
                       words[4]);
    f->format = (enum mm_format)format;
    f->field = (enum mm_field)field;
    f->symmetry = (enum mm_symmetry)symmetry;
    return check_combination(f);
}

/* Lines of an array file: all elements, or those of the triangle that is stored. An overflow
 * stands for more than any machine holds, which mm_read() refuses. */
static int64_t array_entries(const struct mm_file *f)
{
    int64_t all, off_diagonal;
    if (__builtin_mul_overflow(f->m, f->n, &all))
        return INT64_MAX;
    off_diagonal = (all - f->n) / 2;
    return f->symmetry == MM_GENERAL ? all
           : f->symmetry == MM_SKEW  ? off_diagonal
                                     : off_diagonal + f->n;
}

static bool read_sizes(struct mm_file *f)
{
    static const char *const what[] = {"rows", "columns", "entries"};
    int wanted = f->format == MM_COORDINATE ? 3 : 2;
    do {
        if (!mm_next_line(f)) {
            if (f->line < 0)
                return false;
            f->line++;
            return mm_fail(f, "the file ends before the line with the sizes");
        }
    } while (f->text[strspn(f->text, " \t")] == '%');
    int64_t size[3] = {0};
    char *rest, *word = strtok_r(f->text, " \t", &rest);
    for (int i = 0; i < wanted; i++, word = strtok_r(NULL, " \t", &rest)) {
        if (!word)
            return mm_fail(f, "the number of %s is missing", what[i]);
        if (!parse_integer(word, 0, INT64_MAX, &size[i]))
            return mm_fail(f, "'%.40s' where the number of %s must stand", word, what[i]);
    }
    if (word)
        return mm_fail(f, "'%s' after the sizes", word);
    f->m = size[0];
    f->n = size[1];
    if (f->symmetry != MM_GENERAL && f->m != f->n)
        return mm_fail(f, "a %s matrix must be square, not %lld x %lld", symmetries[f->symmetry],
                       (long long)f->m, (long long)f->n);
    f->entries = f->format == MM_COORDINATE ? size[2] : array_entries(f);
    return true;
}

bool mm_open(struct mm_file *f, const char *path)
{
    struct stat status;
    *f = (struct mm_file){.path = path, .stream = fopen(path, "r")};
    if (!f->stream || fstat(fileno(f->stream), &status)) {
        report("%s: %s", path, strerror(errno));
        mm_close(f);
        return false;
    }
    if (S_ISDIR(status.st_mode)) {
        report("%s: %s", path, strerror(EISDIR));
        mm_close(f);
        return false;
    }
    if (read_banner(f) && read_sizes(f))
        return true;
    mm_close(f);
    return false;
}

void mm_close(struct mm_file *f)
{
    if (f->stream)
        fclose(f->stream);
    f->stream = NULL;
}

const char *mm_words(const struct mm_file *f, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s %s %s", formats[f->format], fields[f->field],
             symmetries[f->symmetry]);
    return buffer;
}
