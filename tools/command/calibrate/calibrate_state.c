/*
 * Of which machine and which version of the library a calibration's folder is: the manifest says so
 * after the first full pass, and the journal from its beginning, in lines "state key: value".
 */
#include "calibrate.h"
#include "command.h"

#include <stdlib.h>
#include <string.h>

static const char mark[] = "state ";

static bool is_there(const struct calibration *c, const char *name)
{
    FILE *f = folder_file(c, name, "r");
    if (f)
        fclose(f);
    return f != NULL;
}

/* From the journal; false: it does not say. */
static bool read_journal(const struct calibration *c, struct manifest *m)
{
    char *line = NULL;
    size_t room = 0;
    FILE *f = folder_file(c, "runs", "r");
    *m = (struct manifest){.format = -1};
    while (f && getline(&line, &room, f) >= 0)
        if (!strncmp(line, mark, strlen(mark)))
            manifest_take(m, line + strlen(mark));
    free(line);
    if (f)
        fclose(f);
    return m->format >= 0 && m->machine[0];
}

/* NULL: nothing. */
static const char *difference(const struct calibration *c, const struct manifest *m)
{
    if (strcmp(m->cpu, c->machine.cpu) || strcmp(m->gpu, c->machine.gpu))
        return "was measured on other processors";
    if (m->cores != c->cores)
        return "was measured with another number of cores";
    if (m->format != MODELS_FORMAT)
        return "is stale: made for another version of the library";
    return strcmp(m->machine, c->name) ? "is of a machine of another name" : NULL;
}

bool state_fits(const struct calibration *c)
{
    struct manifest said, begun;
    const char *reason = NULL;
    bool has_said = manifest_read(c->folder, &said), has_begun = read_journal(c, &begun);
    if (!has_said && is_there(c, "manifest"))
        reason = "has a damaged manifest";
    else if (!has_said && !has_begun && is_there(c, "runs"))
        reason = "does not say of which machine it is";
    if (!reason && has_said)
        reason = difference(c, &said);
    if (!reason && has_begun)
        reason = difference(c, &begun);
    if (reason)
        report("%s: it %s; say --again to begin anew there, or another --folder", c->folder,
               reason);
    return !reason;
}

bool state_is_elsewheres(const struct calibration *c)
{
    struct manifest m;
    return (manifest_read(c->folder, &m) || read_journal(c, &m)) &&
           (strcmp(m.cpu, c->machine.cpu) || strcmp(m.gpu, c->machine.gpu));
}

bool state_name(const struct calibration *c, char *name, size_t size)
{
    struct manifest m;
    if (!manifest_read(c->folder, &m) && !read_journal(c, &m))
        return false;
    snprintf(name, size, "%s", m.machine);
    return true;
}

/* -- what stays ------------------------------------------------------------------------------- */

/* Of the GPU, for simulations; it is told, not measured. */
static bool is_kept(const char *line)
{
    return !strncmp(line, "gpu_link: ", 10) || !strncmp(line, "gpu_hold: ", 10);
}

static void keep_from(struct calibration *c, const char *name, const char *before)
{
    char *line = NULL;
    size_t room = 0, start = strlen(before), length = 0;
    FILE *f = folder_file(c, name, "r");
    while (f && getline(&line, &room, f) >= 0)
        if (!strncmp(line, before, start) && is_kept(line + start) &&
            length + strlen(line) < sizeof c->kept)
            length += (size_t)sprintf(c->kept + length, "%s", line + start);
    free(line);
    if (f)
        fclose(f);
}

void state_keep(struct calibration *c)
{
    struct manifest m;
    bool has_said = manifest_read(c->folder, &m);
    if ((has_said || read_journal(c, &m)) && !strcmp(m.gpu, c->machine.gpu))
        keep_from(c, has_said ? "manifest" : "runs", has_said ? "" : mark);
}
