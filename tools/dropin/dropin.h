/*
 * libstartile_lapack: LAPACK's Fortran symbols on startile. Each symbol checks its arguments as the
 * reference LAPACK does. Problems of the crossover's size and larger go to the library's typed
 * entry (startile_lapack.h), all others to the machine's LAPACK, the one that the program would use
 * without this library. If that LAPACK lacks a routine, startile solves its problems of any size.
 * cholesky.c, lu.c, qr.c, symmetric.c, aasen.c and mixed.c define the symbols and are compiled once
 * per type and ABI; this header declares the functions that they share.
 */
#ifndef DROPIN_H
#define DROPIN_H

#include "common.h"

#include <stdbool.h>

/* -- abi.c, compiled once per ABI ------------------------------------------------------------- */

/* An ABI of LAPACK: a form of the symbols' names, a size of INTEGER (abi.h), and the machine's
 * LAPACK that has both. */
struct abi {
    any_function
        *functions[ROUTINES][4]; /* of the machine's LAPACK; NULL if it lacks the routine */
    /* Sets `functions` at the first call. */
    void (*find_functions)(void);
    /* Returns whether the program has no XERBLA that this library can call, while the machine's
     * LAPACK may have one. This is so in Python, whose modules each have an XERBLA of their own and
     * load LAPACK with local scope. */
    bool (*is_xerbla_hidden)(void);
    /* Calls the program's XERBLA, or the machine's if the program has none; does nothing without
     * either. name: at least six letters */
    void (*call_xerbla)(int position, const char *name);
};

/* -- loaded.c --------------------------------------------------------------------------------- */

/* Opens a loaded library that has the symbol, itself or in a library that it depends on; the
 * drop-ins do not count. Finds libraries with local scope too, where those of Python's modules
 * are. Returns NULL if there is none. */
void *open_loaded_library(const char *symbol);

/* -- route.c ---------------------------------------------------------------------------------- */

/* One call of a symbol. */
struct call {
    struct abi *abi;
    struct problem problem;
    bool is_outermost;  /* called by the program, not by the machine's LAPACK */
    const char *reason; /* why the machine's LAPACK solves the problem; NULL: startile does */
    struct report_span span;
    double began; /* time of the call in seconds, if the reason is the start */
};

/* The symbols call these functions through those of type.h, which add the ABI. */

/* Handles a wrong argument at position `wrong`. Calls XERBLA and returns true: the call has ended.
 * If this library cannot find the program's XERBLA but the machine's LAPACK can, returns false:
 * begin() then chooses the machine's routine, which reports the argument. */
bool reject(struct abi *abi, int wrong, struct problem *problem);
/* Begins a call; starts startile for the first large problem. Returns true if startile shall solve
 * the problem, false if the machine's LAPACK shall. Call end_if_answered() afterwards if startile
 * has solved it, and call_end() unless that returns true. */
bool begin(struct abi *abi, struct call *call, struct problem problem);
/* Begins a call that the machine's LAPACK gets whatever its size. reason: static text for the
 * report, of a problem that has the size of the crossover */
void begin_for_machine(struct abi *abi, struct call *call, struct problem problem,
                       const char *reason);
/* Returns whether startile shall solve the problem whose workspace the call queries; starts
 * startile for the first large problem. */
bool is_for_startile(const struct call *call);
/* Ends the call, unless startile has left all operands unchanged (left_operands_unchanged()) and
 * the machine's LAPACK has the routine. status: return value of the typed entry, set to INFO.
 * Returns true if the call has ended, false if the machine's routine must be called. */
bool end_if_answered(struct call *call, int64_t *status);
/* Ends a call whose problem the machine's LAPACK has solved, or refused with info < 0. */
void call_end(struct call *call, int64_t info);

/* Starts startile if it has not been started. Returns the typed entry of libstartile, or a function
 * that returns an error if startile cannot be used. */
any_function *typed_entry(enum routine routine, startile_dtype dtype);
/* Returns the function of the machine's LAPACK, or NULL if there is none. */
any_function *function_of_machine(struct abi *abi, enum routine routine, startile_dtype dtype);

/* -- crossover.c ------------------------------------------------------------------------------- */

/* Returns the least size for which startile is faster, for machines without measurements. */
double crossover(enum routine routine, startile_dtype dtype);
/* Returns the least order of the factors with which startile solves few systems, or estimates the
 * condition, faster; INFINITY: never, or another routine. */
double least_order_for_few(enum routine routine);

#endif
