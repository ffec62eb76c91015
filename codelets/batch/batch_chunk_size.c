/* Chooses the number of matrices in a chunk if the caller does not. */
#include "batch/batch_private.h"
#include "library/integers.h"
#include "library/library.h"
#include "library/runtime.h"

#include <limits.h>
#include <math.h>

/*
 * A CPU worker gets a few chunks of at least 100 µs, so that all workers end together and StarPU's
 * 11 µs for a task (perf_models/NOTES.md, "Tiles, workers and schedulers") count little. A batch of
 * at most 300 µs is one chunk, which a blocking call computes in its own thread: to wake workers
 * takes about 100 µs. A GPU gets two chunks, so that one is copied while the other is computed. A
 * GPU's chunk fills the GPU, and leaves memory for the operands of several tasks. With CPUs and
 * GPUs, a chunk takes a GPU about a millisecond, but is small enough for every CPU worker to get
 * CHUNKS_TO_BALANCE chunks (perf_models/NOTES.md, "CPU cores and GPUs together").
 */
enum {
    CHUNKS_PER_CORE = 4,
    CHUNKS_PER_GPU = 2,
    CHUNKS_TO_BALANCE = 2,
    MIN_MATRICES_PER_GPU_CHUNK = 4096
};
/* Number of GPUs for which chunks are cut with the option reproducible: kernels are chosen by the
 * number and the largest of the matrices in a chunk. On CPUs the chunks have no effect on bits. */
enum { REPRODUCIBLE_GPUS = 8 };
static const double CPU_TASK = 100e-6, CPU_ALONE = 300e-6, GPU_TASK = 1e-3;
static const double GPU_BYTES = 512 * 1024.0 * 1024.0;
/* Elements of a matrix from which chunks on one GPU gain by running at the same time, because few
 * such matrices do not fill it: 8 of order 2048 in single precision, H200, getrf 20 ms as one
 * chunk, 11 as two; geqrf 40, 23 (perf_models/NOTES.md, "Batches") */
static const double LARGE = 1024 * 1024.0;

/* Used without a model. CPU_RATE: operations per second of a core, CPU_COLUMN: seconds in addition
 * for each column, both from gesv on Zen 4. GPU_RATE: operations per second of a GPU, about those
 * of cuSOLVER's batches of order 32 to 64. (perf_models/NOTES.md, "Batches") */
static const double CPU_RATE = 7e9, CPU_COLUMN = 50e-9, GPU_RATE = 500e9;

/* Returns the operations per second of a core on such matrices. */
static double cpu_rate(struct matrix_work one)
{
    return one.operations / (one.operations / CPU_RATE + CPU_COLUMN * fmax(1, fmin(one.m, one.n)));
}

/* Returns the work of a matrix: the operations of LU, and one operation for each 8 bytes. */
struct matrix_work matrix_work_of(double m, double n, struct elements of)
{
    double bytes = m * n * (double)element_size(of), k = m < n ? m : n;
    return (struct matrix_work){m, n, 2.0 / 3 * m * n * k + bytes / 8 + 1, bytes, of};
}

/* Returns the number of matrices that take `seconds`. The operation is not known when a batch is
 * created, so LU's calibrated time stands for all operations on matrices; vectors use the default
 * rate. The iteration converges in a few steps, because the time is a power law of the number. */
static int64_t matrices_in_time(double seconds, enum model_device device, struct matrix_work one,
                                double default_rate)
{
    enum { STEPS = 4 };
    struct matrix_work of_mean_size = matrix_work_of(one.m, one.n, one.of);
    double count = seconds * default_rate / of_mean_size.operations;
    bool is_matrix = !one.of.are_integers && one.m >= 2 && one.n >= 2;
    if (is_matrix)
        for (int step = 0; step < STEPS; step++) {
            double tried = fmax(1, count),
                   time = 1e-6 * getrf_batch_time(device, of_mean_size, tried);
            count = isnan(time) ? count : tried * seconds / time;
        }
    /* the mean of many matrices may have more operations than a matrix of mean size */
    return (int64_t)fmin(count * of_mean_size.operations / one.operations, INT_MAX);
}

int64_t default_per_task(int64_t count, struct matrix_work one, bool on_gpu)
{
    bool on_cpu = (runtime_where_of_batches() & STARPU_CPU) != 0;
    int64_t cores = max(1, (int64_t)starpu_cpu_worker_get_count());
    if (!runtime_has_cuda()) {
        bool is_short = count <= matrices_in_time(CPU_ALONE, MODEL_CPU, one, cpu_rate(one));
        return is_short ? max(1, count)
                        : max(ceil_div(count, CHUNKS_PER_CORE * cores),
                              matrices_in_time(CPU_TASK, MODEL_CPU, one, cpu_rate(one)));
    }
    int64_t devices = runtime_is_reproducible() ? REPRODUCIBLE_GPUS : max(1, runtime_gpus()),
            most_per_gpu_task = (int64_t)(GPU_BYTES / (one.bytes + 1)) + 1;
    bool is_large = one.m * one.n >= LARGE;
    /* one launch, because nothing is copied */
    if (!on_cpu && on_gpu && devices == 1 && !is_large)
        return min(most_per_gpu_task, count);
    if (!on_cpu)
        return min(most_per_gpu_task, max(ceil_div(count, CHUNKS_PER_GPU * devices),
                                          is_large ? 1 : MIN_MATRICES_PER_GPU_CHUNK));
    int64_t per_gpu_task = matrices_in_time(GPU_TASK, MODEL_CUDA, one, GPU_RATE) + 1;
    return min(min(most_per_gpu_task, per_gpu_task),
               ceil_div(count, CHUNKS_TO_BALANCE * (cores + CHUNKS_PER_GPU * devices)));
}
