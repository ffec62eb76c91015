/* A StarPU policy that starts ready tasks in random order, with a random one of their
 * implementations, some of them after a delay. It serves one scheduling context. */
#ifndef TESTING_RANDOM_SCHEDULER_H
#define TESTING_RANDOM_SCHEDULER_H

#include <starpu.h>
#include <starpu_scheduler.h>

extern struct starpu_sched_policy random_scheduler;

/* Returns a random number in 0 … n − 1. Thread-safe. */
unsigned any_below(unsigned n);

#endif
