/* Copies and checksums of a journal's block columns, and copies of its extras. */
#ifndef STARTILE_JOURNAL_COPY_H
#define STARTILE_JOURNAL_COPY_H

#include "journal/journal.h"
#include "journal/journal_file.h"

/* These functions return 0 or a startile_error. */

/* *sum := checksum of block column k in its slot */
int sum_in_slot(const factorization *f, int64_t k, uint64_t *sum);
/* Copy block column k from the matrix' file to its slot, and back. */
int copy_to_slot(const factorization *f, int64_t k, uint64_t *sum);
int copy_to_matrix(const factorization *f, int64_t k);
/* *sum := checksum of elements of block column k in the matrix' file: up to SAMPLE_ROWS in each of
 * up to SAMPLE_COLUMNS columns. */
int sample_of(const factorization *f, int64_t k, uint64_t *sum);
/* Returns the largest size of a block column, in bytes. */
int64_t largest_block_column(const factorization *f);

/* copy_of_sums() returns a buffer with f->sums, of *bytes bytes. read_sums() sets f->sums to those
 * in the journal, or to NaN if it has none. They wait for the tasks on f->sums. */
int copy_of_sums(const factorization *f, void **sums, int64_t *bytes);
int read_sums(const factorization *f);

/* Return the size of a panel's extra, in bytes, and whether block column k has one. */
int64_t extra_bytes(const factorization *f);
bool has_extra(const factorization *f, int64_t k);
/* Handle the extra of panel k: its pivots or its triangle of T. write_extra() copies it to the
 * journal and sets *sum to its checksum, check_extra() compares the checksum of that in the journal
 * with `sum`, read_extra() copies it back. They wait for the tasks on P or T, and return 0 or a
 * startile_error. */
int write_extra(const factorization *f, int64_t k, uint64_t *sum);
int check_extra(const factorization *f, int64_t k, uint64_t sum);
int read_extra(const factorization *f, int64_t k);

#endif
