/*
 * libstartile_lapack: LAPACK's Fortran symbols on startile. A symbol checks its arguments as the
 * reference does and takes a problem above the crossover to the library's typed entry, any other to
 * the machine's own LAPACK. This is what the symbols share; they are in cholesky.c, lu.c and qr.c,
 * each compiled once a type.
 */
#ifndef DROPIN_H
#define DROPIN_H

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

/* "potrf"; for complex types "ungqr" and its kin. */
const char *routine_name(enum routine routine, startile_dtype dtype);

/* -- route.c ---------------------------------------------------------------------------------- */

/* What a call asks for. Its operations grow as the product m n k, and its size, which crossovers
 * are in, is the cube root of that: n for a square matrix. */
struct problem {
    enum routine routine;
    startile_dtype dtype;
    double m, n, k;
    double flops;
    bool is_idle; /* a workspace query, or a wrong argument: the machine's, and not reported */
};

/* One call of a symbol. */
struct call {
    struct problem problem;
    bool is_outermost; /* not from inside the machine's LAPACK */
    bool on_startile;
    double began;
};

/* INFO := −wrong, the position of a wrong argument; 0 is none. Whether the call is thereby over,
 * XERBLA having been called; if not, the machine's routine is the one to tell. */
bool is_refused(int wrong, struct problem *problem, integer *info);

/* Whether the problem goes to startile; if not, to the machine's. */
bool call_begin(struct call *call, struct problem problem);
/* The typed entry returned that. Whether it was its to solve, *info then being set and the call
 * over; if not, nothing was touched and the machine's is to be asked. */
bool call_took(struct call *call, int64_t status, integer *info);
/* For a status: the typed entry was not called, for want of memory. */
enum { NOT_CALLED = INT32_MIN };
/* The machine's LAPACK has been asked. */
void call_end(struct call *call);

typedef void any_function(void);
/* The typed entry. */
any_function *startile_function(enum routine routine, startile_dtype dtype);
/* Whether startile, which runs, has GPUs, where its tasks then are. */
bool startile_is_on_gpus(void);
/* The symbol of the machine's LAPACK, or NULL where there is none. */
any_function *machine_function(enum routine routine, startile_dtype dtype);

/* -- symbols.c --------------------------------------------------------------------------------- */

any_function *library_symbol(void *library, const char *name);

/* A routine where the program would have found it without this library, else in the machine's
 * LAPACK, of which nothing is seen but what is asked for. */
any_function *machine_symbol(const char *name);
/* Whether an XERBLA can be seen only by the machine's LAPACK. So it is with Python's modules, which
 * have one each beside a LAPACK of local scope. */
bool xerbla_is_hidden(void);
/* XERBLA, the program's or else the machine's, with a name of six letters. */
void call_xerbla(int position, const char *name);

/* -- crossover.c ------------------------------------------------------------------------------- */

/* The size from which on startile is the faster one, where nothing was measured on this machine. */
double crossover(enum routine routine, startile_dtype dtype);

/* -- report.c ---------------------------------------------------------------------------------- */

/* To be called once, before the first report_call(). Whether a report is wanted. */
bool report_begin(void);
void report_call(const struct problem *problem, bool on_startile, double seconds);

#endif
