/*
 * Instructions of sm_90a (wgmma): products of matrices in shared memory by a warpgroup of four
 * warps. Compiled for sm_90a only.
 */
#ifndef STARTILE_SPLIT_TENSOR_CUH
#define STARTILE_SPLIT_TENSOR_CUH

#include "gemm/product_pipeline.cuh"

#include <cuda_fp16.h>
#include <type_traits>

namespace startile_cuda
{

/* Returns the descriptor of a matrix of 16-bit numbers in shared memory: cores of 8 rows of 16
 * bytes, without swizzling. next_k: bytes from a core to the next one along k; next_rows: bytes to
 * the core of the next 8 rows */
__device__ inline uint64_t matrix_descriptor(const void *p, int next_k, int next_rows)
{
    constexpr int unit = 16;
    return uint64_t(shared_address(p) / unit & 0x3fff) | uint64_t(next_k / unit) << 16 |
           uint64_t(next_rows / unit) << 32;
}

/* Returns the descriptor of the matrix that begins `bytes` bytes after that of `descriptor`. */
__device__ inline uint64_t advanced(uint64_t descriptor, int bytes)
{
    return descriptor + bytes / 16;
}

/* The instruction wgmma for d += a b; type: the type of the numbers of a and b in PTX */
#define STARTILE_WGMMA(type)                                                                       \
    asm volatile("{\n"                                                                             \
                 ".reg .pred keep;\n"                                                              \
                 "setp.ne.b32 keep, %98, 0;\n"                                                     \
                 "wgmma.mma_async.sync.aligned.m64n192k16.f32." type "." type " "                  \
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "                             \
                 "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "                    \
                 "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "                    \
                 "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                    \
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, "                    \
                 "%60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, "                    \
                 "%72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, "                    \
                 "%84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95}, "                   \
                 "%96, %97, keep, 1, 1, 0, 0;\n"                                                   \
                 "}"                                                                               \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),         \
                   "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),       \
                   "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),   \
                   "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),   \
                   "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),   \
                   "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),   \
                   "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),   \
                   "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),   \
                   "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]),   \
                   "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]),   \
                   "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]),   \
                   "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),   \
                   "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]),   \
                   "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]),   \
                   "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]),   \
                   "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95])    \
                 : "l"(a), "l"(b), "r"(static_cast<int>(keep)))

/* Starts D (64 × 192) := A (64 × 16) Bᵀ (16 × 192), or D += A Bᵀ with keep. a, b: descriptors of
 * matrices of the numbers in Pair: FP16 or BF16. For lane l of warp w of the warpgroup, d[4 j + 2 h
 * + e] is D(16 w + l / 4 + 8 h, 8 j + 2 (l % 4) + e). */
template <typename Pair>
__device__ inline void begin_product(float (&d)[96], uint64_t a, uint64_t b, bool keep)
{
    if constexpr (std::is_same<Pair, __half2>::value)
        STARTILE_WGMMA("f16");
    else
        STARTILE_WGMMA("bf16");
}

#undef STARTILE_WGMMA

/* Orders earlier writes to registers before the products that start next (wgmma.fence). */
__device__ inline void open_products()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ inline void commit_products()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Waits until at most `remaining` committed groups of products are unfinished. */
template <int remaining>
__device__ inline void wait_for_products()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(remaining) : "memory");
}

/* Waits until all committed products are finished. The empty asm statements keep the compiler from
 * moving reads of d before the wait. */
template <typename... Accumulators>
__device__ inline void finish_products(Accumulators &...d)
{
    wait_for_products<0>();
    const auto pin = [](float(&accumulator)[96]) {
#pragma unroll
        for (int i = 0; i < 96; i++)
            asm volatile("" : "+f"(accumulator[i])::"memory");
    };
    (pin(d), ...);
}

} // namespace startile_cuda

#endif
