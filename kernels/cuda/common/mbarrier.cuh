/*
 * mbarriers (PTX ISA, "mbarrier"): 8 bytes of shared memory that count arrivals and, on compute
 * capability 9.0, bytes that asynchronous copies bring. A phase ends when all arrivals and all
 * expected bytes have come; the next one begins at once. The functions take the shared-memory
 * address of an mbarrier (shared_address). They need compute capability 8.0, some of them 9.0; on
 * older devices they do nothing.
 */
#ifndef STARTILE_MBARRIER_CUH
#define STARTILE_MBARRIER_CUH

#include "common/hopper.cuh"

namespace startile_cuda
{

namespace mbarrier
{

/* Called by one thread; fence_init and __syncthreads follow. */
__device__ inline void init(uint32_t address, int arrivals)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address), "r"(arrivals)
                 : "memory");
#endif
}

/* Makes init visible to asynchronous copies. */
__device__ inline void fence_init()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/* Called by one thread, for phases of one arrival; cluster_barrier follows. */
__device__ inline void init_for_cluster(uint64_t *mbarrier)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                 "fence.mbarrier_init.release.cluster;" ::"r"(shared_address(mbarrier))
                 : "memory");
#endif
}

__device__ inline void arrive(uint32_t address)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("{\n"
                 ".reg .b64 state;\n"
                 "mbarrier.arrive.shared::cta.b64 state, [%0];\n"
                 "}" ::"r"(address)
                 : "memory");
#endif
}

/* Arrives when all cp.async copies that this thread has begun are in shared memory. */
__device__ inline void arrive_after_copies(uint32_t address)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(address) : "memory");
#endif
}

/* Adds bytes to those that end this phase. The calling thread has yet to arrive. */
__device__ inline void expect_tx(uint32_t address, int bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(address),
                 "r"(bytes)
                 : "memory");
#endif
}

/* Adds bytes to those that end this phase, and arrives. */
__device__ inline void arrive_expect_tx(uint32_t address, int bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address), "r"(bytes)
                 : "memory");
#endif
}

/* Waits for a while, and returns whether the phase of this parity has ended. The phase before
 * the first has parity 1 and counts as ended. From compute capability 9.0 on a waiting thread
 * sleeps. */
__device__ inline bool try_wait(uint32_t address, int parity)
{
    uint32_t done = 1;
#if __CUDA_ARCH__ >= 800
    asm volatile("{\n"
                 ".reg .pred done;\n"
#if __CUDA_ARCH__ >= 900
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
#else
                 "mbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\n"
#endif
                 "selp.u32 %0, 1, 0, done;\n"
                 "}"
                 : "=r"(done)
                 : "r"(address), "r"(parity)
                 : "memory");
#endif
    return done;
}

/* Waits until the phase of this parity has ended. Needs compute capability 9.0. nvcc 13.0 makes
 * shorter code of `while (!try_wait(parity))` in product_engine.cuh, which uses that. */
__device__ inline void wait(uint32_t address, int parity)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(address),
                 "r"(parity)
                 : "memory");
#endif
}

/* Copies from global memory to the shared memory of this block, and counts the bytes here.
 * Addresses and bytes are multiples of 16. */
__device__ inline void copy_bulk(uint32_t address, uint32_t to, const void *from, int bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                 "[%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(address)
                 : "memory");
#endif
}

/* Stores 16 bytes to the place that `to` has in the shared memory of another block of the
 * cluster, and counts them on the mbarrier at that place of the same block. */
__device__ inline void store_async(int block, void *to, int4 value, const uint64_t *mbarrier)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n"
                 ".reg .b32 to, barrier;\n"
                 "mapa.shared::cluster.u32 to, %0, %2;\n"
                 "mapa.shared::cluster.u32 barrier, %1, %2;\n"
                 "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [to], "
                 "{%3, %4, %5, %6}, [barrier];\n"
                 "}" ::"r"(shared_address(to)),
                 "r"(shared_address(mbarrier)), "r"(block), "r"(value.x), "r"(value.y),
                 "r"(value.z), "r"(value.w)
                 : "memory");
#endif
}

} // namespace mbarrier

} // namespace startile_cuda

#endif
