#include "grid/partial_sums.h"

#include "data/handle.h"
#include "data/tiles.h"
#include "data/zero_init.h"
#include "grid/grid.h"
#include "library/thread_state.h"
#include "request/request.h"

startile_matrix *partial_sums(context ctx, const startile_matrix *A, int64_t m, int64_t n,
                              int64_t mb)
{
    startile_shape s = {.m = m, .n = n, .mb = mb, .nb = n};
    startile_matrix *S = temporary_of_type(ctx, STARTILE_D, s);
    if (S == NULL || A->grid == NULL)
        return S;
    for (int64_t i = 0; i < S->shape.mt; i++)
        set_per_process(tile_handle((tile){S, i, 0, 'N'}));
    return S;
}

/* Replaces a tile by its sum over all processes. Returns 0 or a startile_error. Collective. */
static int join(const startile_grid *g, tile T)
{
    starpu_data_handle_t handle = tile_handle(T);
    handle_zero_before_read(handle);
    int failed = handle_acquire_in_main_memory(handle, STARPU_RW);
    if (failed != 0)
        return failed;
    const void *interface = starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM);
    int64_t ld = STARPU_MATRIX_GET_LD(interface);
    double *sum = starpu_data_handle_to_pointer(handle, STARPU_MAIN_RAM);
    failed = g->network->sum(g, sum, (int)(ld * (tile_columns(T) - 1) + tile_rows(T)));
    handle_release(handle, STARPU_MAIN_RAM);
    return failed;
}

void join_partial_sums(context ctx, const startile_matrix *A, const startile_matrix *S)
{
    if (A->grid == NULL)
        return;
    struct floating_point caller = use_default_floating_point();
    for (int64_t i = 0; i < S->shape.mt; i++)
        request_fail(ctx.request, join(A->grid, (tile){S, i, 0, 'N'}));
    restore_floating_point(&caller);
}
