/* The file of a journal: reader and writer. */
#define _GNU_SOURCE /* fallocate(), O_CLOEXEC */
#include "journal/journal_file.h"

#include "library/error_text.h"
#include "memory/file_bytes.h"
#include "startile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* First bytes of a journal, "STARTJNL" on a little-endian machine. */
static const uint64_t MAGIC = 0x4c4e4a5452415453u;

/* -- reading --------------------------------------------------------------------------------- */

bool journal_read_samples(const struct journal *j, uint64_t *samples)
{
    return read_bytes(j->file, samples, (size_t)j->header.columns * sizeof *samples,
                      journal_samples_at(&j->header));
}

bool journal_read_sums(const struct journal *j, void *sums)
{
    size_t bytes = (size_t)j->header.sums_bytes;
    return read_bytes(j->file, sums, bytes, journal_sums_at(&j->header)) &&
           journal_sum(sums, bytes, 0) == j->header.sum_of_sums;
}

/* Returns whether the sizes are possible for a file of `bytes` bytes. */
static bool has_sane_sizes(const struct journal_header *h, int64_t bytes)
{
    /* 2^40 bytes and 2^20 pieces: the products fit 64 bits */
    const int64_t most_bytes = (int64_t)1 << 40, most = 1 << 20;
    return h->columns > 0 && h->columns <= most && h->panels >= 0 && h->panels <= h->columns &&
           h->group > 0 && h->group <= most && h->extra_bytes >= 0 &&
           h->extra_bytes <= most_bytes && h->slot_bytes >= 0 && h->slot_bytes <= most_bytes &&
           h->sums_bytes >= 0 && h->sums_bytes <= most_bytes &&
           memchr(h->key.routine, '\0', sizeof h->key.routine) != NULL && journal_bytes(h) <= bytes;
}

static int read_header(struct journal *j)
{
    struct journal_header *h = &j->header;
    struct stat s;
    if (fstat(j->file, &s) != 0)
        return explain_file(STARTILE_ERROR_DISK, j->path);
    if (!read_bytes(j->file, h, sizeof *h, 0) || h->magic != MAGIC)
        return explain(STARTILE_ERROR_JOURNAL, "%.700s: the file is no journal", j->path);
    if (h->version != JOURNAL_VERSION)
        return explain(STARTILE_ERROR_JOURNAL_VERSION,
                       "%.700s: the journal has version %lld of its format, and this library "
                       "writes version %lld",
                       j->path, (long long)h->version, (long long)JOURNAL_VERSION);
    if (h->sum != journal_sum_of_header(h) || !has_sane_sizes(h, s.st_size))
        return explain(STARTILE_ERROR_JOURNAL, "%.700s: the header of the journal is damaged",
                       j->path);
    return 0;
}

/* Changes the stage of the record's block column. Returns false, and changes nothing, if the record
 * cannot follow the earlier ones: block columns reach each stage in their order, and a slot is not
 * overwritten before its block column is finished. */
static bool apply(struct journal *j, const struct journal_record *r)
{
    int64_t c = r->column, slots = 2 * j->header.group, last = j->header.columns - 1;
    if (r->number != j->records + 1 || c < 0 || c > last || r->stage <= ORIGINAL ||
        r->stage > INTERCHANGED || r->info < 0)
        return false;
    enum journal_stage stage = (enum journal_stage)r->stage;
    struct journal_column *now = &j->column[c];
    bool saves = stage == SAVED || stage == SAVED_FACTORED;
    if (now->stage + 1 != stage || (c > 0 && now[-1].stage < stage) ||
        (stage > FACTORED && j->column[last].stage < FACTORED) ||
        (saves && c >= slots && now[-slots].stage <= stage))
        return false;
    now->stage = stage;
    now->data = r->data;
    now->extra = stage == FACTORED ? r->extra : now->extra;
    j->records++;
    j->info = r->info;
    return true;
}

/* Applies the records before the first one that is zeros, behind which all must be zeros. */
static bool apply_all(struct journal *j, const struct journal_record *r, int64_t count)
{
    static const struct journal_record zeros;
    int64_t used = 0;
    while (used < count && memcmp(&r[used], &zeros, sizeof zeros) != 0) {
        if (r[used].sum != journal_sum_of_record(&j->header, &r[used]) || !apply(j, &r[used]))
            return false;
        used++;
    }
    for (; used < count; used++)
        if (memcmp(&r[used], &zeros, sizeof zeros) != 0)
            return false;
    return true;
}

static int read_records(struct journal *j)
{
    int64_t bytes = journal_records_bytes(&j->header);
    struct journal_record *r = malloc((size_t)bytes);
    j->column = calloc((size_t)j->header.columns, sizeof *j->column);
    int status = 0;
    if (r == NULL || j->column == NULL)
        status = STARTILE_ERROR_MEMORY;
    else if (!read_bytes(j->file, r, (size_t)bytes, JOURNAL_SECTOR))
        status = explain_file(STARTILE_ERROR_DISK, j->path);
    else if (!apply_all(j, r, bytes / (int64_t)sizeof *r))
        status =
            explain(STARTILE_ERROR_JOURNAL, "%.700s: a record of the journal is damaged", j->path);
    free(r);
    return status;
}

/* Locks the file, so that no second process continues the same factorization. Returns 0 or a
 * startile_error. */
static int lock(int file, const char *path)
{
    if (flock(file, LOCK_EX | LOCK_NB) == 0)
        return 0;
    return errno == EWOULDBLOCK
               ? explain(STARTILE_ERROR_JOURNAL_IN_USE,
                         "%.700s: another process, or another matrix, uses the journal", path)
               : explain_file(STARTILE_ERROR_DISK, path);
}

int journal_open(struct journal *j)
{
    j->file = open(j->path, O_RDWR | O_CLOEXEC);
    if (j->file < 0)
        return errno == ENOENT ? 0 : explain_file(STARTILE_ERROR_DISK, j->path);
    int status = lock(j->file, j->path);
    if (status == 0)
        status = read_header(j);
    return status != 0 ? status : read_records(j);
}

/* -- writing --------------------------------------------------------------------------------- */

/* Waits until the disk has the file's name. */
static bool sync_folder_of(const char *path)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = folder >= 0 && fsync(folder) == 0;
    if (folder >= 0)
        close(folder);
    return good;
}

/* Writes a new journal, waits for the disk, and gives the file its final name. Reserves the space
 * of the whole file, so that a full disk is an error here and not during the factorization. Returns
 * false and sets errno if that fails. */
static bool write_new(int file, const struct journal_header *h, const uint64_t *samples,
                      const void *sums, const char *unfinished, const char *path)
{
    bool has_space = fallocate(file, 0, 0, journal_bytes(h)) == 0 ||
                     (errno == EOPNOTSUPP && ftruncate(file, journal_bytes(h)) == 0);
    return has_space && write_bytes(file, h, sizeof *h, 0) &&
           write_bytes(file, samples, (size_t)h->columns * sizeof *samples,
                       journal_samples_at(h)) &&
           write_bytes(file, sums, (size_t)h->sums_bytes, journal_sums_at(h)) && fsync(file) == 0 &&
           rename(unfinished, path) == 0 && sync_folder_of(path);
}

/* The name changes when the file is complete: a killed process leaves no half of a journal. */
int journal_create(struct journal *j, struct journal_header *header, const uint64_t *samples,
                   const void *sums)
{
    char unfinished[PATH_MAX];
    header->magic = MAGIC;
    header->version = JOURNAL_VERSION;
    journal_sign_header(header);
    if (snprintf(unfinished, sizeof unfinished, "%s.new", j->path) >= (int)sizeof unfinished) {
        errno = ENAMETOOLONG;
        return explain_file(STARTILE_ERROR_DISK, j->path);
    }
    j->column = calloc((size_t)header->columns, sizeof *j->column);
    if (j->column == NULL)
        return STARTILE_ERROR_MEMORY;
    int file = open(unfinished, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int status = file >= 0 ? lock(file, unfinished) : explain_file(STARTILE_ERROR_DISK, unfinished);
    if (status == 0 && !write_new(file, header, samples, sums, unfinished, j->path))
        status = explain_file(STARTILE_ERROR_DISK, unfinished);
    if (status == 0) {
        j->file = file;
        j->header = *header;
        return 0;
    }
    if (file >= 0) {
        unlink(unfinished);
        close(file);
    }
    free(j->column);
    j->column = NULL;
    return status;
}

/* Writes records that lie in one sector of the disk, and waits for the disk. */
static bool append_to_sector(struct journal *j, struct journal_record *records, int64_t count)
{
    int64_t at = JOURNAL_SECTOR + j->records * (int64_t)sizeof *records;
    for (int64_t i = 0; i < count; i++) {
        records[i].number = j->records + 1;
        journal_sign_record(&j->header, &records[i]);
        if (!apply(j, &records[i]))
            return false;
    }
    return write_bytes(j->file, records, (size_t)count * sizeof *records, at) &&
           fdatasync(j->file) == 0;
}

/* Waits after each sector: a disk that loses power writes sectors completely, but in any order. */
bool journal_append(struct journal *j, struct journal_record *records, int64_t count)
{
    const int64_t per_sector = JOURNAL_SECTOR / (int64_t)sizeof *records;
    for (int64_t done = 0, n; done < count; done += n) {
        int64_t space = per_sector - j->records % per_sector;
        n = count - done < space ? count - done : space;
        if (!append_to_sector(j, records + done, n))
            return false;
    }
    return true;
}

int journal_new(struct journal **journal, const char *path)
{
    struct journal *j = calloc(1, sizeof *j);
    char *copy = strdup(path);
    if (j == NULL || copy == NULL) {
        free(j);
        free(copy);
        return STARTILE_ERROR_MEMORY;
    }
    j->path = copy;
    j->file = -1;
    *journal = j;
    return 0;
}

void journal_close(struct journal *j)
{
    if (j == NULL)
        return;
    if (j->file >= 0)
        close(j->file);
    free(j->column);
    free(j->path);
    free(j);
}
