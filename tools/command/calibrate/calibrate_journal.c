/* The manifest, and the journal `runs`: times of whole routines, and finished series. */
#include "calibrate.h"
#include "command.h"
#include "scalar.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool manifest_write(const struct calibration *c, bool is_complete)
{
    int version[3];
    char date[32];
    time_t now = time(NULL);
    FILE *f = folder_file(c, "manifest", "w");
    if (!f)
        return false;
    starpu_get_version(&version[0], &version[1], &version[2]);
    fprintf(f, "format: %d\nmachine: %s\ncpu: %s\ncores: %d\n", MODELS_FORMAT, c->name,
            c->machine.cpu, c->machine.cores);
    fprintf(f, "gpu: %s\ngpus: %d\n", c->machine.gpu, c->gpus);
    fprintf(f, "startile: %s\nstarpu: %d.%d.%d\nblas: %s\n", startile_version(), version[0],
            version[1], version[2], startile_blas_version());
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    if (is_complete)
        fprintf(f, "date: %s\n", date);
    return file_close(f);
}

/* Returns how the manifest differs from this machine and version; NULL: it does not. */
static const char *reason_to_refuse(const struct calibration *c, const struct manifest *m)
{
    if (strcmp(m->cpu, c->machine.cpu) || strcmp(m->gpu, c->machine.gpu))
        return "was measured on other processors";
    if (m->cores != c->machine.cores)
        return "was measured with another number of cores";
    if (m->format != MODELS_FORMAT)
        return "is stale: made for another version of the library";
    return strcmp(m->machine, c->name) ? "is of a machine of another name" : NULL;
}

bool journal_begin(const struct calibration *c)
{
    struct manifest m;
    bool has_manifest = manifest_read(c->folder, &m);
    FILE *f = has_manifest ? NULL : folder_file(c, "runs", "r");
    const char *reason = has_manifest ? reason_to_refuse(c, &m)
                         : f          ? "has no usable manifest"
                                      : NULL;
    if (f)
        fclose(f);
    if (reason) {
        report("%s: it %s; remove it to begin anew, or say another --folder", c->folder, reason);
        return false;
    }
    return has_manifest || manifest_write(c, false);
}

/* Counts a series finished in full as finished for --quick, too. */
bool journal_has(const struct calibration *c, const struct series *series)
{
    char line[256], phase[16], name[16], extent[8], letters[8];
    unsigned missing = 0; /* bit t: the journal lacks the series for type t */
    startile_dtype dtype;
    FILE *f = folder_file(c, "runs", "r");
    for (int t = 0; t < c->precisions.count; t++)
        missing |= 1u << c->precisions.dtype[t];
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "done %15s %15s %7s %7s", phase, name, extent, letters) == 4 &&
            !strcmp(phase, series->phase->name) && !strcmp(name, series->name) &&
            (c->quick || !strcmp(extent, "full")))
            for (const char *at = letters; *at; at++)
                missing &= dtype_from_letter(*at, &dtype) ? ~(1u << dtype) : ~0u;
    if (f)
        fclose(f);
    return !missing;
}

bool journal_add(const struct calibration *c, const struct series *series,
                 const struct outcome *outcomes)
{
    for (size_t i = 0; i < series->count; i++)
        if (outcomes[i].error[0])
            return true;
    FILE *f = folder_file(c, "runs", "a");
    if (f)
        for (size_t i = 0; i < series->count; i++)
            if (series->cases[i].routine && isfinite(outcomes[i].seconds))
                fprintf(f, "time %s %s %c %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %.6g%s\n",
                        series->phase->name, series->name, dtype_letter(series->cases[i].dtype),
                        series->cases[i].m, series->cases[i].n, outcomes[i].mb, outcomes[i].nb,
                        outcomes[i].seconds, series->cases[i].nb ? "" : " usual");
    if (f) {
        fprintf(f, "done %s %s %s ", series->phase->name, series->name,
                c->quick ? "quick" : "full");
        for (int t = 0; t < c->precisions.count; t++)
            fputc(dtype_letter(c->precisions.dtype[t]), f);
        fputc('\n', f);
    }
    return file_close(f);
}

struct routine_time *journal_read(const struct calibration *c, size_t *count)
{
    struct routine_time *list = NULL, *grown, m;
    char line[256];
    FILE *f = folder_file(c, "runs", "r");
    *count = 0;
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "time %15s %15s %c %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %lf",
                   m.phase, m.routine, &m.letter, &m.m, &m.n, &m.mb, &m.nb, &m.seconds) != 8)
            continue;
        m.usual = strstr(line, " usual") != NULL;
        if (!(grown = realloc(list, (*count + 1) * sizeof *list)))
            break;
        list = grown;
        list[(*count)++] = m;
    }
    if (f)
        fclose(f);
    return list;
}
