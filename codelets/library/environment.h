/* The library's environment variables; an unset or empty variable means its default. Private to
 * codelets/. */
#ifndef STARTILE_ENVIRONMENT_H
#define STARTILE_ENVIRONMENT_H

#include "startile.h"

#include <stdbool.h>

struct environment {
    startile_implementation implementation; /* STARTILE_IMPLEMENTATION */
    bool plain_single;                      /* STARTILE_PLAIN_SINGLE */
    int verify;                             /* STARTILE_VERIFY */
    bool emulated_double;                   /* STARTILE_EMULATED_DOUBLE */
    bool reproducible;                      /* STARTILE_REPRODUCIBLE */
};

/* Reads the variables. Returns 0, or STARTILE_ERROR_ENVIRONMENT if one of them or STARTILE_NB is
 * malformed. */
int environment_read(struct environment *e);

/* *nb := the tile width in the environment variable STARTILE_NB, or 0 if it is unset. Returns 0 or
 * STARTILE_ERROR_ENVIRONMENT. */
int environment_tile_width(int64_t *nb);

#endif
