/*
 * How many tasks StarPU's workers executed between two points of the program.
 */
#ifndef TASK_COUNT_H
#define TASK_COUNT_H

#include <stdint.h>

/* While StarPU runs and no task is under way. */
void task_count_begin(void);

/* Tasks since then, all of which have ended. */
int64_t task_count_end(void);

#endif
