/* The table as text, sorted by seconds */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

static int by_seconds(const void *x, const void *y)
{
    const struct report_row *a = x, *b = y;
    return (a->seconds < b->seconds) - (a->seconds > b->seconds);
}

/* Writes a size, or "-" if it is not known. */
static void write_size(char text[16], double size)
{
    snprintf(text, 16, size < 0 ? "-" : "%.0f", size);
}

/* Returns the width of the column of names. */
static int width_of_names(const struct report_table *table)
{
    size_t width = 8;
    for (int i = 0; i < table->count; i++) {
        size_t length = strlen(table->rows[i].name);
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_row(FILE *out, const struct report_row *r, int width)
{
    char rate[16] = "-", smallest[16], largest[16];
    if (r->flops > 0 && r->seconds > 0)
        snprintf(rate, sizeof rate, "%.4g", 1e-9 * r->flops / r->seconds);
    write_size(smallest, r->smallest);
    write_size(largest, r->largest);
    fprintf(out, "%-*s %8ld %9s %9s %11.4g %9s  %s%s%s", width, r->name, r->calls, smallest,
            largest, r->seconds, rate, r->place, *r->reason != '\0' ? ": " : "", r->reason);
    if (r->ranks != NULL)
        fprintf(out, " (%s)", r->ranks);
    fputc('\n', out);
}

/* Prints the sums of seconds: of all rows, of those on startile, and of those whose routines
 * startile does not have. */
static void print_sums(FILE *out, const struct report_table *table)
{
    double all = 0, startile = 0, missing = 0;
    for (int i = 0; i < table->count; i++) {
        const struct report_row *r = &table->rows[i];
        all += r->seconds;
        startile += *r->reason == '\0' ? r->seconds : 0;
        missing += strcmp(r->reason, report_not_in_startile) == 0 ? r->seconds : 0;
    }
    fprintf(
        out,
        "%.4g seconds, sum over all threads: on startile %.4g, in routines not in startile %.4g\n",
        all, startile, missing);
}

void report_print(FILE *out, const char *title, struct report_table *table)
{
    fprintf(out, "%s%s\n", title,
            table->count == 0 ? ": no calls of routines of LAPACK or ScaLAPACK" : "");
    if (table->count == 0)
        return;
    qsort(table->rows, (size_t)table->count, sizeof *table->rows, by_seconds);
    int width = width_of_names(table);
    fprintf(out, "%-*s %8s %9s %9s %11s %9s  %s\n", width, "routine", "calls", "smallest",
            "largest", "seconds", "GFlop/s", "where");
    for (int i = 0; i < table->count; i++)
        print_row(out, &table->rows[i], width);
    print_sums(out, table);
    if (table->remark != NULL)
        fprintf(out, "%s\n", table->remark);
}
