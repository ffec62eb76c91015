/*
 * Rows of measurements: aligned columns for people, CSV for programs. A table of fields describes
 * where each value is in a row, which is a struct of the caller.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Type of a field's value in the row */
enum report_kind {
    REPORT_NUMBER, /* double; NaN: unknown */
    REPORT_SIZE,   /* int64_t; 0: printed as unknown in columns */
    REPORT_COUNT,  /* int */
    REPORT_LETTER, /* char */
    REPORT_TEXT,   /* const char * */
    REPORT_CHARS,  /* char[] */
};

struct report_field {
    const char *name; /* name of the CSV field; NULL: not in CSV */
    enum report_kind kind;
    size_t at;           /* offset of the value in the row */
    const char *meaning; /* description for --help */
    unsigned in;         /* bits of the sets that contain the field; 0: all sets */
    int width;           /* characters of the column; 0: no column; negative: left-aligned */
    /* heading: heading of the column, or NULL: the name. format: printf format of a number; for a
     * text, the text before it, or NULL: " " */
    const char *heading, *format;
};

/* A report of the fields of a table that are in all sets or in one of the sets of `set`. A row with
 * width 0 and name NULL ends the table. */
struct report {
    const struct report_field *fields;
    unsigned set;   /* bits of the sets */
    bool continues; /* true: rows are added to a table that has its headings */
    FILE *csv;      /* NULL: no CSV file */
    const char *csv_file;
};

/* Opens the CSV file and writes the names of its fields, unless the report continues; does nothing
 * if csv_file is NULL. As report_close() and report_row(), returns false after a message on
 * failure.
 */
bool report_open(struct report *r, const char *csv_file);
bool report_close(struct report *r);
/* Prints the headings of the columns, unless the report continues. */
void report_heading(const struct report *r);
/* Prints a row, and writes it to the CSV file if there is one. Flushes both. */
bool report_row(const struct report *r, const void *row);
/* Cuts a line of a CSV file into its fields, without their quotes. Returns their number, or −1 if
 * there are more than `most` or a quote is not closed. */
int report_split(char *line, char **field, int most);
/* Sets all values of kind REPORT_NUMBER in a row to NaN. */
void report_clear(const struct report_field *fields, void *row);
/* Writes the names of the CSV fields with their meanings. */
void report_describe(const struct report *r, FILE *f);
/* Prints a space and the value, or a dash for NaN, in `width` characters. */
void print_value(int width, const char *format, double value);

#endif
