#include "report_values.h"

#include <math.h>

void print_value(int width, const char *format, double value)
{
    char text[32] = "-";
    if (!isnan(value))
        snprintf(text, sizeof text, format, value);
    printf(" %*s", width, text);
}

void csv_value(FILE *csv, double value)
{
    fputc(',', csv);
    if (!isnan(value))
        fprintf(csv, "%.9g", value);
}
