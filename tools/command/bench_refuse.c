/*
 * `startile bench`: what it refuses before anything runs, since there is no room for it or no such
 * place.
 */
#include "bench.h"
#include "command.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char command[] = "startile bench";

static double memory_of_operands(const struct problem *p)
{
    struct operand o[MAX_OPERANDS];
    double bytes = 0;
    p->routine->describe(p, o);
    for (int i = 0; i < p->routine->operands; i++)
        bytes += (double)operand_bytes(p, &o[i]);
    return bytes;
}

/* The part is for norms of tiles: with 6 KiB left StarPU waited for ever. */
double memory_for_check(const struct problem *p)
{
    const double times = 3, part = 1.0 / 16;
    return (1 + part) * times * memory_of_operands(p);
}

/* Of all problems that are asked for. */
static double largest(const struct bench_arguments *a, double (*needed)(const struct problem *p))
{
    double bytes = 0;
    for (int t = 0; t < a->dtype_count; t++)
        for (size_t j = 0; j < a->n.count; j++)
            for (size_t i = 0; i < (a->m.count ? a->m.count : 1); i++) {
                int64_t n = a->n.values[j], m = a->m.count ? a->m.values[i] : n;
                struct problem p = make_problem(a, a->dtypes[t], m, n);
                bytes = fmax(bytes, needed(&p));
            }
    return bytes;
}

/* In whole MiB, as StarPU's limits are. */
static double mib(double bytes)
{
    return ceil(bytes / 0x1p20);
}

void refuse_check_without_room(const struct bench_arguments *a)
{
    int limit = starpu_getenv_number("STARPU_LIMIT_CPU_MEM");
    if (!a->settings.check || !a->settings.disk || limit <= 0)
        return;
    double needed = mib(largest(a, memory_for_check));
    if (needed > limit)
        usage_error(command, "--check needs %.0f MiB of main memory for tiles; StarPU may use %d",
                    needed, limit);
}

/* The library makes its files in the same way. */
static int try_folder(const char *folder)
{
    char path[PATH_MAX];
    if (!folder[0])
        return ENOENT;
    if (snprintf(path, sizeof path, "%s/startile-XXXXXX", folder) >= (int)sizeof path)
        return ENAMETOOLONG;
    int file = mkstemp(path);
    if (file < 0)
        return errno;
    close(file);
    return unlink(path) ? errno : 0;
}

void refuse_folder(const struct bench_arguments *a)
{
    int error = a->settings.disk ? try_folder(a->settings.disk) : 0;
    if (error)
        usage_error(command, "--disk '%s': %s", a->settings.disk, strerror(error));
}

/* Of each GPU in MiB; 0: not where matrices reside, or not limited. */
static int limit_of_home(const struct bench_arguments *a)
{
    enum bench_where where = a->everywhere ? WHERE_GPU : a->settings.where;
    int limit = starpu_getenv_number("STARPU_LIMIT_CUDA_MEM");
    return settings_for(a, where).resident_on_gpu && limit > 0 ? limit : 0;
}

bool gpus_have_room(const struct bench_arguments *a, int gpus)
{
    double limit = limit_of_home(a);
    return limit == 0 || gpus < 1 || mib(largest(a, memory_of_operands)) <= gpus * limit;
}

void refuse_gpus_without_room(const struct bench_arguments *a, int gpus)
{
    usage_error(command,
                "--gpu-mem: %.0f MiB are to reside on GPUs, of which StarPU may use %d x %d MiB: "
                "use --resident host",
                mib(largest(a, memory_of_operands)), gpus, limit_of_home(a));
}
