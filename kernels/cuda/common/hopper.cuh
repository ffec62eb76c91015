/*
 * PTX instructions that CUDA C++ does not offer. Instructions of compute capability 9.0 do nothing
 * on older devices; the kernels that need them are not launched there.
 *
 * A thread block cluster is a group of thread blocks that run at the same time and can write to
 * each other's shared memory:
 *
 *     block r                                       block b
 *     store_async(b, to, 16 bytes, mbarrier) -----> shared memory at the address of `to`
 *                                            -----> mbarrier counts the 16 bytes
 *                                                   wait(mbarrier), then read the message
 *
 * A message crosses the network between multiprocessors once, and the sender does not wait.
 * mbarrier.cuh has the functions.
 */
#ifndef STARTILE_HOPPER_CUH
#define STARTILE_HOPPER_CUH

#include <stdint.h>

namespace startile_cuda
{

__device__ inline uint32_t shared_address(const void *p)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ inline int cluster_rank()
{
    uint32_t rank = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    return static_cast<int>(rank);
}

__device__ inline int cluster_size()
{
    uint32_t size = 1;
#if __CUDA_ARCH__ >= 900
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
#endif
    return static_cast<int>(size);
}

/* Returns the address that p, in this block's shared memory, has in thread block `block` of the
 * cluster. Sums of it and an offset are addresses in that block, too. */
__device__ inline uint32_t address_in_block(int block, const void *p)
{
    uint32_t address = shared_address(p);
#if __CUDA_ARCH__ >= 900
    asm("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(address) : "r"(block));
#endif
    return address;
}

/* Synchronise `count` threads of the block, a multiple of 32, at one of the named barriers 1 to 15.
 * sync waits until `count` threads have called sync or arrive; arrive does not wait. */
__device__ inline void sync(int barrier, int count)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory");
}

__device__ inline void arrive(int barrier, int count)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(count) : "memory");
}

/* Synchronises all threads of the cluster. Writes before the barrier are visible after it. */
__device__ inline void cluster_barrier()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
#endif
}

/* Synchronises all threads of the cluster. Reads before the barrier happen before writes after it.
 * The barrier does not make the writes before it visible. */
__device__ inline void cluster_barrier_of_reads()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
#endif
}

/* Starts a copy from global to shared memory (cp.async). */
template <typename T>
__device__ inline void copy_async(T *to, const T *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from),
                 "n"(static_cast<int>(sizeof(T)))
                 : "memory");
#endif
}

/* Waits for all copies that this thread started. */
__device__ inline void wait_for_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Prefetches the cache line of p to the L2 cache. */
__device__ inline void prefetch_to_l2(const void *p)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

/* Computes D (8 × 8) += A (8 × 4) B (4 × 8) on tensor cores, by a warp. A lane holds A(lane / 4,
 * lane % 4), B(lane % 4, lane / 4), D(lane / 4, 2 (lane % 4)) and the next element of that row of
 * D. */
__device__ inline void multiply_tile(double (&d)[2], double a, double b)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(d[0]), "+d"(d[1])
        : "d"(a), "d"(b));
#endif
}

/* Computes D (16 × 8) += A (16 × 8) B (8 × 8) on tensor cores, by a warp. With g = lane / 4 and t =
 * lane % 4, a lane holds
 * - A(g, t), A(g + 8, t), A(g, t + 4), A(g + 8, t + 4)
 * - B(t, g), B(t + 4, g)
 * - D(g, 2t), D(g, 2t + 1), D(g + 8, 2t), D(g + 8, 2t + 1) */
__device__ inline void multiply_16_8_8(double (&d)[4], const double (&a)[4], const double (&b)[2])
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
    double top[2] = {d[0], d[1]}, bottom[2] = {d[2], d[3]};
    multiply_tile(top, a[0], b[0]);
    multiply_tile(bottom, a[1], b[0]);
    multiply_tile(top, a[2], b[1]);
    multiply_tile(bottom, a[3], b[1]);
    d[0] = top[0], d[1] = top[1], d[2] = bottom[0], d[3] = bottom[1];
#endif
}

/* Returns a ready flag. All that another thread block wrote before it set the flag by store_release
 * is visible afterwards. */
__device__ inline int load_acquire(const int *ready)
{
    int value;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(ready) : "memory");
    return value;
}

/* Sets a ready flag, by one thread, after a barrier of the threads that wrote the data. */
__device__ inline void store_release(int *ready, int value)
{
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(ready), "r"(value) : "memory");
}

/* Waits until the previous kernel has ended and its writes are visible (programmatic dependent
 * launch). */
__device__ inline void wait_for_previous_kernel()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Lets the device set up the next kernel. The next kernel still waits for the end of this one
 * (wait_for_previous_kernel) before it reads. */
__device__ inline void allow_next_kernel()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

} // namespace startile_cuda

#endif
