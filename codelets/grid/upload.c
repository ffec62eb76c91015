/* Copies of received tiles to the GPU ahead of the tasks that read them. */
#include "grid/upload.h"

#include "data/pointer.h"
#include "data/tiles.h"
#include "library/runtime.h"
#include "request/state.h"

#include <starpu.h>
#include <stdlib.h>

/* A submitted copy of a received tile to a GPU */
struct upload {
    struct stage *stage; /* counts the copy as unfinished */
    starpu_data_handle_t handle;
    int node;
};

/* Callback: the tile is on the GPU. */
static void upload_done(void *arg)
{
    struct upload *u = arg;
    struct stage *stage = u->stage;
    starpu_data_release_on_node(u->handle, u->node);
    free(u);
    stage_end_one(stage);
}

/* Returns the memory node of the GPU that reads the tile, or −1 if CPU cores or several GPUs may
 * read it. */
static int reading_gpu(tile T)
{
    const startile_shape *s = &T.A->shape;
    int64_t n = s->m > s->n ? s->m : s->n;
    bool is_for_gpus = !T.A->on_cores && runtime_where_of(s->dtype, n) == STARPU_CUDA;
    return is_for_gpus ? only_gpu_node() : -1;
}

void upload_tile(context ctx, tile T)
{
    int node = reading_gpu(T);
    struct upload *u = node < 0 ? NULL : malloc(sizeof *u);
    if (u == NULL)
        return; /* StarPU copies the tile before the task that reads it */
    *u = (struct upload){stage_begin_one(ctx), tile_handle(T), node};
    starpu_data_acquire_on_node_cb(u->handle, node, STARPU_R, upload_done, u);
}
