/*
 * libstartile_lapack: LAPACK's Fortran symbols on startile. A symbol checks its arguments as the
 * reference LAPACK does. It gives problems above the crossover to the library's typed entry and all
 * others to the machine's LAPACK, the one that the program would use without this library.
 * cholesky.c, lu.c and qr.c define the symbols and are compiled once per type; this header declares
 * what they share.
 */
#ifndef DROPIN_H
#define DROPIN_H

#include "common.h"

#include <stdbool.h>

/* -- route.c ---------------------------------------------------------------------------------- */

/* One call of a symbol. */
struct call {
    struct problem problem;
    bool is_outermost; /* called by the program, not by the machine's LAPACK */
    bool on_startile;  /* startile solves it */
    double began;      /* time of the call, in seconds */
};

/* Sets INFO to −wrong; `wrong` is the position of a wrong argument, or 0. Returns true if this ends
 * the call: XERBLA has been called. Returns false if no argument is wrong, and if only the
 * machine's LAPACK can see an XERBLA: its routine then reports the argument. */
bool is_refused(int wrong, struct problem *problem, integer *info);

/* Returns true if startile shall solve the problem, false if the machine's LAPACK shall. */
bool call_begin(struct call *call, struct problem problem);
/* Evaluates the return value of the typed entry. Returns true if startile has solved the problem:
 * *info is set and the call has ended. Otherwise no operand was changed, and the machine's LAPACK
 * must solve it. */
bool call_solved(struct call *call, int64_t status, integer *info);
/* Ends a call that the machine's LAPACK has solved. */
void call_end(struct call *call);

/* Returns the typed entry of libstartile. */
any_function *startile_function(enum routine routine, startile_dtype dtype);
/* Returns the function of the machine's LAPACK, or NULL if there is none. */
any_function *machine_function(enum routine routine, startile_dtype dtype);

/* -- xerbla.c ---------------------------------------------------------------------------------- */

/* Returns whether only the machine's LAPACK can see an XERBLA: Python's modules have an XERBLA each
 * and load LAPACK with local scope. */
bool xerbla_is_hidden(void);
/* Calls the program's XERBLA, or else the machine's, with a name of six letters. */
void call_xerbla(int position, const char *name);

/* -- crossover.c ------------------------------------------------------------------------------- */

/* Returns the size from which on startile is faster, for machines without measurements. */
double crossover(enum routine routine, startile_dtype dtype);

#endif
