/*
 * Crossovers of ScaLAPACK's names: sizes from which startile solves the problem, by routine, type
 * and number of processes.
 */
#include "scalapack.h"

#include <math.h>
#include <stdio.h>

/* On a machine with GPUs, and for routines without a row in the table below: not measured. */
enum { LEAST_SIZE = 2000 };

/* Crossovers on CPU cores without measurements on this machine. Types s, d, c, z. POTRF, GETRF:
 * results of time_crossovers on two processes of one core, idle, with blocks of 64 and one BLAS
 * thread (docs/scalapack.md, Crossovers). POSV, GESV: those of their factorizations. */
static const double on_cpu[ROUTINES][4] = {
    [POTRF] = {2000, 3000, 2000, 2000}, [POSV] = {2000, 3000, 2000, 2000},
    [GETRF] = {2000, 2000, 1000, 1000}, [GESV] = {2000, 2000, 1000, 1000},
    [GEQPF] = {1000, 1000, 1000, 1000},
};

/* Most processes for which GEQPF, which runs on the cores of one, is faster than ScaLAPACK on all.
 * Measured for pdgeqpf on one process of one core, n = 2000: ScaLAPACK 6.2 s, startile 2.6 s. So
 * two is an estimate. */
enum { MOST_PROCESSES_OF_GEQPF = 2 };

double crossover(enum routine routine, startile_dtype dtype, int processes)
{
    char name[16];
    snprintf(name, sizeof name, "p%s@%d", routine_name(routine, STARTILE_D), processes);
    double measured = (double)measured_crossover(name, dtype), size = on_cpu[routine][dtype];
    if (measured > 0)
        return measured;
    if (routine == GEQPF && !has_gpu() && processes > MOST_PROCESSES_OF_GEQPF)
        return INFINITY;
    return size > 0 && !has_gpu() ? size : LEAST_SIZE;
}
