/*
 * What the machine does at best: the vendor's product and copy, measured once a type.
 */
#include "flops.h"
#include "kernel.h"
#include "measure.h"
#include "peer_cuda_state.h"
#include "scalar.h"

#include <math.h>

/* As many runs before the timed ones, so that clocks are those of long work. */
enum { RUNS = 3 };

static int time_once(int (*work)(const struct shape *, char *), const struct shape *s, char *memory,
                     const cudaEvent_t *events, double *seconds)
{
    float milliseconds = NAN;
    int failed = CUDA(cudaEventRecord(events[0], cuda_peer.stream)) || work(s, memory) ||
                 CUDA(cudaEventRecord(events[1], cuda_peer.stream)) || cuda_peer_wait() ||
                 CUDA(cudaEventElapsedTime(&milliseconds, events[0], events[1]));
    *seconds = 1e-3 * milliseconds;
    return failed;
}

static int time_work(int (*work)(const struct shape *, char *), const struct shape *s, char *memory,
                     double *seconds)
{
    double times[2 * RUNS];
    cudaEvent_t events[2] = {NULL, NULL};
    int failed = CUDA(cudaEventCreate(&events[0])) || CUDA(cudaEventCreate(&events[1]));
    for (int i = 0; i < 2 * RUNS && !failed; i++)
        failed = time_once(work, s, memory, events, &times[i]);
    for (int i = 0; i < 2; i++)
        if (events[i])
            cudaEventDestroy(events[i]);
    if (!failed)
        *seconds = median(times + RUNS, RUNS);
    return failed;
}

static int multiply(const struct shape *s, char *memory)
{
    size_t size = dtype_size(s->dtype), c = (size_t)s->m * (size_t)s->n * size;
    char *a = memory + c, *b = a + (size_t)s->m * (size_t)s->k * size;
    return peer_gemm(s, s->m, s->n, a, s->m, b, s->k, memory);
}

/* The first half of what is the product's C to the second. */
static size_t copied(const struct shape *s)
{
    return (size_t)s->m * (size_t)s->n * dtype_size(s->dtype) / 2;
}

static int copy(const struct shape *s, char *memory)
{
    return CUDA(cudaMemcpyAsync(memory + copied(s), memory, copied(s), cudaMemcpyDeviceToDevice,
                                cuda_peer.stream));
}

int kernel_ceilings(startile_dtype dtype, struct ceilings *c)
{
    const int n = dtype_is_complex(dtype) ? 8192 : 16384; /* as many operations for all */
    const struct shape s = {
        .dtype = dtype, .m = n, .n = n, .k = 4096, .transa = 'N', .transb = 'N'};
    const size_t elements = (size_t)s.m * (size_t)s.n + 2 * (size_t)s.m * (size_t)s.k;
    void *memory = NULL;
    double product = NAN, copying = NAN;
    if (c->gemm[dtype] > 0)
        return 0;
    int failed = cuda_peer_alloc(&memory, elements * dtype_size(dtype)) ||
                 cuda_peer_fill(memory, dtype, elements) ||
                 time_work(multiply, &s, memory, &product) || time_work(copy, &s, memory, &copying);
    cuda_peer_free(memory);
    c->gemm[dtype] = flops_gemm(dtype, s.m, s.n, s.k) / product;
    c->copy = 2 * (double)copied(&s) / copying;
    return failed;
}
