/*
 * Rows of measurements: aligned columns on stdout, and CSV files.
 */
#include "report.h"

#include "command.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_reported(const struct report *r, const struct report_field *f)
{
    return !f->in || f->in & r->set;
}

/* Loops over the fields of a table, which a row with neither name nor width ends. */
#define FOR_FIELDS(f, fields) for (const struct report_field *f = fields; f->name || f->width; f++)

/* -- columns -------------------------------------------------------------------------------- */

void print_value(int width, const char *format, double value)
{
    char text[32] = "-";
    if (!isnan(value))
        snprintf(text, sizeof text, format, value);
    printf(" %*s", width, text);
}

static const char *text_at(const struct report_field *f, const void *at)
{
    return f->kind == REPORT_TEXT ? *(const char *const *)at : at;
}

static void print_field(const struct report_field *f, const char *row)
{
    const void *at = row + f->at;
    switch (f->kind) {
    case REPORT_NUMBER:
        print_value(f->width, f->format, *(const double *)at);
        break;
    case REPORT_SIZE:
        print_value(f->width, "%.0f", *(const int64_t *)at ? (double)*(const int64_t *)at : NAN);
        break;
    case REPORT_COUNT:
        printf(" %*d", f->width, *(const int *)at);
        break;
    case REPORT_LETTER:
        printf(" %*c", f->width, *(const char *)at);
        break;
    case REPORT_TEXT:
    case REPORT_CHARS:
        /* The format is the text before the value: "" for the first column, two blanks for the
         * status */
        printf("%s%*s", f->format ? f->format : " ", f->width, text_at(f, at));
        break;
    }
}

void report_heading(const struct report *r)
{
    const char *blank = "";
    if (r->continues)
        return;
    FOR_FIELDS(f, r->fields)
    if (f->width && is_reported(r, f)) {
        printf("%s%*s", blank, f->width, f->heading ? f->heading : f->name);
        blank = " ";
    }
    putchar('\n');
}

/* -- CSV ------------------------------------------------------------------------------------ */

/* Writes a text as RFC 4180 requires: in quotes if it contains a comma, a quote or a line end;
 * quotes are doubled. */
static void write_text(FILE *csv, const char *text)
{
    const char *quote = strpbrk(text, ",\"\n") ? "\"" : "";
    fputs(quote, csv);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', csv);
        fputc(*text, csv);
    }
    fputs(quote, csv);
}

static void write_field(const struct report_field *f, const char *row, FILE *csv)
{
    const void *at = row + f->at;
    switch (f->kind) {
    case REPORT_NUMBER:
        if (!isnan(*(const double *)at))
            fprintf(csv, "%.9g", *(const double *)at);
        break;
    case REPORT_SIZE:
        fprintf(csv, "%" PRId64, *(const int64_t *)at);
        break;
    case REPORT_COUNT:
        fprintf(csv, "%d", *(const int *)at);
        break;
    case REPORT_LETTER:
        fputc(*(const char *)at, csv);
        break;
    case REPORT_TEXT:
    case REPORT_CHARS:
        write_text(csv, text_at(f, at));
        break;
    }
}

/* Reports a failure to write the CSV file. Returns false. */
static bool fail(const struct report *r)
{
    report("%s: %s", r->csv_file, strerror(errno));
    return false;
}

/* Ends the line and flushes the CSV file, so that a long sweep that is interrupted keeps its rows.
 */
static bool end_line(const struct report *r)
{
    fputc('\n', r->csv);
    return (!fflush(r->csv) && !ferror(r->csv)) || fail(r);
}

bool report_open(struct report *r, const char *csv_file)
{
    r->csv_file = csv_file;
    if (!csv_file)
        return true;
    r->csv = fopen(csv_file, r->continues ? "a" : "w");
    if (!r->csv)
        return fail(r);
    if (r->continues)
        return true;
    const char *comma = "";
    FOR_FIELDS(f, r->fields)
    if (f->name && is_reported(r, f)) {
        fprintf(r->csv, "%s%s", comma, f->name);
        comma = ",";
    }
    return end_line(r);
}

bool report_close(struct report *r)
{
    return !r->csv || !fclose(r->csv) || fail(r);
}

bool report_row(const struct report *r, const void *row)
{
    const char *comma = "";
    FOR_FIELDS(f, r->fields)
    if (f->width && is_reported(r, f))
        print_field(f, row);
    putchar('\n');
    fflush(stdout);
    if (!r->csv)
        return true;
    FOR_FIELDS(f, r->fields)
    if (f->name && is_reported(r, f)) {
        fputs(comma, r->csv);
        write_field(f, row, r->csv);
        comma = ",";
    }
    return end_line(r);
}

int report_split(char *line, char **field, int most)
{
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (bool is_last = false; !is_last; line++) {
        char *to = line;
        bool is_quoted = *line == '"';
        if (count == most)
            return -1;
        field[count++] = line;
        for (line += is_quoted; *line && (is_quoted || *line != ','); line++) {
            if (is_quoted && *line == '"' && *++line != '"')
                is_quoted = false; /* the closing quote; a comma or the line's end follows */
            if (!*line || (!is_quoted && *line == ','))
                break;
            *to++ = *line;
        }
        is_last = !*line;
        if (is_quoted && is_last)
            return -1;
        *to = '\0';
    }
    return count;
}

/* -- fields --------------------------------------------------------------------------------- */

void report_clear(const struct report_field *fields, void *row)
{
    FOR_FIELDS(f, fields)
    if (f->kind == REPORT_NUMBER)
        *(double *)((char *)row + f->at) = NAN;
}

void report_describe(const struct report *r, FILE *out)
{
    FOR_FIELDS(f, r->fields)
    if (f->name && is_reported(r, f))
        fprintf(out, "  %-25s %s\n", f->name, f->meaning);
}
