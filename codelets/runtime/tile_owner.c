/*
 * Which of several GPUs takes a task: the owner of the largest tile that it works on. Columns go to
 * the GPUs in turn, as ScaLAPACK's one-dimensional block-cyclic distribution has them, and so do
 * panels; a panel travels once to each of the others. Measured on two and four GPUs, this is faster
 * than a scheduler that weighs transfers by models (perf_models/NOTES.md).
 */
#include "runtime/runtime.h"

/* So many times as many rows of tiles as columns make a matrix tall, and the reverse wide. */
enum { ASPECT_RATIO = 2 };

/* In a square matrix a column of the lower triangle and the row of the upper one that takes its
 * place are of one owner, so that Cholesky has whole columns in either. */
static int64_t owner_of(tile t)
{
    const startile_shape *s = &t.A->shape;
    if (s->nt >= ASPECT_RATIO * s->mt)
        return t.j;
    if (s->mt >= ASPECT_RATIO * s->nt)
        return t.i;
    return t.i < t.j ? t.i : t.j;
}

/* What is written counts twice, since it would go there and be wanted back. */
static double weight_of(tile t, enum starpu_data_access_mode mode)
{
    enum { WRITE_WEIGHT = 2 };
    double elements = (double)tile_rows(t) * (double)tile_columns(t);
    return (mode & STARPU_W) != 0 ? WRITE_WEIGHT * elements : elements;
}

void task_tile(struct starpu_task *t, tile A, enum starpu_data_access_mode mode)
{
    struct task_args *args = t->cl_arg;
    double weight = weight_of(A, mode);
    if (weight >= args->owner_weight) {
        args->owner_weight = weight;
        t->workerids = runtime_workers_of_owner(owner_of(A), args->critical);
    }
    task_access(t, tile_handle_for(A, mode), mode);
}
