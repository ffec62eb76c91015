/*
 * Figures: a line each for people, and as CSV for programs.
 */
#include "machine.h"

#include <math.h>
#include <string.h>

static const char *const csv_units[] = {"s", "bytes/s", "operations/s", "1"};

void machine_heading(FILE *csv)
{
    printf("%-22s %-46s %16s %12s\n", "quantity", "where", "parameter", "value");
    if (csv)
        fputs("quantity,where,parameter,parameter_is,value,unit\n", csv);
}

/* 1024 becomes "1 Ki". */
static void print_parameter(const struct figure *f)
{
    static const char *const prefixes[] = {"", "Ki", "Mi", "Gi"};
    char text[32] = "";
    int prefix = 0;
    double value = f->parameter;
    bool binary = !strcmp(f->parameter_is, "B");
    for (; binary && prefix < 3 && value >= 1024; prefix++)
        value /= 1024;
    if (!isnan(value))
        snprintf(text, sizeof text, "%.6g %s%s", value, prefixes[prefix], f->parameter_is);
    printf(" %16s", text);
}

static void print_value(const struct figure *f)
{
    double v = f->value;
    if (isnan(v))
        printf(" %12s\n", "-");
    else if (f->unit == SECONDS && v < 1e-6)
        printf(" %12.4g ns\n", 1e9 * v);
    else if (f->unit == SECONDS)
        printf(" %12.4g us\n", 1e6 * v);
    else if (f->unit == BYTES_PER_SECOND)
        printf(" %12.4g GB/s\n", 1e-9 * v);
    else if (f->unit == OPERATIONS_PER_SECOND)
        printf(" %12.4g Gop/s\n", 1e-9 * v);
    else
        printf(" %12.4g\n", v);
}

void machine_figure(FILE *csv, const struct figure *f)
{
    printf("%-22s %-46s", f->quantity, f->where);
    print_parameter(f);
    print_value(f);
    fflush(stdout);
    if (!csv)
        return;
    fprintf(csv, "%s,%s,", f->quantity, f->where);
    if (!isnan(f->parameter))
        fprintf(csv, "%.9g", f->parameter);
    fprintf(csv, ",%s,", f->parameter_is);
    if (!isnan(f->value))
        fprintf(csv, "%.9g", f->value);
    fprintf(csv, ",%s\n", csv_units[f->unit]);
}
