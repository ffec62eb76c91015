/* The table of tile sizes: for each routine, type and order the fastest measured tiles. */
#include "calibrate.h"
#include "command.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative difference between the times of runs on an idle machine */
static const double noise = 0.03;

/* Compares two times for qsort(): by phase, routine and type, then by n, m and nb. */
static int compare_entries(const void *a, const void *b)
{
    const struct routine_time *x = a, *y = b;
    int order = strcmp(x->phase, y->phase);
    order = order ? order : strcmp(x->routine, y->routine);
    order = order ? order : x->letter - y->letter;
    if (order)
        return order;
    int64_t differ = x->n != y->n ? x->n - y->n : x->m != y->m ? x->m - y->m : x->nb - y->nb;
    return (differ > 0) - (differ < 0);
}

/* Returns whether x is not NULL and as fast as `best` up to `noise`. */
static bool is_as_fast(const struct routine_time *x, const struct routine_time *best)
{
    return x && x->seconds <= best->seconds * (1 + noise);
}

/* Returns the fastest of the runs for one order; prefers the tile width previous_nb if it is as
 * fast up to `noise`. Returns NULL if the default tiles are as fast up to `noise`, or were not
 * measured. */
static const struct routine_time *fastest(const struct routine_time *runs, size_t count,
                                          int64_t previous_nb)
{
    const struct routine_time *best = runs, *usual = NULL, *with_usual = NULL, *kept = NULL;
    for (const struct routine_time *x = runs; x < runs + count; x++)
        usual = x->usual ? x : usual;
    for (const struct routine_time *x = runs; x < runs + count && usual; x++) {
        bool has_usual_tiles = x->mb == usual->mb && x->nb == usual->nb;
        if (x->seconds < best->seconds)
            best = x;
        if (has_usual_tiles && (!with_usual || x->seconds < with_usual->seconds))
            with_usual = x;
        if (x->nb == previous_nb && (!kept || x->seconds < kept->seconds))
            kept = x;
    }
    return !usual || is_as_fast(with_usual, best) ? NULL : is_as_fast(kept, best) ? kept : best;
}

/* Prints the best tiles from order `from` on. If `best` is NULL, prints 0: the default tiles. */
static void print_line(FILE *f, const struct routine_time *run, int64_t from,
                       const struct routine_time *best)
{
    bool tall = best && best->mb >= best->m; /* tiles of all rows: the table has mb = 0 */
    fprintf(f, "%-12s %c %-4s %6" PRId64 " %6" PRId64 " %5" PRId64 "\n", run->routine, run->letter,
            strcmp(run->phase, "cpu") ? "cuda" : "cpu", from, !best || tall ? 0 : best->mb,
            best ? best->nb : 0);
}

/* Prints the lines of one routine and type, one for each change of the best tile width. The first
 * line holds from order 0, each later line from the geometric mean of two measured orders. From 1.5
 * times the largest measured order on, the default tiles hold. */
static void print_lines(FILE *f, const struct routine_time *runs, size_t count)
{
    int64_t previous_n = 0, previous_nb = -1; /* of the line before; -1: none */
    for (size_t i = 0, j; i < count; i = j) {
        for (j = i; j < count && runs[j].n == runs[i].n; j++)
            continue;
        const struct routine_time *best = fastest(&runs[i], j - i, previous_nb);
        if ((best ? best->nb : 0) != previous_nb)
            print_line(f, runs, (int64_t)sqrt((double)previous_n * (double)runs[i].n), best);
        previous_n = runs[i].n;
        previous_nb = best ? best->nb : 0;
    }
    if (previous_nb > 0)
        print_line(f, runs, previous_n + previous_n / 2, NULL);
}

bool is_tile_phase(const char *phase)
{
    return !strcmp(phase, "cpu") || !strcmp(phase, "gpu-3");
}

bool tiles_write(const struct calibration *c)
{
    size_t count;
    struct routine_time *all = journal_read(c, &count);
    FILE *f = folder_file(c, "tiles", "w");
    if (count)
        qsort(all, count, sizeof *all, compare_entries);
    if (f)
        fputs("# The fastest measured tiles.\n# routine, type, workers, n from which it holds, mb "
              "(0: all rows),\n# nb (0: the default tiles)\n",
              f);
    if (f)
        for (size_t i = 0, j; i < count; i = j) {
            for (j = i; j < count && !strcmp(all[i].phase, all[j].phase) &&
                        !strcmp(all[i].routine, all[j].routine) && all[i].letter == all[j].letter;
                 j++)
                continue;
            if (is_tile_phase(all[i].phase))
                print_lines(f, &all[i], j - i);
        }
    free(all);
    return file_close(f);
}
