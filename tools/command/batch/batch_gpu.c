/*
 * Batches in GPU memory. Where CUDA is not, every call fails.
 */
#include "batch.h"

#ifdef STARTILE_HAVE_CUDA

#include "peer_cuda_state.h"

/* Larger than any GPU's L2 cache; written before a run that is timed */
static const size_t flood_bytes = (size_t)1 << 28;
static void *flood;

const char *batch_gpu_reason(void)
{
    return cuda_peer_reason();
}

int batch_gpu_alloc(const struct batch_data *d, void **device)
{
    for (int i = 0; i < OPERANDS; i++)
        device[i] = NULL;
    int failed = cuda_peer_open() || cuda_peer_alloc(&flood, flood_bytes);
    for (int i = 0; i < d->arrays && !failed; i++)
        failed = cuda_peer_alloc(&device[i], d->bytes[i]);
    return failed;
}

void batch_gpu_free(void **device)
{
    for (int i = 0; i < OPERANDS; i++)
        cuda_peer_free(device[i]);
    cuda_peer_free(flood);
    flood = NULL;
    cuda_peer_close();
}

int batch_gpu_restore(const struct batch_data *d, void *const *device)
{
    int failed = 0;
    for (int i = 0; i < d->arrays && !failed; i++)
        failed = cuda_peer_to_device(device[i], d->original[i], d->bytes[i]);
    return failed || CUDA(cudaMemsetAsync(flood, 0, flood_bytes, cuda_peer.stream)) ||
           cuda_peer_wait();
}

int batch_gpu_fetch(struct batch_data *d, void *const *device)
{
    int failed = 0;
    for (int i = 0; i < d->arrays && !failed; i++)
        if (d->batch->routine->operand[i].written)
            failed = cuda_peer_to_host(d->now[i], device[i], d->bytes[i]);
    return failed || cuda_peer_wait();
}

#else

int batch_gpu_alloc(const struct batch_data *d, void **device)
{
    (void)d;
    (void)device;
    return -1;
}

void batch_gpu_free(void **device)
{
    (void)device;
}

int batch_gpu_restore(const struct batch_data *d, void *const *device)
{
    (void)d;
    (void)device;
    return -1;
}

int batch_gpu_fetch(struct batch_data *d, void *const *device)
{
    (void)d;
    (void)device;
    return -1;
}

void batch_race_gpu(const struct bench_settings *s, struct batch_data *d, struct team *team,
                    struct row *row)
{
    (void)s;
    (void)d;
    (void)team;
    row_fail(row, "error: peer: %s", batch_gpu_reason());
}

const char *batch_gpu_peer(const struct problem *c)
{
    (void)c;
    return NULL;
}

const char *batch_gpu_reason(void)
{
    return "startile was built without CUDA";
}

#endif
