/*
 * Rows of measurements: aligned columns for people, CSV for programs. A report is a table of
 * fields, which says where in a row each value is.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum report_kind {
    REPORT_NUMBER, /* double; NaN: unknown */
    REPORT_SIZE,   /* int64_t; 0 prints as unknown */
    REPORT_COUNT,  /* int */
    REPORT_LETTER, /* char */
    REPORT_TEXT,   /* const char * */
    REPORT_CHARS,  /* char[] */
};

struct report_field {
    const char *name; /* in CSV; NULL: not there */
    enum report_kind kind;
    size_t at; /* offset in the row */
    const char *meaning;
    unsigned in; /* set of reports that have the field; 0: all */
    /* Column for people; width 0: none; below 0: aligned at the left */
    int width;
    const char *heading, *format; /* format: of a number; of a text what stands before it */
};

/* A table of fields, the last with width and name 0, of which one set is reported. */
struct report {
    const struct report_field *fields;
    unsigned set;
    FILE *csv; /* or NULL */
    const char *csv_file;
};

/* Opens the CSV file unless its name is NULL, and writes the names of its fields. Functions that
 * return bool have told why they fail. */
bool report_open(struct report *r, const char *csv_file);
bool report_close(struct report *r);
void report_heading(const struct report *r);
/* Prints a row, and writes it to the CSV file; both are flushed. */
bool report_row(const struct report *r, const void *row);
/* Sets all numbers of a row to NaN. */
void report_clear(const struct report_field *fields, void *row);
/* Writes the names of the CSV fields with their meanings. */
void report_describe(const struct report *r, FILE *f);
/* Prints a space and the value, or a dash if it is NaN. */
void print_value(int width, const char *format, double value);

#endif
