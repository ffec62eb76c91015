/* cc 07-keep-the-programs-gpu-memory.c $(pkg-config --cflags --libs starpu-1.4) -lcudart
 * STARPU_HOME=$(mktemp -d) ./a.out, on a machine with a GPU
 * Without the patch exit status 1: the first start on a machine frees the program's GPU memory.
 * With the patch exit status 0. 77: no GPU. */
#include <cuda_runtime.h>
#include <starpu.h>
#include <stdio.h>

int main(void)
{
    int sent = 7, received = 0;
    void *memory;
    if (cudaMalloc(&memory, 1 << 20) != cudaSuccess ||
        cudaMemcpy(memory, &sent, sizeof sent, cudaMemcpyHostToDevice) != cudaSuccess)
        return 77;
    if (starpu_init(NULL) != 0)
        return 77;
    cudaSetDevice(0);
    cudaError_t error = cudaMemcpy(&received, memory, sizeof received, cudaMemcpyDeviceToHost);
    printf("cudaMemcpy: %s, value %d, was %d\n", cudaGetErrorString(error), received, sent);
    starpu_shutdown();
    return error != cudaSuccess || received != sent;
}
