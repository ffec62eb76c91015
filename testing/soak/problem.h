/* Random problems of the soak test: matrices, right-hand sides, and residuals of solutions. All
 * functions may be called by several threads at once. */
#ifndef TESTING_SOAK_PROBLEM_H
#define TESTING_SOAK_PROBLEM_H

#include "array.h"

enum matrix_kind { DEFINITE, GENERAL, DOMINANT, TALL, WIDE };
enum result_kind { SOLUTION, INVERSE, TRIANGLE_OF_INVERSE };

/* A and B are the input; F and X are copies of them that a routine overwrites. */
struct problem {
    enum matrix_kind kind;
    char uplo;
    int64_t m, n, nrhs;
    int64_t info; /* expected result of the factorization */
    struct array A, B, F, X;
    int64_t *ipiv; /* min(m, n) elements */
};

/* Returns a random problem with `most` rows at most; most of them are small. fails: a leading minor
 * is not positive, or U or R has a zero on the diagonal. */
struct problem problem_new(enum matrix_kind kind, startile_dtype type, int64_t most, bool fails);
/* Copies A and B to F and X. */
void problem_restart(struct problem *p);
void problem_free(struct problem *p);

/* Returns the residual of CONTRIBUTING.md; infinity if memory beside F and X was written. */
double problem_residual(const struct problem *p, enum result_kind result);

#endif
