/*
 * A matrix whose factorization continues after the process has ended, in a file FILE with the
 * journal FILE.journal (option --resume). FILE.problem says in a line of text which problem it is:
 * the journal does not know the elements that the matrix had. FILE.new is FILE while the elements
 * are written.
 */
#ifndef RESUME_H
#define RESUME_H

#include "startile.h"

#include <limits.h>
#include <stdbool.h>

struct resume {
    const char *file; /* NULL: the option is not given */
    /* FILE.journal, FILE.problem, FILE.new */
    char journal[PATH_MAX], problem[PATH_MAX], unfinished[PATH_MAX];
    bool continues; /* the files of an interrupted run exist */
};

/* Sets *r for the option's value, which may be NULL. Returns false, after a report, if a file
 * exists that a new run would overwrite. */
bool resume_begin(struct resume *r, const char *file);

/* Requires that the files are of this problem, or writes FILE.problem for a new run. Returns 0 or,
 * after a report, a startile_error. */
int64_t resume_check_problem(const struct resume *r, const char *problem);

/* Wraps the file as an m × n matrix with its journal. A new run creates the file as FILE.new, with
 * zeros. Returns 0 or a startile_error. */
int64_t resume_wrap(const struct resume *r, startile_matrix **A, startile_dtype dtype, int64_t m,
                    int64_t n, int64_t mb, int64_t nb);

/* Gives a new file its name, when the matrix has its elements: before that a kill leaves nothing
 * that could be continued. Returns 0 or a startile_error. */
int64_t resume_filled(const struct resume *r, startile_matrix *A);

/* Removes all files, after the results have been used. */
void resume_end(const struct resume *r);

/* Returns the message for an outcome below 0: that of a journal names the file. */
const char *resume_strerror(const struct resume *r, int64_t outcome);

#endif
