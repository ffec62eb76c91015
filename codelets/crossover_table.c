/*
 * The sizes from which on the library is faster on a machine than the LAPACK there, from the file
 * `crossovers` in its folder: lines of routine, type, cpu or cuda, size.
 */
#include "runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LINES = 1024 };

struct line {
    char routine[16];
    char letter; /* of the type */
    bool on_cuda;
    int64_t size;
};

static struct line table[MOST_LINES];
static int lines;
static bool counts_cpu; /* lines for CPU workers */

static bool parse(const char *text, struct line *l)
{
    char where[8], rest;
    int fields =
        sscanf(text, "%15s %c %7s %" SCNd64 " %c", l->routine, &l->letter, where, &l->size, &rest);
    l->on_cuda = fields >= 3 && strcmp(where, "cuda") == 0;
    return fields == 4 && (l->on_cuda || strcmp(where, "cpu") == 0) &&
           strchr("sdcz", l->letter) != NULL && l->size > 0;
}

static bool take(const char *text)
{
    if (lines == MOST_LINES || !parse(text, &table[lines]))
        return false;
    lines += counts_cpu || table[lines].on_cuda;
    return true;
}

bool crossover_table_read(const char *folder, bool same_cores, const char **reason)
{
    lines = 0;
    counts_cpu = same_cores;
    bool is_good = table_file_read(folder, "crossovers", take);
    *reason = is_good ? NULL : "its table of crossovers is damaged";
    if (!is_good)
        lines = 0;
    return is_good;
}

void crossover_table_forget(void)
{
    lines = 0;
}

int64_t startile_crossover(const char *routine, startile_dtype dtype)
{
    bool on_cuda = (runtime_where() & STARPU_CUDA) != 0;
    if (routine == NULL || dtype < STARTILE_S || dtype > STARTILE_Z)
        return 0;
    for (const struct line *l = table; l < table + lines; l++)
        if (strcmp(l->routine, routine) == 0 && l->letter == "sdcz"[dtype] && l->on_cuda == on_cuda)
            return l->size;
    return 0;
}
