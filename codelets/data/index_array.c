#include "data/index_array.h"

#include "data/handle.h"
#include "library/runtime.h"
#include "startile.h"
#include "trace/profile.h"

#include <stdlib.h>

int index_array_create(index_array *made, int64_t n, int columns)
{
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    int64_t *of = malloc(((size_t)n * (size_t)columns + 1) * sizeof *of);
    if (of == NULL)
        return STARTILE_ERROR_MEMORY;
    for (int64_t i = 0; i < n * columns; i++)
        of[i] = i % n + 1;
    *made = (index_array){.n = n, .of = of};
    register_matrix(&made->handle, STARPU_MAIN_RAM, (uintptr_t)of, n, n, columns, sizeof *of);
    runtime_hold();
    return 0;
}

void index_array_destroy(index_array *a)
{
    /* at the library's end StarPU has released the handle */
    if (runtime_is_up()) {
        profile_forget(a->handle);
        starpu_data_unregister(a->handle);
        runtime_release();
    }
    free(a->of);
}

int64_t index_array_get(const index_array *a, int64_t *to)
{
    if (to == NULL && a->n > 0)
        return -2;
    if (handle_acquire_in_main_memory(a->handle, STARPU_R) != 0)
        return STARTILE_ERROR_STARPU;
    for (int64_t i = 0; i < a->n; i++)
        to[i] = a->of[i];
    handle_release(a->handle, STARPU_MAIN_RAM);
    return 0;
}
