/*
 * Writing the manifest of a calibration: the conditions, and what of all there is it covers.
 */
#include "calibrate.h"
#include "command.h"
#include "scalar.h"

#include <errno.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The version is the first word with digits and dots of the driver's own line. */
static void print_driver(FILE *f)
{
    char line[256] = "", *rest, *word;
    FILE *driver = fopen("/proc/driver/nvidia/version", "r");
    if (driver && !fgets(line, sizeof line, driver))
        line[0] = '\0';
    if (driver)
        fclose(driver);
    for (word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
        if (strchr(word, '.') && strspn(word, "0123456789.") == strlen(word))
            break;
    fprintf(f, "driver: %s\n", word ? word : "");
}

/* All that led to what is in the folder. */
static void print_commands(FILE *f, const struct calibration *c)
{
    static const char mark[] = "command ";
    char line[sizeof c->words + sizeof mark];
    const char *between = "";
    FILE *runs = folder_file(c, "runs", "r");
    fputs("commands: ", f);
    while (runs && fgets(line, sizeof line, runs)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, mark, strlen(mark)))
            continue;
        fprintf(f, "%s%s", between, line + strlen(mark));
        between = "; ";
    }
    fputc('\n', f);
    if (runs)
        fclose(runs);
}

/* -- what it covers --------------------------------------------------------------------------- */

/* The types of a routine for which the models of all its tasks were learned on those workers; false
 * where it has none there. */
static bool covered(const struct calibration *c, const struct batch *list, size_t count,
                    const char *routine, bool on_gpu, unsigned *types)
{
    bool found = false;
    *types = ~0u;
    for (const struct batch *b = list; b < list + count; b++)
        if (b->phase->learns && b->phase->on_gpu == on_gpu && !strcmp(b->name, routine)) {
            *types &= journal_types(c, b, true);
            found = true;
        }
    return found;
}

static void print_routine(FILE *f, const char *name, unsigned types, unsigned all)
{
    if (!types)
        return;
    fprintf(f, " %s%s", name, types == all ? "" : "/");
    for (int t = STARTILE_S; t <= STARTILE_Z && types != all; t++)
        if (types & 1u << t)
            fputc(dtype_letter((startile_dtype)t), f);
}

/* " all", or the routines with what types there are of each. */
static void print_where(FILE *f, const struct calibration *c, const struct batch *list,
                        size_t count, bool on_gpu)
{
    enum { ALL = 1 << STARTILE_S | 1 << STARTILE_D | 1 << STARTILE_C | 1 << STARTILE_Z };
    bool is_all = true;
    unsigned types;
    for (size_t i = 0; i < count; i++)
        if (covered(c, list, count, list[i].name, on_gpu, &types))
            is_all = is_all && types == ALL;
    if (is_all)
        fputs(" all", f);
    for (size_t i = 0; i < count && !is_all; i++) {
        bool first = true;
        for (size_t j = 0; j < i; j++)
            first =
                first && (list[j].phase->on_gpu != on_gpu || strcmp(list[j].name, list[i].name));
        if (first && list[i].phase->on_gpu == on_gpu &&
            covered(c, list, count, list[i].name, on_gpu, &types))
            print_routine(f, list[i].name, types, ALL);
    }
}

static bool print_covers(FILE *f, const struct calibration *c)
{
    struct calibration everything = *c;
    size_t count;
    everything.quick = everything.cpu = true;
    everything.gpu = c->gpus > 0;
    everything.routines = NULL;
    for (everything.dtype_count = 0; everything.dtype_count < 4; everything.dtype_count++)
        everything.dtypes[everything.dtype_count] = (startile_dtype)everything.dtype_count;
    struct batch *list = batches_list(&everything, &count);
    if (!list)
        return false;
    fputs("covers: cpu", f);
    print_where(f, c, list, count, false);
    if (c->gpus > 0) {
        fputs("; gpu", f);
        print_where(f, c, list, count, true);
    }
    fputc('\n', f);
    batches_free(list, count);
    return true;
}

/* -- all of it -------------------------------------------------------------------------------- */

bool manifest_write(const struct calibration *c)
{
    int version[3];
    char date[32];
    time_t now = time(NULL);
    FILE *f = folder_file(c, "manifest", "w");
    if (!f)
        return false;
    starpu_get_version(&version[0], &version[1], &version[2]);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    fprintf(f, "format: %d\nmachine: %s\ncpu: %s\ncores: %d\n", MODELS_FORMAT, c->name,
            c->machine.cpu, c->cores);
    fprintf(f, "gpu: %s\ngpus: %d\n", c->machine.gpu, c->gpus);
    print_driver(f);
    fprintf(f, "startile: %s\nstarpu: %d.%d.%d\nblas: OpenBLAS, the library's own copy\n",
            startile_version(), version[0], version[1], version[2]);
    fprintf(f, "cuda: %s\ndate: %s\n", c->cuda, date);
    print_commands(f, c);
    bool good = print_covers(f, c);
    fputs(c->kept, f);
    if (fclose(f) || !good) {
        report("%s/manifest: %s", c->folder, strerror(errno));
        return false;
    }
    return true;
}
