/*
 * Batches in GPU memory, and what that memory gives at best.
 */
#include "batch_gpu.h"
#include "machine_kernels.h"
#include "measure.h"

#include <math.h>

/* Larger than any GPU's L2 cache; written before a run that is timed */
static const size_t flood_bytes = (size_t)1 << 28;
static void *flood;

const char *batch_gpu_reason(void)
{
    return cuda_peer_reason();
}

int batch_gpu_alloc(const struct batch_data *d, void **device)
{
    for (int i = 0; i < BATCH_ARRAYS; i++)
        device[i] = NULL;
    int failed = cuda_peer_open() || cuda_peer_alloc(&flood, flood_bytes);
    for (int i = 0; i < d->batch->routine->arrays && !failed; i++)
        failed = cuda_peer_alloc(&device[i], d->bytes[i]);
    return failed;
}

void batch_gpu_free(void **device)
{
    for (int i = 0; i < BATCH_ARRAYS; i++)
        cuda_peer_free(device[i]);
    cuda_peer_free(flood);
    flood = NULL;
    cuda_peer_close();
}

int batch_gpu_restore(const struct batch_data *d, void *const *device)
{
    int failed = 0;
    for (int i = 0; i < d->batch->routine->arrays && !failed; i++)
        failed = cuda_peer_to_device(device[i], d->original[i], d->bytes[i]);
    return failed || CUDA(cudaMemsetAsync(flood, 0, flood_bytes, cuda_peer.stream)) ||
           cuda_peer_wait();
}

int batch_gpu_fetch(struct batch_data *d, void *const *device)
{
    int failed = 0;
    for (int i = 0; i < d->batch->routine->arrays && !failed; i++)
        if (d->batch->routine->operand[i].written)
            failed = cuda_peer_to_host(d->now[i], device[i], d->bytes[i]);
    return failed || cuda_peer_wait();
}

/* -- ceilings ------------------------------------------------------------------------------- */

static const size_t ceiling_bytes = (size_t)1 << 30;
enum { RUNS = 5 };

static int copy_engine(char *to, const char *from, double *seconds)
{
    double times[RUNS + 1];
    for (int i = 0; i <= RUNS; i++) {
        double start = now_seconds();
        if (CUDA(cudaMemcpyAsync(to, from, ceiling_bytes, cudaMemcpyDeviceToDevice,
                                 cuda_peer.stream)) ||
            cuda_peer_wait())
            return -1;
        times[i] = now_seconds() - start;
    }
    *seconds = median(times + 1, RUNS);
    return 0;
}

/* The faster of CUDA's copy and a kernel's is what can be had. */
static int measure(startile_exec *x, char *memory, double *reading, double *copying)
{
    double read = NAN, copy = NAN, kernel = NAN;
    int failed = CUDA(cudaMemset(memory, 1, 2 * ceiling_bytes)) ||
                 library_check("startile_machine_read_time",
                               startile_machine_read_time(x, memory, ceiling_bytes, &read)) ||
                 library_check("startile_machine_copy",
                               startile_machine_copy(x, memory, memory + ceiling_bytes,
                                                     ceiling_bytes, 16, 1, &kernel)) ||
                 copy_engine(memory + ceiling_bytes, memory, &copy);
    *reading = (double)ceiling_bytes / read;
    *copying = 2 * (double)ceiling_bytes / fmin(copy, kernel);
    return failed;
}

int batch_ceilings(double *reading, double *copying)
{
    static double known[2];
    void *memory = NULL;
    startile_exec *x = NULL;
    int failed = 0;
    if (!(known[0] > 0)) {
        failed =
            cuda_peer_open() || cuda_peer_alloc(&memory, 2 * ceiling_bytes) ||
            library_check("startile_exec_create", !(x = startile_exec_create(cuda_peer.stream))) ||
            measure(x, memory, &known[0], &known[1]);
        if (x)
            startile_exec_destroy(x);
        cuda_peer_free(memory);
        cuda_peer_close();
    }
    *reading = known[0];
    *copying = known[1];
    return failed;
}
