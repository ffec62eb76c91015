/*
 * Reads Matrix Market files.
 */
#include "command.h"
#include "matrix_market.h"
#include "measure.h"
#include "scalar.h"

#include <complex.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    report("%s:%" PRId64 ": %s", f->name, f->line, reason);
    return false;
}

/* Result of reading a line. MM_TEXT: a line; MM_END: end of the file; MM_BAD: a failure, which has
 * been reported */
enum mm_line { MM_TEXT, MM_END, MM_BAD };

/* -- lines ---------------------------------------------------------------------------------- */

/* Returns the reason why gzgets() read no line: MM_END, or MM_BAD after a report. */
static enum mm_line end_or_error(const struct mm_file *f)
{
    int error;
    (void)gzerror(f->stream, &error);
    if (error == Z_OK || error == Z_STREAM_END)
        return MM_END;
    report("%s: %s", f->name,
           error == Z_ERRNO       ? strerror(errno)
           : error == Z_BUF_ERROR ? "the compressed file is not complete"
                                  : "the compressed file is damaged");
    return MM_BAD;
}

/* Reads the next line, also a blank one or a comment, without its line end. At the end of the file
 * the line number is that of the last line plus one. */
static enum mm_line next_raw_line(struct mm_file *f)
{
    f->line++;
    f->text[0] = '\0';
    if (!gzgets(f->stream, f->text, sizeof f->text))
        return end_or_error(f);
    size_t length = strlen(f->text);
    if (!length || (f->text[length - 1] != '\n' && !gzeof(f->stream))) {
        mm_fail(f, length < MM_LINE ? "not a text file" : "line longer than 1024 characters");
        return MM_BAD;
    }
    while (length && strchr("\r\n", f->text[length - 1]))
        f->text[--length] = '\0';
    return MM_TEXT;
}

/* Reads the next line that is neither blank nor a comment, without its line end. */
static enum mm_line next_line(struct mm_file *f)
{
    for (;;) {
        enum mm_line status = next_raw_line(f);
        char first = f->text[strspn(f->text, " \t")];
        if (status != MM_TEXT || (first != '\0' && first != '%'))
            return status;
    }
}

/* -- banner and sizes ----------------------------------------------------------------------- */

/* Cuts the text into at most `most` words. Returns their number. Missing words are empty strings.
 */
static int split(char *text, char **words, int most)
{
    static char empty[1];
    char *strtok_state, *word = strtok_r(text, " \t", &strtok_state);
    int count = 0;
    for (int i = 0; i < most; i++) {
        count += word != NULL;
        words[i] = word ? word : empty;
        word = word ? strtok_r(NULL, " \t", &strtok_state) : NULL;
    }
    return count;
}

/* Returns the index of the word in a list that ends with NULL, or −1. Ignores the case of letters,
 * as the format requires. */
static int find_word(const char *word, const char *const *list)
{
    for (int i = 0; list[i]; i++)
        if (!strcasecmp(word, list[i]))
            return i;
    return -1;
}

/* Refuses combinations of format, field and symmetry that the format does not define. */
static bool check_combination(const struct mm_file *f)
{
    if (f->field == MM_PATTERN && f->format == MM_ARRAY)
        return mm_fail(f, "an array file cannot be a pattern");
    if (f->field == MM_PATTERN && f->symmetry >= MM_HERMITIAN)
        return mm_fail(f, "a pattern file cannot be %s", symmetries[f->symmetry]);
    if (f->symmetry == MM_HERMITIAN && f->field != MM_COMPLEX)
        return mm_fail(f, "a hermitian file must be complex, not %s", fields[f->field]);
    return true;
}

/* Reads the first line. */
static bool read_banner(struct mm_file *f)
{
    char *words[6];
    enum mm_line status = next_raw_line(f);
    if (status != MM_TEXT)
        return status == MM_END && mm_fail(f, "the file is empty");
    int count = split(f->text, words, 6);
    if (!count || strcasecmp(words[0], "%%MatrixMarket"))
        return mm_fail(f, "not a Matrix Market file: the first line must begin with "
                          "%%%%MatrixMarket");
    if (count != 5 || strcasecmp(words[1], "matrix"))
        return mm_fail(f, "the first line must read: %%%%MatrixMarket matrix FORMAT FIELD "
                          "SYMMETRY");
    int format = find_word(words[2], formats), field = find_word(words[3], fields);
    int symmetry = find_word(words[4], symmetries);
    if (format < 0)
        return mm_fail(f, "format '%s' is neither coordinate nor array", words[2]);
    if (field < 0)
        return mm_fail(f, "field '%s' is none of real, complex, integer, pattern", words[3]);
    if (symmetry < 0)
        return mm_fail(f, "symmetry '%s' is none of general, symmetric, hermitian, skew-symmetric",
                       words[4]);
    f->format = (enum mm_format)format;
    f->field = (enum mm_field)field;
    f->symmetry = (enum mm_symmetry)symmetry;
    return check_combination(f);
}

/* Returns the number of entries of an array file: all elements, or those of the stored triangle.
 * Returns INT64_MAX if the number overflows; mm_read() refuses such a matrix. */
static int64_t array_entries(const struct mm_file *f)
{
    int64_t all;
    if (__builtin_mul_overflow(f->m, f->n, &all))
        return INT64_MAX;
    int64_t off_diagonal = (all - f->n) / 2;
    return f->symmetry == MM_GENERAL ? all
           : f->symmetry == MM_SKEW  ? off_diagonal
                                     : off_diagonal + f->n;
}

/* Reads the line with the numbers of rows, columns and, in a coordinate file, entries. */
static bool read_sizes(struct mm_file *f)
{
    static const char *const names[] = {"rows", "columns", "entries"};
    int wanted = f->format == MM_COORDINATE ? 3 : 2;
    int64_t size[3] = {0};
    char *words[4];
    enum mm_line status = next_line(f);
    if (status != MM_TEXT)
        return status == MM_END && mm_fail(f, "the file ends before the line with the sizes");
    int count = split(f->text, words, 4);
    for (int i = 0; i < wanted; i++) {
        if (i >= count)
            return mm_fail(f, "the number of %s is missing", names[i]);
        if (!parse_integer(words[i], 0, INT64_MAX, &size[i]))
            return mm_fail(f, "'%.40s' where the number of %s must stand", words[i], names[i]);
    }
    if (count > wanted)
        return mm_fail(f, "'%s' after the sizes", words[wanted]);
    f->m = size[0];
    f->n = size[1];
    if (f->symmetry != MM_GENERAL && f->m != f->n)
        return mm_fail(f, "a %s matrix must be square, not %" PRId64 " x %" PRId64,
                       symmetries[f->symmetry], f->m, f->n);
    f->entries = f->format == MM_COORDINATE ? size[2] : array_entries(f);
    return true;
}

/* -- files ---------------------------------------------------------------------------------- */

const char *mm_name(const char *path)
{
    return strcmp(path, "-") ? path : "standard input";
}

bool mm_open(struct mm_file *f, const char *path)
{
    struct stat status;
    *f = (struct mm_file){.name = mm_name(path)};
    errno = 0;
    /* zlib also reads files that are not compressed. */
    f->stream = f->name == path ? gzopen(path, "r") : gzdopen(dup(STDIN_FILENO), "r");
    bool is_folder = f->stream && !stat(path, &status) && S_ISDIR(status.st_mode);
    if (!f->stream || is_folder)
        report("%s: %s", f->name, strerror(is_folder ? EISDIR : errno ? errno : ENOMEM));
    else if (read_banner(f) && read_sizes(f))
        return true;
    mm_close(f);
    return false;
}

void mm_close(struct mm_file *f)
{
    if (f->stream)
        gzclose_r(f->stream);
    f->stream = NULL;
}

void mm_describe(const struct mm_file *f, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s %s %s", formats[f->format], fields[f->field],
             symmetries[f->symmetry]);
}

/* -- an entry -------------------------------------------------------------------------------- */

/* Returns the number in the word, which may have Fortran's exponent letter D. Changes the word
 * during the call. */
static double number_of(char *word)
{
    char *letter = strpbrk(word, "dD");
    if (!letter)
        return strtod(word, NULL);
    char original = *letter;
    *letter = 'e';
    double value = strtod(word, NULL);
    *letter = original;
    return value;
}

/* Reads a value. Refuses one that is not finite in the matrix' precision, and fractions in an
 * integer file. */
static bool read_number(const struct mm_file *f, startile_dtype dtype, char *word, double *value)
{
    if (!*word)
        return mm_fail(f, "a value is missing");
    if (!is_number(word, "eEdD"))
        return mm_fail(f, "'%.40s' is not a number", word);
    *value = number_of(word);
    if (f->field == MM_INTEGER && *value != floor(*value))
        return mm_fail(f, "'%.40s' is not an integer", word);
    if (!isfinite(*value))
        return mm_fail(f, "'%.40s' is not finite", word);
    if (dtype_is_single(dtype) && fabs(*value) > FLT_MAX)
        return mm_fail(f, "%g is too large for single precision", *value);
    return true;
}

/* Reads a row or column index, which the file counts from 1. Stores it counted from 0. */
static bool read_index(const struct mm_file *f, const char *kind, int64_t limit, const char *word,
                       int64_t *index)
{
    errno = 0;
    int64_t value = strtoll(word, NULL, 10);
    if (!is_integer(word))
        return mm_fail(f, "'%.40s' where the %s index must stand", word, kind);
    if (errno || value > limit)
        return mm_fail(f, "%s index %.40s exceeds %" PRId64 " %ss", kind, word, limit, kind);
    if (value < 1)
        return mm_fail(f, "%s index %" PRId64 " is less than 1", kind, value);
    *index = value - 1;
    return true;
}

/* Reads the entry in the line f->text: in a coordinate file the two indices, and in all files the
 * value, which is 1 in a pattern file. */
static bool read_entry(struct mm_file *f, startile_dtype dtype, int64_t *i, int64_t *j,
                       double _Complex *value)
{
    char *words[5], **word = words;
    double re = 1, im = 0;
    split(f->text, words, 5);
    if (f->format == MM_COORDINATE &&
        (!read_index(f, "row", f->m, *word++, i) || !read_index(f, "column", f->n, *word++, j)))
        return false;
    if (f->field != MM_PATTERN && !read_number(f, dtype, *word++, &re))
        return false;
    if (f->field == MM_COMPLEX && !read_number(f, dtype, *word++, &im))
        return false;
    *value = CMPLX(re, im);
    return !**word || mm_fail(f, "'%.40s' after the entry", *word);
}

/* -- the matrix ----------------------------------------------------------------------------- */

/* Checks that the file's symmetry allows this entry at (i, j). */
static bool check_position(const struct mm_file *f, int64_t i, int64_t j, double _Complex value)
{
    const char *fault = f->symmetry == MM_GENERAL ? NULL
                        : i < j
                            ? " is above the diagonal: such a file stores the lower triangle only"
                        : i > j                  ? NULL
                        : f->symmetry == MM_SKEW ? ": a skew-symmetric matrix has no diagonal"
                        : f->symmetry == MM_HERMITIAN && cimag(value) != 0
                            ? ": the diagonal of a hermitian matrix is real"
                            : NULL;
    return !fault || mm_fail(f, "entry (%" PRId64 ", %" PRId64 ")%s", i + 1, j + 1, fault);
}

/* a_ij += value; refuses a sum that overflows. */
static bool add_element(const struct mm_file *f, startile_dtype dtype, void *a, int64_t i,
                        int64_t j, double _Complex value)
{
    size_t at = (size_t)i + (size_t)j * (size_t)f->m;
    element_set(dtype, a, at, element_get(dtype, a, at) + value);
    double _Complex sum = element_get(dtype, a, at);
    return (isfinite(creal(sum)) && isfinite(cimag(sum))) ||
           mm_fail(f, "the sum of the entries at (%" PRId64 ", %" PRId64 ") overflows", i + 1,
                   j + 1);
}

/* Adds an entry to the matrix, and also its mirrored entry, unless the file is general or the entry
 * is on the diagonal. */
static bool add_entry(const struct mm_file *f, startile_dtype dtype, void *a, int64_t i, int64_t j,
                      double _Complex value)
{
    if (!check_position(f, i, j, value) || !add_element(f, dtype, a, i, j, value))
        return false;
    if (f->symmetry == MM_GENERAL || i == j)
        return true;
    double _Complex mirrored = f->symmetry == MM_SYMMETRIC   ? value
                               : f->symmetry == MM_HERMITIAN ? conj(value)
                                                             : -value;
    return add_element(f, dtype, a, j, i, mirrored);
}

/* Reads the line of the next entry. entries_read: number of entries before it, for the message */
static bool next_entry(struct mm_file *f, int64_t entries_read)
{
    enum mm_line status = next_line(f);
    if (status == MM_END)
        mm_fail(f, "the file ends after %" PRId64 " of %" PRId64 " entries", entries_read,
                f->entries);
    return status == MM_TEXT;
}

/* Reads all entries, and refuses further ones. An array file has the elements column by column:
 * all, or those from the diagonal down, without the diagonal if it is skew-symmetric. */
static bool read_entries(struct mm_file *f, startile_dtype dtype, void *a)
{
    int64_t i = f->symmetry == MM_SKEW, j = 0; /* position in an array file */
    for (int64_t e = 0; e < f->entries; e++) {
        double _Complex value;
        if (!next_entry(f, e) || !read_entry(f, dtype, &i, &j, &value) ||
            !add_entry(f, dtype, a, i, j, value))
            return false;
        if (f->format == MM_ARRAY && ++i == f->m) {
            j++;
            i = f->symmetry == MM_GENERAL ? 0 : j + (f->symmetry == MM_SKEW);
        }
    }
    enum mm_line status = next_line(f);
    if (status == MM_TEXT)
        mm_fail(f, "more than the %" PRId64 " entries that the sizes announce", f->entries);
    return status == MM_END;
}

bool mm_read(struct mm_file *f, startile_dtype dtype, int copies, void **a)
{
    double bytes = (double)f->m * (double)f->n * (double)dtype_size(dtype) * copies;
    double total = (double)memory_total();
    *a = NULL;
    if (bytes > total)
        return mm_fail(f,
                       "%" PRId64 " x %" PRId64 " dense needs %.3g GiB and this machine has %.3g",
                       f->m, f->n, bytes / 0x1p30, total / 0x1p30);
    if (f->m && f->n && !(*a = calloc((size_t)f->m * (size_t)f->n, dtype_size(dtype))))
        return mm_fail(f, "no memory for %" PRId64 " x %" PRId64 " elements", f->m, f->n);
    if (read_entries(f, dtype, *a))
        return true;
    free(*a);
    *a = NULL;
    return false;
}
