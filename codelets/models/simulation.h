/* Simulated times, for the command's simulation. */
#ifndef STARTILE_SIMULATION_H
#define STARTILE_SIMULATION_H

/* Returns the first work without a model, such as "dgemm on GPUs", or NULL. The simulation is then
 * invalid. */
const char *startile_simulation_lacks(void);

/* Returns the share of a GPU that a task of `time` microseconds uses: its rate relative to the
 * fastest product, plus the fraction `hold` of the remaining share. hold = 0: other tasks can use
 * all of the remaining share; hold = 1: none of it. Returns 1 for a time that no task has had. */
double startile_simulation_share(double time, double hold);

/* The network between the processes of a simulated grid. It gives the time of the messages that
 * tasks send while they run; until it is set, they take no time. */
struct startile_simulated_network {
    double bandwidth, latency; /* bytes/s, s */
};
void startile_simulation_set_network(struct startile_simulated_network given);

#endif
