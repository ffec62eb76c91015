/* Copies and checksums of a journal's block columns, and copies of its extras. */
#include "journal/journal_copy.h"

#include "data/handle.h"
#include "data/matrix.h"
#include "journal/journal.h"
#include "library/error_text.h"
#include "library/integers.h"
#include "memory/disk.h"
#include "memory/file_bytes.h"
#include "task/operands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Size of the buffer for copies, in bytes, unless a column is larger. The checksums depend on it.
 */
enum { BUFFER = 1 << 20 };
enum { SAMPLE_ROWS = 64, SAMPLE_COLUMNS = 64 };

/* Columns of `bytes` bytes in a file, `step` bytes apart. */
struct place {
    int file;
    const char *name; /* of the file */
    int64_t at, step;
};

/* A block column of the view, as a rectangle of the matrix' file. */
struct rectangle {
    struct place in_matrix;
    int64_t bytes, columns; /* size of a column in bytes, number of columns */
};

static struct rectangle rectangle_of(const factorization *f, int64_t k)
{
    const startile_matrix *A = f->A;
    const startile_shape *s = &A->shape;
    bool is_column = f->V.op == 'N';
    int64_t size = startile_element_size[s->dtype];
    int64_t row = f->is_triangular ? k * s->mb : 0, column = k * s->nb;
    int64_t rows = is_column ? s->m - row : height_of(A, k);
    int64_t columns = is_column ? width_of(A, k) : s->n - column;
    int64_t at = store_first_offset(A->store) + (column * A->lda + row) * size;
    return (struct rectangle){
        {store_file(A->store), store_name(A->store), at, A->lda * size}, rows * size, columns};
}

int64_t largest_block_column(const factorization *f)
{
    struct rectangle first = rectangle_of(f, 0); /* no later one is larger */
    return first.bytes * first.columns;
}

/* Returns 0 or STARTILE_ERROR_DISK. */
static int transfer(bool writes, const struct place *p, char *buffer, int64_t bytes,
                    int64_t columns)
{
    if (p->step == bytes) {
        bytes *= columns;
        columns = 1;
    }
    for (int64_t j = 0; j < columns; j++, buffer += bytes) {
        int64_t at = p->at + j * p->step;
        if (writes ? !write_bytes(p->file, buffer, (size_t)bytes, at)
                   : !read_bytes(p->file, buffer, (size_t)bytes, at))
            return explain_file(STARTILE_ERROR_DISK, p->name);
    }
    return 0;
}

/* Copies columns to the place `to`, or only reads them if `to` is NULL. *sum := their checksum. */
static int copy_columns(struct place from, const struct place *to, int64_t bytes, int64_t columns,
                        uint64_t *sum)
{
    int64_t at_once = max(1, bytes > 0 ? BUFFER / bytes : 1);
    char *buffer = malloc((size_t)(at_once * bytes) + 1);
    struct place target = to != NULL ? *to : from;
    int status = buffer != NULL ? 0 : STARTILE_ERROR_MEMORY;
    *sum = 0;
    for (int64_t j = 0; j < columns && status == 0; j += at_once) {
        int64_t n = min(at_once, columns - j);
        status = transfer(false, &from, buffer, bytes, n);
        if (status == 0 && to != NULL)
            status = transfer(true, &target, buffer, bytes, n);
        if (status == 0)
            *sum = journal_sum(buffer, (size_t)(n * bytes), *sum);
        from.at += n * from.step;
        target.at += n * target.step;
    }
    free(buffer);
    return status;
}

static struct place slot_of(const factorization *f, int64_t k, int64_t bytes)
{
    const struct journal *j = f->A->journal;
    return (struct place){j->file, j->path, journal_slot(j, k), bytes};
}

int sum_in_slot(const factorization *f, int64_t k, uint64_t *sum)
{
    struct rectangle r = rectangle_of(f, k);
    return copy_columns(slot_of(f, k, r.bytes), NULL, r.bytes, r.columns, sum);
}

int copy_to_slot(const factorization *f, int64_t k, uint64_t *sum)
{
    struct rectangle r = rectangle_of(f, k);
    struct place slot = slot_of(f, k, r.bytes);
    return copy_columns(r.in_matrix, &slot, r.bytes, r.columns, sum);
}

int copy_to_matrix(const factorization *f, int64_t k)
{
    uint64_t sum;
    struct rectangle r = rectangle_of(f, k);
    return copy_columns(slot_of(f, k, r.bytes), &r.in_matrix, r.bytes, r.columns, &sum);
}

int sample_of(const factorization *f, int64_t k, uint64_t *sum)
{
    struct rectangle r = rectangle_of(f, k);
    char buffer[SAMPLE_ROWS * 16]; /* 16: the largest element */
    int64_t bytes = min(r.bytes, SAMPLE_ROWS * startile_element_size[f->A->shape.dtype]);
    int64_t stride = max(1, r.columns / SAMPLE_COLUMNS);
    *sum = 0;
    for (int64_t j = 0; j < r.columns; j += stride) {
        if (!read_bytes(r.in_matrix.file, buffer, (size_t)bytes,
                        r.in_matrix.at + j * r.in_matrix.step))
            return explain_file(STARTILE_ERROR_DISK, r.in_matrix.name);
        *sum = journal_sum(buffer, (size_t)bytes, *sum);
    }
    return 0;
}

/* -- extras ---------------------------------------------------------------------------------- */

int64_t extra_bytes(const factorization *f)
{
    const startile_shape *s = &f->A->shape;
    return f->P != NULL   ? s->nb * (int64_t)sizeof(int64_t)
           : f->T != NULL ? s->nb * s->nb * startile_element_size[s->dtype]
                          : 0;
}

bool has_extra(const factorization *f, int64_t k)
{
    return k < f->panels && extra_bytes(f) > 0;
}

/* Copies a tile to the buffer (`out`), or from it. Waits for the tasks on it. */
static int copy_tile(tile t, char *buffer, bool out)
{
    starpu_data_handle_t handle = tile_handle(t);
    if (handle_acquire_in_main_memory(handle, out ? STARPU_R : STARPU_W) != 0)
        return STARTILE_ERROR_STARPU;
    size_t size = (size_t)startile_element_size[t.A->shape.dtype];
    char *p = starpu_data_handle_to_pointer(handle, STARPU_MAIN_RAM);
    size_t step = (size_t)starpu_matrix_get_local_ld(handle) * size,
           bytes = (size_t)tile_rows(t) * size;
    for (int64_t j = 0; j < tile_columns(t); j++, p += step, buffer += bytes)
        memcpy(out ? buffer : p, out ? p : buffer, bytes);
    handle_release(handle, STARPU_MAIN_RAM);
    return 0;
}

/* Returns a buffer for an extra, with zeros; NULL without memory. */
static char *new_buffer(const factorization *f)
{
    return calloc(1, (size_t)extra_bytes(f));
}

int write_extra(const factorization *f, int64_t k, uint64_t *sum)
{
    const struct journal *j = f->A->journal;
    char *buffer = new_buffer(f);
    if (buffer == NULL)
        return STARTILE_ERROR_MEMORY;
    int status = f->P != NULL ? pivots_read_panel(f->P, k, (int64_t *)(void *)buffer)
                              : copy_tile((tile){f->T, 0, k, 'N'}, buffer, true);
    *sum = journal_sum(buffer, (size_t)extra_bytes(f), 0);
    if (status == 0 && !write_bytes(j->file, buffer, (size_t)extra_bytes(f), journal_extra(j, k)))
        status = explain_file(STARTILE_ERROR_DISK, j->path);
    free(buffer);
    return status;
}

/* Reads the extra of panel k into a buffer and calls use() with it. */
static int with_extra(const factorization *f, int64_t k,
                      int (*use)(const factorization *f, int64_t k, char *extra, uint64_t sum),
                      uint64_t sum)
{
    const struct journal *j = f->A->journal;
    char *buffer = new_buffer(f);
    if (buffer == NULL)
        return STARTILE_ERROR_MEMORY;
    int status = read_bytes(j->file, buffer, (size_t)extra_bytes(f), journal_extra(j, k))
                     ? use(f, k, buffer, sum)
                     : explain_file(STARTILE_ERROR_DISK, j->path);
    free(buffer);
    return status;
}

/* Checks the checksum of panel k's extra, and that interchanges stay within the rows from the
 * panel's diagonal to the last. */
static int check(const factorization *f, int64_t k, char *extra, uint64_t sum)
{
    const startile_shape *s = &f->A->shape;
    const int64_t *ipiv = (const int64_t *)(const void *)extra;
    int64_t row = k * s->nb, pivots = f->P == NULL ? 0 : min(s->nb, min(s->m, s->n) - row);
    bool good = journal_sum(extra, (size_t)extra_bytes(f), 0) == sum;
    for (int64_t i = 0; i < pivots && good; i++)
        good = ipiv[i] > row + i && ipiv[i] <= s->m;
    return good ? 0
                : explain(STARTILE_ERROR_JOURNAL,
                          "%.700s: the interchanges or triangle of block column %lld are damaged",
                          f->A->journal->path, (long long)k);
}

static int restore(const factorization *f, int64_t k, char *extra, uint64_t sum)
{
    (void)sum;
    return f->P != NULL ? pivots_write_panel(f->P, k, (const int64_t *)(const void *)extra)
                        : copy_tile((tile){f->T, 0, k, 'N'}, extra, false);
}

int check_extra(const factorization *f, int64_t k, uint64_t sum)
{
    return with_extra(f, k, check, sum);
}

int read_extra(const factorization *f, int64_t k)
{
    return with_extra(f, k, restore, 0);
}

/* -- checksums for the option verify ----------------------------------------------------------- */

/* Copies f->sums to the buffer (`out`), or from it, tile by tile. */
static int copy_sums(const factorization *f, char *buffer, bool out)
{
    const startile_shape *s = &f->sums->shape;
    int status = 0;
    for (int64_t i = 0; i < s->mt && status == 0; i++) {
        tile t = {f->sums, i, 0, 'N'};
        status = copy_tile(t, buffer, out);
        buffer += tile_rows(t) * s->n * (int64_t)sizeof(double);
    }
    return status;
}

static int64_t size_of_sums(const factorization *f)
{
    return f->sums == NULL ? 0 : f->sums->shape.m * f->sums->shape.n * (int64_t)sizeof(double);
}

int copy_of_sums(const factorization *f, void **sums, int64_t *bytes)
{
    *bytes = size_of_sums(f);
    *sums = calloc(1, (size_t)*bytes + 1); /* + 1, because calloc() may return NULL for 0 bytes */
    if (*sums == NULL)
        return STARTILE_ERROR_MEMORY;
    return f->sums == NULL ? 0 : copy_sums(f, *sums, true);
}

int read_sums(const factorization *f)
{
    const struct journal *j = f->A->journal;
    int64_t bytes = size_of_sums(f);
    if (bytes == 0)
        return 0;
    double *sums = malloc((size_t)bytes);
    if (sums == NULL)
        return STARTILE_ERROR_MEMORY;
    int status = 0;
    if (j->header.sums_bytes == 0)
        for (int64_t i = 0; i < bytes / (int64_t)sizeof *sums; i++)
            sums[i] = NAN;
    else if (j->header.sums_bytes != bytes || !journal_read_sums(j, sums))
        status = explain(STARTILE_ERROR_JOURNAL, "%.700s: the checksums are damaged", j->path);
    if (status == 0)
        status = copy_sums(f, (char *)sums, false);
    free(sums);
    return status;
}
