/*
 * The tile size where the caller names none: large enough for the kernels' rate and StarPU's cost
 * of a task, small enough for parallelism. See perf_models/NOTES.md for the measurements.
 */
#include "tile_size.h"
#include "runtime.h"

struct choice {
    int64_t up_to; /* order of the matrix */
    int64_t nb;
};

/* Up to 4096 a GPU is left to cuSOLVER: its chain of small kernels is what bounds the run. */
static const struct choice on_cpu[] = {{512, 128}, {4096, 256}, {INT64_MAX, 512}};
static const struct choice on_cuda[] = {{4096, 4096}, {12288, 1024}, {INT64_MAX, 2048}};

int64_t default_tile_size(int64_t n)
{
    const struct choice *c = runtime_has_cuda() ? on_cuda : on_cpu;
    while (n > c->up_to)
        c++;
    return c->nb;
}
