/*
 * How warps that fetch and warps that compute share a ring of slots in shared memory: barriers
 * there that count arrivals, and copies from global memory that arrive by themselves. All but
 * copies of whole columns runs on compute capability 8.0; on 9.0 a waiting thread sleeps.
 */
#ifndef STARTILE_PRODUCT_PIPE_CUH
#define STARTILE_PRODUCT_PIPE_CUH

#include "common/hopper.cuh"

namespace startile_cuda
{

/* The registers of each thread of a warpgroup, from now on: from what the kernel begins with, which
 * is in between. Only where the code is for one compute capability. */
template <int count>
__device__ inline void give_registers_back()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
#endif
}

template <int count>
__device__ inline void take_more_registers()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
#endif
}

__device__ inline void create_gate(uint32_t gate, int arrivals)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(gate), "r"(arrivals) : "memory");
#endif
}

/* Copies count themselves by another way to memory: by those that created gates, before the barrier
 * that tells the others. */
__device__ inline void show_gates_to_copies()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

__device__ inline void arrive_at_gate(uint32_t gate)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("{\n"
                 ".reg .b64 state;\n"
                 "mbarrier.arrive.shared.b64 state, [%0];\n"
                 "}" ::"r"(gate)
                 : "memory");
#endif
}

/* When all copies that this thread has begun are in shared memory */
__device__ inline void arrive_at_gate_with_copies(uint32_t gate)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(gate) : "memory");
#endif
}

/* Until the phase of this parity has ended; the phase before the first counts as ended. */
__device__ inline void wait_at_gate(uint32_t gate, int parity)
{
#if __CUDA_ARCH__ >= 800
    uint32_t open;
    do {
        asm volatile("{\n"
                     ".reg .pred open;\n"
#if __CUDA_ARCH__ >= 900
                     "mbarrier.try_wait.parity.shared.b64 open, [%1], %2;\n"
#else
                     "mbarrier.test_wait.parity.shared.b64 open, [%1], %2;\n"
#endif
                     "selp.u32 %0, 1, 0, open;\n"
                     "}"
                     : "=r"(open)
                     : "r"(gate), "r"(parity)
                     : "memory");
    } while (!open);
#endif
}

#if __CUDA_ARCH__ >= 900
constexpr bool has_bulk_copies = true;
#else
constexpr bool has_bulk_copies = false;
#endif

/* By a thread that has yet to arrive at the gate: so many bytes will come by bulk copies. */
__device__ inline void expect_bytes(uint32_t gate, int bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(gate), "r"(bytes)
                 : "memory");
#endif
}

/* Bytes and addresses are multiples of 16. */
__device__ inline void copy_bulk(uint32_t gate, uint32_t to, const void *from, int bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(to),
        "l"(from), "r"(bytes), "r"(gate)
        : "memory");
#endif
}

__device__ inline void copy_chunk(uint32_t to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#endif
}

/* Sixteen bytes, of which all behind the first `bytes` become zero and are not read */
template <bool at_once>
__device__ inline void copy_chunk(uint32_t to, const void *from, int bytes)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (at_once) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
                     "r"(bytes)
                     : "memory");
    } else {
        const int first = min(bytes, 8);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(first)
                     : "memory");
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to + 8),
                     "l"(static_cast<const char *>(from) + (bytes > 8 ? 8 : 0)), "r"(bytes - first)
                     : "memory");
    }
#endif
}

/* Will be read soon; bytes and address are multiples of 16. */
__device__ inline void bring_to_cache(const void *from, int bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
#endif
}

__device__ inline double2 read_chunk(uint32_t from)
{
    double2 x;
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(x.x), "=d"(x.y) : "r"(from) : "memory");
    return x;
}

__device__ inline double read_double(uint32_t from)
{
    double x;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(x) : "r"(from) : "memory");
    return x;
}

} // namespace startile_cuda

#endif
