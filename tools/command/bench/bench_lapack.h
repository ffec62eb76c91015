/*
 * Calls of the CPU peer's routines on a problem's operands. All return LAPACK's info.
 */
#ifndef BENCH_LAPACK_H
#define BENCH_LAPACK_H

#include "bench.h"
#include "peer/peer_cpu.h"

/* Loads the CPU peer and, if r->blas[dtype] is not NULL, finds the symbol of that name in it.
 * Returns whether the routine is available. */
bool load_cpu_routine(const struct routine *r, startile_dtype dtype);

typedef int64_t cpu_function(const struct problem *p, const struct peer_data *x);
cpu_function cpu_potrf, cpu_potrs, cpu_posv, cpu_potri, cpu_sygst, cpu_getrf, cpu_getrs, cpu_gesv,
    cpu_getri, cpu_geqrf, cpu_gelqf, cpu_geqp3, cpu_gels, cpu_gelsy, cpu_ormqr, cpu_orgqr, cpu_gemm,
    cpu_syrk, cpu_trsm;
cpu_function cpu_sytrf, cpu_sytri, cpu_sysv, cpu_sytrf_aa,
    cpu_sysv_aa; /* also of Hermitian matrices */
cpu_function cpu_norm, cpu_dot, cpu_iamax, cpu_scal, cpu_axpy;

#endif
