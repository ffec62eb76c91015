/* Registers data with StarPU, and checks the handles that come from the caller. */
#include "runtime/runtime.h"

#include "runtime/profile.h"
#include "runtime/zero_init.h"

/* Tasks of the library are ordered by their accesses, whatever the program has set with
 * starpu_data_set_default_sequential_consistency_flag(). */
static void order_by_accesses(starpu_data_handle_t handle)
{
    starpu_data_set_sequential_consistency_flag(handle, 1);
}

void register_matrix(starpu_data_handle_t *handle, int home_node, uintptr_t place, int64_t ld,
                     int64_t m, int64_t n, size_t element_size)
{
    starpu_matrix_data_register(handle, home_node, place, (uint32_t)ld, (uint32_t)m, (uint32_t)n,
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

/* StarPU wants memory for every handle, which must outlive it: starpu_data_unregister_submit()
 * returns before the last task. */
void register_order(starpu_data_handle_t *handle)
{
    static char nothing;
    starpu_variable_data_register(handle, STARPU_MAIN_RAM, (uintptr_t)&nothing, sizeof nothing);
    order_by_accesses(*handle);
}

void forget_handle(starpu_data_handle_t handle)
{
    profile_forget(handle);
    starpu_data_unregister_submit(handle);
}

bool handle_orders_tasks(starpu_data_handle_t handle)
{
    return starpu_data_get_sequential_consistency_flag(handle) != 0;
}

static bool is_valid_anywhere(starpu_data_handle_t handle)
{
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++) {
        int is_valid = 0;
        starpu_data_query_status2(handle, (int)node, NULL, &is_valid, NULL, NULL);
        if (is_valid)
            return true;
    }
    return false;
}

/* StarPU 1.4.10 ends the program ("Handle … is not initialized, it cannot be read") when a task is
 * submitted that reads data without a value, and has no function that tells. Data that is valid
 * nowhere either waits for a task that writes it, and then cannot be acquired at once, or has no
 * value. Acquiring it for writing makes StarPU take it for written: deinitializing undoes that. */
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
