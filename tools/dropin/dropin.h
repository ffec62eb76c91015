/*
 * libstartile_lapack: LAPACK's Fortran symbols on startile. Each symbol checks its arguments as the
 * reference LAPACK does. Problems of the crossover's size and larger go to the library's typed
 * entry (startile_lapack.h), all others to the machine's LAPACK, the one that the program would use
 * without this library. If that LAPACK lacks a routine, startile solves its problems of any size.
 * cholesky.c, lu.c and qr.c define the symbols and are compiled once per type; this header declares
 * the functions that they share.
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
    bool on_startile;  /* startile solves the problem; else the machine's LAPACK */
    double began;      /* time of the call, in seconds */
};

/* Reports a wrong argument. `wrong` is its position, or 0 if no argument is wrong. Sets INFO to
 * −wrong. Returns true if the call has ended: XERBLA has been called. Returns false if no argument
 * is wrong. Also returns false if only the machine's LAPACK can call the program's XERBLA: then
 * call_begin() chooses the machine's routine, which reports the argument. */
bool reject_argument(int wrong, struct problem *problem, integer *info);

/* Begins a call; starts startile for the first large problem. Returns true if startile shall solve
 * the problem, false if the machine's LAPACK shall. call_end(), or call_end_if_answered() that
 * returns true, must follow. */
bool call_begin(struct call *call, struct problem problem);
/* Ends the call, unless startile has left all operands unchanged (left_operands_unchanged()) and
 * the machine's LAPACK has the routine. status: return value of the typed entry. Returns true if
 * the call has ended; *info is set then. Returns false if the machine's routine must be called. */
bool call_end_if_answered(struct call *call, int64_t status, integer *info);
/* Ends a call whose problem the machine's LAPACK has solved. */
void call_end(struct call *call);

/* Starts startile if it has not been started. Returns the typed entry of libstartile, or a function
 * that returns an error if startile cannot be used. */
any_function *startile_function(enum routine routine, startile_dtype dtype);
/* Returns the function of the machine's LAPACK, or NULL if there is none. */
any_function *machine_function(enum routine routine, startile_dtype dtype);

/* -- xerbla.c ---------------------------------------------------------------------------------- */

/* Returns whether the program has no XERBLA that this library can call, while the machine's LAPACK
 * may have one. This is so in Python, whose modules each have an XERBLA of their own and load
 * LAPACK with local scope. */
bool xerbla_is_hidden(void);
/* Calls the program's XERBLA, or the machine's if the program has none; does nothing without
 * either. name: six letters */
void call_xerbla(int position, const char *name);

/* -- crossover.c ------------------------------------------------------------------------------- */

/* Returns the least size for which startile is faster, for machines without measurements. */
double crossover(enum routine routine, startile_dtype dtype);

#endif
