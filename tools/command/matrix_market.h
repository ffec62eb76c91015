/*
 * Matrix Market files (Boisvert, Pozo & Remington, NISTIR 5935, 1996) as dense column-major
 * matrices. Every failure has been reported as "file:line: reason" when a function returns false.
 *
 * One entry a line, as the format says. CRLF line ends and blank lines are accepted. Entries that
 * name the same position are added up, as in assembled finite element matrices. Symmetric,
 * Hermitian and skew-symmetric files hold the lower triangle, as the format says, and are expanded.
 */
#ifndef MATRIX_MARKET_H
#define MATRIX_MARKET_H

#include "startile.h"

#include <stdbool.h>
#include <stdio.h>

enum mm_format { MM_COORDINATE, MM_ARRAY };
enum mm_field { MM_REAL, MM_COMPLEX, MM_INTEGER, MM_PATTERN };
enum mm_symmetry { MM_GENERAL, MM_SYMMETRIC, MM_HERMITIAN, MM_SKEW };

enum { MM_LINE = 1026 }; /* the format's 1024 characters, and CRLF */

/* An open file whose header has been read. */
struct mm_file {
    const char *path;
    FILE *stream;
    int64_t line; /* number of the line in text */
    char text[MM_LINE + 1];
    enum mm_format format;
    enum mm_field field;
    enum mm_symmetry symmetry;
    int64_t m, n;
    int64_t entries; /* lines that follow the size line */
};

/* Opens, and reads up to the size line. */
bool mm_open(struct mm_file *f, const char *path);
void mm_close(struct mm_file *f);

/* "file:line: ..." about the line read last. Returns false. */
__attribute__((format(printf, 2, 3))) bool mm_fail(const struct mm_file *f, const char *format,
                                                   ...);

/* The next line that is not blank, without its end; false at the end of the file, with *text empty,
 * and false after a report, with f->line negative. */
bool mm_next_line(struct mm_file *f);

/* Reads the entries into a new m × n matrix with leading dimension m, for free(). Refuses before
 * it allocates what the machine cannot hold `copies` times. NULL when m·n = 0: see the result. */
bool mm_read(struct mm_file *f, startile_dtype dtype, int copies, void **a);

/* In words: "coordinate real symmetric". */
const char *mm_words(const struct mm_file *f, char *buffer, size_t size);

/* Whether mm_write() could write there: asked before work whose result would be lost. */
bool mm_can_write(const char *path);

/* Writes an array file: to a temporary beside it, which then takes its name. */
bool mm_write(const char *path, const char *comment, startile_dtype dtype, int64_t m, int64_t n,
              const void *a);

#endif
