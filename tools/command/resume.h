/*
 * A matrix whose factorization continues after the process has ended, in a file FILE with the
 * journal FILE.journal (option --resume).
 */
#ifndef RESUME_H
#define RESUME_H

#include "startile.h"

#include <limits.h>
#include <stdbool.h>

struct resume {
    const char *file;                             /* NULL: the option is not given */
    char journal[PATH_MAX], unfinished[PATH_MAX]; /* FILE.journal, FILE.new */
    bool continues;                               /* the files of an interrupted run exist */
};

/* Sets *r for the option's value, which may be NULL. Returns false, after a report, if one of the
 * two files exists without the other: a new run would overwrite it. */
bool resume_begin(struct resume *r, const char *file);

/* Wraps the file as an m × n matrix with its journal. A new run creates the file as FILE.new, with
 * zeros. Returns 0 or a startile_error. */
int64_t resume_wrap(const struct resume *r, startile_matrix **A, startile_dtype dtype, int64_t m,
                    int64_t n, int64_t mb, int64_t nb);

/* Gives a new file its name, when the matrix has its elements: before that a kill leaves nothing
 * that could be continued. Returns 0 or a startile_error. */
int64_t resume_filled(const struct resume *r, startile_matrix *A);

/* Removes both files, after the results have been used. */
void resume_end(const struct resume *r);

/* Returns the message for an outcome below 0: that of a journal names the file. */
const char *resume_strerror(const struct resume *r, int64_t outcome);

#endif
