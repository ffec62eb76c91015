/*
 * mbarriers (PTX ISA, "mbarrier"): 8 bytes of shared memory that count arrivals and, from compute
 * capability 9.0 on, bytes of asynchronous copies. A phase ends when the last expected arrival and
 * the last expected byte have been counted; the next phase begins at once:
 *
 *     phase 0 (parity 0)         phase 1 (parity 1)         phase 2 (parity 0)
 *     arrivals, bytes, ... |     arrivals, bytes, ... |     ...
 *                    wait(0) returns            wait(1) returns
 *
 * Most functions take the shared-memory address of the mbarrier (shared_address). fence_init(),
 * wait() and the functions for bytes and clusters need compute capability 9.0, all others 8.0. On
 * older devices the functions do nothing.
 */
#ifndef STARTILE_MBARRIER_CUH
#define STARTILE_MBARRIER_CUH

#include "common/hopper.cuh"

namespace startile_cuda
{

namespace mbarrier
{

/* Initialises an mbarrier whose phases take `arrivals` arrivals. Called by one thread; fence_init
 * and __syncthreads must follow. */
__device__ inline void init(uint32_t address, int arrivals)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address), "r"(arrivals)
                 : "memory");
#endif
}

/* Makes earlier calls of init visible to asynchronous copies. */
__device__ inline void fence_init()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/* Initialises an mbarrier whose phases take one arrival. Called by one thread; cluster_barrier must
 * follow. */
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

/* Arrives when all cp.async copies of this thread are in shared memory. */
__device__ inline void arrive_after_copies(uint32_t address)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(address) : "memory");
#endif
}

/* Adds `bytes` to the bytes that this phase expects. The calling thread must still arrive. */
__device__ inline void expect_tx(uint32_t address, int bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(address),
                 "r"(bytes)
                 : "memory");
#endif
}

/* Adds `bytes` to the bytes that this phase expects, and arrives. */
__device__ inline void arrive_expect_tx(uint32_t address, int bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address), "r"(bytes)
                 : "memory");
#endif
}

/* Waits for a limited time and returns whether the phase of this parity has ended. The phase before
 * the first one has parity 1 and counts as ended. From compute capability 9.0 on the waiting thread
 * sleeps; on 8.0 the function returns at once. */
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

/* Waits until the phase of this parity has ended. product_ring.cuh loops over try_wait instead,
 * because nvcc 13.0 makes up to 6 % shorter code of that loop there. */
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

/* Starts a bulk copy from global memory to the shared memory of this block. Its bytes count on the
 * mbarrier. Both addresses and `bytes` are multiples of 16. */
__device__ inline void copy_bulk(uint32_t address, uint32_t to, const void *from, int bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                 "[%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(address)
                 : "memory");
#endif
}

/* Stores 16 bytes at `to` in the shared memory of a thread block of the cluster. The bytes count on
 * the mbarrier at `address` of that block (both from address_in_block()). */
__device__ inline void store_async(uint32_t to, int4 value, uint32_t address)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], "
                 "{%1, %2, %3, %4}, [%5];" ::"r"(to),
                 "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w), "r"(address)
                 : "memory");
#endif
}

/* Stores 16 bytes at the address of `to` in the shared memory of thread block `block` of the
 * cluster. The bytes count on that block's mbarrier at the address of `mbarrier`. */
__device__ inline void store_async(int block, void *to, int4 value, const uint64_t *mbarrier)
{
    store_async(address_in_block(block, to), value, address_in_block(block, mbarrier));
}

/* Arrives at the mbarrier of a thread block of the cluster. All that this thread block wrote before
 * its last barrier is visible to threads behind wait_acquire(). */
__device__ inline void arrive_release(int block, const uint64_t *mbarrier)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                     address_in_block(block, mbarrier))
                 : "memory");
#endif
}

/* Waits until the phase of this parity has ended, with all that arrive_release() releases. */
__device__ inline void wait_acquire(const uint64_t *mbarrier, int parity)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(shared_address(mbarrier)),
                 "r"(parity)
                 : "memory");
#endif
}

} // namespace mbarrier

} // namespace startile_cuda

#endif
