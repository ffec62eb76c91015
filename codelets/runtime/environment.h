/* The library's environment variables; one that is unset or empty has its default. Private to
 * codelets/. */
#ifndef STARTILE_ENVIRONMENT_H
#define STARTILE_ENVIRONMENT_H

#include "startile.h"

#include <stdbool.h>

struct environment {
    startile_implementation implementation; /* STARTILE_IMPLEMENTATION */
    bool tensor_single;                     /* STARTILE_TENSOR_SINGLE */
};

/* Returns 0, or STARTILE_ERROR_ENVIRONMENT for a malformed value, also of STARTILE_NB. */
int environment_read(struct environment *e);

/* Returns the message about the value that was refused last. */
const char *environment_fault(void);

#endif
