/* Routines under test in test_special_values.c, each through startile's descriptors, its typed
 * entry and reference LAPACK. */
#ifndef TESTING_SPECIAL_ROUTINES_H
#define TESTING_SPECIAL_ROUTINES_H

#include "array.h"

enum { MOST_PIVOTS = 64, ROUTINES = 15 };

/* Operands and results of a routine. For geqrf and gelqf B holds tau. */
struct problem {
    char letter; /* uplo, trans or norm */
    struct array A, B;
    int64_t ipiv[MOST_PIVOTS], info;
    double anorm, rcond;
};

struct routine {
    const char *name, *letters; /* letters: values of uplo, trans or norm; "-": none */
    char kind;   /* content of A: 'P' positive definite, 'C' its factor, 'G' general, 'F' factors of
                    LU */
    char result; /* result in A: 'G' all of it, 'T' the triangle named by the letter, 0 nothing */
    bool has_B;
    void (*ours)(struct problem *p, int64_t nb); /* on descriptors, in tiles of nb × nb */
    void (*typed)(struct problem *p);            /* the typed entry, or NULL */
    void (*netlibs)(struct problem *p);
    const char *shapes; /* 's' square, 't' tall, 'w' wide */
};

extern const struct routine routines[ROUTINES];

#endif
