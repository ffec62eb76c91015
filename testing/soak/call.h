/* One random call of the soak test: a problem, solved by a routine and checked. */
#ifndef TESTING_SOAK_CALL_H
#define TESTING_SOAK_CALL_H

#include "array.h"

/* Routines on matrices and in LAPACK's form, then those on batches */
enum { SOAK_ROUTINES = 17 };
extern const char *const soak_routines[SOAK_ROUTINES];

struct soak_result {
    int routine;
    char form; /* 'm': matrices and a request, 't': typed entry, 'b': batch */
    startile_dtype type;
    int64_t m, n;
    int64_t status, expected; /* of the call that was not cancelled */
    int64_t infos;            /* number of matrices for which an info > 0 is expected */
    bool was_cancelled;       /* the call was cancelled before, and made again */
    double residual;          /* 0 if info > 0 was expected */
};

/* Makes a random call on the calling thread's random numbers. */
struct soak_result soak_call(void);
bool is_right(const struct soak_result *c);

#endif
