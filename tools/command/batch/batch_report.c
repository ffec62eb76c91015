/*
 * Rows of `startile bench ROUTINE_batch`: aligned columns for people, all fields as CSV for
 * programs.
 */
#include "batch.h"
#include "report_values.h"
#include "scalar.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

static const char *const layout_names[] = {"strided", "pointers", "variable"};

void batch_fail(struct batch_row *row, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->status, sizeof row->status, format, arguments);
    va_end(arguments);
    row->ok = false;
}

void batch_print_heading(void)
{
    printf("%-17s %4s %7s %7s %7s %7s %8s %-6s %10s %9s %9s %10s %7s %8s %9s %9s %9s  %s\n",
           "routine", "prec", "m", "n", "mean n", "nrhs", "batch", "where", "seconds", "GFlop/s",
           "GB/s", "peer's s", "ratio", "fraction", "residual", "LAPACK's", "peer's", "status");
}

void batch_print_row(const struct batch_row *row)
{
    const struct batch_case *c = row->batch;
    bool vectors = c->routine->vectors, has_k = c->routine->meaning_of_k != BATCH_NO_K;
    printf("%-17s %4c", c->routine->name, dtype_letter(c->dtype));
    print_value(7, "%.0f", vectors ? NAN : (double)c->shape.m);
    printf(" %7" PRId64, c->shape.n);
    print_value(7, "%.6g", row->mean_n);
    print_value(7, "%.0f", has_k ? (double)c->shape.k : NAN);
    printf(" %8" PRId64 " %-6s", c->count, row->where);
    print_value(10, "%.4g", row->seconds.median);
    print_value(9, "%.4g", row->gflop_s);
    print_value(9, "%.4g", row->gbyte_s);
    print_value(10, "%.4g", row->peer_seconds);
    print_value(7, "%.3f", row->ratio);
    print_value(8, "%.3f", row->fraction);
    print_value(9, "%.2e", row->residual);
    print_value(9, "%.2e", row->lapack_residual);
    print_value(9, "%.2e", row->peer_residual);
    printf("  %s\n", row->status);
    fflush(stdout);
}

bool batch_csv_heading(FILE *csv)
{
    fputs("routine,precision,uplo,m,n,mean_n,nrhs,batch,layout,per_task,where,workers,seconds,"
          "seconds_min,seconds_max,gflop_s,gbyte_s,peer_name,peer_seconds,ratio,ceiling_gbyte_s,"
          "fraction,residual,lapack_residual,peer_residual,status\n",
          csv);
    return !fflush(csv);
}

bool batch_csv_row(FILE *csv, const struct batch_row *row)
{
    const struct batch_case *c = row->batch;
    fprintf(csv, "%s,%c,%c,%" PRId64 ",%" PRId64, c->routine->name, dtype_letter(c->dtype), c->uplo,
            c->routine->vectors ? 1 : c->shape.m, c->shape.n);
    csv_value(csv, row->mean_n);
    fprintf(csv, ",%" PRId64 ",%" PRId64 ",%s,%" PRId64 ",%s,%d", c->shape.k, c->count,
            layout_names[c->layout], c->per_task, row->where, row->workers);
    csv_value(csv, row->seconds.median);
    csv_value(csv, row->seconds.least);
    csv_value(csv, row->seconds.most);
    csv_value(csv, row->gflop_s);
    csv_value(csv, row->gbyte_s);
    fprintf(csv, ",\"%s\"", row->peer_name);
    csv_value(csv, row->peer_seconds);
    csv_value(csv, row->ratio);
    csv_value(csv, row->ceiling);
    csv_value(csv, row->fraction);
    csv_value(csv, row->residual);
    csv_value(csv, row->lapack_residual);
    csv_value(csv, row->peer_residual);
    fprintf(csv, ",\"%s\"\n", row->status);
    /* A long sweep that is cut off keeps its rows. */
    return !fflush(csv) && !ferror(csv);
}
