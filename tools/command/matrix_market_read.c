/*
 * Matrix Market files: the entries.
 */
#include "command.h"
#include "matrix_market.h"
#include "measure.h"
#include "scalar.h"

#include <complex.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The next number on the line, from *at on. */
static bool read_number(const struct mm_file *f, startile_dtype dtype, char **at, double *value)
{
    char *end;
    *at += strspn(*at, " \t");
    int length = (int)strcspn(*at, " \t");
    if (!length)
        return mm_fail(f, "a value is missing");
    *value = strtod(*at, &end);
    if (end != *at + length)
        return mm_fail(f, "'%.*s' is not a number", length > 40 ? 40 : length, *at);
    if (f->field == MM_INTEGER && *value != floor(*value))
        return mm_fail(f, "'%.*s' is not an integer", length > 40 ? 40 : length, *at);
    if (!isfinite(*value))
        return mm_fail(f, "'%.*s' is not finite", length > 40 ? 40 : length, *at);
    if (dtype_is_single(dtype) && fabs(*value) > FLT_MAX)
        return mm_fail(f, "%g is too large for single precision", *value);
    *at = end;
    return true;
}

static bool read_index(const struct mm_file *f, const char *what, int64_t limit, char **at,
                       int64_t *index)
{
    char *end;
    *at += strspn(*at, " \t");
    int length = (int)strcspn(*at, " \t");
    errno = 0;
    long long value = strtoll(*at, &end, 10);
    if (!length || end != *at + length)
        return mm_fail(f, "'%.*s' where the %s index must stand", length > 40 ? 40 : length, *at,
                       what);
    if (errno || value > limit)
        return mm_fail(f, "%s index %.*s exceeds %lld %ss", what, length > 40 ? 40 : length, *at,
                       (long long)limit, what);
    if (value < 1)
        return mm_fail(f, "%s index %lld is less than 1", what, value);
    *index = value - 1;
    *at = end;
    return true;
}

/* The value at the end of the line. */
static bool read_value(const struct mm_file *f, startile_dtype dtype, char *at,
                       double _Complex *value)
{
    double re = 1, im = 0;
    if (f->field != MM_PATTERN && !read_number(f, dtype, &at, &re))
        return false;
    if (f->field == MM_COMPLEX && !read_number(f, dtype, &at, &im))
        return false;
    at += strspn(at, " \t");
    if (*at)
        return mm_fail(f, "'%.40s' after the entry", at);
    *value = CMPLX(re, im);
    return true;
}

/* What the symmetry allows at (i, j). */
static bool check_position(const struct mm_file *f, int64_t i, int64_t j, double _Complex value)
{
    if (f->symmetry == MM_GENERAL)
        return true;
    if (i < j)
        return mm_fail(f,
                       "entry (%lld, %lld) is above the diagonal: only the lower triangle is "
                       "stored in such a file",
                       (long long)i + 1, (long long)j + 1);
    if (i == j && f->symmetry == MM_SKEW)
        return mm_fail(f, "entry (%lld, %lld): a skew-symmetric matrix has no diagonal",
                       (long long)i + 1, (long long)j + 1);
    if (i == j && f->symmetry == MM_HERMITIAN && cimag(value) != 0)
        return mm_fail(f, "entry (%lld, %lld): the diagonal of a hermitian matrix is real",
                       (long long)i + 1, (long long)j + 1);
    return true;
}

static bool add_element(const struct mm_file *f, startile_dtype dtype, void *a, int64_t i,
                        int64_t j, double _Complex value)
{
    size_t at = (size_t)i + (size_t)j * (size_t)f->m;
    element_set(dtype, a, at, element_get(dtype, a, at) + value);
    double _Complex sum = element_get(dtype, a, at);
    if (!isfinite(creal(sum)) || !isfinite(cimag(sum)))
        return mm_fail(f, "the entries at (%lld, %lld) add up to more than fits", (long long)i + 1,
                       (long long)j + 1);
    return true;
}

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

/* The next line with an entry; comments may stand between entries too. */
static bool next_entry(struct mm_file *f, int64_t found)
{
    do {
        if (!mm_next_line(f)) {
            if (f->line < 0)
                return false;
            f->line++;
            return mm_fail(f, "the file ends after %lld of %lld entries", (long long)found,
                           (long long)f->entries);
        }
    } while (f->text[strspn(f->text, " \t")] == '%');
    return true;
}

static bool read_coordinates(struct mm_file *f, startile_dtype dtype, void *a)
{
    for (int64_t e = 0; e < f->entries; e++) {
        char *at = f->text;
        int64_t i, j;
        double _Complex value;
        if (!next_entry(f, e) || !read_index(f, "row", f->m, &at, &i) ||
            !read_index(f, "column", f->n, &at, &j) || !read_value(f, dtype, at, &value) ||
            !add_entry(f, dtype, a, i, j, value))
            return false;
    }
    return true;
}

static bool read_array(struct mm_file *f, startile_dtype dtype, void *a)
{
    int64_t found = 0;
    for (int64_t j = 0; j < f->n; j++) {
        int64_t first = f->symmetry == MM_GENERAL ? 0 : f->symmetry == MM_SKEW ? j + 1 : j;
        for (int64_t i = first; i < f->m; i++) {
            double _Complex value;
            if (!next_entry(f, found++) || !read_value(f, dtype, f->text, &value) ||
                !add_entry(f, dtype, a, i, j, value))
                return false;
        }
    }
    return true;
}

/* A header may ask for anything: compared with the machine before anything is allocated. */
static bool check_size(const struct mm_file *f, startile_dtype dtype, int copies)
{
    double bytes = (double)f->m * (double)f->n * (double)dtype_size(dtype);
    double total = (double)memory_total();
    if (bytes * copies <= total)
        return true;
    return mm_fail(f, "%lld x %lld dense needs %.3g GiB and this machine has %.3g", (long long)f->m,
                   (long long)f->n, bytes * copies / 0x1p30, total / 0x1p30);
}

static bool read_entries(struct mm_file *f, startile_dtype dtype, void *a)
{
    bool good =
        f->format == MM_COORDINATE ? read_coordinates(f, dtype, a) : read_array(f, dtype, a);
    while (good && mm_next_line(f))
        if (f->text[strspn(f->text, " \t")] != '%')
            good = mm_fail(f, "more than the %lld entries that the sizes announce",
                           (long long)f->entries);
    return good && f->line >= 0;
}

bool mm_read(struct mm_file *f, startile_dtype dtype, int copies, void **a)
{
    *a = NULL;
    if (!check_size(f, dtype, copies))
        return false;
    if (f->m && f->n) {
        *a = calloc((size_t)f->m * (size_t)f->n, dtype_size(dtype));
        if (!*a)
            return mm_fail(f, "no memory for %lld x %lld elements", (long long)f->m,
                           (long long)f->n);
    }
    if (read_entries(f, dtype, *a))
        return true;
    free(*a);
    *a = NULL;
    return false;
}
