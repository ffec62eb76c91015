/*
 * Journals: a factorization in a file that can be continued after its process has ended.
 *
 * Before tasks write a group of block columns, journaled_save() copies the columns to the journal.
 * When the factors of a block column are on the disk, journaled_finish() records that. After a
 * kill, journaled_begin() puts back the copies of the columns that were in work; the rest of the
 * file has factors or original elements. Each copy is on the disk before the record that names it,
 * and each record before the writes that rely on it.
 */
#include "journal/journal.h"

#include "data/tiles.h"
#include "journal/journal_copy.h"
#include "library/error_text.h"
#include "library/integers.h"
#include "memory/disk.h"
#include "request/request.h"
#include "request/state.h"
#include "startile_disk.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool has_journal(const startile_matrix *A)
{
    return A->journal != NULL || A->journal_refusal != 0;
}

/* Returns whether both are of one matrix, whatever the routine is. */
static bool is_same_matrix(const struct journal_key *a, const struct journal_key *b)
{
    return a->dtype == b->dtype && a->m == b->m && a->n == b->n && a->mb == b->mb &&
           a->nb == b->nb && a->first == b->first && a->lda == b->lda;
}

static struct journal_key key_of(const startile_matrix *A)
{
    const startile_shape *s = &A->shape;
    return (struct journal_key){.dtype = s->dtype,
                                .m = s->m,
                                .n = s->n,
                                .mb = s->mb,
                                .nb = s->nb,
                                .first = store_first_offset(A->store),
                                .lda = A->lda};
}

/* Opens the journal of A, which may not exist yet. Returns 0 or a startile_error. */
static int open_journal(struct journal **journal, const startile_matrix *A, const char *file)
{
    struct journal *j;
    int status = journal_new(&j, file);
    if (status != 0)
        return status;
    status = journal_open(j);
    struct journal_key key = key_of(A);
    if (status == 0 && j->file >= 0 && !is_same_matrix(&j->header.key, &key))
        status = explain(STARTILE_ERROR_JOURNAL_MATRIX,
                         "%.700s: the journal is of a matrix of another type, shape or tile size, "
                         "or elsewhere in its file",
                         file);
    if (status == 0)
        *journal = j;
    else
        journal_close(j);
    return status;
}

/* A refusal is kept: a program that overlooks it would factor the partly factored matrix again. */
int64_t startile_matrix_journal(startile_matrix *A, const char *file)
{
    if (A == NULL || !A->is_callers_file || A->is_view || A->journal != NULL)
        return -1;
    if (file == NULL)
        return -2;
    free(A->refusal_text);
    A->journal_refusal = open_journal(&A->journal, A, file);
    A->refusal_text = take_explanation(A->journal_refusal);
    give_explanation(A->journal_refusal, A->refusal_text);
    return A->journal_refusal;
}

/* -- the begin of a factorization -------------------------------------------------------------- */

static struct journal_header header_of(const factorization *f)
{
    struct journal_header h;
    memset(&h, 0, sizeof h); /* also the padding, which the checksum includes */
    h.key = key_of(f->A);
    snprintf(h.key.routine, sizeof h.key.routine, "%s", f->routine);
    h.key.uplo = f->uplo;
    h.columns = f->V.nt;
    h.panels = f->panels;
    h.group = f->group;
    h.extra_bytes = extra_bytes(f);
    h.slot_bytes = largest_block_column(f);
    return h;
}

static int create(const factorization *f)
{
    struct journal_header h = header_of(f);
    uint64_t *samples = calloc((size_t)f->V.nt, sizeof *samples);
    void *sums = NULL;
    int status = samples == NULL ? STARTILE_ERROR_MEMORY : copy_of_sums(f, &sums, &h.sums_bytes);
    for (int64_t k = 0; k < f->V.nt && status == 0; k++)
        status = sample_of(f, k, &samples[k]);
    if (status == 0) {
        h.sum_of_sums = journal_sum(sums, (size_t)h.sums_bytes, 0);
        status = journal_create(f->A->journal, &h, samples, sums);
    }
    free(samples);
    free(sums);
    return status;
}

/* Returns whether the journal is of this factorization, whatever its group is. */
static bool is_same_factorization(const factorization *f)
{
    struct journal_header now = header_of(f);
    const struct journal_header *h = &f->A->journal->header;
    return is_same_matrix(&h->key, &now.key) && strcmp(h->key.routine, now.key.routine) == 0 &&
           h->key.uplo == now.key.uplo && h->columns == now.columns && h->panels == now.panels &&
           h->extra_bytes == now.extra_bytes && h->slot_bytes == now.slot_bytes;
}

static bool is_in_work(const struct journal_column *c)
{
    return c->stage == SAVED || c->stage == SAVED_FACTORED;
}

/* Compares block column k in the matrix' file, or its copy in the journal, with its checksum. Of
 * the matrix' file it compares samples: they show that the file is another one, and cost less than
 * reading all of it. */
static int check_block_column(const factorization *f, int64_t k, uint64_t sample)
{
    const struct journal_column *c = &f->A->journal->column[k];
    uint64_t sum = 0, wanted = c->stage == ORIGINAL ? sample : c->data;
    int status = is_in_work(c) ? sum_in_slot(f, k, &sum) : sample_of(f, k, &sum);
    if (status != 0)
        return status;
    if (sum != wanted && is_in_work(c))
        return explain(STARTILE_ERROR_JOURNAL, "%.700s: the copy of block column %lld is damaged",
                       f->A->journal->path, (long long)k);
    if (sum != wanted)
        return explain(STARTILE_ERROR_JOURNAL_MATRIX,
                       "%.700s: block column %lld is not the one that the journal knows",
                       store_name(f->A->store), (long long)k);
    return c->stage >= FACTORED && has_extra(f, k) ? check_extra(f, k, c->extra) : 0;
}

/* Checks everything that a continued factorization will use, and reads f->sums. Changes nothing
 * else. */
static int check_all(const factorization *f)
{
    const struct journal *j = f->A->journal;
    if (!is_same_factorization(f))
        return explain(STARTILE_ERROR_JOURNAL_MATRIX,
                       "%.700s: the journal is of another factorization: of %s, of another "
                       "triangle, or of another part of the matrix",
                       j->path, j->header.key.routine);
    uint64_t *samples = malloc((size_t)f->V.nt * sizeof *samples);
    int status = samples == NULL                     ? STARTILE_ERROR_MEMORY
                 : !journal_read_samples(j, samples) ? explain_file(STARTILE_ERROR_DISK, j->path)
                                                     : 0;
    for (int64_t k = 0; k < f->V.nt && status == 0; k++)
        status = check_block_column(f, k, samples[k]);
    free(samples);
    return status != 0 ? status : read_sums(f);
}

/* Puts back the copies of block columns in work, and the extras of finished panels. */
static int restore_all(const factorization *f)
{
    int status = 0;
    for (int64_t k = 0; k < f->V.nt && status == 0; k++) {
        const struct journal_column *c = &f->A->journal->column[k];
        if (is_in_work(c))
            status = copy_to_matrix(f, k);
        if (status == 0 && c->stage >= FACTORED && has_extra(f, k))
            status = read_extra(f, k);
    }
    return status;
}

int64_t journaled_finished(const startile_matrix *A, bool again)
{
    const struct journal *j = A->journal;
    int64_t k = 0;
    while (k < j->of.V.nt && j->column[k].stage >= (again ? INTERCHANGED : FACTORED))
        k++;
    return k;
}

bool journaled_begin(context ctx, const factorization *f)
{
    struct journal *j = f->A->journal;
    int status = f->A->journal_refusal;
    give_explanation(status, f->A->refusal_text);
    /* the operation submits this factorization while StarPU must not wait */
    if (status == 0 && ctx.request->hold != NULL)
        status = explain(STARTILE_ERROR_JOURNAL,
                         "%.700s: an operation that refines before it factors keeps no journal",
                         j->path);
    /* waits for earlier tasks: their results are in the file then, and no copies elsewhere */
    if (status == 0)
        status = startile_matrix_gather(f->A);
    if (status == 0 && request_skips(ctx.request, ctx.factorization))
        return false;
    if (status == 0)
        j->of = *f;
    if (status == 0 && j->file < 0)
        status = create(f);
    else if (status == 0 && (status = check_all(f)) == 0)
        status = restore_all(f);
    request_fail(ctx.request, status);
    if (status != 0)
        return false;
    request_note_zero_pivot(ctx.request, j->info, ctx.factorization);
    return true;
}

int64_t journaled_group(const startile_matrix *A)
{
    return A->journal->header.group;
}

/* -- a group of block columns ---------------------------------------------------------------- */

/* Copies block columns first … last − 1 that are at stage `before`, and appends their records, for
 * which there is space. Returns 0 or a startile_error. */
static int copy_to_slots(const factorization *f, int64_t first, int64_t last,
                         enum journal_stage before, struct journal_record *records)
{
    struct journal *j = f->A->journal;
    int64_t count = 0;
    int status = 0;
    for (int64_t k = first; k < last && status == 0; k++) {
        if (j->column[k].stage != before)
            continue; /* the copy of an interrupted run */
        struct journal_record *r = &records[count++];
        *r = (struct journal_record){.stage = before + 1, .column = k, .info = j->info};
        status = copy_to_slot(f, k, &r->data);
    }
    if (status == 0 && count > 0 && (fdatasync(j->file) != 0 || !journal_append(j, records, count)))
        status = explain_file(STARTILE_ERROR_DISK, j->path);
    return status;
}

bool journaled_save(context ctx, const startile_matrix *A, int64_t first, int64_t last, bool again)
{
    struct journal_record *records = calloc((size_t)(last - first), sizeof *records);
    int status = records == NULL ? STARTILE_ERROR_MEMORY : 0;
    if (status == 0)
        status = copy_to_slots(&A->journal->of, first, last, again ? FACTORED : ORIGINAL, records);
    free(records);
    request_fail(ctx.request, status);
    return status == 0;
}

/* Waits until the tasks on block column k have ended and its elements are in the file. */
static int64_t wait_for(const factorization *f, int64_t k)
{
    startile_request *r = request_start();
    if (r != NULL)
        for (int64_t i = f->is_triangular ? k : 0; i < f->V.mt; i++)
            return_to_home(r, at(f->V, i, k), STARPU_R);
    return request_finish(r, 0);
}

/* Waits for the tasks on block columns first … last − 1, and for the disk, once for all of them.
 * Appends their records, for which there is space. Returns 0 or the first failure. */
static int64_t finish(context ctx, const factorization *f, int64_t first, int64_t last, bool again,
                      struct journal_record *records)
{
    struct journal *j = f->A->journal;
    bool has_extras = !again && has_extra(f, first);
    int64_t status = 0;
    for (int64_t k = first; k < last && status == 0; k++) {
        struct journal_record *r = &records[k - first];
        *r = (struct journal_record){.stage = again ? INTERCHANGED : FACTORED, .column = k};
        status = wait_for(f, k);
        if (status == 0 && !again && has_extra(f, k))
            status = write_extra(f, k, &r->extra);
    }
    /* a task on a block column was skipped: its elements are no factors */
    if (status == 0 && request_skips(ctx.request, ctx.factorization))
        return STARTILE_ERROR_CANCELLED;
    if (status == 0)
        status = store_sync(f->A->store);
    if (status == 0 && has_extras && fdatasync(j->file) != 0)
        status = explain_file(STARTILE_ERROR_DISK, j->path);
    int64_t info = request_outcome(ctx.request);
    for (int64_t k = first; k < last && status == 0; k++) {
        records[k - first].info = info > 0 ? info : 0;
        status = sample_of(f, k, &records[k - first].data);
    }
    return status != 0 || journal_append(j, records, last - first)
               ? status
               : explain_file(STARTILE_ERROR_DISK, j->path);
}

/* Interchanges are finished a group at a time, which saves waits for the disk: they cost less work
 * than a block column of factors. */
bool journaled_finish(context ctx, const startile_matrix *A, int64_t first, int64_t last,
                      bool again)
{
    int64_t at_once = again ? last - first : 1, status = 0;
    if (first == last)
        return true;
    struct journal_record *records = calloc((size_t)at_once, sizeof *records);
    if (records == NULL)
        status = STARTILE_ERROR_MEMORY;
    for (int64_t k = first; k < last && status == 0; k += at_once)
        status = finish(ctx, &A->journal->of, k, k + at_once, again, records);
    free(records);
    request_fail(ctx.request, status);
    return status == 0;
}
