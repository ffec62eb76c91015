/*
 * The GPU's measurements: what they need, their order, and those that need no file of their own.
 */
#include "machine_gpu.h"
#include "measure.h"
#include "scalar.h"
#include "startile.h"

#include <math.h>

void gpu_figure(const struct gpu_bench *g, const char *quantity, double parameter,
                const char *parameter_is, double value, enum unit unit)
{
    machine_figure(g->csv,
                   &(struct figure){quantity, "GPU 0", parameter, parameter_is, value, unit});
}

int machine_check(const char *what, int status)
{
    if (!status)
        return 0;
    snprintf(cuda_peer.reason, sizeof cuda_peer.reason, "%s: %s", what, startile_strerror(status));
    return -1;
}

/* -- launches, barriers, atomic additions ------------------------------------------------------ */

static int measure_launches(const struct gpu_bench *g)
{
    static const char *const names[] = {"launch", "launch_wait"};
    for (int wait = 0; wait < 2; wait++) {
        double seconds;
        if (machine_check("launch", startile_machine_launch(g->exec, wait, &seconds)))
            return -1;
        gpu_figure(g, names[wait], NAN, "", seconds, SECONDS);
    }
    return 0;
}

static int measure_barriers(const struct gpu_bench *g, int multiprocessors)
{
    const int grids[] = {8, 32, multiprocessors}, clusters[] = {2, 4, 8, 16};
    double seconds;
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        if (machine_check("grid barrier",
                          startile_machine_grid_barrier(g->exec, grids[i], 256, &seconds)))
            return -1;
        gpu_figure(g, "grid_barrier", grids[i], "blocks", seconds, SECONDS);
    }
    for (size_t i = 0; i < sizeof clusters / sizeof *clusters; i++) {
        if (machine_check("cluster barrier",
                          startile_machine_cluster_barrier(g->exec, clusters[i], 256, &seconds)))
            return -1;
        gpu_figure(g, "cluster_barrier", clusters[i], "blocks", seconds, SECONDS);
    }
    return 0;
}

int measure_synchronisation(const struct gpu_bench *g)
{
    const int places[] = {1, 32, 1024, 32768};
    struct cudaDeviceProp properties;
    double seconds;
    if (CUDA(cudaGetDeviceProperties(&properties, 0)) || measure_launches(g) ||
        measure_barriers(g, properties.multiProcessorCount))
        return -1;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (machine_check("atomic", startile_machine_atomic(g->exec, g->a, places[i], &seconds)))
            return -1;
        gpu_figure(g, "atomic", places[i], "places", 1 / seconds, OPERATIONS_PER_SECOND);
    }
    return 0;
}

/* -- products --------------------------------------------------------------------------------- */

enum { PRODUCTS = 4 };

static int time_product(startile_dtype dtype, int n, char *memory, double *seconds)
{
    double times[PRODUCTS];
    size_t square = (size_t)n * (size_t)n * dtype_size(dtype);
    if (cuda_peer_fill(memory, dtype, 3 * (size_t)n * (size_t)n))
        return -1;
    for (int i = 0; i < PRODUCTS; i++) {
        double start = now_seconds();
        if (cuda_peer_gemm(dtype, n, n, n, memory, memory + square, memory + 2 * square) ||
            cuda_peer_wait())
            return -1;
        times[i] = now_seconds() - start;
    }
    *seconds = median(times + 1, PRODUCTS - 1);
    return 0;
}

int measure_products(const struct gpu_bench *g)
{
    static const char *const names[] = {"sgemm", "dgemm", "cgemm", "zgemm"};
    const int n = 8192;
    int failed = 0;
    for (int t = 0; t < 4 && !failed; t++) {
        startile_dtype dtype = (startile_dtype)t;
        void *memory = NULL;
        double seconds = NAN, operations = (dtype_is_complex(dtype) ? 8 : 2) * pow(n, 3);
        failed = cuda_peer_alloc(&memory, 3 * (size_t)n * (size_t)n * dtype_size(dtype)) ||
                 time_product(dtype, n, memory, &seconds);
        cuda_peer_free(memory);
        if (!failed)
            gpu_figure(g, names[t], n, "order", operations / seconds, OPERATIONS_PER_SECOND);
    }
    return failed;
}

/* -- all -------------------------------------------------------------------------------------- */

static int open_all(struct gpu_bench *g)
{
    if (cuda_peer_open() || cuda_peer_alloc((void **)&g->a, gpu_bytes) ||
        cuda_peer_alloc((void **)&g->b, gpu_bytes) || CUDA(cudaMemset(g->a, 1, gpu_bytes)))
        return -1;
    g->exec = startile_exec_create(cuda_peer.stream);
    return g->exec ? 0 : machine_check("startile_exec_create", STARTILE_ERROR_MEMORY);
}

int measure_gpu(FILE *csv)
{
    struct gpu_bench g = {.csv = csv};
    struct gpu gpu;
    if (cuda_describe(0, &gpu))
        return -1;
    printf("# GPU 0: %s\n", gpu.name);
    int failed = open_all(&g) || measure_synchronisation(&g) || measure_transfers(&g) ||
                 measure_memory(&g) || measure_latency(&g) || measure_products(&g);
    if (g.exec)
        startile_exec_destroy(g.exec);
    cuda_peer_free(g.a);
    cuda_peer_free(g.b);
    cuda_peer_close();
    return failed;
}
