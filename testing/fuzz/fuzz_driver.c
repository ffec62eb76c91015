/*
 * Runs a fuzz target on the files of a corpus and on mutations of them, which depend on the seed
 * only. Takes the place of libFuzzer, whose options -runs and -seed it has: GCC has no libFuzzer.
 *
 *     fuzz_TARGET [-runs=N] [-seed=S] FILE-OR-FOLDER …
 *
 * Before each run the input is written to the file fuzz_TARGET.input, which remains after a crash.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 64, MOST_BYTES = 1 << 14 };

static struct input {
    size_t size;
    uint8_t data[MOST_BYTES];
} corpus[MOST_FILES];
static int files;
static uint64_t random_state;
static FILE *record;

/* Returns a number from 0 to below − 1; 0 for below = 0. (Marsaglia's xorshift64*) */
static size_t draw(size_t below)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return below == 0 ? 0 : (size_t)((random_state * 0x2545f4914f6cdd1d) >> 33) % below;
}

/* -- mutations ------------------------------------------------------------------------------- */

/* Replaces `removed` bytes at `at` by bytes of `data`, as many as fit. */
static void replace(struct input *x, size_t at, size_t removed, const void *data, size_t size)
{
    size_t rest = x->size - at - removed;
    uint8_t copy[MOST_BYTES];
    size = size > MOST_BYTES - at - rest ? MOST_BYTES - at - rest : size;
    memcpy(copy, data, size); /* data may be a part of *x */
    memmove(x->data + at + size, x->data + at + removed, rest);
    memcpy(x->data + at, copy, size);
    x->size = at + size + rest;
}

static void insert_token(struct input *x)
{
    static const char *const tokens[] = {"0",
                                         "-1",
                                         "1",
                                         "2147483648",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "1000000000",
                                         "nan",
                                         "-inf",
                                         "1e400",
                                         "1e-320",
                                         "99999999999999999999",
                                         "0x7f",
                                         "\n",
                                         "%",
                                         " ",
                                         "#",
                                         "\"",
                                         "==\n",
                                         "1D9",
                                         ": ",
                                         "\r\n"};
    const char *token = tokens[draw(sizeof tokens / sizeof *tokens)];
    size_t at = draw(x->size + 1), removed = 0;
    /* half of the time in place of a word */
    while (draw(2) == 0 && at + removed < x->size && x->data[at + removed] > ' ')
        removed++;
    replace(x, at, removed, token, strlen(token));
}

static void mutate(struct input *x)
{
    static const uint8_t zeros[8] = {0};
    size_t at = draw(x->size + 1), length = draw(1 + draw(x->size - at + 1));
    const struct input *other = &corpus[draw((size_t)files)];
    size_t from = draw(other->size + 1);
    switch (draw(7)) {
    case 0: /* a bit */
        if (at < x->size)
            x->data[at] ^= (uint8_t)(1u << draw(8));
        break;
    case 1: /* a byte */
        if (at < x->size)
            x->data[at] = (uint8_t)draw(256);
        break;
    case 2:
        replace(x, at, length, zeros, draw(2));
        break;
    case 3: /* repeats a part */
        for (size_t times = 1 + draw(3); times > 0; times--)
            replace(x, at, 0, x->data + at, x->size - at < length ? x->size - at : length);
        break;
    case 4: /* takes a part of another file */
        replace(x, at, length, other->data + from, draw(other->size - from + 1));
        break;
    case 5:
        x->size = draw(8) == 0 ? at : x->size;
        break;
    default:
        insert_token(x);
    }
}

/* -- runs ------------------------------------------------------------------------------------ */

static void run(const struct input *x)
{
    rewind(record);
    if (fwrite(x->data, 1, x->size, record) != x->size || fflush(record) != 0 ||
        ftruncate(fileno(record), (off_t)x->size) != 0) {
        perror("the record of the input");
        exit(2);
    }
    /* memory of exactly this size, for the address sanitizer */
    uint8_t *copy = malloc(x->size + (x->size == 0));
    if (copy == NULL)
        exit(2);
    memcpy(copy, x->data, x->size);
    LLVMFuzzerTestOneInput(copy, x->size);
    free(copy);
}

static void read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    if (f == NULL || files == MOST_FILES) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    corpus[files].size = fread(corpus[files].data, 1, MOST_BYTES, f);
    fclose(f);
    files++;
}

/* Reads a file, or the files of a folder in the order of their names. */
static void read_path(const char *path)
{
    struct dirent **entry;
    char file[4096];
    int entries = scandir(path, &entry, NULL, alphasort);
    if (entries < 0)
        read_file(path);
    for (int i = 0; i < entries; i++) {
        if (entry[i]->d_name[0] != '.') {
            snprintf(file, sizeof file, "%s/%s", path, entry[i]->d_name);
            read_file(file);
        }
        free(entry[i]);
    }
    if (entries >= 0)
        free(entry);
}

int main(int argc, char **argv)
{
    static struct input x;
    long runs = 0, seed = 1;
    char name[4096];
    for (int i = 1; i < argc; i++)
        if (sscanf(argv[i], "-runs=%ld", &runs) != 1 && sscanf(argv[i], "-seed=%ld", &seed) != 1)
            read_path(argv[i]);
    random_state = (uint64_t)seed * 0x9e3779b97f4a7c15u | 1;
    const char *slash = strrchr(argv[0], '/');
    snprintf(name, sizeof name, "%s.input", slash != NULL ? slash + 1 : argv[0]);
    if (files == 0 || (record = fopen(name, "w")) == NULL) {
        fprintf(stderr, "usage: %s [-runs=N] [-seed=S] FILE-OR-FOLDER...\n", argv[0]);
        return 2;
    }
    for (int i = 0; i < files; i++)
        run(&corpus[i]);
    for (long r = 0; r < runs; r++) {
        x = corpus[draw((size_t)files)];
        for (size_t changes = 1 + draw(5); changes > 0; changes--)
            mutate(&x);
        run(&x);
    }
    fclose(record);
    remove(name);
    printf("%d files and %ld mutations\n", files, runs);
    return 0;
}
