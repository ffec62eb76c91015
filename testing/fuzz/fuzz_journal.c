/* Fuzz target: the reader of journals. Random checksums would end every input at once, so an input
 * is also read after its checksums were put right. */
#include "fuzz.h"
#include "journal/journal_file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Reads the file, and what a continued factorization would read. Returns whether the reader accepts
 * it. */
static bool read_journal(const char *path)
{
    struct journal *j;
    if (journal_new(&j, path) != 0)
        return false;
    bool good = journal_open(j) == 0 && j->file >= 0;
    uint64_t *samples = good ? malloc((size_t)j->header.columns * sizeof *samples) : NULL;
    volatile uint64_t sum = 0; /* the sanitizers see each read */
    if (samples != NULL && journal_read_samples(j, samples))
        for (int64_t k = 0; k < j->header.columns; k++)
            sum = sum + samples[k] + (uint64_t)j->column[k].stage + j->column[k].data +
                  (uint64_t)(journal_slot(j, k) + journal_extra(j, k));
    free(samples);
    journal_close(j);
    return good;
}

/* Puts right the header's checksum and those of the records, where the input has them. */
static void sign(uint8_t *data, size_t size)
{
    struct journal_header h;
    struct journal_record r;
    if (size < sizeof h)
        return;
    memcpy(&h, data, sizeof h);
    journal_sign_header(&h);
    memcpy(data, &h, sizeof h);
    for (size_t at = JOURNAL_SECTOR; at + sizeof r <= size; at += sizeof r) {
        memcpy(&r, data + at, sizeof r);
        if (r.number == 0)
            break;
        journal_sign_record(&h, &r);
        memcpy(data + at, &r, sizeof r);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL)
        return 0;
    read_journal(fuzz_write("journal", data, size));
    if (size > 0)
        memcpy(copy, data, size);
    sign(copy, size);
    read_journal(fuzz_write("journal", copy, size));
    free(copy);
    return 0;
}
