/*
 * The peer on several GPUs: cusolverMg. The block columns of its matrix are on the first GPUs in
 * turn.
 * Compiled only where the library exists, which NVIDIA deprecates since CUDA 13.
 */
#define DISABLE_CUSOLVERMG_DEPRECATED
#include "peer_cuda_state.h"

#include "scalar.h"

#include <cusolverMg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    enum mg_routine routine;
    startile_dtype dtype;
    int64_t m, n;
    int gpus, device[CUDA_MG_GPUS];
    bool peer_access[CUDA_MG_GPUS][CUDA_MG_GPUS]; /* true: cuda_mg_open() enabled it */
    cusolverMgHandle_t solver;
    cudaLibMgGrid_t grid;
    cudaLibMgMatrixDesc_t shape;
    cudaStream_t stream[CUDA_MG_GPUS];
    void *matrix[CUDA_MG_GPUS], *work[CUDA_MG_GPUS];
    int *ipiv[CUDA_MG_GPUS];
    int64_t work_count; /* elements of the workspace on each GPU */
    int info;
} mg;

/* -- open, close ---------------------------------------------------------------------------- */

/* Returns the number of columns to allocate on each GPU: the largest share, because cusolverMg may
 * access as much on all GPUs. */
static size_t columns_per_gpu(void)
{
    int64_t round = (int64_t)mg.gpus * CUDA_MG_BLOCK;
    return (size_t)((mg.n + round - 1) / round * CUDA_MG_BLOCK);
}

/* Enables peer access; without it cusolverMg copies through main memory. */
static void enable_peer_access(int from, int to)
{
    int can = 0;
    mg.peer_access[from][to] =
        from != to && cudaDeviceCanAccessPeer(&can, from, to) == cudaSuccess && can &&
        cudaSetDevice(from) == cudaSuccess && cudaDeviceEnablePeerAccess(to, 0) == cudaSuccess;
    /* clears the error: StarPU may have enabled the access before */
    (void)cudaGetLastError();
}

static int open_library(void)
{
    cudaDataType type = cuda_type(mg.dtype);
    for (int g = 0; g < mg.gpus; g++)
        mg.device[g] = g;
    for (int from = 0; from < mg.gpus; from++)
        for (int to = 0; to < mg.gpus; to++)
            enable_peer_access(from, to);
    return CUSOLVER(cusolverMgCreate, &mg.solver) ||
           CUSOLVER(cusolverMgDeviceSelect, mg.solver, mg.gpus, mg.device) ||
           CUSOLVER(cusolverMgCreateDeviceGrid, &mg.grid, 1, mg.gpus, mg.device,
                    CUDALIBMG_GRID_MAPPING_COL_MAJOR) ||
           CUSOLVER(cusolverMgCreateMatrixDesc, &mg.shape, mg.m, mg.n, mg.m, CUDA_MG_BLOCK, type,
                    mg.grid);
}

static int reserve_matrix(void)
{
    size_t columns = columns_per_gpu(), bytes = columns * (size_t)mg.m * dtype_size(mg.dtype);
    int failed = 0;
    for (int g = 0; g < mg.gpus && !failed; g++)
        failed = CUDA(cudaSetDevice(g)) || CUDA(cudaStreamCreate(&mg.stream[g])) ||
                 CUDA(cudaMalloc(&mg.matrix[g], bytes)) ||
                 CUDA(cudaMalloc((void **)&mg.ipiv[g], columns * sizeof **mg.ipiv)) ||
                 CUDA(cudaMemset(mg.ipiv[g], 0, columns * sizeof **mg.ipiv));
    return failed;
}

static int reserve_mg_work(void)
{
    cudaDataType type = cuda_type(mg.dtype);
    int m = (int)mg.m, n = (int)mg.n;
    int failed = mg.routine == MG_POTRF
                     ? CUSOLVER(cusolverMgPotrf_bufferSize, mg.solver, CUBLAS_FILL_MODE_LOWER, n,
                                mg.matrix, 1, 1, mg.shape, type, &mg.work_count)
                     : CUSOLVER(cusolverMgGetrf_bufferSize, mg.solver, m, n, mg.matrix, 1, 1,
                                mg.shape, mg.ipiv, type, &mg.work_count);
    size_t bytes = (size_t)mg.work_count * dtype_size(mg.dtype);
    for (int g = 0; g < mg.gpus && !failed; g++)
        failed = CUDA(cudaSetDevice(g)) || CUDA(cudaMalloc(&mg.work[g], bytes));
    return failed;
}

int cuda_mg_open(enum mg_routine routine, int gpus, startile_dtype dtype, int64_t m, int64_t n)
{
    mg.routine = routine;
    mg.gpus = gpus;
    mg.dtype = dtype;
    mg.m = m;
    mg.n = n;
    return open_library() || reserve_matrix() || reserve_mg_work();
}

/* Returns the name with cuSOLVER's version, because cusolverMg has no version of its own. */
const char *cuda_mg_name(void)
{
    static char name[64];
    int version[3] = {0};
    for (int i = 0; i < 3; i++)
        (void)cusolverGetProperty((libraryPropertyType)i, &version[i]);
    snprintf(name, sizeof name, "cusolverMg %d.%d.%d", version[0], version[1], version[2]);
    return name;
}

static void free_on(int g)
{
    if (cudaSetDevice(g) != cudaSuccess)
        return;
    cudaFree(mg.matrix[g]);
    cudaFree(mg.ipiv[g]);
    cudaFree(mg.work[g]);
    if (mg.stream[g])
        cudaStreamDestroy(mg.stream[g]);
    for (int to = 0; to < mg.gpus; to++)
        if (mg.peer_access[g][to])
            cudaDeviceDisablePeerAccess(to);
}

void cuda_mg_close(void)
{
    if (mg.shape)
        cusolverMgDestroyMatrixDesc(mg.shape);
    if (mg.grid)
        cusolverMgDestroyGrid(mg.grid);
    if (mg.solver)
        cusolverMgDestroy(mg.solver);
    for (int g = 0; g < mg.gpus; g++)
        free_on(g);
    (void)cudaSetDevice(0);
    (void)cudaGetLastError();
    memset(&mg, 0, sizeof mg);
}

/* -- transfers ------------------------------------------------------------------------------ */

static int wait_for_transfers(void)
{
    int failed = 0;
    for (int g = 0; g < mg.gpus && !failed; g++)
        failed = CUDA(cudaStreamSynchronize(mg.stream[g]));
    return failed;
}

/* Copies columns of `bytes` bytes each between host memory and the GPUs, in the direction `kind`,
 * and waits. Blocks of columns are on the GPUs in turn, and all GPUs copy at the same time. */
static int copy_columns(void *const *part, char *host, int64_t columns, size_t bytes,
                        enum cudaMemcpyKind kind)
{
    int failed = 0;
    for (int64_t j = 0; j < columns && !failed; j += CUDA_MG_BLOCK) {
        int64_t block = j / CUDA_MG_BLOCK, g = block % mg.gpus;
        size_t length = (size_t)smaller(CUDA_MG_BLOCK, columns - j) * bytes;
        char *on_gpu = (char *)part[g] + (size_t)(block / mg.gpus * CUDA_MG_BLOCK) * bytes;
        char *on_host = host + (size_t)j * bytes;
        bool to_gpu = kind == cudaMemcpyHostToDevice;
        failed = CUDA(cudaMemcpyAsync(to_gpu ? on_gpu : on_host, to_gpu ? on_host : on_gpu, length,
                                      kind, mg.stream[g]));
    }
    return wait_for_transfers() || failed;
}

int cuda_mg_to_devices(const void *a)
{
    return copy_columns(mg.matrix, (char *)a, mg.n, (size_t)mg.m * dtype_size(mg.dtype),
                        cudaMemcpyHostToDevice);
}

static int fetch_ipiv(int64_t *ipiv)
{
    int64_t count = smaller(mg.m, mg.n);
    int *narrow = malloc((size_t)count * sizeof *narrow);
    if (!narrow)
        return library_check("malloc", 1);
    int failed = copy_columns((void *const *)mg.ipiv, (char *)narrow, count, sizeof *narrow,
                              cudaMemcpyDeviceToHost);
    for (int64_t i = 0; i < count && !failed; i++)
        ipiv[i] = narrow[i];
    free(narrow);
    return failed;
}

int cuda_mg_to_host(void *a, int64_t *ipiv)
{
    return copy_columns(mg.matrix, a, mg.n, (size_t)mg.m * dtype_size(mg.dtype),
                        cudaMemcpyDeviceToHost) ||
           (mg.routine == MG_GETRF && fetch_ipiv(ipiv));
}

/* -- calls ---------------------------------------------------------------------------------- */

int cuda_mg_factor(void)
{
    cudaDataType type = cuda_type(mg.dtype);
    int m = (int)mg.m, n = (int)mg.n;
    int failed = mg.routine == MG_POTRF
                     ? CUSOLVER(cusolverMgPotrf, mg.solver, CUBLAS_FILL_MODE_LOWER, n, mg.matrix, 1,
                                1, mg.shape, type, mg.work, mg.work_count, &mg.info)
                     : CUSOLVER(cusolverMgGetrf, mg.solver, m, n, mg.matrix, 1, 1, mg.shape,
                                mg.ipiv, type, mg.work, mg.work_count, &mg.info);
    for (int g = 0; g < mg.gpus && !failed; g++)
        failed = CUDA(cudaSetDevice(g)) || CUDA(cudaDeviceSynchronize());
    return failed;
}

int cuda_mg_info(void)
{
    return mg.info;
}
