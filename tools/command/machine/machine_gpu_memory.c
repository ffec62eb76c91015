/*
 * Bandwidth and latency of the GPU's memory.
 */
#include "machine_gpu.h"

#include <math.h>

static int copy_figure(const struct gpu_bench *g, const char *quantity, size_t offset, int size,
                       int stride, double parameter, const char *parameter_is)
{
    double seconds, moved = 2 * (double)gpu_bytes / stride;
    if (machine_check("copy", startile_machine_copy(g->exec, g->a + offset, g->b, gpu_bytes - 256,
                                                    size, stride, &seconds)))
        return -1;
    gpu_figure(g, quantity, parameter, parameter_is, moved / seconds, BYTES_PER_SECOND);
    return 0;
}

static int measure_copies(const struct gpu_bench *g)
{
    const int sizes[] = {16, 8, 4}, offsets[] = {8, 32, 64, 128};
    const int strides[] = {2, 4, 8, 16, 32, 512};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (copy_figure(g, "copy", 0, sizes[i], 1, sizes[i], "B a thread"))
            return -1;
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        if (copy_figure(g, "copy_misaligned", (size_t)offsets[i], 8, 1, offsets[i], "B off"))
            return -1;
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
        if (copy_figure(g, "copy_strided", 0, 8, strides[i], strides[i], "doubles"))
            return -1;
    return 0;
}

enum { RUNS = 5 };

static int measure_memcpy(const struct gpu_bench *g)
{
    cudaEvent_t begin = NULL, end = NULL;
    float milliseconds = NAN;
    int failed = CUDA(cudaEventCreate(&begin)) || CUDA(cudaEventCreate(&end));
    for (int i = -1; i < RUNS && !failed; i++)
        failed = (i == 0 && CUDA(cudaEventRecord(begin, cuda_peer.stream))) ||
                 CUDA(cudaMemcpyAsync(g->b, g->a, gpu_bytes, cudaMemcpyDeviceToDevice,
                                      cuda_peer.stream));
    failed = failed || CUDA(cudaEventRecord(end, cuda_peer.stream)) || cuda_peer_wait() ||
             CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
    if (begin)
        cudaEventDestroy(begin);
    if (end)
        cudaEventDestroy(end);
    if (!failed)
        gpu_figure(g, "copy", NAN, "", 2 * (double)gpu_bytes * RUNS / (1e-3 * milliseconds),
                   BYTES_PER_SECOND);
    return failed;
}

int measure_memory(const struct gpu_bench *g)
{
    double seconds;
    if (measure_memcpy(g) || measure_copies(g))
        return -1;
    if (machine_check("read", startile_machine_read_time(g->exec, g->a, gpu_bytes, &seconds)))
        return -1;
    gpu_figure(g, "read", NAN, "", (double)gpu_bytes / seconds, BYTES_PER_SECOND);
    if (machine_check("write", startile_machine_write_time(g->exec, g->b, gpu_bytes, &seconds)))
        return -1;
    gpu_figure(g, "write", NAN, "", (double)gpu_bytes / seconds, BYTES_PER_SECOND);
    return 0;
}

static int latency_figure(const struct gpu_bench *g, const char *where, size_t bytes, int past_l1)
{
    double seconds;
    if (machine_check("latency",
                      startile_machine_chase(g->exec, g->a, bytes, 128, past_l1, &seconds)))
        return -1;
    machine_figure(g->csv,
                   &(struct figure){"latency", where, (double)bytes, "B", seconds, SECONDS});
    return 0;
}

int measure_latency(const struct gpu_bench *g)
{
    double seconds;
    if (machine_check("latency", startile_machine_chase_shared(g->exec, &seconds)))
        return -1;
    machine_figure(g->csv,
                   &(struct figure){"latency", "GPU 0 shared", 4096, "B", seconds, SECONDS});
    for (size_t bytes = 4096; bytes <= gpu_bytes; bytes *= bytes < 262144 ? 2 : 4)
        if (latency_figure(g, "GPU 0 through L1", bytes, 0))
            return -1;
    for (size_t bytes = 65536; bytes <= (size_t)1 << 26; bytes *= 4)
        if (latency_figure(g, "GPU 0 past L1", bytes, 1))
            return -1;
    return 0;
}
