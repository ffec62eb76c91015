/* Initialization with zeros of tiles that no task has written yet. */
#ifndef STARTILE_ZERO_INIT_H
#define STARTILE_ZERO_INIT_H

#include <starpu.h>
#include <stdbool.h>

/* Makes StarPU write zeros when a task first reads the handle; otherwise StarPU ends the program
 * (StarPU quirk 7). On a GPU only tasks behind the first one see them (StarPU quirk 64): call
 * zero_submit() for data that several tasks read before one writes it. */
void zero_init(starpu_data_handle_t handle);
/* Marks data that each process of a grid has for itself: no message brings it. The data has a
 * value, or zero_init() was called for it. */
void set_per_process(starpu_data_handle_t handle);
bool is_per_process(starpu_data_handle_t handle);
bool is_zero_initialized(starpu_data_handle_t handle);
/* Submits a task that writes zeros. */
void zero_submit(starpu_data_handle_t handle);
/* Writes zeros to data in main memory. */
void zero_in_main_memory(void *interface);

#endif
