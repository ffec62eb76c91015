/* Functions that the typed entries for batches share. Compiled once, not per type. */
#include "batch_call.h"
#include "data/pointer.h"
#include "models/tile_size.h"

#include <limits.h>
#include <stdlib.h>

int64_t size_at(struct extent n, int64_t i)
{
    return n.each != NULL ? n.each[i] : n.all;
}

/* -- checks --------------------------------------------------------------------------------- */

struct call call_begin(int64_t count)
{
    return (struct call){.count = count, .next = 1};
}

/* Records argument number `at` as wrong if `wrong`, unless an earlier argument is wrong. */
static void reject_if(struct call *c, int at, bool wrong)
{
    if (wrong && c->status == 0)
        c->status = -at;
}

void check_letter(struct call *c, char letter, const char *letters)
{
    reject_if(c, c->next++, !is_letter(letter, letters));
}

void check_extent(struct call *c, struct extent n)
{
    int at = c->next++;
    if (!n.varies) {
        reject_if(c, at, n.all < 0);
        return;
    }
    if (n.each == NULL) {
        reject_if(c, at, c->count > 0);
        return;
    }
    for (int64_t i = 0; i < c->count; i++)
        reject_if(c, at, n.each[i] < 0);
}

void check_scalar(struct call *c)
{
    c->next++;
}

static bool has_elements(struct extent m, struct extent n, int64_t i)
{
    return size_at(m, i) > 0 && size_at(n, i) > 0;
}

/* Returns whether a matrix with elements has no storage (NULL). */
static bool is_missing(const struct call *c, struct extent m, struct extent n,
                       const struct storage *s)
{
    for (int64_t i = 0; i < c->count; i++)
        if (has_elements(m, n, i) &&
            (s->form == STRIDED ? s->a == NULL : s->each == NULL || s->each[i] == NULL))
            return true;
    return false;
}

/* Returns whether the leading dimension of a matrix is invalid. */
static bool has_wrong_ld(const struct call *c, struct extent m, const struct storage *s)
{
    if (s->form != SIZES)
        return !is_leading_dimension(s->ld, m.all);
    for (int64_t i = 0; i < c->count; i++)
        if (s->lds == NULL || !is_leading_dimension(s->lds[i], size_at(m, i)))
            return true;
    return false;
}

/* Returns whether a dimension or the number of elements of a matrix exceeds INT_MAX. */
static bool is_too_large(const struct call *c, struct extent m, struct extent n,
                         const struct storage *s)
{
    int64_t matrices = s->form == SIZES ? c->count : 1;
    for (int64_t i = 0; i < matrices; i++)
        if (size_at(m, i) > INT_MAX || size_at(n, i) > INT_MAX ||
            size_at(m, i) * size_at(n, i) > INT_MAX)
            return true;
    return false;
}

/* Returns whether a strided matrix spans 2³¹ or more elements from its first to its last. */
static bool is_too_long(struct extent m, struct extent n, const struct storage *s)
{
    return s->form == STRIDED && m.all > 0 && n.all > 0 && (n.all - 1) * s->ld + m.all > INT_MAX;
}

/* Returns whether strided matrices overlap, or the stride exceeds INT_MAX. Stride 0 is right for
 * matrices that are only read. */
static bool is_wrong_stride(const struct call *c, struct extent m, struct extent n,
                            const struct storage *s, bool is_written)
{
    if (c->count < 2 || m.all == 0 || n.all == 0 || (s->stride == 0 && !is_written))
        return false;
    return s->stride < (n.all - 1) * s->ld + m.all || s->stride > INT_MAX;
}

void check_storage(struct call *c, struct extent m, struct extent n, struct storage *s,
                   bool is_written)
{
    s->at = c->next;
    /* strided: a, ld, stride; else: array of pointers, ld */
    c->next += s->form == STRIDED ? 3 : 2;
    if (c->status != 0)
        return;
    reject_if(c, s->at, is_missing(c, m, n, s));
    reject_if(c, s->at, is_too_large(c, m, n, s));
    if (c->status != 0)
        return;
    reject_if(c, s->at + 1, has_wrong_ld(c, m, s) || is_too_long(m, n, s));
    if (c->status != 0) /* is_wrong_stride() would overflow */
        return;
    reject_if(c, s->at + 2, s->form == STRIDED && is_wrong_stride(c, m, n, s, is_written));
}

void check_columns(struct call *c, struct extent m, struct storage *s, bool is_written)
{
    s->at = c->next;
    /* strided: a, stride; else: array of pointers */
    c->next += s->form == STRIDED ? 2 : 1;
    if (c->status != 0)
        return;
    s->ld = m.all > 1 ? m.all : 1;
    reject_if(c, s->at, is_missing(c, m, one_size(1), s));
    reject_if(c, s->at + 1,
              s->form == STRIDED && is_wrong_stride(c, m, one_size(1), s, is_written));
}

void check_vectors(struct call *c, struct extent n, struct storage *s, bool is_written)
{
    check_storage(c, one_size(1), n, s, is_written);
}

void check_numbers(struct call *c, const void *numbers)
{
    reject_if(c, c->next++, numbers == NULL && c->count > 0);
}

bool call_enter(struct call *c)
{
    reject_if(c, c->next, c->count < 0);
    if (c->status != 0 || c->count == 0)
        return false;
    c->status = lapack_enter();
    c->entered = c->status == 0;
    return c->entered;
}

/* -- extents -------------------------------------------------------------------------------- */

/* Returns max(m, n) if `larger`, else min(m, n), matrix by matrix. call_end() frees the array. */
static struct extent combine_extents(struct call *c, struct extent m, struct extent n, bool larger)
{
    bool varies = m.each != NULL && n.each != NULL && c->count > 0;
    int64_t *result = varies ? malloc((size_t)c->count * sizeof *result) : NULL;
    if (!varies || c->status != 0) {
        free(result);
        return one_size((m.all > n.all) == larger ? m.all : n.all);
    }
    if (result == NULL) {
        c->status = STARTILE_ERROR_MEMORY;
        return each_size(NULL);
    }
    for (int64_t i = 0; i < c->count; i++)
        result[i] = (m.each[i] > n.each[i]) == larger ? m.each[i] : n.each[i];
    c->extent[c->computed++] = result;
    return each_size(result);
}

struct extent smaller_extent(struct call *c, struct extent m, struct extent n)
{
    return combine_extents(c, m, n, false);
}

struct extent larger_extent(struct call *c, struct extent m, struct extent n)
{
    return combine_extents(c, m, n, true);
}

/* -- few large matrices ---------------------------------------------------------------------- */

void *matrix_at(const struct storage *s, int64_t i, size_t size)
{
    if (s->form == STRIDED)
        return (char *)s->a + (size_t)(i * s->stride) * size;
    return s->each != NULL ? s->each[i] : NULL; /* NULL for matrices without elements */
}

int64_t ld_at(const struct storage *s, int64_t i)
{
    return s->form == SIZES ? s->lds[i] : s->ld;
}

bool call_is_one_by_one(const struct call *c, struct extent m, struct extent n,
                        const struct storage *a)
{
    int64_t least = INT64_MAX;
    /* the condition also ends the loop early if there are many matrices */
    for (int64_t i = 0; i < c->count && least > 0 && cores_share_each(c->count, least); i++) {
        int64_t rows = size_at(m, i), columns = size_at(n, i),
                smaller = rows < columns ? rows : columns;
        least = smaller < least ? smaller : least;
    }
    return cores_share_each(c->count, least) && !is_gpu_memory(matrix_at(a, 0, 1));
}

void call_record(struct call *c, int64_t *info, int64_t i, int64_t returned)
{
    if (returned < 0)
        c->status = returned;
    else if (info != NULL)
        info[i] = returned;
    if (returned > 0 && c->status == 0)
        c->status = i + 1;
}

/* -- batches -------------------------------------------------------------------------------- */

/* Returns the batch whose chunks a new batch copies, or NULL for the first batch of the call. */
static const startile_batch *first_batch(const struct call *c)
{
    return c->made > 0 ? c->batch[0] : NULL;
}

/* Keeps a new batch until call_end(), or records its constructor's failure. A constructor's wrong
 * argument is reported as argument number `at`, the matrices. */
static startile_batch *keep_batch(struct call *c, startile_batch *b, int status, int at)
{
    if (status != 0) {
        c->status = status > STARTILE_ERROR_FIRST ? -at : status;
        return NULL;
    }
    c->batch[c->made++] = b;
    return b;
}

/* Allocates an array of c->count elements equal to `value`. */
static int64_t *array_of(const struct call *c, int64_t value)
{
    int64_t *array = malloc((size_t)c->count * sizeof *array);
    if (array == NULL)
        return NULL;
    for (int64_t i = 0; i < c->count; i++)
        array[i] = value;
    return array;
}

/* Creates a batch on the storage. Returns 0, −i for a wrong argument of its constructor, or a
 * startile_error. */
static int wrap(const struct call *c, startile_batch **b, startile_dtype dtype, struct extent m,
                struct extent n, const struct storage *s)
{
    switch (s->form) {
    case STRIDED:
        return startile_batch_wrap(b, dtype, c->count, m.all, n.all, s->a, s->ld, s->stride, 0,
                                   first_batch(c));
    case POINTERS:
        return startile_batch_wrap_pointers(b, dtype, c->count, m.all, n.all, s->each, s->ld, 0,
                                            first_batch(c));
    default:
        return startile_batch_wrap_sizes(b, dtype, c->count, m.each, n.each, s->each, s->lds, 0,
                                         first_batch(c));
    }
}

startile_batch *call_matrices(struct call *c, startile_dtype dtype, struct extent m,
                              struct extent n, const struct storage *s)
{
    startile_batch *b = NULL;
    if (c->status != 0)
        return NULL;
    int status = wrap(c, &b, dtype, m, n, s);
    return keep_batch(c, b, status, s->at);
}

/* Wraps columns or vectors of different lengths: one dimension varies, the other is 1. */
static startile_batch *wrap_lines(struct call *c, startile_dtype dtype, struct extent m,
                                  struct extent n, const struct storage *s)
{
    startile_batch *b = NULL;
    int64_t *ones = array_of(c, 1);
    struct extent one = each_size(ones);
    struct storage lines = *s;
    struct extent ld = s->lds != NULL ? each_size(s->lds) : larger_extent(c, m, one);
    lines.lds = ld.each;
    int status = ones == NULL || lines.lds == NULL ? STARTILE_ERROR_MEMORY
                                                   : wrap(c, &b, dtype, m.each != NULL ? m : one,
                                                          n.each != NULL ? n : one, &lines);
    free(ones);
    return keep_batch(c, b, status, s->at);
}

startile_batch *call_columns(struct call *c, startile_dtype dtype, struct extent m,
                             const struct storage *s)
{
    startile_batch *b = NULL;
    if (c->status != 0)
        return NULL;
    struct storage columns = *s;
    if (m.each != NULL) {
        columns.form = SIZES;
        return wrap_lines(c, dtype, m, one_size(1), &columns);
    }
    int status = wrap(c, &b, dtype, m, one_size(1), s);
    return keep_batch(c, b, status, s->at);
}

startile_batch *call_vectors(struct call *c, startile_dtype dtype, struct extent n,
                             const struct storage *s)
{
    if (c->status != 0 || s->form != SIZES)
        return call_matrices(c, dtype, one_size(1), n, s);
    return wrap_lines(c, dtype, one_size(1), n, s);
}

startile_batch *call_integers(struct call *c, struct extent m, const struct storage *s)
{
    startile_batch *b = NULL;
    int status;
    if (c->status != 0)
        return NULL;
    if (s->form == STRIDED) {
        status =
            startile_batch_wrap_integers(&b, c->count, m.all, s->a, s->stride, 0, first_batch(c));
    } else {
        int64_t *equal_rows = m.each == NULL ? array_of(c, m.all) : NULL;
        const int64_t *rows = m.each == NULL ? equal_rows : m.each;
        status = rows == NULL ? STARTILE_ERROR_MEMORY
                              : startile_batch_wrap_integer_pointers(&b, c->count, rows,
                                                                     (int64_t *const *)s->each, 0,
                                                                     first_batch(c));
        free(equal_rows);
    }
    return keep_batch(c, b, status, s->at);
}

startile_batch *call_info(struct call *c, int64_t *info)
{
    startile_batch *b = NULL;
    if (c->status != 0)
        return NULL;
    int status = startile_batch_wrap_integers(&b, c->count, 1, info, 1, 0, first_batch(c));
    return keep_batch(c, b, status, c->next - 1);
}

startile_batch *call_numbers(struct call *c, startile_dtype dtype, void *numbers)
{
    startile_batch *b = NULL;
    if (c->status != 0)
        return NULL;
    int status = startile_batch_wrap(&b, dtype, c->count, 1, 1, numbers, 1, 1, 0, first_batch(c));
    return keep_batch(c, b, status, c->next - 1);
}

startile_batch *call_scalar(struct call *c, startile_dtype dtype, const void *scalar)
{
    startile_batch *b = NULL;
    if (c->status != 0)
        return NULL;
    int status =
        startile_batch_wrap(&b, dtype, c->count, 1, 1, (void *)scalar, 1, 0, 0, first_batch(c));
    return keep_batch(c, b, status, 1); /* 1 is not used: no argument of this wrap can be wrong */
}

int64_t call_end(struct call *c)
{
    for (int i = c->made - 1; i >= 0; i--)
        startile_batch_destroy(c->batch[i]);
    for (int i = 0; i < c->computed; i++)
        free(c->extent[i]);
    if (c->entered)
        lapack_leave();
    return c->status;
}
