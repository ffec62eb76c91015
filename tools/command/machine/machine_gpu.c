/*
 * What the GPUs do at best.
 */
#include "machine.h"
#include "measure.h"
#include "peer_cuda_state.h"
#include "scalar.h"

#include <stdlib.h>
#include <string.h>

static const size_t large = (size_t)1 << 26, small = 4096, copied = (size_t)1 << 30;
enum { RUNS = 6 };

/* -- copies and transfers -------------------------------------------------------------------- */

struct route {
    const char *where;
    void *to, *back_to;
    const void *from, *back_from; /* back_...: the other way at the same time, or NULL */
    cudaStream_t stream, back;
};

/* Seconds of the median run, after one that warms up; below 0 after a failure */
static double time_route(const struct route *r, size_t bytes, bool both)
{
    double times[RUNS];
    for (int i = 0; i < RUNS; i++) {
        double start = now_seconds();
        if (CUDA(cudaMemcpyAsync(r->to, r->from, bytes, cudaMemcpyDefault, r->stream)) ||
            (both &&
             CUDA(cudaMemcpyAsync(r->back_to, r->back_from, bytes, cudaMemcpyDefault, r->back))) ||
            CUDA(cudaStreamSynchronize(r->stream)) ||
            (both && CUDA(cudaStreamSynchronize(r->back))))
            return -1;
        times[i] = now_seconds() - start;
    }
    return median(times + 1, RUNS - 1);
}

static int measure_route(FILE *csv, const struct route *r)
{
    double one_way = time_route(r, large, false), latency = time_route(r, small, false);
    double both = r->back_to ? time_route(r, large, true) : 0;
    if (one_way < 0 || latency < 0 || both < 0)
        return -1;
    machine_figure(csv, "transfer", r->where, (double)large / one_way, BYTES_PER_SECOND);
    machine_figure(csv, "latency", r->where, latency, SECONDS);
    if (r->back_to)
        machine_figure(csv, "transfer_both", r->where, 2 * (double)large / both, BYTES_PER_SECOND);
    return 0;
}

static int measure_host(FILE *csv, char *gpu, cudaStream_t back)
{
    char *pageable = malloc(large), *locked = NULL;
    int failed = !pageable || CUDA(cudaMallocHost((void **)&locked, 2 * large));
    if (!failed) {
        memset(pageable, 1, large);
        memset(locked, 1, 2 * large);
        cudaStream_t s = cuda_peer.stream;
        const struct route routes[] = {
            {"pageable -> GPU 0", gpu, NULL, pageable, NULL, s, back},
            {"GPU 0 -> pageable", pageable, NULL, gpu, NULL, s, back},
            {"page-locked -> GPU 0", gpu, locked + large, locked, gpu + large, s, back},
            {"GPU 0 -> page-locked", locked, NULL, gpu, NULL, s, back},
        };
        for (size_t i = 0; i < sizeof routes / sizeof *routes && !failed; i++)
            failed = measure_route(csv, &routes[i]);
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

static int measure_pair(FILE *csv, char *gpu, int other)
{
    char *there = NULL, where[32];
    cudaStream_t back = NULL;
    snprintf(where, sizeof where, "GPU 0 -> GPU %d", other);
    allow_access(other, 0);
    int failed = CUDA(cudaSetDevice(other)) || CUDA(cudaStreamCreate(&back)) ||
                 CUDA(cudaMalloc((void **)&there, 2 * large)) ||
                 CUDA(cudaMemset(there, 1, 2 * large));
    allow_access(0, other);
    if (!failed)
        failed = CUDA(cudaSetDevice(0)) ||
                 measure_route(csv, &(struct route){where, there, gpu + large, gpu, there + large,
                                                    cuda_peer.stream, back});
    (void)cudaSetDevice(other);
    if (back)
        cudaStreamDestroy(back);
    cudaFree(there);
    return CUDA(cudaSetDevice(0)) || failed;
}

static int measure_copy(FILE *csv, char *gpu)
{
    const struct route r = {.to = gpu, .from = gpu + copied, .stream = cuda_peer.stream};
    double seconds = time_route(&r, copied, false);
    if (seconds < 0)
        return -1;
    machine_figure(csv, "copy", "GPU 0", 2 * (double)copied / seconds, BYTES_PER_SECOND);
    return 0;
}

/* -- products ------------------------------------------------------------------------------- */

static int measure_product(FILE *csv, startile_dtype dtype, int n, char *memory)
{
    double times[RUNS];
    char name[] = "?gemm";
    const size_t elements = (size_t)n * (size_t)n, square = elements * dtype_size(dtype);
    name[0] = dtype_letter(dtype);
    if (cuda_peer_fill(memory, dtype, 3 * elements))
        return -1;
    for (int i = 0; i < RUNS; i++) {
        double start = now_seconds();
        if (cuda_peer_gemm(dtype, n, n, n, memory, memory + square, memory + 2 * square) ||
            cuda_peer_wait())
            return -1;
        times[i] = now_seconds() - start;
    }
    machine_figure(csv, name, "GPU 0",
                   (dtype_is_complex(dtype) ? 8.0 : 2.0) * n * n * n / median(times + 1, RUNS - 1),
                   OPERATIONS_PER_SECOND);
    return 0;
}

int measure_gpus(FILE *csv)
{
    const int n = 8192; /* three such matrices of the largest elements hold all else, too */
    char *memory = NULL;
    cudaStream_t back = NULL;
    int failed = cuda_peer_open() ||
                 cuda_peer_alloc((void **)&memory, 3 * (size_t)n * (size_t)n * 16) ||
                 CUDA(cudaMemset(memory, 1, 2 * copied)) || CUDA(cudaStreamCreate(&back)) ||
                 measure_copy(csv, memory) || measure_host(csv, memory, back);
    if (back)
        cudaStreamDestroy(back);
    for (int other = 1; other < cuda_count() && !failed; other++)
        failed = measure_pair(csv, memory, other);
    for (int t = 0; t < 4 && !failed; t++)
        failed = measure_product(csv, (startile_dtype)t, n, memory);
    cuda_peer_free(memory);
    cuda_peer_close();
    return failed;
}
