/* StarPU's handles. */
#ifndef STARTILE_HANDLE_H
#define STARTILE_HANDLE_H

#include <starpu.h>
#include <stdbool.h>
#include <stdint.h>

/* Register data whose tasks StarPU orders by their accesses. With home_node −1 the elements are
 * zero until a task writes them. */
void register_matrix(starpu_data_handle_t *handle, int home_node, uintptr_t address, int64_t ld,
                     int64_t m, int64_t n, size_t element_size);
void register_temporary(starpu_data_handle_t *handle, int64_t m, int64_t n, size_t element_size);
void register_vector(starpu_data_handle_t *handle, void *first, int64_t count, size_t element_size);
/* Registers a variable whose copies are all in main memory, even those of the GPUs' memory
 * nodes. */
void register_variable(starpu_data_handle_t *handle, void *memory, size_t size);
/* Registers data without a value, which only orders the tasks that access it. */
void register_order(starpu_data_handle_t *handle);
/* Unregisters the handle after the tasks submitted so far. */
void release_handle(starpu_data_handle_t handle);
/* Returns whether StarPU orders the tasks on the handle by their accesses. */
bool handle_orders_tasks(starpu_data_handle_t handle);
/* Returns whether a task may read the handle: its data has a value or starts as zeros, or a task
 * that writes it was submitted. Do not call it from tasks or callbacks. */
bool handle_has_value(starpu_data_handle_t handle);

/* Call it before a task reads the data. With a StarPU that may lose the zeros of data that no task
 * has written when it evicts them (StarPU quirk 52), submits a task that writes them. Does nothing
 * in a worker, whose callbacks read only what earlier tasks write. */
void handle_zero_before_read(starpu_data_handle_t handle);

/* Acquires the data on a node if no unfinished task accesses it. In main memory, data of
 * zero_init() that no task has written is set to 0. Returns whether it is acquired; release it with
 * handle_release(). Do not call it from tasks or callbacks. */
bool handle_acquire_if_ready(starpu_data_handle_t handle, int node,
                             enum starpu_data_access_mode mode);
void handle_release(starpu_data_handle_t handle, int node);
/* Waits for the tasks on the data and for its copy in main memory. starpu_data_acquire() waits for
 * the copy on the home node, which may be a GPU. Returns 0 or STARTILE_ERROR_STARPU; release it
 * with handle_release(handle, STARPU_MAIN_RAM). Do not call it from tasks or callbacks. */
int handle_acquire_in_main_memory(starpu_data_handle_t handle, enum starpu_data_access_mode mode);
/* Returns whether a node has a valid copy of the data. */
bool handle_is_valid_on(starpu_data_handle_t handle, int node);

#endif
