/*
 * Reads StarPU's file of a codelet's measurements, in the format of StarPU 1.4 (version 45).
 * StarPU's own reader ends the program at a damaged file (StarPU quirk 24).
 *
 * The file has numbers between white space; '#' begins a comment.
 */
#include "models/model.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_VERSION = 45, MAX_BYTES = 1 << 24, MAX_ENTRIES = 1 << 20, MAX_PARTS = 1 << 10 };
enum { STARPUS_CPU = 0, STARPUS_CUDA = 1 };

/* Fewest characters of an entry: seven numbers, separated by blanks. */
enum { ENTRY_CHARACTERS = 13 };

const char model_no_memory[] = "there is no memory for it";

struct reader {
    char *next;
    const char *end; /* the final 0 character */
    bool damaged;
};

/* Skips blanks and comments. */
static void skip_blanks(struct reader *r)
{
    for (;;) {
        r->next += strspn(r->next, " \t\r\n");
        if (*r->next != '#')
            return;
        r->next += strcspn(r->next, "\n");
    }
}

/* The functions below read the next number. They set r->damaged if there is none, or if it is
 * wrong. */
static double read_number(struct reader *r)
{
    char *end;
    skip_blanks(r);
    double value = strtod(r->next, &end);
    r->damaged |= end == r->next || strchr(" \t\r\n#", *end) == NULL;
    r->next = end;
    return value;
}

/* Reads an integer from 0 to `most`; returns 0 if the file is damaged. */
static long read_count(struct reader *r, long most)
{
    double value = read_number(r);
    bool fits = value >= 0 && value <= (double)most && value == floor(value);
    r->damaged |= !fits;
    return r->damaged ? 0 : (long)value;
}

/* Reads a footprint, which is hexadecimal. */
static uint32_t read_hash(struct reader *r)
{
    char *end;
    skip_blanks(r);
    unsigned long value = strtoul(r->next, &end, 16);
    r->damaged |= end == r->next || value > UINT32_MAX;
    r->next = end;
    return (uint32_t)value;
}

/* Reads an entry; returns whether it is usable. */
static bool read_entry(struct reader *r, struct model_entry *e)
{
    e->footprint = read_hash(r);
    double bytes = read_number(r), operations = read_number(r), mean = read_number(r);
    for (int i = 0; i < 3; i++)
        r->damaged |= !(read_number(r) >= 0); /* deviation and sums */
    long samples = read_count(r, INT32_MAX);
    bool is_number = isfinite(bytes) && isfinite(mean) && bytes >= 0 && mean >= 0;
    r->damaged |= !is_number || operations < 0;
    e->operations = log1p(operations);
    e->bytes = log1p(bytes);
    e->time = mean;
    return samples > 0 && mean > 0 && isfinite(operations);
}

/* Skips the coefficients of StarPU's own regressions. */
static void skip_regressions(struct reader *r)
{
    /* 9 numbers of the linear regression, 3 of the nonlinear one */
    for (int i = 0; i < 9 + 3; i++)
        read_number(r);
    long coefficients = read_count(r, MAX_PARTS);
    for (long i = 0; i < coefficients && !r->damaged; i++)
        read_number(r);
}

/* Reads the measurements of one device into c. Skips them if c is NULL or has measurements: those
 * of the first GPU in the file are used for all GPUs. */
static void read_curve(struct reader *r, struct model_curve *c)
{
    long entries = read_count(r, MAX_ENTRIES);
    skip_regressions(r);
    /* before the memory for so many is requested */
    r->damaged |= entries > (r->end - r->next) / ENTRY_CHARACTERS;
    bool wanted = !r->damaged && c != NULL && c->count == 0 && entries > 0;
    struct model_entry *entry = wanted ? malloc((size_t)entries * sizeof *entry) : NULL, unused;
    size_t good = 0;
    r->damaged |= wanted && entry == NULL;
    for (long i = 0; i < entries && !r->damaged; i++)
        good += read_entry(r, wanted ? &entry[good] : &unused);
    if (wanted && !r->damaged && good > 0)
        *c = (struct model_curve){good, entry};
    else
        free(entry);
}

/* Reads the measurements of one combination of devices. Skips those of several devices or of
 * devices other than CPUs and CUDA. */
static void read_devices(struct reader *r, struct model *m)
{
    long devices = read_count(r, MAX_PARTS), type = 0;
    for (long d = 0; d < devices && !r->damaged; d++) {
        type = read_count(r, MAX_PARTS);
        read_count(r, MAX_PARTS); /* device number */
        read_count(r, MAX_PARTS); /* number of cores */
    }
    long implementations = read_count(r, MAX_PARTS);
    bool known = devices == 1 && (type == STARPUS_CPU || type == STARPUS_CUDA);
    for (long i = 0; i < implementations && !r->damaged; i++)
        read_curve(r, known && i < MODEL_IMPLEMENTATIONS
                          ? &m->curve[type == STARPUS_CUDA ? MODEL_CUDA : MODEL_CPU][i]
                          : NULL);
}

static int by_footprint(const void *a, const void *b)
{
    uint32_t x = ((const struct model_entry *)a)->footprint,
             y = ((const struct model_entry *)b)->footprint;
    return (x > y) - (x < y);
}

/* Sorts the entries of each curve by footprint. */
static void sort(struct model *m)
{
    for (int d = 0; d < MODEL_DEVICES; d++)
        for (int i = 0; i < MODEL_IMPLEMENTATIONS; i++)
            if (m->curve[d][i].count > 0)
                qsort(m->curve[d][i].entry, m->curve[d][i].count, sizeof(struct model_entry),
                      by_footprint);
}

/* Parses the text of a file into *m. Returns the fault of the file, or NULL. After a fault *m may
 * have some curves. */
static const char *parse(char *text, struct model *m)
{
    struct reader r = {text, text + strlen(text), false};
    if (read_count(&r, MAX_PARTS) != FILE_VERSION)
        return r.damaged ? "it is damaged" : "it is of another version of StarPU";
    long parts = read_count(&r, MAX_PARTS);
    for (long p = 0; p < parts && !r.damaged; p++)
        read_devices(&r, m);
    skip_blanks(&r);
    if (r.damaged || *r.next != '\0' || r.end[-1] != '\n')
        return "it is damaged";
    sort(m);
    return NULL;
}

/* Returns the file's text with a final 0 character, or NULL. Sets *reason if there is a file that
 * cannot be used. */
static char *read_text(const char *path, const char **reason)
{
    *reason = NULL;
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return NULL;
    char *text = malloc(MAX_BYTES + 1);
    size_t length = text != NULL ? fread(text, 1, MAX_BYTES + 1, f) : 0;
    if (text == NULL)
        *reason = model_no_memory;
    else if (ferror(f) || length > MAX_BYTES)
        *reason = "it cannot be read";
    else if (memchr(text, '\0', length) != NULL)
        *reason = "it is damaged";
    else
        text[length] = '\0';
    fclose(f);
    if (*reason != NULL) {
        free(text);
        return NULL;
    }
    char *fitting = realloc(text, length + 1);
    return fitting != NULL ? fitting : text;
}

struct model *model_read(const char *path, const char **reason)
{
    char *text = read_text(path, reason);
    if (text == NULL)
        return NULL;
    struct model *m = calloc(1, sizeof *m);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (m != NULL && plain != (locale_t)0) {
        locale_t before = uselocale(plain);
        *reason = parse(text, m);
        uselocale(before);
    } else {
        *reason = model_no_memory;
    }
    if (plain != (locale_t)0)
        freelocale(plain);
    free(text);
    if (*reason != NULL) {
        model_free(m);
        m = NULL;
    }
    return m;
}

void model_free(struct model *m)
{
    if (m == NULL)
        return;
    for (int d = 0; d < MODEL_DEVICES; d++)
        for (int i = 0; i < MODEL_IMPLEMENTATIONS; i++)
            free(m->curve[d][i].entry);
    free(m);
}
