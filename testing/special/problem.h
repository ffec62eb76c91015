/* Operands and results of the routines in test_special_values.c. */
#ifndef TESTING_PROBLEM_H
#define TESTING_PROBLEM_H

#include "array.h"

enum { MOST_PIVOTS = 64 };

/* Operands and results of a routine. For geqrf and gelqf B holds tau. */
struct problem {
    char letter; /* uplo, trans or norm */
    struct array A, B;
    int64_t ipiv[MOST_PIVOTS], info;
    double anorm, rcond;
};

#endif
