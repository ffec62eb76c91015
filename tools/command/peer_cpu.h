/*
 * The CPU peer: the system's own threaded BLAS and LAPACK, loaded while the program runs. The
 * library has a private single-threaded OpenBLAS of its own, which is never called here.
 */
#ifndef PEER_CPU_H
#define PEER_CPU_H

#include "startile.h"

#include <stdbool.h>

/* Chooses the kernels of the OpenBLAS that the library depends on, as startile does for its own
 * copy: a peer with the wrong kernels is none. */
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

/* Fortran passes everything by address, and the lengths of strings at the end. */
typedef const char *cpu_text;
typedef const int *cpu_int;
typedef const void *cpu_in;

typedef void cpu_potrf_function(cpu_text uplo, cpu_int n, void *a, cpu_int lda, int *info, size_t);
typedef void cpu_potrs_function(cpu_text uplo, cpu_int n, cpu_int nrhs, cpu_in a, cpu_int lda,
                                void *b, cpu_int ldb, int *info, size_t);
typedef void cpu_getrf_function(cpu_int m, cpu_int n, void *a, cpu_int lda, int *ipiv, int *info);
typedef void cpu_getrs_function(cpu_text trans, cpu_int n, cpu_int nrhs, cpu_in a, cpu_int lda,
                                cpu_int ipiv, void *b, cpu_int ldb, int *info, size_t);
typedef void cpu_gesv_function(cpu_int n, cpu_int nrhs, void *a, cpu_int lda, int *ipiv, void *b,
                               cpu_int ldb, int *info);
typedef void cpu_getri_function(cpu_int n, void *a, cpu_int lda, cpu_int ipiv, void *work,
                                cpu_int lwork, int *info);
typedef void cpu_geqrf_function(cpu_int m, cpu_int n, void *a, cpu_int lda, void *tau, void *work,
                                cpu_int lwork, int *info);
typedef void cpu_ormqr_function(cpu_text side, cpu_text trans, cpu_int m, cpu_int n, cpu_int k,
                                cpu_in a, cpu_int lda, cpu_in tau, void *c, cpu_int ldc, void *work,
                                cpu_int lwork, int *info, size_t, size_t);
typedef void cpu_orgqr_function(cpu_int m, cpu_int n, cpu_int k, void *a, cpu_int lda, cpu_in tau,
                                void *work, cpu_int lwork, int *info);
typedef void cpu_gels_function(cpu_text trans, cpu_int m, cpu_int n, cpu_int nrhs, void *a,
                               cpu_int lda, void *b, cpu_int ldb, void *work, cpu_int lwork,
                               int *info, size_t);
typedef void cpu_gemm_function(cpu_text transa, cpu_text transb, cpu_int m, cpu_int n, cpu_int k,
                               cpu_in alpha, cpu_in a, cpu_int lda, cpu_in b, cpu_int ldb,
                               cpu_in beta, void *c, cpu_int ldc, size_t, size_t);
typedef void cpu_herk_function(cpu_text uplo, cpu_text trans, cpu_int n, cpu_int k, cpu_in alpha,
                               cpu_in a, cpu_int lda, cpu_in beta, void *c, cpu_int ldc, size_t,
                               size_t);
typedef void cpu_trsm_function(cpu_text side, cpu_text uplo, cpu_text transa, cpu_text diag,
                               cpu_int m, cpu_int n, cpu_in alpha, cpu_in a, cpu_int lda, void *b,
                               cpu_int ldb, size_t, size_t, size_t, size_t);

/* Names: of the interface, of the routine for real types, for complex types. */
#define CPU_ROUTINES(DO)                                                                           \
    DO(potrf, potrf, potrf)                                                                        \
    DO(potrs, potrs, potrs)                                                                        \
    DO(potrs, posv, posv)                                                                          \
    DO(getrf, getrf, getrf)                                                                        \
    DO(getrs, getrs, getrs)                                                                        \
    DO(gesv, gesv, gesv)                                                                           \
    DO(getri, getri, getri)                                                                        \
    DO(geqrf, geqrf, geqrf)                                                                        \
    DO(geqrf, gelqf, gelqf)                                                                        \
    DO(ormqr, ormqr, unmqr)                                                                        \
    DO(orgqr, orgqr, ungqr)                                                                        \
    DO(gels, gels, gels)                                                                           \
    DO(gemm, gemm, gemm)                                                                           \
    DO(herk, syrk, herk)                                                                           \
    DO(trsm, trsm, trsm)

struct cpu_routines {
#define CPU_ROUTINE(type, real, complex) cpu_##type##_function *real[4];
    CPU_ROUTINES(CPU_ROUTINE)
#undef CPU_ROUTINE
};
extern struct cpu_routines cpu_peer; /* by startile_dtype */

/* C −= A B for matrices of that order; returns 0. */
int cpu_peer_gemm(startile_dtype dtype, int64_t order, void *a, void *b, void *c);
/* Returns 1 or −1 in the type; complex types have a zero imaginary part. */
const void *cpu_scalar(startile_dtype dtype, int value);

#endif
