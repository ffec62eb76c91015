/*
 * Rows of `startile bench kernel`: aligned columns for people, all fields as CSV for programs.
 */
#include "kernel.h"
#include "report_values.h"
#include "scalar.h"

#include <math.h>
#include <stdio.h>

void kernel_print_heading(void)
{
    printf("%-13s %4s %-6s %6s %6s %6s %4s %10s %9s %-7s %9s %6s %8s %8s %8s  %s\n", "kernel",
           "prec", "impl", "m", "n", "k", "p", "us", "rate", "unit", "peer", "ratio", "fraction",
           "error", "peer's", "status");
}

static void print_size(int width, const struct kernel_row *row, char name, int value)
{
    print_value(width, "%.0f", kernel_has(row->kernel, name) ? value : NAN);
}

void kernel_print_row(const struct kernel_row *row)
{
    const struct shape *s = &row->shape;
    const double unit = row->kernel->moves ? 1e9 : 1e12;
    char name[32];
    int length = snprintf(name, sizeof name, "%s", row->kernel->name);
    if (kernel_has(row->kernel, 'a'))
        length +=
            snprintf(name + length, sizeof name - (size_t)length, " %c%c", s->transa, s->transb);
    printf("%-13s %4c %-6s", name, dtype_letter(s->dtype), row->implementation);
    print_size(6, row, 'm', s->m);
    print_size(6, row, 'n', s->n);
    print_size(6, row, 'k', s->k);
    print_size(4, row, 'p', s->pieces);
    print_value(10, "%.1f", 1e6 * row->seconds);
    print_value(9, "%.4g", row->rate / unit);
    printf(" %-7s", row->kernel->moves ? "GB/s" : "TFlop/s");
    print_value(9, "%.4g", row->peer_rate / unit);
    print_value(6, "%.3f", row->ratio);
    print_value(8, "%.3f", row->fraction);
    print_value(8, "%.2g", row->error);
    print_value(8, "%.2g", row->peer_error);
    printf("  %s\n", row->status);
    fflush(stdout);
}

bool kernel_csv_heading(FILE *csv)
{
    fputs("kernel,precision,implementation,transa,transb,m,n,k,pieces,seconds,seconds_min,"
          "seconds_max,rate,unit,peer,peer_rate,ratio,ceiling,fraction,error,peer_error,status\n",
          csv);
    return !fflush(csv);
}

bool kernel_csv_row(FILE *csv, const struct kernel_row *row)
{
    const struct shape *s = &row->shape;
    fprintf(csv, "%s,%c,%s,%c,%c,%d,%d,%d,%d", row->kernel->name, dtype_letter(s->dtype),
            row->implementation, s->transa, s->transb, s->m, s->n, s->k, s->pieces);
    csv_value(csv, row->seconds);
    csv_value(csv, row->seconds_min);
    csv_value(csv, row->seconds_max);
    csv_value(csv, row->rate);
    fprintf(csv, ",%s,\"%s\"", row->kernel->moves ? "bytes/s" : "operations/s",
            row->kernel->peer ? row->kernel->peer : "");
    csv_value(csv, row->peer_rate);
    csv_value(csv, row->ratio);
    csv_value(csv, row->ceiling);
    csv_value(csv, row->fraction);
    csv_value(csv, row->error);
    csv_value(csv, row->peer_error);
    fprintf(csv, ",\"%s\"\n", row->status);
    return !fflush(csv) && !ferror(csv);
}
