/* Factorizations of a matrix in a file, for tests that kill their process. */
#ifndef TESTING_JOURNAL_RUNS_H
#define TESTING_JOURNAL_RUNS_H

#include <stdbool.h>
#include <stdint.h>

/* Tile width, and the leading dimension less m. */
enum { NB = 30, LD_PAD = 3 };

struct journal_run {
    const char *name;
    int64_t m, n;
    double bump; /* added to the diagonal of the matrix */
    bool is_triangular;
    const char *panel; /* operation that factors a panel */
};
/* Exit code of a process that has found the bit that it flipped, which it does in its first task of
 * that operation if the variable STARTILE_TEST_FLIP exists. */
enum { FLIP_FOUND = 4 };
extern const struct journal_run journal_run[];
extern const int journal_runs;

/* Factors the matrix as argv says (test_journal_kill.c) and returns the exit code of the
 * process. */
int journal_run_here(int argc, char **argv);

#endif
