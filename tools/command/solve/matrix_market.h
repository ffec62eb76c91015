/*
 * Matrix Market files (Boisvert, Pozo & Remington, NISTIR 5935, 1996) as dense column-major
 * matrices. A function that returns false has reported the reason, with the file and often the
 * line.
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

enum { MM_LINE = 1026 }; /* longest line: the format's 1024 characters, and CRLF */

/* An open file whose header has been read. */
struct mm_file {
    const char *name; /* name in messages */
    gzFile stream;
    int64_t line; /* number of the line that `text` contains, from 1 */
    char text[MM_LINE + 1];
    enum mm_format format;
    enum mm_field field;
    enum mm_symmetry symmetry;
    int64_t m, n;
    int64_t entries; /* number of entries, one per line, after the size line */
};

/* Returns the name of the file for messages: the path, or "standard input" for "-". */
const char *mm_name(const char *path);

/* Opens a file, and reads its banner and its size line. */
bool mm_open(struct mm_file *f, const char *path);
void mm_close(struct mm_file *f);

/* Reports a message as "file:line: message", with the number of the line read last. Returns false.
 */
__attribute__((format(printf, 2, 3))) bool mm_fail(const struct mm_file *f, const char *format,
                                                   ...);

/* Reads the entries into a new m × n matrix with leading dimension m, which the caller frees.
 * Refuses a matrix if `copies` matrices of its size exceed the machine's memory. *a := NULL if m·n
 * = 0. */
bool mm_read(struct mm_file *f, startile_dtype dtype, int copies, void **a);

/* Stores a description of the file, such as "coordinate real symmetric". */
void mm_describe(const struct mm_file *f, char *buffer, size_t size);

/* Returns whether mm_write() can write this file. Called before a computation whose result would be
 * lost otherwise. */
bool mm_can_write(const char *path);

/* Writes an m × n matrix as an array file to the stream. Returns false, with errno, on failure. */
bool mm_print(FILE *out, const char *comment, startile_dtype dtype, int64_t m, int64_t n,
              const void *a);

/* Writes an m × n matrix as an array file, under a temporary name that is changed to `path` at the
 * end.
 */
bool mm_write(const char *path, const char *comment, startile_dtype dtype, int64_t m, int64_t n,
              const void *a);

#endif
