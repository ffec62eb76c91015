/*
 * The CPU peer: the system's own threaded BLAS and LAPACK, loaded while the program runs. The
 * library has a private single-threaded OpenBLAS of its own, which is never called here.
 */
#ifndef PEER_CPU_H
#define PEER_CPU_H

#include "startile.h"

#include <stdbool.h>

/* Loads OpenBLAS, or else what the system has as libblas.so.3 and liblapack.so.3; once. */
bool cpu_peer_load(void);

/* "OpenBLAS 0.3.21 (2 threads)"; NULL when nothing could be loaded. */
const char *cpu_peer_name(void);

/* Threads that the peer uses from now on, where it can be told. */
void cpu_peer_set_threads(int threads);

/* *(function pointer) := a routine that is not below, by its name without the type's letter, or by
 * its whole symbol; whether it is there. */
bool cpu_peer_find(startile_dtype dtype, const char *routine, void *function_pointer);
bool cpu_peer_find_named(const char *symbol, void *function_pointer);

/* LAPACK and BLAS for a type, with 32-bit sizes and tight leading dimensions; info where there
 * is one. herk is syrk for real types. alpha = -1 and beta = 1, as in a factorization. */
int64_t cpu_peer_potrf(startile_dtype dtype, char uplo, int n, void *a);
int64_t cpu_peer_potrs(startile_dtype dtype, char uplo, int n, int nrhs, const void *a, void *b);
int64_t cpu_peer_posv(startile_dtype dtype, char uplo, int n, int nrhs, void *a, void *b);
int64_t cpu_peer_getrf(startile_dtype dtype, int m, int n, void *a, int *ipiv);
int64_t cpu_peer_gesv(startile_dtype dtype, int n, int nrhs, void *a, int *ipiv, void *b);
/* from the factors */
int64_t cpu_peer_getrs(startile_dtype dtype, int n, int nrhs, const void *a, const int *ipiv,
                       void *b);
int64_t cpu_peer_getri(startile_dtype dtype, int n, void *a, const int *ipiv);
int64_t cpu_peer_geqrf(startile_dtype dtype, int m, int n, void *a, void *tau);
int64_t cpu_peer_gelqf(startile_dtype dtype, int m, int n, void *a, void *tau);
/* C := Qᴴ C for m × n C and k reflectors; unmqr for complex types */
int64_t cpu_peer_ormqr(startile_dtype dtype, int m, int n, int k, const void *a, const void *tau,
                       void *c);
/* ungqr for complex types */
int64_t cpu_peer_orgqr(startile_dtype dtype, int m, int n, int k, void *a, const void *tau);
int64_t cpu_peer_gels(startile_dtype dtype, int m, int n, int nrhs, void *a, void *b);
void cpu_peer_gemm(startile_dtype dtype, int m, int n, int k, const void *a, const void *b,
                   void *c);
void cpu_peer_herk(startile_dtype dtype, char uplo, int n, int k, const void *a, void *c);
/* B := A⁻¹ B with a triangular A */
void cpu_peer_trsm(startile_dtype dtype, char uplo, int n, int nrhs, const void *a, void *b);

#endif
