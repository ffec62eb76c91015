/* Routines under test in test_special_values.c, each through startile's descriptors, its typed
 * entry and reference LAPACK. */
#ifndef TESTING_SPECIAL_ROUTINES_H
#define TESTING_SPECIAL_ROUTINES_H

#include "netlib.h"

enum { ROUTINES = 15 };

struct routine {
    const char *name, *letters; /* letters: values of uplo, trans or norm; "-": none */
    char kind;   /* content of A: 'P' positive definite, 'C' its factor, 'G' general, 'F' factors of
                    LU */
    char result; /* result in A: 'G' all of it, 'T' the triangle named by the letter, 0 nothing */
    bool has_B;
    void (*ours)(struct problem *p, int64_t nb); /* on descriptors, in tiles of nb × nb */
    void (*typed)(struct problem *p);            /* the typed entry, or NULL */
    netlib_routine *netlibs;
    const char *shapes; /* 's' square, 't' tall, 'w' wide */
};

extern const struct routine routines[ROUTINES];

#endif
