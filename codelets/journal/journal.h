/* Journals of factorizations in files. */
#ifndef STARTILE_JOURNAL_H
#define STARTILE_JOURNAL_H

#include "data/view.h"
#include "request/context.h"
#include "startile.h"

#include <stdbool.h>

/* A factorization that a journal records, in block columns of the view. */
typedef struct {
    const char *routine;
    startile_matrix *A;
    view V;
    bool is_triangular; /* block column k of V begins at tile row k */
    char uplo;          /* 0 for a routine without triangle */
    int64_t panels;     /* block columns with interchanges or a triangle: 0 … panels − 1 */
    startile_pivots *P; /* or NULL */
    const startile_matrix *T;    /* triangles of the block reflectors, or NULL */
    int64_t group;               /* block columns that a new journal lets be factored together */
    const startile_matrix *sums; /* checksums of the original A for the option verify, or NULL */
} factorization;

/* Returns whether A has a journal, or startile_matrix_journal() has failed: factorizations fail
 * then. */
bool has_journal(const startile_matrix *A);
/* Begins the factorization *f of f->A, which the functions below continue until it is complete.
 * Waits for the tasks on A. Creates the journal, or continues the factorization in it: checks the
 * journal and A's file, restores the block columns that were in work, the finished panels' parts of
 * P or T, and the info. A new journal stores f->sums; from an older one it restores them, or sets
 * them to NaN if the journal has none. On failure returns false, fails the request, and has changed
 * nothing. */
bool journaled_begin(context ctx, const factorization *f);
/* Returns the number of block columns of A that are factored together. */
int64_t journaled_group(const startile_matrix *A);
/* Returns the number of block columns that are finished: factored or, with `again`, interchanged
 * after that. */
int64_t journaled_finished(const startile_matrix *A, bool again);
/* Copies block columns first … last − 1 to the journal, before their tasks are submitted. At most
 * 2·journaled_group() block columns may be saved and not yet finished. Waits for the disk. Returns
 * false and fails the request on failure. */
bool journaled_save(context ctx, const startile_matrix *A, int64_t first, int64_t last, bool again);
/* Waits for the tasks on each of these block columns, then for the disk, and records that it is
 * finished. Returns false if the request has failed. */
bool journaled_finish(context ctx, const startile_matrix *A, int64_t first, int64_t last,
                      bool again);

#endif
