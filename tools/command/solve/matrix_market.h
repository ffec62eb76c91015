/*
 * Matrix Market files (Boisvert, Pozo & Remington, NISTIR 5935, 1996) as dense column-major
 * matrices. A function that returns false has reported "file:line: reason".
 *
 * Files may be compressed by gzip; the file "-" is the standard input. CRLF line ends, blank lines
 * and Fortran's exponents (1.0D+00) are accepted. Entries at the same position are added up, as in
 * assembled finite element matrices. The lower triangle of symmetric, Hermitian and skew-symmetric
 * files is expanded.
 */
#ifndef MATRIX_MARKET_H
#define MATRIX_MARKET_H

#include "startile.h"

#include <stdbool.h>
#include <stdio.h>
#include <zlib.h>

enum mm_format { MM_COORDINATE, MM_ARRAY };
enum mm_field { MM_REAL, MM_COMPLEX, MM_INTEGER, MM_PATTERN };
enum mm_symmetry { MM_GENERAL, MM_SYMMETRIC, MM_HERMITIAN, MM_SKEW };

enum { MM_LINE = 1026 }; /* the format's 1024 characters, and CRLF */

/* An open file whose header has been read. */
struct mm_file {
    const char *name; /* in messages */
    gzFile stream;
    int64_t line; /* number of the line in text */
    char text[MM_LINE + 1];
    enum mm_format format;
    enum mm_field field;
    enum mm_symmetry symmetry;
    int64_t m, n;
    int64_t entries; /* lines that follow the size line */
};

/* Returns the file's name in messages. */
const char *mm_name(const char *path);

/* Opens a file and reads up to the size line. */
bool mm_open(struct mm_file *f, const char *path);
void mm_close(struct mm_file *f);

/* Reports "file:line: ..." for the line read last. Returns false. */
__attribute__((format(printf, 2, 3))) bool mm_fail(const struct mm_file *f, const char *format,
                                                   ...);

/* Reads the entries into a new m × n matrix with leading dimension m, for free(). Refuses a matrix
 * of which the machine cannot hold `copies`. Stores NULL when m·n = 0. */
bool mm_read(struct mm_file *f, startile_dtype dtype, int copies, void **a);

/* Stores the header in words: "coordinate real symmetric". */
void mm_words(const struct mm_file *f, char *buffer, size_t size);

/* Returns whether mm_write() can write there; call it before work whose result would be lost. */
bool mm_can_write(const char *path);

/* Writes an array file under a temporary name and renames it. */
bool mm_write(const char *path, const char *comment, startile_dtype dtype, int64_t m, int64_t n,
              const void *a);

#endif
