/* For the command's simulating build. */
#ifndef STARTILE_SIMULATION_H
#define STARTILE_SIMULATION_H

/* The first work of which the simulated machine's models tell no time, as "dgemm on GPUs"; what was
 * simulated is then worth nothing. Or NULL. */
const char *startile_simulation_lacks(void);

/* What a task that takes that many microseconds, alone on a GPU, uses of the GPU: the share s that
 * its operations by that time are of the fastest product's, and `hold` of the rest. 0 as `hold`
 * says that others can use all that its operations leave, 1 that they can use nothing. */
double startile_simulation_share(double time, double hold);

#endif
