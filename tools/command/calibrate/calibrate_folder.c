/*
 * The folder of a calibration: StarPU's files, the manifest, and a journal of what is done.
 */
#include "calibrate.h"
#include "command.h"
#include "manifest.h"
#include "scalar.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_LENGTH = FOLDER_LENGTH + 300 };

/* -- the folder ------------------------------------------------------------------------------- */

/* With all folders above it. */
static bool make_folder(const char *path)
{
    char part[FOLDER_LENGTH];
    for (size_t i = 1; i <= strlen(path); i++)
        if (path[i] == '/' || !path[i]) {
            snprintf(part, sizeof part, "%.*s", (int)i, path);
            if (mkdir(part, 0777) && errno != EEXIST)
                return false;
        }
    return !access(path, W_OK | X_OK);
}

bool folder_open(struct calibration *c)
{
    char *absolute;
    if (!make_folder(c->folder) || !(absolute = realpath(c->folder, NULL))) {
        report("%s: %s", c->folder, strerror(errno));
        return false;
    }
    bool fits = strlen(absolute) < sizeof c->folder;
    if (fits)
        strcpy(c->folder, absolute);
    else
        report("%s: longer than the %d characters that StarPU has room for", absolute,
               FOLDER_LENGTH - 1);
    free(absolute);
    return fits;
}

static bool remove_files(const char *folder, const char *beginning)
{
    char path[PATH_LENGTH + 256];
    DIR *d = opendir(folder);
    bool good = true;
    for (struct dirent *entry; d && (entry = readdir(d));) {
        if (entry->d_name[0] == '.' || strncmp(entry->d_name, beginning, strlen(beginning)))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (unlink(path)) {
            report("%s: %s", path, strerror(errno));
            good = false;
        }
    }
    if (d)
        closedir(d);
    return good;
}

/* Nothing but what a calibration wrote. */
bool folder_clear(const struct calibration *c)
{
    char path[PATH_LENGTH];
    static const char *const files[] = {"manifest", "tiles", "runs"};
    bool good = true;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        good = remove_files(c->folder, files[i]) && good;
    snprintf(path, sizeof path, "%s/codelets/45", c->folder);
    good = remove_files(path, "startile_") && good;
    snprintf(path, sizeof path, "%s/bus", c->folder);
    return remove_files(path, c->name) && good;
}

/* -- the journal ------------------------------------------------------------------------------ */

static FILE *open_file(const struct calibration *c, const char *name, const char *mode)
{
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    FILE *f = fopen(path, mode);
    if (!f && (*mode != 'r' || errno != ENOENT))
        report("%s: %s", path, strerror(errno));
    return f;
}

static void done_line(const struct calibration *c, const struct batch *b, bool quick, char *line,
                      size_t size)
{
    int length =
        snprintf(line, size, "done %s %s %s ", b->phase->name, b->name, quick ? "quick" : "full");
    for (int t = 0; t < c->dtype_count; t++)
        line[length++] = dtype_letter(c->dtypes[t]);
    line[length] = '\0';
}

/* What is done in full is done quickly, too. */
bool journal_has(const struct calibration *c, const struct batch *b)
{
    char full[96], quick[96], line[256];
    bool found = false;
    FILE *f = open_file(c, "runs", "r");
    done_line(c, b, false, full, sizeof full - 4);
    done_line(c, b, true, quick, sizeof quick - 4);
    while (f && !found && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        found = !strcmp(line, full) || (c->quick && !strcmp(line, quick));
    }
    if (f)
        fclose(f);
    return found;
}

bool journal_add(const struct calibration *c, const struct batch *b, const struct outcome *outcomes)
{
    char line[96];
    FILE *f = open_file(c, "runs", "a");
    for (size_t i = 0; f && i < b->count; i++) {
        const struct problem *p = &b->cases[i];
        const struct outcome *o = &outcomes[i];
        if (p->routine && !o->error[0] && isfinite(o->seconds))
            fprintf(f, "time %s %s %c %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %.6g%s\n",
                    b->phase->name, b->name, dtype_letter(p->dtype), p->m, p->n, o->mb, o->nb,
                    o->seconds, p->nb ? "" : " usual");
    }
    done_line(c, b, c->quick, line, sizeof line - 4);
    if (f)
        fprintf(f, "%s\n", line);
    if (f && fclose(f)) {
        report("%s/runs: %s", c->folder, strerror(errno));
        return false;
    }
    return f != NULL;
}

bool journal_add_command(const struct calibration *c)
{
    FILE *f = open_file(c, "runs", "a");
    if (f)
        fprintf(f, "command %s\n", c->words);
    if (!f || !fclose(f))
        return f != NULL;
    report("%s/runs: %s", c->folder, strerror(errno));
    return false;
}

struct measured *journal_read(const struct calibration *c, size_t *count)
{
    struct measured *list = NULL, *grown, m;
    char line[256];
    size_t room = 0;
    FILE *f = open_file(c, "runs", "r");
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

/* -- the manifest ----------------------------------------------------------------------------- */

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
    FILE *runs = open_file(c, "runs", "r");
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

bool manifest_write(const struct calibration *c)
{
    int version[3];
    char date[32];
    time_t now = time(NULL);
    FILE *f = open_file(c, "manifest", "w");
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
    if (fclose(f)) {
        report("%s/manifest: %s", c->folder, strerror(errno));
        return false;
    }
    return true;
}
