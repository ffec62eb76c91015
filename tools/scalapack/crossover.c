/*
 * Crossovers of ScaLAPACK's names: sizes from which startile solves the problem, by routine, type
 * and number of processes.
 */
#include "scalapack.h"

#include <math.h>
#include <stdio.h>

/* On a machine with GPUs, and for routines without a row in the table below: not measured. */
enum { LEAST_SIZE = 2000 };

/* Crossovers on CPU cores without measurements on this machine; of factorizations only, the other
 * routines but GEQPF were not measured. Types s, d, c, z. Measured for d with two processes of one
 * core: blocks of 64, three calls in a row without the start, seconds of ScaLAPACK and startile:
 * pdgetrf 2500 0.25, 0.24 and 0.27, 0.27; 4000 0.81, 0.82 and 0.85, 0.81. */
static const double on_cpu[ROUTINES][4] = {
    [POTRF] = {4000, 4000, 4000, 4000}, [POSV] = {4000, 4000, 4000, 4000},
    [GETRF] = {4000, 4000, 4000, 4000}, [GESV] = {4000, 4000, 4000, 4000},
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
