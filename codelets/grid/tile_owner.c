/* Chooses the GPU and the process that run a task, by the owners of its tiles. The GPU is the owner
 * of the largest tile; the size of a written tile counts twice. Block columns belong to the GPUs in
 * turn, as in ScaLAPACK's one-dimensional block-cyclic distribution, so each panel is copied once
 * to each other GPU. On two and four GPUs this was faster than a scheduler that models transfers
 * (perf_models/NOTES.md, "Several GPUs and processes"). */
#include "data/tiles.h"
#include "grid/grid.h"
#include "library/integers.h"
#include "library/runtime.h"
#include "request/state.h"
#include "task/task.h"

#include <math.h>

/* A matrix is tall if mt >= ASPECT_RATIO * nt, and wide if nt >= ASPECT_RATIO * mt. */
enum { ASPECT_RATIO = 2 };

/* Returns a number whose remainder modulo the number of GPUs is the owner. In a square matrix
 * column k of the lower triangle and row k of the upper triangle have one owner, so that each
 * panel of Cholesky has one owner for either triangle. */
static int64_t owner_of(tile t)
{
    const startile_shape *s = &t.A->shape;
    if (t.A->grid != NULL)
        t = local_index(t);
    if (s->nt >= ASPECT_RATIO * s->mt)
        return t.j;
    if (s->mt >= ASPECT_RATIO * s->nt)
        return t.i;
    return t.i < t.j ? t.i : t.j;
}

/* Returns the weight of a tile in elements. A written tile counts twice, because it is copied to
 * the GPU and back. */
static double weight_of(tile t, enum starpu_data_access_mode mode)
{
    enum { WRITE_WEIGHT = 2 };
    double elements = (double)tile_rows(t) * (double)tile_columns(t);
    return (mode & STARPU_W) != 0 ? WRITE_WEIGHT * elements : elements;
}

/* Chooses the process that runs the task: the owner of the largest tile that the task writes or, if
 * it writes none, reads. */
static void choose_process(struct task_args *args, tile A, enum starpu_data_access_mode mode)
{
    double elements = (double)tile_rows(A) * (double)tile_columns(A);
    bool is_written = (mode & STARPU_W) != 0;
    if (A.A->grid == NULL || is_written < args->writes_tile ||
        (is_written == args->writes_tile && elements < args->rank_weight))
        return;
    args->grid = A.A->grid;
    args->rank = tile_rank(A);
    args->rank_weight = elements;
    args->writes_tile = is_written;
}

/* Chooses the devices that run the task, by its largest tile. */
static void choose_devices(struct starpu_task *t, const struct task_args *args, tile A)
{
    const startile_shape *a = &A.A->shape;
    uint32_t where = runtime_where_of(args->dtype, max(a->m, a->n));
    t->where = (int32_t)where;
    t->workerids = runtime_owners() > 0 ? runtime_workers_of_owner(owner_of(A), args->critical)
                                        : runtime_workers(args->critical, where);
}

void task_tile(struct starpu_task *t, tile A, enum starpu_data_access_mode mode)
{
    struct task_args *args = t->cl_arg;
    double weight = weight_of(A, mode);
    if (A.A->on_cores) {
        args->owner_weight = INFINITY;
        task_on_cpu(t);
    } else if (weight >= args->owner_weight) {
        args->owner_weight = weight;
        choose_devices(t, args, A);
    }
    choose_process(args, A, mode);
    args->is_on_part |= A.A->shape.mt > 1 || A.A->shape.nt > 1;
    /* a callback submits the tasks of a hold, and must not call tile_handle_for() */
    bool is_held = args->ctx.request->hold != NULL;
    if (t->nbuffers < 64)
        args->tiles |= UINT64_C(1) << t->nbuffers;
    task_access(t, is_held ? tile_handle(A) : tile_handle_for(A, mode), mode);
}
