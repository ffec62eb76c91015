/* Element type and ABI for which a file of symbols is compiled. CMakeLists.txt defines one of
 * STARTILE_TYPE_S, _D, _C, _Z, and the ABI (abi.h). */
#ifndef DROPIN_TYPE_H
#define DROPIN_TYPE_H

#include "abi.h"
#include "flops.h"
#include "scalar.h"
#include "startile_lapack.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined STARTILE_TYPE_S
#define DTYPE STARTILE_S
#define LETTER s
typedef float element;
typedef float real;
#elif defined STARTILE_TYPE_D
#define DTYPE STARTILE_D
#define LETTER d
typedef double element;
typedef double real;
#elif defined STARTILE_TYPE_C
#define DTYPE STARTILE_C
#define LETTER c
typedef startile_cfloat element;
typedef float real;
#elif defined STARTILE_TYPE_Z
#define DTYPE STARTILE_Z
#define LETTER z
typedef startile_cdouble element;
typedef double real;
#endif

/* Names and types that depend on the element type. SYMBOL: name of LAPACK's symbol, such as
 * dpotrf_; ENTRY: name of the typed entry, such as startile_dpotrf; UNITARY: name of a routine for
 * Q, such as dorgqr_ and zungqr_; HERMITIAN: one such as dsygst_ and zhegst_; ADJOINT: valid values
 * of TRANS in the routines for Q and in xGELS; estimator_work: type of the second workspace of the
 * condition estimators. */
#define SYMBOL(op) PASTE4(PREFIX, LETTER, op, SUFFIX)
#define ENTRY(op) PASTE4(startile_, LETTER, op, )
#if defined STARTILE_TYPE_S || defined STARTILE_TYPE_D
#define UNITARY(what, op) what(or ##op)
#define HERMITIAN(what, op) what(sy##op)
#define ADJOINT "NnTt"
typedef integer estimator_work;
#else
#define UNITARY(what, op) what(un##op)
#define HERMITIAN(what, op) what(he##op)
#define ADJOINT "NnCc"
typedef real estimator_work;
#endif

/* The typed entry of a routine, cast to the type of the entry `op`, and the function of the
 * machine's LAPACK, cast to the type of the symbol `op` */
#define STARTILE(routine, op) ((__typeof__(ENTRY(op)) *)startile_function(routine, DTYPE))
#define MACHINE(routine, op) ((__typeof__(SYMBOL(op)) *)machine_function(routine, DTYPE))

/* Calls of dropin.h's functions for this ABI and its INTEGER */
static inline any_function *startile_function(enum routine routine, startile_dtype dtype)
{
    return typed_entry(routine, dtype);
}

static inline any_function *machine_function(enum routine routine, startile_dtype dtype)
{
    return function_of_machine(&ABI, routine, dtype);
}

/* Sets INFO to −wrong, and reports a wrong argument (reject()). wrong: position of the argument, or
 * 0 if none is wrong. Returns true if the call has ended. */
static inline bool reject_argument(int wrong, struct problem *problem, integer *info)
{
    *info = (integer)-wrong;
    return wrong != 0 && reject(&ABI, wrong, problem);
}

static inline bool call_begin(struct call *call, struct problem problem)
{
    return begin(&ABI, call, problem);
}

static inline void call_begin_for_machine(struct call *call, struct problem problem,
                                          const char *reason)
{
    begin_for_machine(&ABI, call, problem, reason);
}

/* Ends the call if startile has answered it (end_if_answered()); *info is set then. */
static inline bool call_end_if_answered(struct call *call, int64_t status, integer *info)
{
    bool has_ended = end_if_answered(call, &status);
    if (has_ended)
        *info = (integer)status;
    return has_ended;
}

#define EXPORTED __attribute__((visibility("default")))

/* Type of the length that Fortran passes for each character argument, after all other arguments */
typedef size_t length;

/* Returns whether *c is one of the letters. */
static inline bool is_letter(const char *c, const char *letters)
{
    return *c != '\0' && strchr(letters, *c) != NULL;
}

/* Value of LWORK that requests the best length of WORK. After startile has solved a problem, the
 * machine's routine is called with this value, to set WORK(1). */
static const integer query = -1;

/* Returns whether LWORK requests the best length of WORK. */
static inline bool is_query(const integer *lwork)
{
    return *lwork == query;
}

/* Returns whether LWORK is wrong: below the least length and not a query. */
static inline bool is_short_work(integer lwork, integer least)
{
    return lwork != query && lwork < larger(1, least);
}

/* Returns n as an element of WORK, rounded up if the element type cannot represent it: only float
 * rounds down, by less than 6e-8 n, which the factor 1.000001 exceeds. */
static inline element as_work(integer n)
{
    real r = (real)n;
    return (double)r < (double)n ? (real)((double)r * 1.000001) : r;
}

/* Returns whether a leading dimension is too small for columns of `rows` elements. */
static inline bool is_short(integer ld, integer rows)
{
    return ld < larger(1, rows);
}

#endif
