/*
 * The CPU peer: the system's own threaded BLAS and LAPACK, loaded while the program runs. The
 * library has a private single-threaded OpenBLAS of its own, which is never called here.
 */
#ifndef PEER_CPU_H
#define PEER_CPU_H

#include "startile.h"

#include <stdbool.h>

/* Makes the OpenBLAS that the library depends on use the kernels for this CPU, as startile does for
 * its own copy, so that the comparison is fair. */
void cpu_peer_suit_cpu(void *library);
/* Loads OpenBLAS, or else the system's libblas.so.3 and liblapack.so.3; once. */
bool cpu_peer_load(void);

/* Returns "OpenBLAS 0.3.21 (2 threads)"; NULL when nothing could be loaded. */
const char *cpu_peer_name(void);

/* Sets the number of threads of later calls. */
void cpu_peer_set_threads(int threads);

/* *(function pointer) := the symbol; returns whether it is there. */
bool cpu_peer_find(const char *symbol, void *function_pointer);

/* -- BLAS and LAPACK's own interface, after cpu_peer_load() ----------------------------------- */

/* Fortran's routines take addresses only, and the lengths of strings, as size_t, at the end. */
typedef void fortran_routine();

/* Names of the routine for real types and for complex types */
#define CPU_ROUTINES(DO)                                                                           \
    DO(potrf, potrf)                                                                               \
    DO(potrs, potrs)                                                                               \
    DO(posv, posv)                                                                                 \
    DO(getrf, getrf)                                                                               \
    DO(getrs, getrs)                                                                               \
    DO(gesv, gesv)                                                                                 \
    DO(getri, getri)                                                                               \
    DO(geqrf, geqrf)                                                                               \
    DO(gelqf, gelqf)                                                                               \
    DO(ormqr, unmqr)                                                                               \
    DO(orgqr, ungqr)                                                                               \
    DO(gels, gels)                                                                                 \
    DO(gemm, gemm)                                                                                 \
    DO(syrk, herk)                                                                                 \
    DO(trsm, trsm)

struct cpu_routines {
#define CPU_ROUTINE(real, complex) fortran_routine *real[4];
    CPU_ROUTINES(CPU_ROUTINE)
#undef CPU_ROUTINE
};
extern struct cpu_routines cpu_peer; /* by startile_dtype */

/* C −= A B for matrices of that order; returns 0. */
int cpu_peer_gemm(startile_dtype dtype, int64_t order, void *a, void *b, void *c);
/* Returns 1 or −1 in the type; complex types have a zero imaginary part. */
const void *cpu_scalar(startile_dtype dtype, int value);

#endif
