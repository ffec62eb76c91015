/*
 * Crossovers: least sizes for which startile is faster than the machine's LAPACK, for machines
 * without measurements of their own. Measured on two CPU cores against OpenBLAS 0.3.21 with two
 * threads and its kernels for this CPU (perf_models/NOTES.md, "The drop-in's crossovers").
 */
#include "dropin.h"

#include <math.h>

/* Crossovers by type s, d, c, z. The condition estimators are a few solves with one right-hand
 * side: see least_order_for_few(). */
static const double on_cpu[ROUTINES][4] = {
    [POTRF] = {1000, 1000, 1000, 1000},
    [PSTRF] = {1000, 1000, 1000, 1000},
    [POTRS] = {1500, 1000, 1500, 1000},
    [POTRI] = {1500, 1500, 1500, 1500},
    [POSV] = {1000, 1000, 1000, 1000},
    [TRTRI] = {1500, 1500, 1500, 1500},
    [TRTRS] = {1500, 1000, 1000, 1000},
    [LAUUM] = {1500, 2000, 1500, 1500},
    /* an estimate: on one thread dsygst took 0.93 to 1.08 times the CPU time of OpenBLAS's for
     * n = 1000, 0.92 to 0.98 times for 2000 */
    [SYGST] = {1500, 1500, 1500, 1500},
    [POCON] = {INFINITY, INFINITY, INFINITY, INFINITY},
    [GETRF] = {1000, 1000, 1000, 1000},
    [GETRS] = {1500, 1000, 2000, 1500},
    [GETRI] = {1500, 1500, 1500, 1500},
    [GESV] = {1000, 1000, 1000, 1000},
    [GECON] = {INFINITY, INFINITY, INFINITY, INFINITY},
    [GEQRF] = {1000, 1000, 1000, 1000},
    [GELQF] = {1000, 1000, 1000, 1000},
    [GEQP3] = {1000, 1000, 1000, 1000}, /* even if A is very tall */
    [ORGQR] = {1000, 1000, 1000, 1000},
    [ORGLQ] = {1000, 1000, 1000, 1000},
    [ORMQR] = {1000, 1000, 1000, 1000},
    [ORMLQ] = {1500, 1000, 1000, 1000},
    [GELS] = {1000, 1000, 1000, 1000},
    [GELSY] = {1000, 1000, 1000, 1000}, /* d: even if the rank is deficient */
    [SYTRF] = {1000, 1000, 1000, 1000},
    [SYTRS] = {1000, 1000, 1000, 1000},
    [SYTRS2] = {1000, 1000, 1000, 1000},
    [SYTRI] = {1500, 1500, 1000, 1000},
    [SYSV] = {1000, 1000, 1000, 1000},
    [SYCON] = {INFINITY, INFINITY, INFINITY, INFINITY},
    [HETRF] = {INFINITY, INFINITY, 1000, 1000},
    [HETRS] = {INFINITY, INFINITY, 1000, 1000},
    [HETRS2] = {INFINITY, INFINITY, 1000, 1000},
    [HETRI] = {INFINITY, INFINITY, 1000, 1000},
    [HESV] = {INFINITY, INFINITY, 1000, 1000},
    [HECON] = {INFINITY, INFINITY, INFINITY, INFINITY},
    /* estimates: on two cores with other work dsytrf_aa took 0.6 to 0.7 of LAPACK's time from
     * n = 1000 on, zsytrf_aa 0.9 to 1.1 for 1000 to 2000; the solves were not measured */
    [SYTRF_AA] = {2000, 2000, 3000, 3000},
    [SYTRS_AA] = {2000, 2000, 3000, 3000},
    [SYSV_AA] = {2000, 2000, 3000, 3000},
    [HETRF_AA] = {INFINITY, INFINITY, 3000, 3000},
    [HETRS_AA] = {INFINITY, INFINITY, 3000, 3000},
    [HESV_AA] = {INFINITY, INFINITY, 3000, 3000},
    /* not measured: as GESV and POSV */
    [SGESV] = {INFINITY, 1000, INFINITY, 1000},
    [SPOSV] = {INFINITY, 1000, INFINITY, 1000},
};

/* Crossover on machines with a GPU, of all routines but the condition estimators. On an H200
 * dpotrf, dgesv and dgeqrf took 0.65 to 0.8 of the time on 16 cores for order 300, and 0.31 to 0.55
 * for order 1000. Below order 1000 a call saves little time compared with the start of StarPU: 1 to
 * 5 ms for order 750. Other routines and types were not measured. */
enum { ON_GPU = 1000 };

/* Solves with few right-hand sides read the factors once for each, which the machine's LAPACK does
 * on one core and startile on all (perf_models/NOTES.md, "The drop-in's crossovers"). Two threads
 * of one core are not faster for getrs, for which OpenBLAS reads the factors about as fast as the
 * memory allows one core. CPUS_FOR_GETRS is an estimate. */
enum { LEAST_FOR_FEW = 3000, CPUS_FOR_FEW = 2, CPUS_FOR_GETRS = 8 };

double least_order_for_few(enum routine routine)
{
    bool solves = routine == POTRS || routine == GETRS || routine == POCON || routine == GECON;
    int least_cpus = routine == GETRS ? CPUS_FOR_GETRS : CPUS_FOR_FEW;
    return solves && usable_cpus() >= least_cpus ? LEAST_FOR_FEW : INFINITY;
}

double crossover(enum routine routine, startile_dtype dtype)
{
    double size = on_cpu[routine][dtype];
    return has_gpu() && isfinite(size) ? ON_GPU : size;
}
