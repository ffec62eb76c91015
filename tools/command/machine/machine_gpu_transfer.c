/*
 * Transfers between main memory and GPUs.
 */
#include "machine_gpu.h"
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 4 KiB to 64 MiB */
enum { SIZES = 8, RUNS = 7, SMALLEST = 4096, GROWTH = 4 };
static const size_t largest = (size_t)SMALLEST << 14;

struct route {
    const char *where;
    void *to, *back_to;
    const void *from, *back_from; /* back_...: the other way at the same time, or NULL */
    cudaStream_t stream, back;
};

static int copy(void *to, const void *from, size_t bytes, cudaStream_t stream)
{
    return CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream));
}

static int time_route(const struct route *r, size_t bytes, bool both, double *seconds)
{
    double times[RUNS + 1];
    for (int i = 0; i <= RUNS; i++) {
        double start = now_seconds();
        if (copy(r->to, r->from, bytes, r->stream) ||
            (both && copy(r->back_to, r->back_from, bytes, r->back)) ||
            CUDA(cudaStreamSynchronize(r->stream)) ||
            (both && CUDA(cudaStreamSynchronize(r->back))))
            return -1;
        times[i] = now_seconds() - start;
    }
    *seconds = median(times + 1, RUNS);
    return 0;
}

static void figure_of(const struct gpu_bench *g, const struct route *r, const char *quantity,
                      double bytes, double value, enum unit unit)
{
    machine_figure(
        g->csv, &(struct figure){quantity, r->where, bytes, isnan(bytes) ? "" : "B", value, unit});
}

static int measure_route(const struct gpu_bench *g, const struct route *r)
{
    double bytes[SIZES], seconds[SIZES], latency, rate;
    size_t size = SMALLEST;
    for (int i = 0; i < SIZES; i++, size *= GROWTH) {
        bytes[i] = (double)size;
        if (time_route(r, size, false, &seconds[i]))
            return -1;
        figure_of(g, r, "transfer", bytes[i], seconds[i], SECONDS);
    }
    double misfit = fit_transfer(SIZES, bytes, seconds, &latency, &rate);
    figure_of(g, r, "transfer_latency", NAN, latency, SECONDS);
    figure_of(g, r, "transfer_rate", NAN, rate, BYTES_PER_SECOND);
    figure_of(g, r, "transfer_misfit", NAN, misfit, RATIO);
    if (!r->back_to)
        return 0;
    if (time_route(r, largest, true, &seconds[0]))
        return -1;
    figure_of(g, r, "transfer_both", (double)largest, 2 * (double)largest / seconds[0],
              BYTES_PER_SECOND);
    return 0;
}

static int measure_host(const struct gpu_bench *g, cudaStream_t back)
{
    char *pageable = malloc(largest), *locked = NULL;
    int failed = !pageable || CUDA(cudaMallocHost((void **)&locked, 2 * largest));
    if (!failed) {
        memset(pageable, 1, largest);
        memset(locked, 1, 2 * largest);
        cudaStream_t s = cuda_peer.stream;
        const struct route routes[] = {
            {"pageable -> GPU 0", g->a, NULL, pageable, NULL, s, back},
            {"GPU 0 -> pageable", pageable, NULL, g->a, NULL, s, back},
            {"page-locked -> GPU 0", g->a, locked + largest, locked, g->b, s, back},
            {"GPU 0 -> page-locked", locked, NULL, g->a, NULL, s, back},
        };
        for (size_t i = 0; i < sizeof routes / sizeof *routes && !failed; i++)
            failed = measure_route(g, &routes[i]);
    }
    cudaFreeHost(locked);
    free(pageable);
    return failed;
}

/* Without peer access a transfer goes by way of main memory, which is measured then. */
static void allow_access(int device, int peer)
{
    if (cudaSetDevice(device) != cudaSuccess || cudaDeviceEnablePeerAccess(peer, 0) != cudaSuccess)
        (void)cudaGetLastError();
}

static int measure_pair(const struct gpu_bench *g, int other)
{
    char *there = NULL, where[32];
    cudaStream_t back = NULL;
    snprintf(where, sizeof where, "GPU 0 -> GPU %d", other);
    allow_access(other, 0);
    int failed = CUDA(cudaSetDevice(other)) || CUDA(cudaStreamCreate(&back)) ||
                 CUDA(cudaMalloc((void **)&there, 2 * largest)) ||
                 CUDA(cudaMemset(there, 1, 2 * largest));
    allow_access(0, other);
    if (!failed)
        failed = CUDA(cudaSetDevice(0)) ||
                 measure_route(g, &(struct route){where, there, g->b, g->a, there + largest,
                                                  cuda_peer.stream, back});
    (void)cudaSetDevice(other);
    if (back)
        cudaStreamDestroy(back);
    cudaFree(there);
    return CUDA(cudaSetDevice(0)) || failed;
}

int measure_transfers(const struct gpu_bench *g)
{
    cudaStream_t back = NULL;
    int failed = CUDA(cudaStreamCreate(&back)) || measure_host(g, back);
    if (back)
        cudaStreamDestroy(back);
    for (int other = 1; other < cuda_count() && !failed; other++)
        failed = measure_pair(g, other);
    return failed;
}
