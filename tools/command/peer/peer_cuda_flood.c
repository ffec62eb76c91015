/*
 * An array in GPU memory whose read evicts all others from the L2 cache. A write would leave lines
 * that a timed routine has to write back.
 */
#include "peer_cuda_state.h"

static float *flood;
static int64_t flood_floats; /* behind them is the result of the read */

int cuda_flood_open(void)
{
    struct cudaDeviceProp properties;
    if (CUDA(cudaGetDeviceProperties(&properties, 0)))
        return -1;
    /* four times as large as the cache, which does not strictly replace its oldest lines */
    flood_floats = properties.l2CacheSize;
    size_t bytes = ((size_t)flood_floats + 4) * sizeof(float);
    return cuda_peer_alloc((void **)&flood, bytes) || CUDA(cudaMemset(flood, 0, bytes));
}

void cuda_flood_close(void)
{
    cuda_peer_free(flood);
    flood = NULL;
}

int cuda_flood_read(void)
{
    int failed = CUBLAS(cublasSetPointerMode, cuda_peer.blas, CUBLAS_POINTER_MODE_DEVICE) ||
                 CUBLAS(cublasNrm2Ex_64, cuda_peer.blas, flood_floats, flood, CUDA_R_32F, 1,
                        flood + flood_floats, CUDA_R_32F, CUDA_R_32F);
    return CUBLAS(cublasSetPointerMode, cuda_peer.blas, CUBLAS_POINTER_MODE_HOST) || failed;
}
