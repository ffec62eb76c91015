/*
 * The journal of a calibration, the file `runs`: of which machine it is, the commands, the times of
 * whole routines, and which batches are done.
 */
#include "calibrate.h"
#include "command.h"
#include "scalar.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool end(const struct calibration *c, FILE *f)
{
    if (f && fclose(f)) {
        report("%s/runs: %s", c->folder, strerror(errno));
        return false;
    }
    return f != NULL;
}

bool journal_begin(const struct calibration *c)
{
    char name[64], *at = NULL, kept[sizeof c->kept];
    bool is_new = !state_name(c, name, sizeof name);
    FILE *f = folder_file(c, "runs", "a");
    if (f && is_new) {
        fprintf(f, "state format: %d\nstate machine: %s\nstate cpu: %s\n", MODELS_FORMAT, c->name,
                c->machine.cpu);
        fprintf(f, "state cores: %d\nstate gpu: %s\n", c->cores, c->machine.gpu);
        strcpy(kept, c->kept);
        for (char *line = strtok_r(kept, "\n", &at); line; line = strtok_r(NULL, "\n", &at))
            fprintf(f, "state %s\n", line);
    }
    if (f)
        fprintf(f, "command %s\n", c->words);
    return end(c, f);
}

/* -- what is done ----------------------------------------------------------------------------- */

/* What is done in full is done quickly, too. */
unsigned journal_types(const struct calibration *c, const struct batch *b, bool quick)
{
    char line[256], phase[16], name[16], extent[8], letters[8];
    unsigned types = 0;
    startile_dtype dtype;
    FILE *f = folder_file(c, "runs", "r");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "done %15s %15s %7s %7s", phase, name, extent, letters) != 4 ||
            strcmp(phase, b->phase->name) || strcmp(name, b->name) ||
            (strcmp(extent, "full") && !quick))
            continue;
        for (const char *at = letters; *at; at++)
            types |= dtype_from_letter(*at, &dtype) ? 1u << dtype : 0;
    }
    if (f)
        fclose(f);
    return types;
}

bool journal_has(const struct calibration *c, const struct batch *b)
{
    unsigned wanted = 0;
    for (int t = 0; t < c->dtype_count; t++)
        wanted |= 1u << c->dtypes[t];
    return !(wanted & ~journal_types(c, b, c->quick));
}

static void add_time(FILE *f, const struct batch *b, const struct problem *p,
                     const struct outcome *o)
{
    if (p->routine && isfinite(o->seconds))
        fprintf(f, "time %s %s %c %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %.6g%s\n",
                b->phase->name, b->name, dtype_letter(p->dtype), p->m, p->n, o->mb, o->nb,
                o->seconds, p->nb ? "" : " usual");
}

bool journal_add(const struct calibration *c, const struct batch *b, const struct outcome *outcomes)
{
    for (size_t i = 0; i < b->count; i++)
        if (outcomes[i].error[0])
            return true;
    FILE *f = folder_file(c, "runs", "a");
    for (size_t i = 0; f && i < b->count; i++)
        add_time(f, b, &b->cases[i], &outcomes[i]);
    if (f) {
        fprintf(f, "done %s %s %s ", b->phase->name, b->name, c->quick ? "quick" : "full");
        for (int t = 0; t < c->dtype_count; t++)
            fputc(dtype_letter(c->dtypes[t]), f);
        fputc('\n', f);
    }
    return end(c, f);
}

/* -- the times -------------------------------------------------------------------------------- */

struct measured *journal_read(const struct calibration *c, size_t *count)
{
    struct measured *list = NULL, *grown, m;
    char line[256];
    size_t room = 0;
    FILE *f = folder_file(c, "runs", "r");
    *count = 0;
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "time %15s %15s %c %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %lf",
                   m.phase, m.routine, &m.letter, &m.m, &m.n, &m.mb, &m.nb, &m.seconds) != 8)
            continue;
        m.usual = strstr(line, " usual") != NULL;
        if (*count == room) {
            room = room ? 2 * room : 64;
            if (!(grown = realloc(list, room * sizeof *list)))
                break;
            list = grown;
        }
        list[(*count)++] = m;
    }
    if (f)
        fclose(f);
    return list;
}
