/*
 * Formats of split operands. A format stores an element x as one to three numbers of 16 bits,
 *
 *     x = x1 + x2 s + x3 s²,    s = plane_scale,
 *
 * where x1 is x rounded, and x2 and x3 are the rounded remainders. A plane is the matrix of one of
 * these numbers of all elements. The product of two elements is x1 y1, the large product, plus the
 * small products x_i y_j s^(i + j − 2) with 2 < i + j <= planes + 1. For u = 2⁻²⁴, the unit
 * roundoff of single precision, and v = 2⁻¹⁴, the least normal number of FP16:
 *
 *                planes   products   error of a product x y
 *     bf16x3     3        6          u |x| |y|
 *     fp16x2     2        3          8 u (|x| + v) (|y| + v)
 *     fp16       1        1          2¹⁴ u (|x| + v) (|y| + v), up to a factor of 1 + 2⁻¹²
 *     bf16       1        1          2¹⁷ u |x| |y|, up to a factor of 1 + 2⁻⁹
 *
 * FP16 has 11 bits. Hence the two numbers of fp16x2 differ from x by at most max(2⁻²³ |x|, 2⁻³⁶),
 * and the omitted product x2 y2 is at most 2⁻²² (|x| + v) (|y| + v). The errors with v are
 * absolute: callers scale matrices so that their largest elements are about 1, as the solvers in
 * mixed precision do. A lower limit of |x| would leave the many products of Cholesky factors whose
 * elements are small beside the diagonal to FFMA.
 */
#ifndef STARTILE_SPLIT_FORMAT_CUH
#define STARTILE_SPLIT_FORMAT_CUH

#include "gemm/product_split.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace startile_cuda
{

struct bf16_planes {
    using pair = __nv_bfloat162;

    __device__ static pair round(float x, float y)
    {
        return __floats2bfloat162_rn(x, y);
    }
};

struct fp16_planes {
    using pair = __half2;

    __device__ static pair round(float x, float y)
    {
        return __floats2half2_rn(x, y);
    }
};

/* Exact unless x3 becomes too small or x1 too large */
struct bf16x3 : bf16_planes {
    static constexpr int planes = 3;
    static constexpr float plane_scale = 1;
    static constexpr split_limits limits = {bits_of_power(-100), 0, bits_of_power(127) - 1};
    static constexpr double time_per_k = 0.054; /* µs for one k of a tile of C on an H200 */
};

struct fp16x2 : fp16_planes {
    static constexpr int planes = 2;
    static constexpr float plane_scale = 0x1p-11f;
    static constexpr split_limits limits = {0, 0, bits_of_power(15)};
    static constexpr double time_per_k = 0.036; /* H100, k = 2048 */
};

struct fp16 : fp16_planes {
    static constexpr int planes = 1;
    static constexpr float plane_scale = 1;
    static constexpr split_limits limits = {0, 0, bits_of_power(15)};
    static constexpr double time_per_k = 0.031; /* H100, k = 2048; a tile twice as large */
};

struct bf16 : bf16_planes {
    static constexpr int planes = 1;
    static constexpr float plane_scale = 1;
    static constexpr split_limits limits = {0, 0, bits_of_power(127) - 1};
    static constexpr double time_per_k = 0.031; /* H100, k = 2048; a tile twice as large */
};

/* Returns work(format) for the format of `products`; work(bf16x3()) for SPLIT and all other values.
 */
template <typename Work>
auto with_split_format(startile_products products, Work work)
{
    switch (products) {
    case STARTILE_PRODUCTS_FP16X2:
        return work(fp16x2());
    case STARTILE_PRODUCTS_FP16:
        return work(fp16());
    case STARTILE_PRODUCTS_BF16:
        return work(bf16());
    default:
        return work(bf16x3());
    }
}

} // namespace startile_cuda

#endif
