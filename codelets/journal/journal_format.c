/* The format of a journal: checksums and layout. */
#include "journal/journal_file.h"

#include <string.h>

/* -- checksums ------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash ^= word;
    hash = hash << 29 | hash >> 35;
    return hash * 0x9e3779b97f4a7c15u;
}

/* Four independent chains of multiplications, so that the sum runs at the speed of the memory. */
uint64_t journal_sum(const void *bytes, size_t size, uint64_t seed)
{
    enum { CHAINS = 4, BLOCK = CHAINS * sizeof(uint64_t) };
    uint64_t hash[CHAINS] = {seed, seed + 1, seed + 2, seed + 3}, word[CHAINS];
    const char *p = bytes;
    size_t remaining = size;
    for (; remaining >= BLOCK; p += BLOCK, remaining -= BLOCK) {
        memcpy(word, p, BLOCK);
        for (int i = 0; i < CHAINS; i++)
            hash[i] = mix(hash[i], word[i]);
    }
    memset(word, 0, BLOCK);
    if (remaining > 0)
        memcpy(word, p, remaining);
    uint64_t sum = mix(seed, size);
    for (int i = 0; i < CHAINS; i++)
        sum = mix(sum, mix(hash[i], word[i]));
    return sum ^ sum >> 32;
}

uint64_t journal_sum_of_header(const struct journal_header *h)
{
    return journal_sum(h, offsetof(struct journal_header, sum), 0);
}

uint64_t journal_sum_of_record(const struct journal_header *h, const struct journal_record *r)
{
    return journal_sum(r, offsetof(struct journal_record, sum), h->sum);
}

void journal_sign_header(struct journal_header *h)
{
    h->sum = journal_sum_of_header(h);
}

void journal_sign_record(const struct journal_header *h, struct journal_record *r)
{
    r->sum = journal_sum_of_record(h, r);
}

/* -- layout ---------------------------------------------------------------------------------- */

static int64_t whole_sectors(int64_t bytes)
{
    return (bytes + JOURNAL_SECTOR - 1) / JOURNAL_SECTOR * JOURNAL_SECTOR;
}

int64_t journal_records_bytes(const struct journal_header *h)
{
    return RECORDS_PER_COLUMN * h->columns * (int64_t)sizeof(struct journal_record);
}

int64_t journal_samples_at(const struct journal_header *h)
{
    return JOURNAL_SECTOR + whole_sectors(journal_records_bytes(h));
}

int64_t journal_sums_at(const struct journal_header *h)
{
    return journal_samples_at(h) + whole_sectors(h->columns * (int64_t)sizeof(uint64_t));
}

static int64_t extras_at(const struct journal_header *h)
{
    return journal_sums_at(h) + whole_sectors(h->sums_bytes);
}

static int64_t slots_at(const struct journal_header *h)
{
    return extras_at(h) + h->panels * whole_sectors(h->extra_bytes);
}

int64_t journal_bytes(const struct journal_header *h)
{
    return slots_at(h) + 2 * h->group * whole_sectors(h->slot_bytes);
}

int64_t journal_extra(const struct journal *j, int64_t k)
{
    return extras_at(&j->header) + k * whole_sectors(j->header.extra_bytes);
}

int64_t journal_slot(const struct journal *j, int64_t k)
{
    return slots_at(&j->header) + k % (2 * j->header.group) * whole_sectors(j->header.slot_bytes);
}
