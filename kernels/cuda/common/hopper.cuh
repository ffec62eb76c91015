/*
 * What kernels for compute capability 9.0 need beyond CUDA C++. On older devices these functions do
 * nothing: the kernels are not launched there, or do without.
 *
 * Thread block clusters: blocks that run together and write straight into each other's shared
 * memory. Here for messages: a block sends 16 bytes at a time to a place in another's shared
 * memory, and the bytes are counted on a barrier there, its mailbox, on which that block waits. So
 * a message costs one way through the network, and nobody waits for the sender.
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

/* Barriers of a part of the block's threads, beside that of __syncthreads: numbers 1 to 15, for
 * `count` threads, of which some only arrive. */
__device__ inline void sync(int barrier, int count)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory");
}

__device__ inline void arrive(int barrier, int count)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(count) : "memory");
}

/* All threads of the cluster; what was written before is seen after. */
__device__ inline void cluster_barrier()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
#endif
}

/* The same, but only what was read before is not changed by what is written after. */
__device__ inline void cluster_barrier_of_reads()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
#endif
}

/* For one thread's arrival a phase; to be followed by a cluster_barrier. */
__device__ inline void create_mailbox(uint64_t *mailbox)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                 "fence.mbarrier_init.release.cluster;" ::"r"(shared_address(mailbox))
                 : "memory");
#endif
}

/* By one thread, once a phase: the bytes that are to come. */
__device__ inline void expect(uint64_t *mailbox, int bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(mailbox)),
        "r"(bytes)
        : "memory");
#endif
}

/* Until all bytes of the phase have come; parity is that of the number of the phase. */
__device__ inline void wait_for_mail(uint64_t *mailbox, int parity)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(shared_address(mailbox)),
                 "r"(parity)
                 : "memory");
#endif
}

/* Into the same place as `to` in the shared memory of another block, and counted on its mailbox */
__device__ inline void send(int block, void *to, int4 value, uint64_t *mailbox)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n"
                 ".reg .b32 to, box;\n"
                 "mapa.shared::cluster.u32 to, %0, %2;\n"
                 "mapa.shared::cluster.u32 box, %1, %2;\n"
                 "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [to], "
                 "{%3, %4, %5, %6}, [box];\n"
                 "}" ::"r"(shared_address(to)),
                 "r"(shared_address(mailbox)), "r"(block), "r"(value.x), "r"(value.y), "r"(value.z),
                 "r"(value.w)
                 : "memory");
#endif
}

/* From global to shared memory, without waiting */
template <typename T>
__device__ inline void copy_later(T *to, const T *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from),
                 "n"(static_cast<int>(sizeof(T)))
                 : "memory");
#endif
}

/* Until the thread's copies have come */
__device__ inline void wait_for_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* The line that p is in */
__device__ inline void prefetch_to_l2(const void *p)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

/* On tensor cores, by a warp: D (8 × 8) += A (8 × 4) B (4 × 8). A lane has A's element (lane / 4,
 * lane % 4), B's (lane % 4, lane / 4), and D's (lane / 4, 2 (lane % 4)) and the next in the row. */
__device__ inline void multiply_tile(double (&d)[2], double a, double b)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(d[0]), "+d"(d[1])
        : "d"(a), "d"(b));
#endif
}

/* D (16 × 8) += A (16 × 8) B (8 × 8). With g = lane / 4 and t = lane % 4, a lane has A's elements
 * (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4), B's (t, g), (t + 4, g), and D's (g, 2t), (g, 2t +
 * 1), and the same two 8 rows below. */
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

/* Programmatic dependent launch: the kernel before has ended, and what it wrote is seen. */
__device__ inline void wait_for_kernel_before()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* The kernel behind may be set up; it still waits for this one's end before it reads. */
__device__ inline void let_next_kernel_start()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

} // namespace startile_cuda

#endif
