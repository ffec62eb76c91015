/*
 * Energy of the CPU packages, which Linux counts in /sys/class/powercap (of Intel's and AMD's CPUs,
 * under the same name).
 */
#include "energy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool read_number(const char *folder, const char *name, double *value)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    bool good = fscanf(f, "%lf", value) == 1;
    fclose(f);
    if (!good)
        errno = EIO;
    return good;
}

static bool is_package(const char *folder)
{
    char path[160], name[32] = "";
    snprintf(path, sizeof path, "%s/name", folder);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    if (!fgets(name, sizeof name, f))
        name[0] = '\0';
    fclose(f);
    return !strncmp(name, "package-", 8);
}

bool rapl_open(struct rapl *r, const char *folder, char *why)
{
    *r = (struct rapl){.packages = 0};
    snprintf(why, WHY_SIZE, "no package in %s", folder);
    for (int zone = 0; zone < MOST_PACKAGES; zone++) {
        char *path = r->path[r->packages];
        double *last = &r->last[r->packages], *range = &r->range[r->packages];
        snprintf(path, sizeof r->path[0], "%s/intel-rapl:%d", folder, zone);
        if (!is_package(path))
            continue;
        if (!read_number(path, "max_energy_range_uj", range) ||
            !read_number(path, "energy_uj", last)) {
            /* the energy of some packages is that of none */
            snprintf(why, WHY_SIZE, "%s/energy_uj: %s", path, strerror(errno));
            r->packages = 0;
            return false;
        }
        r->packages++;
    }
    return r->packages > 0;
}

double rapl_read(struct rapl *r)
{
    for (int p = 0; p < r->packages; p++) {
        double now;
        if (!read_number(r->path[p], "energy_uj", &now))
            return NAN;
        double more = now - r->last[p];
        r->joules += 1e-6 * (more < 0 ? more + r->range[p] : more);
        r->last[p] = now;
    }
    return r->packages ? r->joules : NAN;
}
