/*
 * Time, memory and folders of this machine.
 */
#include "measure.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef STARTILE_SIMULATION
#include <starpu.h>
#endif

double now_seconds(void)
{
#ifdef STARTILE_SIMULATION
    return 1e-6 * starpu_timing_now();
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#endif
}

/* Compares two doubles for qsort(). */
static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

struct spread spread_of(double *values, size_t n)
{
    double middle = median(values, n); /* sorts the values */
    return (struct spread){middle, values[0], values[n - 1]};
}

/* Returns the number in a file of the kernel, or SIZE_MAX if there is no file or no number in it.
 */
static size_t read_number_file(const char *path)
{
    unsigned long long value;
    FILE *f = fopen(path, "r");
    if (!f)
        return SIZE_MAX;
    int found = fscanf(f, "%llu", &value);
    fclose(f);
    return found == 1 ? (size_t)value : SIZE_MAX;
}

/* Returns the memory limit in bytes of the container's control group, version 2 or version 1, or
 * SIZE_MAX without a limit. */
static size_t control_group_limit(void)
{
    size_t limit = read_number_file("/sys/fs/cgroup/memory.max");
    if (limit == SIZE_MAX)
        limit = read_number_file("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    return limit;
}

size_t memory_total(void)
{
    size_t machine = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t limit = control_group_limit();
    return limit < machine ? limit : machine;
}

/* Returns the bytes that the machine has available for new programs, or memory_total() if Linux
 * does not tell. */
static size_t machine_available(void)
{
    char line[128];
    unsigned long long kib;
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %llu", &kib) == 1) {
            fclose(f);
            return (size_t)kib << 10;
        }
    if (f)
        fclose(f);
    return memory_total();
}

size_t memory_available(void)
{
    size_t machine = machine_available(), limit = control_group_limit();
    return limit < machine ? limit : machine;
}

bool make_folder(const char *folder)
{
    char path[PATH_MAX];
    struct stat s;
    if (snprintf(path, sizeof path, "%s", folder) >= PATH_MAX)
        return (errno = ENAMETOOLONG, false);
    /* Makes each folder above: cuts the path at each '/' in turn. Ignores failures, which mkdir()
     * of the whole path then shows. */
    for (char *slash = path; *slash && (slash = strchr(slash + 1, '/')); *slash = '/') {
        *slash = '\0';
        mkdir(path, 0777);
    }
    bool is_there = !mkdir(path, 0777) || errno == EEXIST;
    if (!is_there || stat(path, &s))
        return false;
    errno = ENOTDIR;
    return S_ISDIR(s.st_mode) && !access(path, W_OK | X_OK);
}
