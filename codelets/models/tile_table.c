/*
 * The fastest tile sizes of a machine, from the file `tiles` in its folder. Each line has routine,
 * type, cpu or cuda, smallest n, mb (0: all rows), nb (0: the default tiles).
 */
#include "models/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A smaller tile is not worth a task. */
enum { MIN_TILE = 16 };

/* Checks mb (0: all rows) and nb (0: the default). */
static bool is_tile(const struct tile_line *l)
{
    bool has_columns = l->nb == 0 || (l->nb >= MIN_TILE && l->nb <= INT32_MAX);
    return has_columns && (l->mb == 0 || (l->mb >= MIN_TILE && l->mb >= l->nb));
}

/* Parses one line. Returns false if it is damaged, or has more fields (`extra`). */
static bool parse(const char *text, struct tile_line *l)
{
    char where[8], extra;
    int fields = sscanf(text, "%15s %c %7s %" SCNd64 " %" SCNd64 " %" SCNd64 " %c", l->routine,
                        &l->letter, where, &l->from, &l->mb, &l->nb, &extra);
    l->on_cuda = fields >= 3 && strcmp(where, "cuda") == 0;
    return fields == 6 && (l->on_cuda || strcmp(where, "cpu") == 0) &&
           strchr("sdcz", l->letter) != NULL && l->from >= 0 && is_tile(l);
}

/* Adds a line to the table. */
static bool add_line(void *table, const char *text)
{
    struct tile_table *t = table;
    struct tile_line line;
    if (t->lines == TABLE_LINES || !parse(text, &line))
        return false;
    t->line[t->lines++] = line;
    return true;
}

bool tile_table_read(struct tile_table *table, const char *folder, const char **reason)
{
    table->lines = 0;
    bool is_good = table_file_read(folder, "tiles", add_line, table);
    *reason = is_good ? NULL : "its table of tile sizes is damaged";
    return is_good;
}

bool tile_table_find(const struct tile_table *table, const char *routine, startile_dtype dtype,
                     bool on_cuda, int64_t n, int64_t *mb, int64_t *nb)
{
    const struct tile_line *best = NULL;
    for (const struct tile_line *l = table->line; l < table->line + table->lines; l++)
        if (strcmp(l->routine, routine) == 0 && l->letter == "sdcz"[dtype] &&
            l->on_cuda == on_cuda && l->from <= n && (best == NULL || l->from > best->from))
            best = l;
    *mb = best != NULL ? best->mb : 0;
    *nb = best != NULL ? best->nb : 0;
    return best != NULL;
}
