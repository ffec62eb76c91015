/*
 * What the libraries with LAPACK's and ScaLAPACK's symbols share: names of routines, the machine's
 * library, the report.
 */
#ifndef DROPIN_COMMON_H
#define DROPIN_COMMON_H

#include "startile.h"

#include <stdbool.h>
#include <stdint.h>

/* Fortran's INTEGER. */
#ifdef STARTILE_ILP64
typedef int64_t integer;
#else
typedef int32_t integer;
#endif

enum routine {
    POTRF,
    POTRS,
    POTRI,
    POSV,
    TRTRI,
    LAUUM,
    POCON,
    GETRF,
    GETRS,
    GETRI,
    GESV,
    GECON,
    GEQRF,
    GELQF,
    ORGQR,
    ORGLQ,
    ORMQR,
    ORMLQ,
    GELS,
    ROUTINES
};

/* The problem of one call. The number of operations grows as the product m n k. The size, which is
 * compared with crossovers, is the cube root of that product: n for a square matrix. */
struct problem {
    enum routine routine;
    startile_dtype dtype;
    double m, n, k;
    double flops;
    bool is_idle; /* a workspace query or a wrong argument: the machine's LAPACK answers it, and it
                     is not reported */
};

/* -- common.c ---------------------------------------------------------------------------------- */

/* Returns LAPACK's name without the letter of the type: "potrf"; for complex types "ungqr". */
const char *routine_name(enum routine routine, startile_dtype dtype);
/* Stores "dpotrf", or "pdpotrf" in ScaLAPACK's library. */
void symbol_name(char name[16], enum routine routine, startile_dtype dtype);
/* Returns STARTILE_LAPACK_MIN, the size from which on problems go to startile, or NAN if the
 * variable is not set. If it is malformed, tells so and returns infinity. */
double least_size(void);
/* Status: the library was not called, because memory was missing. */
enum { NOT_CALLED = INT32_MIN };
/* Returns whether startile has not changed the operands, so that the machine's routine can solve
 * the problem: startile refused an argument that the reference allows, such as a leading dimension
 * beyond 2³¹, or could not start. Later failures are returned to the caller. */
bool is_untouched(int64_t status);
double seconds_now(void);

/* -- symbols.c --------------------------------------------------------------------------------- */

typedef void any_function(void);

any_function *library_symbol(void *library, const char *name);
/* Returns the address of a routine: the one that the program would find without this library, else
 * that of the machine's LAPACK or ScaLAPACK, whose other symbols stay hidden from the program. */
any_function *machine_symbol(const char *name);
/* Returns whether the names of the machine's LAPACK end as this library's do: dpotrf_, dpotrf_64_.
 */
bool has_same_suffix(void);

/* -- report.c ---------------------------------------------------------------------------------- */

/* Returns whether the environment requests a report. Called once, before report_call(). */
bool report_begin(void);
/* Adds one call to the report. */
void report_call(const struct problem *problem, bool on_startile, double seconds);
/* Returns whether startile runs its tasks on GPUs. startile must be running. Each library defines
 * it. */
bool startile_is_on_gpus(void);

#endif
