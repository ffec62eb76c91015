/*
 * The table of tile sizes: for each routine, type and order the fastest that was measured.
 */
#include "calibrate.h"
#include "command.h"
#include "scalar.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs differ by that much by themselves: what is less faster changes nothing. */
static const double noise = 0.03;

/* By what distinguishes lines of the table, then by the sizes of the matrix and of its tiles. */
static int compare(const void *a, const void *b)
{
    const struct measured *x = a, *y = b;
    int order = strcmp(x->phase, y->phase);
    order = order ? order : strcmp(x->routine, y->routine);
    order = order ? order : x->letter - y->letter;
    if (order)
        return order;
    int64_t differ = x->n != y->n ? x->n - y->n : x->m != y->m ? x->m - y->m : x->nb - y->nb;
    return (differ > 0) - (differ < 0);
}

static bool same_line(const struct measured *x, const struct measured *y)
{
    return !strcmp(x->phase, y->phase) && !strcmp(x->routine, y->routine) && x->letter == y->letter;
}

static bool has_usual_tiles(const struct measured *x, const struct measured *usual)
{
    return usual && x->mb == usual->mb && x->nb == usual->nb;
}

static bool does_as_well(const struct measured *x, const struct measured *best)
{
    return x && x->seconds <= best->seconds * (1 + noise);
}

/* The fastest of one matrix, or the usual tiles or those of the next smaller matrix, where these do
 * as well. NULL: the usual ones, also where these were not measured. */
static const struct measured *fastest(const struct measured *m, size_t count, int64_t before)
{
    const struct measured *best = m, *usual = NULL, *quickest = NULL, *kept = NULL;
    for (const struct measured *x = m; x < m + count; x++)
        usual = x->usual ? x : usual;
    for (const struct measured *x = m; x < m + count; x++) {
        if (x->seconds < best->seconds)
            best = x;
        if (has_usual_tiles(x, usual) && (!quickest || x->seconds < quickest->seconds))
            quickest = x;
        if (x->nb == before && (!kept || x->seconds < kept->seconds))
            kept = x;
    }
    return !usual || does_as_well(quickest, best) ? NULL : does_as_well(kept, best) ? kept : best;
}

/* The number of workers a GPU that was the fastest on the same matrix; 0: only one was tried. */
static int best_workers(const struct measured *all, size_t count, const struct measured *like)
{
    enum { FIRST = 2, USUAL = 3, KINDS = 3 };
    static const char *const names[KINDS] = {"gpu-2", "gpu-3", "gpu-4"};
    double seconds[KINDS] = {0};
    int best = USUAL - FIRST, tried = 0;
    for (const struct measured *x = all; x < all + count; x++)
        for (int w = 0; w < KINDS; w++)
            if (!strcmp(x->phase, names[w]) && !strcmp(x->routine, like->routine) &&
                x->letter == like->letter && x->n == like->n && x->nb == like->nb)
                seconds[w] = x->seconds;
    for (int w = 0; w < KINDS; w++) {
        tried += seconds[w] > 0;
        if (seconds[w] > 0 && seconds[w] * (1 + noise) < seconds[best])
            best = w;
    }
    return tried > 1 ? best + FIRST : 0;
}

/* Between two orders that were measured, in the ratio. */
static int64_t between(int64_t a, int64_t b)
{
    return a ? (int64_t)sqrt((double)a * (double)b) : 0;
}

static void print_line(FILE *f, const struct measured *m, int64_t from, const struct measured *best,
                       int workers)
{
    bool on_gpu = !strncmp(m->phase, "gpu", 3), tall = best && best->mb >= best->m;
    fprintf(f, "%-12s %c %-4s %6" PRId64 " %6" PRId64 " %5" PRId64 " %d\n", m->routine, m->letter,
            on_gpu ? "cuda" : "cpu", from, !best || tall ? 0 : best->mb, best ? best->nb : 0,
            workers);
}

/* Of one matrix: what was tried with several numbers of workers is in there. */
static int workers_for(const struct measured *m, size_t count, const struct measured *all,
                       size_t total)
{
    int workers = 0;
    for (const struct measured *x = m; x < m + count && !workers; x++)
        workers = best_workers(all, total, x);
    return workers;
}

/* The lines of one routine and type; they end well above what was measured. */
static void print_lines(FILE *f, const struct measured *m, size_t count, const struct measured *all,
                        size_t total)
{
    int64_t before = 0, width = -1;
    for (size_t i = 0, j; i < count; i = j) {
        for (j = i; j < count && m[j].n == m[i].n; j++)
            continue;
        const struct measured *best = fastest(&m[i], j - i, width);
        int workers = workers_for(&m[i], j - i, all, total);
        if ((best ? best->nb : 0) != width || workers)
            print_line(f, m, between(before, m[i].n), best, workers);
        before = m[i].n;
        width = best ? best->nb : 0;
    }
    if (width > 0)
        print_line(f, m, before + before / 2, NULL, 0);
}

bool tells_tiles(const char *phase)
{
    return !strcmp(phase, "cpu") || !strcmp(phase, "gpu-3");
}

bool tiles_write(const struct calibration *c)
{
    char path[FOLDER_LENGTH + 16];
    size_t count;
    struct measured *all = journal_read(c, &count);
    snprintf(path, sizeof path, "%s/tiles", c->folder);
    FILE *f = fopen(path, "w");
    if (!f) {
        report("%s: %s", path, strerror(errno));
        free(all);
        return false;
    }
    if (count)
        qsort(all, count, sizeof *all, compare);
    fputs("# The fastest tiles of those that were measured.\n"
          "# routine, type, workers, n from which it holds, mb (0: all rows),\n"
          "# nb (0: the usual ones do as well, or nothing was measured), workers a GPU\n"
          "# (0: not compared)\n",
          f);
    for (size_t i = 0, j; i < count; i = j) {
        for (j = i; j < count && same_line(&all[i], &all[j]); j++)
            continue;
        if (tells_tiles(all[i].phase))
            print_lines(f, &all[i], j - i, all, count);
    }
    free(all);
    if (fclose(f)) {
        report("%s: %s", path, strerror(errno));
        return false;
    }
    return true;
}
