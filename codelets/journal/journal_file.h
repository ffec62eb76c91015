/*
 * The file of a journal: identity of the factorization, stage of each block column, and copies of
 * the block columns in work. Private to codelets/; without StarPU.
 *
 * Parts of the file, each of whole sectors, which a disk writes completely or not at all:
 *     header    struct journal_header
 *     records   up to RECORDS_PER_COLUMN struct journal_record for each block column; the unused
 *               ones are zeros
 *     samples   for each block column a checksum of some elements of the original matrix
 *     sums      checksums of the original matrix for the option verify, or nothing
 *     extras    for each panel its interchanges or the triangle of its block reflector
 *     slots     2·group copies of block columns: block column k in slot k mod (2·group)
 *
 * A block column is copied to its slot before a task writes it in the matrix' file. So the matrix'
 * file may have any content there until the next record says that the block column is finished.
 */
#ifndef STARTILE_JOURNAL_FILE_H
#define STARTILE_JOURNAL_FILE_H

#include "journal/journal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JOURNAL_VERSION = 2, JOURNAL_SECTOR = 512, RECORDS_PER_COLUMN = 4 };

/* Stages of a block column, in this order. LU with interchanges has the last two: it interchanges
 * the rows of L after the last panel. */
enum journal_stage { ORIGINAL, SAVED, FACTORED, SAVED_FACTORED, INTERCHANGED };

/* Identity of a factorization. */
struct journal_key {
    char routine[16];
    int64_t dtype, uplo, m, n, mb, nb;
    int64_t first, lda; /* place of the matrix in its file, see startile_matrix_wrap_file() */
};

struct journal_header {
    uint64_t magic;
    int64_t version;
    struct journal_key key;
    int64_t columns, panels;         /* numbers of block columns and of panels */
    int64_t group;                   /* block columns that are factored together */
    int64_t extra_bytes, slot_bytes; /* sizes of one extra and of one slot */
    int64_t sums_bytes;              /* size of the sums; 0: none */
    uint64_t sum_of_sums;            /* checksum of these bytes */
    uint64_t sum;                    /* checksum of the fields before */
};

/* Change of a block column's stage. 64 bytes: a record lies in one sector of a disk. */
struct journal_record {
    int64_t number; /* from 1 */
    int64_t stage, column;
    uint64_t data;  /* checksum of the block column in its slot, or a sample of the matrix' file */
    uint64_t extra; /* FACTORED: checksum of the panel's extra */
    int64_t info;   /* LAPACK's info so far: the first zero pivot, or 0 */
    uint64_t unused;
    uint64_t sum; /* checksum of the fields before, seeded with the header's */
};

_Static_assert(sizeof(struct journal_record) == 64, "a record must not cross a sector's end");

/* State of a block column, from its newest record. `extra` is kept from FACTORED. */
struct journal_column {
    enum journal_stage stage;
    uint64_t data, extra;
};

struct journal {
    char *path;
    int file; /* −1: not created yet */
    struct journal_header header;
    struct journal_column *column;
    int64_t records;
    int64_t info;     /* of the newest record */
    factorization of; /* from journaled_begin() on */
};

/* -- the format (journal_format.c) ------------------------------------------------------------- */

/* Returns a checksum of the bytes. */
uint64_t journal_sum(const void *bytes, size_t size, uint64_t seed);
/* Return the right checksums of a header, and of a record of that journal. */
uint64_t journal_sum_of_header(const struct journal_header *h);
uint64_t journal_sum_of_record(const struct journal_header *h, const struct journal_record *r);
/* Set the checksums of a complete header, and of a record of that journal. */
void journal_sign_header(struct journal_header *h);
void journal_sign_record(const struct journal_header *h, struct journal_record *r);

/* Return the size of all records, the offsets of samples and sums, and the size of the file. */
int64_t journal_records_bytes(const struct journal_header *h);
int64_t journal_samples_at(const struct journal_header *h);
int64_t journal_sums_at(const struct journal_header *h);
int64_t journal_bytes(const struct journal_header *h);
/* Return the offsets in the file of panel k's extra and of block column k's slot. */
int64_t journal_extra(const struct journal *j, int64_t k);
int64_t journal_slot(const struct journal *j, int64_t k);

/* -- reading and writing (journal_file.c) ------------------------------------------------------ */

/* Makes a journal without a file. Returns 0 or STARTILE_ERROR_MEMORY. */
int journal_new(struct journal **journal, const char *path);
/* Opens the file and reads header and records; j->file stays −1 if it does not exist. Returns 0 or
 * a startile_error; the file is not changed. */
int journal_open(struct journal *j);
/* Creates the file, complete or not at all, with the samples (header->columns numbers), the sums
 * (header->sums_bytes bytes), and without records. Signs the header. Returns 0 or a startile_error.
 */
int journal_create(struct journal *j, struct journal_header *header, const uint64_t *samples,
                   const void *sums);
/* Appends records, sets their numbers and checksums, and waits for the disk. Returns false if that
 * fails. */
bool journal_append(struct journal *j, struct journal_record *records, int64_t count);
/* Closes the file and frees the journal; NULL is allowed. */
void journal_close(struct journal *j);

/* Read the samples, and the sums, whose checksum must be right. Return false on failure. */
bool journal_read_samples(const struct journal *j, uint64_t *samples);
bool journal_read_sums(const struct journal *j, void *sums);

#endif
