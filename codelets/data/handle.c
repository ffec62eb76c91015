/* Registration of data with StarPU, and checks of the caller's handles. */
#include "data/handle.h"

#include "data/zero_init.h"
#include "library/starpu_build.h"
#include "startile.h"
#include "trace/profile.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Orders tasks by their accesses, whatever default the program has set (StarPU quirk 10). */
static void order_by_accesses(starpu_data_handle_t handle)
{
    starpu_data_set_sequential_consistency_flag(handle, 1);
}

void register_matrix(starpu_data_handle_t *handle, int home_node, uintptr_t address, int64_t ld,
                     int64_t m, int64_t n, size_t element_size)
{
    starpu_matrix_data_register(handle, home_node, address, (uint32_t)ld, (uint32_t)m, (uint32_t)n,
                                element_size);
    order_by_accesses(*handle);
    if (home_node < 0)
        zero_init(*handle);
}

void register_temporary(starpu_data_handle_t *handle, int64_t m, int64_t n, size_t element_size)
{
    register_matrix(handle, -1, 0, m, m, n, element_size);
}

void register_vector(starpu_data_handle_t *handle, void *first, int64_t count, size_t element_size)
{
    starpu_vector_data_register(handle, STARPU_MAIN_RAM, (uintptr_t)first, (uint32_t)count,
                                element_size);
    order_by_accesses(*handle);
}

/* -- variables in main memory ----------------------------------------------------------------
 * The copies of such a variable are in main memory for every memory node: a GPU's worker reads and
 * writes it before and after its task, and the GPU does not. StarPU-MPI sends it as any variable.
 */

static starpu_ssize_t allocate_in_main_memory(void *interface, unsigned node)
{
    (void)node;
    struct starpu_variable_interface *v = interface;
    void *p = malloc(v->elemsize);
    v->ptr = v->dev_handle = (uintptr_t)p;
    v->offset = 0;
    return p != NULL ? (starpu_ssize_t)v->elemsize : -ENOMEM;
}

static void free_in_main_memory(void *interface, unsigned node)
{
    (void)node;
    struct starpu_variable_interface *v = interface;
    free((void *)v->ptr);
    v->ptr = v->dev_handle = 0;
}

static int copy_in_main_memory(void *from, unsigned source, void *to, unsigned target)
{
    (void)source, (void)target;
    const struct starpu_variable_interface *v = from, *w = to;
    memcpy((void *)w->ptr, (const void *)v->ptr, w->elemsize);
    return 0;
}

/* No asynchronous methods: if such a copy is complete when the method returns, StarPU never
 * destroys the event that it created for it (StarPU quirk 49). */
static struct starpu_data_interface_ops main_memory_variable;
static const struct starpu_data_copy_methods main_memory_copy = {
    .ram_to_ram = copy_in_main_memory,
    .ram_to_cuda = copy_in_main_memory,
    .cuda_to_ram = copy_in_main_memory,
    .cuda_to_cuda = copy_in_main_memory,
};

static void define_main_memory_variable(void)
{
    struct starpu_data_interface_ops *ops = &main_memory_variable;
    *ops = starpu_interface_variable_ops;
    ops->allocate_data_on_node = allocate_in_main_memory;
    ops->free_data_on_node = free_in_main_memory;
    ops->copy_methods = &main_memory_copy;
    ops->map_data = NULL;
    ops->unmap_data = NULL;
    ops->update_map = NULL;
    ops->dontcache = 1; /* else StarPU reuses freed memory for other variables of this size */
}

void register_variable(starpu_data_handle_t *handle, void *memory, size_t size)
{
    static pthread_once_t defined = PTHREAD_ONCE_INIT;
    struct starpu_variable_interface v = {.id = STARPU_VARIABLE_INTERFACE_ID,
                                          .ptr = (uintptr_t)memory,
                                          .dev_handle = (uintptr_t)memory,
                                          .elemsize = size};
    pthread_once(&defined, define_main_memory_variable);
    starpu_data_register(handle, STARPU_MAIN_RAM, &v, &main_memory_variable);
    order_by_accesses(*handle);
}

/* Uses static memory, because StarPU needs memory for every handle and may use it after this
 * function's caller has unregistered the handle (StarPU quirk 8). */
void register_order(starpu_data_handle_t *handle)
{
    static char nothing;
    register_variable(handle, &nothing, sizeof nothing);
}

void release_handle(starpu_data_handle_t handle)
{
    profile_forget(handle);
    starpu_data_unregister_submit(handle);
}

bool handle_orders_tasks(starpu_data_handle_t handle)
{
    return starpu_data_get_sequential_consistency_flag(handle) != 0;
}

bool handle_is_valid_on(starpu_data_handle_t handle, int node)
{
    int is_valid = 0;
    starpu_data_query_status2(handle, node, NULL, &is_valid, NULL, NULL);
    return is_valid != 0;
}

static bool is_valid_anywhere(starpu_data_handle_t handle)
{
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        if (handle_is_valid_on(handle, (int)node))
            return true;
    return false;
}

/* Tests for a value, because a task that reads data without one ends the program (StarPU quirk 7).
 * StarPU has no function for this test. Data that is valid on no node either has no value, or a
 * submitted task will write it and it cannot be acquired at once. Acquiring it for writing sets its
 * state to written; starpu_data_deinitialize_submit() undoes that. */
bool handle_has_value(starpu_data_handle_t handle)
{
    if (is_valid_anywhere(handle) || is_zero_initialized(handle) ||
        starpu_data_acquire_on_node_try(handle, STARPU_ACQUIRE_NO_NODE, STARPU_W) != 0)
        return true;
    bool was_written_meanwhile = is_valid_anywhere(handle);
    starpu_data_release_on_node(handle, STARPU_ACQUIRE_NO_NODE);
    if (!was_written_meanwhile)
        starpu_data_deinitialize_submit(handle);
    return was_written_meanwhile;
}

/* Returns whether the handle's data starts as zeros and no task has written it. *ready := false if
 * an unfinished task accesses the data. */
static bool starts_as_zeros(starpu_data_handle_t handle, bool *ready)
{
    if (!is_zero_initialized(handle) || is_valid_anywhere(handle))
        return false;
    *ready = starpu_data_acquire_on_node_try(handle, STARPU_ACQUIRE_NO_NODE, STARPU_W) == 0;
    if (!*ready)
        return false;
    bool was_written_meanwhile = is_valid_anywhere(handle);
    starpu_data_release_on_node(handle, STARPU_ACQUIRE_NO_NODE);
    return !was_written_meanwhile;
}

void handle_zero_before_read(starpu_data_handle_t handle)
{
    bool ready;
    if (starpu_is_patched() || starpu_worker_get_id() >= 0)
        return;
    if (starts_as_zeros(handle, &ready))
        zero_submit(handle);
}

bool handle_acquire_if_ready(starpu_data_handle_t handle, int node,
                             enum starpu_data_access_mode mode)
{
    bool ready = true;
    bool has_zeros = node == STARPU_MAIN_RAM && starts_as_zeros(handle, &ready);
    if (!ready)
        return false;
    if (starpu_data_acquire_on_node_try(handle, node, has_zeros ? STARPU_W : mode) != 0)
        return false;
    if (has_zeros)
        zero_in_main_memory(starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM));
    return true;
}

int handle_acquire_in_main_memory(starpu_data_handle_t handle, enum starpu_data_access_mode mode)
{
    return starpu_data_acquire_on_node(handle, STARPU_MAIN_RAM, mode) == 0 ? 0
                                                                           : STARTILE_ERROR_STARPU;
}

void handle_release(starpu_data_handle_t handle, int node)
{
    starpu_data_release_on_node(handle, node);
}
