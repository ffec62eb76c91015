/*
 * The sizes from which the library is faster than the machine's LAPACK, from the file `crossovers`
 * in the machine's folder. Each line has routine, type, cpu or cuda, size. Names of unitary
 * routines, such as ungqr, stand for those of orthogonal ones.
 */
#include "models/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Parses one line. Returns false if it is damaged, or has more fields (`extra`). */
static bool parse(const char *text, struct crossover_line *l)
{
    char where[8], extra;
    int fields =
        sscanf(text, "%15s %c %7s %" SCNd64 " %c", l->routine, &l->letter, where, &l->size, &extra);
    l->on_cuda = fields >= 3 && strcmp(where, "cuda") == 0;
    if (fields == 4 && strncmp(l->routine, "un", 2) == 0)
        memcpy(l->routine, "or", 2);
    return fields == 4 && (l->on_cuda || strcmp(where, "cpu") == 0) &&
           strchr("sdcz", l->letter) != NULL && l->size > 0;
}

/* Adds a line to the table. */
static bool add_line(void *table, const char *text)
{
    struct crossover_table *t = table;
    struct crossover_line line;
    if (t->lines == TABLE_LINES || !parse(text, &line))
        return false;
    t->line[t->lines++] = line;
    return true;
}

bool crossover_table_read(struct crossover_table *table, const char *folder, const char **reason)
{
    table->lines = 0;
    bool is_good = table_file_read(folder, "crossovers", add_line, table);
    *reason = is_good ? NULL : "its table of crossovers is damaged";
    return is_good;
}

int64_t crossover_table_find(const struct crossover_table *table, const char *routine,
                             startile_dtype dtype, bool on_cuda)
{
    for (const struct crossover_line *l = table->line; l < table->line + table->lines; l++)
        if (strcmp(l->routine, routine) == 0 && l->letter == "sdcz"[dtype] && l->on_cuda == on_cuda)
            return l->size;
    return 0;
}
