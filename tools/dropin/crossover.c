/*
 * The sizes from which on startile is the faster one. Measured (perf_models/NOTES.md, "The
 * drop-in's crossovers") on two CPU cores against OpenBLAS 0.3.21 with two threads and the kernels
 * that suit the CPU.
 */
#include "dropin.h"

#include <math.h>

/* By type s, d, c, z. */
static const double sizes[ROUTINES][4] = {
    [POTRF] = {1000, 1000, 1000, 1000}, [POTRS] = {1000, 1000, 1000, 1000},
    [POTRI] = {1000, 1000, 1000, 1000}, [POSV] = {1000, 1000, 1000, 1000},
    [TRTRI] = {1000, 1000, 1000, 1000}, [LAUUM] = {1000, 1000, 1000, 1000},
    [GETRF] = {1000, 1000, 1000, 1000}, [GETRS] = {1000, 1000, 1000, 1000},
    [GETRI] = {1000, 1000, 1000, 1000}, [GESV] = {1000, 1000, 1000, 1000},
    [GEQRF] = {1000, 1000, 1000, 1000}, [GELQF] = {1000, 1000, 1000, 1000},
    [ORGQR] = {1000, 1000, 1000, 1000}, [ORGLQ] = {1000, 1000, 1000, 1000},
    [ORMQR] = {1000, 1000, 1000, 1000}, [ORMLQ] = {1000, 1000, 1000, 1000},
    [GELS] = {1000, 1000, 1000, 1000},
};

/* 0: never, as for the estimators, which are a few solves with one right-hand side each. */
double crossover(enum routine routine, startile_dtype dtype)
{
    double size = sizes[routine][dtype];
    return size > 0 ? size : INFINITY;
}
