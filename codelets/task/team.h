/* Idle CPU workers that help a running task. */
#ifndef STARTILE_TASK_TEAM_H
#define STARTILE_TASK_TEAM_H

#include "kernels.h"

/* Opens a team of the calling thread, which runs a task on a CPU, and of CPU workers that are idle
 * or become idle before task_team_close(); fewer for few elements. Returns NULL for the calling
 * thread alone: without memory, for too few elements, or if it is not a worker.
 * elements: number of elements that each loop reads, about */
startile_team *task_team_open(int64_t elements);
/* Sends the workers back to StarPU; NULL is allowed. */
void task_team_close(startile_team *team);

#endif
