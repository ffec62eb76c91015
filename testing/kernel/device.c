#include "device.h"
#include "check.h"

#ifdef STARTILE_HAVE_CUDA
#include <cuda_runtime.h>
#endif

const startile_kernels *kernels;
startile_exec *exec;

#ifdef STARTILE_HAVE_CUDA

static cudaStream_t stream;
static startile_tile_status *tile_status;

/* Selects the CUDA kernels of the type, also for products that are otherwise left to cuBLAS.
 * Returns false without a device. */
static bool cuda_start(void)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0 ||
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess ||
        cudaMallocHost((void **)&tile_status, sizeof *tile_status) != cudaSuccess)
        return false;
    exec = startile_exec_create(stream, NULL);
    if (exec == NULL)
        return false;
    kernels = (with_vendor ? startile_cuda_vendor_kernels : startile_cuda_own_kernels)[dtype];
    startile_exec_keep_own(exec, 1);
    return true;
}

static void cuda_stop(void)
{
    startile_exec_destroy(exec);
    cudaFreeHost(tile_status);
    cudaStreamDestroy(stream);
}

/* Returns the bytes from the start of A's allocation to element (0, 0). */
static size_t offset(struct array A)
{
    return (size_t)((char *)A.a - (char *)A.memory);
}

static void *cuda_put(struct array A)
{
    char *p = NULL;
    require(cudaMalloc((void **)&p, array_bytes(A)) == cudaSuccess);
    require(cudaMemcpyAsync(p, A.memory, array_bytes(A), cudaMemcpyHostToDevice, stream) ==
            cudaSuccess);
    return p + offset(A);
}

static void cuda_fetch(struct array A, void *p)
{
    char *memory = (char *)p - offset(A);
    require(cudaMemcpyAsync(A.memory, memory, array_bytes(A), cudaMemcpyDeviceToHost, stream) ==
            cudaSuccess);
    require(cudaStreamSynchronize(stream) == cudaSuccess);
    require(cudaFree(memory) == cudaSuccess);
}

#endif

/* Declared here because startile_cpu_kernels would require the setup of the library's own OpenBLAS.
 */
extern const startile_kernels startile_cpu_skernels, startile_cpu_dkernels, startile_cpu_ckernels,
    startile_cpu_zkernels;

/* Selects the kernels of the CPU or of the GPU; the hybrid backend has no kernels of its own. */
bool device_start(void)
{
#ifdef STARTILE_HAVE_CUDA
    if (backend == GPU)
        return cuda_start();
#endif
    if (backend != CPU)
        return false;
    const startile_kernels *const tables[4] = {&startile_cpu_skernels, &startile_cpu_dkernels,
                                               &startile_cpu_ckernels, &startile_cpu_zkernels};
    kernels = tables[dtype];
    return true;
}

void device_stop(void)
{
#ifdef STARTILE_HAVE_CUDA
    if (backend == GPU)
        cuda_stop();
#endif
}

void device_use_cublas_for_small(bool is_used)
{
#ifdef STARTILE_HAVE_CUDA
    if (backend == GPU)
        startile_exec_keep_own(exec, !is_used);
#else
    (void)is_used;
#endif
}

void *device_put(struct array A)
{
#ifdef STARTILE_HAVE_CUDA
    if (backend == GPU)
        return cuda_put(A);
#endif
    return A.a;
}

void device_fetch(struct array A, void *p)
{
#ifdef STARTILE_HAVE_CUDA
    if (backend == GPU)
        cuda_fetch(A, p);
#endif
    require(p != NULL && has_borders_intact(A));
}

bool has_tensor_cores(void)
{
#ifdef STARTILE_HAVE_CUDA
    int major = 0, minor = 0;
    return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess &&
           cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0) == cudaSuccess &&
           major == 9 && minor == 0;
#else
    return false;
#endif
}

startile_tile_status *device_status(void)
{
#ifdef STARTILE_HAVE_CUDA
    if (backend == GPU)
        return tile_status;
#endif
    static startile_tile_status on_host;
    return &on_host;
}

/* -- integers, tile columns, pivots ----------------------------------------------------------- */

struct array integers_new(int64_t count)
{
    return array_new(STARTILE_D, count, 1, 0);
}

int64_t *integers(struct array A)
{
    return A.a;
}

struct tile_column tile_column_put(struct array A, int pieces, const int64_t *heights)
{
    struct tile_column S = {.whole = A, .pieces = pieces};
    int64_t row = 0;
    for (int q = 0; q < pieces; q++) {
        /* each of five successive pieces has a different padding */
        S.part[q] = array_new(A.dtype, heights[q], A.n, 1 + 2 * q % 5);
        array_assign(array_part(A, row, 0, heights[q], A.n), S.part[q]);
        S.piece[q] = (startile_piece){device_put(S.part[q]), (int)S.part[q].ld, (int)heights[q]};
        row += heights[q];
    }
    require(row == A.m);
    return S;
}

void tile_column_fetch(struct tile_column *S)
{
    int64_t row = 0;
    for (int q = 0; q < S->pieces; q++) {
        device_fetch(S->part[q], S->piece[q].p);
        array_assign(S->part[q], array_part(S->whole, row, 0, S->part[q].m, S->part[q].n));
        row += S->part[q].m;
        array_free(S->part[q]);
    }
}

int tile_column_cut(int cut, int64_t m, int64_t k, int64_t *heights)
{
    const int64_t next_height[] = {0, k, m / 7 + 1, 1}; /* for each cut */
    int pieces = 0;
    if (cut == 0 || m <= k) {
        heights[0] = m;
        return 1;
    }
    for (int64_t remaining = m; remaining > 0; remaining -= heights[pieces++]) {
        int64_t h = pieces == 0 ? k + (cut == 3) : next_height[cut] > 0 ? next_height[cut] : 1;
        heights[pieces] = pieces == MOST_PARTS - 1 || h > remaining ? remaining : h;
    }
    return pieces;
}

startile_pivots_of_panel pivots_put(struct array of)
{
    return (startile_pivots_of_panel){device_put(of), (int)(of.m / 5)};
}

void pivots_fetch(struct array of, startile_pivots_of_panel pivots)
{
    device_fetch(of, pivots.of);
}
