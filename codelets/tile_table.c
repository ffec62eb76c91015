/*
 * The tile sizes that were the fastest on a machine, from the file `tiles` in its folder: lines of
 * routine, type, cpu or cuda, n from which it holds, mb (0: all rows), nb (0: the usual tiles), and
 * workers a GPU (0: not measured). A '#' begins a comment.
 */
#include "model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LINES = 1024 };

struct line {
    char routine[16];
    char letter; /* of the type */
    bool on_cuda;
    int64_t from, mb, nb;
    int workers;
};

static struct line table[MOST_LINES];
static int lines;

static bool parse(const char *text, struct line *l)
{
    char where[8], rest;
    int fields = sscanf(text, "%15s %c %7s %" SCNd64 " %" SCNd64 " %" SCNd64 " %d %c", l->routine,
                        &l->letter, where, &l->from, &l->mb, &l->nb, &l->workers, &rest);
    l->on_cuda = fields >= 3 && strcmp(where, "cuda") == 0;
    return fields == 7 && (l->on_cuda || strcmp(where, "cpu") == 0) &&
           strchr("sdcz", l->letter) != NULL && l->from >= 0 && l->mb >= 0 && l->nb >= 0 &&
           l->nb <= INT32_MAX && l->workers >= 0 && l->workers <= 16;
}

bool tile_table_read(const char *folder, bool same_cores, const char **reason)
{
    char path[4096], text[256];
    lines = 0;
    snprintf(path, sizeof path, "%s/tiles", folder);
    FILE *f = fopen(path, "r");
    *reason = NULL;
    if (f == NULL)
        return true;
    while (*reason == NULL && fgets(text, sizeof text, f) != NULL) {
        size_t blank = strspn(text, " \t\r\n");
        if (text[blank] == '\0' || text[blank] == '#')
            continue;
        if (lines == MOST_LINES || !parse(text, &table[lines]))
            *reason = "its table of tile sizes is damaged";
        else
            lines += same_cores || table[lines].on_cuda;
    }
    fclose(f);
    if (*reason != NULL)
        lines = 0;
    return *reason == NULL;
}

void tile_table_forget(void)
{
    lines = 0;
}

bool tile_table_find(const char *routine, startile_dtype dtype, bool on_cuda, int64_t n,
                     int64_t *mb, int64_t *nb)
{
    const struct line *best = NULL;
    for (const struct line *l = table; l < table + lines; l++)
        if (strcmp(l->routine, routine) == 0 && l->letter == "sdcz"[dtype] &&
            l->on_cuda == on_cuda && l->from <= n && (best == NULL || l->from > best->from))
            best = l;
    *mb = best != NULL ? best->mb : 0;
    *nb = best != NULL ? best->nb : 0;
    return best != NULL;
}

/* They are started once, for all routines: what most lines say. */
int tile_table_workers_per_cuda(void)
{
    int votes[17] = {0}, best = 0;
    for (int i = 0; i < lines; i++)
        if (table[i].on_cuda && table[i].workers > 0)
            votes[table[i].workers]++;
    for (int w = 1; w <= 16; w++)
        if (votes[w] > votes[best])
            best = w;
    return best;
}
