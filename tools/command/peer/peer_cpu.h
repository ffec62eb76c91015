/*
 * The CPU peer: the system's own threaded BLAS and LAPACK, loaded while the program runs.
 * startile's library has a private single-threaded OpenBLAS, which is never called here.
 */
#ifndef PEER_CPU_H
#define PEER_CPU_H

#include "startile.h"

#include <stdbool.h>

/* Makes an OpenBLAS use the kernels for this CPU, as startile does for its own copy, so that the
 * comparison is fair. library: handle from dlopen() of OpenBLAS, or of a library that depends on
 * it */
void cpu_peer_choose_kernels(void *library);
/* Makes Intel's MKL the peer. Before cpu_peer_load(). */
void cpu_peer_use_mkl(void);
/* Loads OpenBLAS, or else the system's libblas.so.3 and liblapack.so.3, on the first call. Returns
 * whether there is a CPU peer. */
bool cpu_peer_load(void);

/* Returns a name such as "OpenBLAS 0.3.21 (2 threads)"; NULL if nothing could be loaded. */
const char *cpu_peer_name(void);

/* Sets the number of threads of later calls. */
void cpu_peer_set_threads(int threads);

/* Stores the symbol in the function pointer. Returns whether the symbol exists. */
bool cpu_peer_find(const char *symbol, void *function_pointer);

/* -- BLAS and LAPACK's own interface, after cpu_peer_load() ----------------------------------- */

/* A Fortran routine. It takes addresses, and after them the lengths of its strings as size_t. */
typedef void fortran_routine();

/* Routines, by their names for real types and for complex types */
#define CPU_ROUTINES(DO)                                                                           \
    DO(potrf, potrf)                                                                               \
    DO(potrs, potrs)                                                                               \
    DO(posv, posv)                                                                                 \
    DO(potri, potri)                                                                               \
    DO(sygst, hegst)                                                                               \
    DO(getrf, getrf)                                                                               \
    DO(getrs, getrs)                                                                               \
    DO(gesv, gesv)                                                                                 \
    DO(getri, getri)                                                                               \
    DO(geqrf, geqrf)                                                                               \
    DO(gelqf, gelqf)                                                                               \
    DO(geqp3, geqp3)                                                                               \
    DO(ormqr, unmqr)                                                                               \
    DO(orgqr, ungqr)                                                                               \
    DO(gels, gels)                                                                                 \
    DO(gelsy, gelsy)                                                                               \
    DO(gemm, gemm)                                                                                 \
    DO(syrk, herk)                                                                                 \
    DO(trsm, trsm)

struct cpu_routines {
#define CPU_ROUTINE(real, complex) fortran_routine *real[4];
    CPU_ROUTINES(CPU_ROUTINE)
#undef CPU_ROUTINE
};
extern struct cpu_routines cpu_peer; /* arrays indexed by startile_dtype */

/* Computes C −= A B for matrices of order `order`. Returns 0. */
int cpu_peer_gemm(startile_dtype dtype, int64_t order, void *a, void *b, void *c);
/* Returns the address of 1, or of −1 if value < 0, in the type. No other values. */
const void *cpu_scalar(startile_dtype dtype, int value);

#endif
