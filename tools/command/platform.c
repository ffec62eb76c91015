/*
 * A simulated machine: what StarPU measured of it, and a folder that describes more of the same.
 */
#include "platform.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(char *reason, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail(char *reason, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, size, format, arguments);
    va_end(arguments);
    return false;
}

/* -- what was measured: StarPU's own platform file -------------------------------------------- */

static void read_line(const char *line, struct platform *p)
{
    struct link l;
    char from[16], to[16];
    unsigned device;
    if (sscanf(line, " <host id=\"CPU%u\"", &device) == 1)
        p->cores++;
    else if (sscanf(line, " <host id=\"CUDA%u\"", &device) == 1)
        p->gpus++;
    else if (sscanf(line, " <prop id=\"memsize\" value=\"%llu\"", &p->memory) == 1)
        return;
    else if (sscanf(line,
                    " <link id=\"%15[A-Z0-9]-%15[A-Z0-9]\" bandwidth=\"%lfBps\" latency=\"%lfs\"",
                    from, to, &l.bandwidth, &l.latency) == 4) {
        if (!strcmp(from, "RAM") && !strcmp(to, "CUDA0"))
            p->to_gpu = l;
        else if (!strcmp(from, "CUDA0") && !strcmp(to, "RAM"))
            p->to_ram = l;
        else if (!strcmp(from, "CUDA0") && !strcmp(to, "CUDA1"))
            p->between_gpus = l;
    }
}

/* A manifest may tell what one GPU's measurements do not: "gpu_link: bytes/s seconds", the link
 * between GPUs, and "gpu_hold: fraction", see simulation.h. */
static bool read_manifest_line(const char *line, struct platform *p, char *reason, size_t size)
{
    struct link l = {0, 0};
    char rest;
    if (!strncmp(line, "gpu_hold:", 9)) {
        if (sscanf(line + 9, "%lf %c", &p->gpu_hold, &rest) != 1 ||
            !(p->gpu_hold >= 0 && p->gpu_hold <= 1))
            return fail(reason, size, "its manifest's gpu_hold must be a number from 0 to 1");
    } else if (!strncmp(line, "gpu_link:", 9)) {
        if (sscanf(line + 9, "%lf %lf %c", &l.bandwidth, &l.latency, &rest) != 2 || !is_link(l) ||
            isinf(l.bandwidth) || isinf(l.latency))
            return fail(reason, size, "its manifest's gpu_link must be bytes/s and seconds");
        if (!is_link(p->between_gpus))
            p->between_gpus = l;
    }
    return true;
}

static bool read_manifest(const char *models, struct platform *p, char *reason, size_t size)
{
    char path[PATH_MAX + 16], line[512];
    bool good = true;
    snprintf(path, sizeof path, "%s/manifest", models);
    FILE *f = fopen(path, "r");
    while (f && good && fgets(line, sizeof line, f))
        good = read_manifest_line(line, p, reason, size);
    if (f)
        fclose(f);
    return good;
}

static bool read_measured(const char *models, const char *machine, struct platform *p, char *reason,
                          size_t size)
{
    char path[PATH_MAX + 128], line[512];
    *p = (struct platform){.gpu_hold = 1};
    snprintf(path, sizeof path, "%s/bus/%s.platform.v4.xml", models, machine);
    FILE *f = fopen(path, "r");
    if (!f)
        return fail(reason, size, "%s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, f))
        read_line(line, p);
    fclose(f);
    if (p->cores == 0 || (p->gpus > 0 && (!is_link(p->to_gpu) || !is_link(p->to_ram))))
        return fail(reason, size, "%s: not StarPU's description of a machine", path);
    return read_manifest(models, p, reason, size);
}

/* Each GPU comes with its share of the cores, which its workers' threads need. */
static bool extend(struct platform *p, int gpus, char *reason, size_t size)
{
    if (gpus <= p->gpus)
        return true;
    if (p->gpus == 0)
        return fail(reason, size, "that machine has no GPU");
    p->cores = p->cores * gpus / p->gpus;
    p->gpus = gpus;
    return true;
}

/* -- files ------------------------------------------------------------------------------------ */

static void name_file(char path[PLATFORM_PATH + 64], const char *folder, const char *name)
{
    snprintf(path, PLATFORM_PATH + 64, "%s/bus/" PLATFORM_NAME ".%s", folder, name);
}

static bool write_files(const char *folder, const struct platform *p)
{
    char path[PLATFORM_PATH + 64];
    snprintf(path, sizeof path, "%s/bus", folder);
    if (mkdir(path, S_IRWXU))
        return false;
    for (int i = 0; i < PLATFORM_FILES; i++) {
        name_file(path, folder, platform_files[i].name);
        FILE *f = fopen(path, "w");
        if (!f)
            return false;
        platform_files[i].write(f, p);
        bool written = !ferror(f);
        if (fclose(f) || !written)
            return false;
    }
    return true;
}

bool platform_make(const char *models, const char *machine, int *gpus, char folder[PLATFORM_PATH],
                   char *reason, size_t size)
{
    const char *temporary = getenv("TMPDIR");
    struct platform p;
    if (!read_measured(models, machine, &p, reason, size) || !extend(&p, *gpus, reason, size))
        return false;
    *gpus = p.gpus;
    int length = snprintf(folder, PLATFORM_PATH, "%s/startile-XXXXXX",
                          temporary && *temporary ? temporary : "/tmp");
    if (length >= PLATFORM_PATH)
        return fail(reason, size, "TMPDIR is too long a path for StarPU");
    if (!mkdtemp(folder))
        return fail(reason, size, "%s: %s", folder, strerror(errno));
    if (write_files(folder, &p))
        return true;
    fail(reason, size, "%s: %s", folder, strerror(errno));
    platform_remove(folder);
    return false;
}

void platform_remove(const char *folder)
{
    char path[PLATFORM_PATH + 64];
    for (int i = 0; i < PLATFORM_FILES; i++) {
        name_file(path, folder, platform_files[i].name);
        unlink(path);
    }
    /* and what StarPU makes there */
    static const char *const made[] = {"/bus", "/codelets/45", "/codelets", "/debug", ""};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(path, sizeof path, "%s%s", folder, made[i]);
        rmdir(path);
    }
}
