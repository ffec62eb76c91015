/* Numbers in reports, where NaN stands for one that there is not. */
#ifndef REPORT_VALUES_H
#define REPORT_VALUES_H

#include <stdio.h>

/* A column of that width, of a number or "-". */
void print_value(int width, const char *format, double value);
/* ",value", or only the comma. */
void csv_value(FILE *csv, double value);

#endif
