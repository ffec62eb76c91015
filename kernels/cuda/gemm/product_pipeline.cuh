/*
 * Copies and register redistribution of warp-specialised products: fetching warps and computing
 * warps share a ring of slots in shared memory (mbarrier.cuh). Everything except bulk copies and
 * the redistribution runs on compute capability 8.0.
 */
#ifndef STARTILE_PRODUCT_PIPELINE_CUH
#define STARTILE_PRODUCT_PIPELINE_CUH

#include "common/mbarrier.cuh"

namespace startile_cuda
{

/* Decrease (release) or increase (acquire) the registers of each thread of the warpgroup to `count`
 * (setmaxnreg). Do nothing in code that is not compiled for sm_90a. */
template <int count>
__device__ inline void release_registers()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
#endif
}

template <int count>
__device__ inline void acquire_registers()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
#endif
}

#if __CUDA_ARCH__ >= 900
constexpr bool has_bulk_copies = true;
#else
constexpr bool has_bulk_copies = false;
#endif

/* Starts a copy of 16 bytes from global to shared memory. The bytes after the first `bytes` become
 * zero and are not read. is_aligned: `from` is aligned to 16 bytes, otherwise to 8. */
template <bool is_aligned>
__device__ inline void copy_chunk(uint32_t to, const void *from, int bytes)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (is_aligned) {
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

/* Starts a copy of all 16 bytes; is_aligned as above. */
template <bool is_aligned = true>
__device__ inline void copy_chunk(uint32_t to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (is_aligned)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else
        copy_chunk<false>(to, from, 16);
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
