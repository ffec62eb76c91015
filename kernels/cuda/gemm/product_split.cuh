/*
 * Products in single precision on the tensor cores of compute capability 9.0. Private to
 * kernels/cuda.
 */
#ifndef STARTILE_PRODUCT_SPLIT_CUH
#define STARTILE_PRODUCT_SPLIT_CUH

#include "gemm/product.cuh"

namespace startile_cuda
{

/* Range of the elements of the factors, found on the device, as bits of |x|, which compare as |x|
 * does. The split x = x1 + x2 + x3 into three numbers of 8 bits is exact unless x3 becomes too
 * small or x1 too large. Sums of products of x1 must also stay finite wherever those of x do. */
struct split_guard {
    unsigned int largest[2];        /* bits of the largest |x|, of op(A) and of op(B) */
    unsigned int smallest_but_0[2]; /* minus the bits of the smallest |x| > 0, modulo 2³²; 0: all
                                       elements are zero */
};

/* Bias and position of the exponent in the bits of a float */
constexpr int exponent_bias = 127;
constexpr int fraction_bits = 23;

/* Returns whether the split may be used for sums of k products. */
__device__ inline bool allows_split(const split_guard &guard, int k)
{
    constexpr unsigned int least = (exponent_bias - 100) << fraction_bits;
    constexpr int max_of_sum = 2 * exponent_bias + 124;
    int exponents = 32 - __clz(k);
    for (int f = 0; f < 2; f++) {
        exponents += static_cast<int>(guard.largest[f] >> fraction_bits);
        if (guard.smallest_but_0[f] != 0 && 0 - guard.smallest_but_0[f] < least)
            return false;
        if (guard.largest[f] >> fraction_bits >= 2 * exponent_bias)
            return false;
    }
    return exponents <= max_of_sum;
}

/* Computes C := alpha S + beta C by FFMA, where S is op(A) op(B) with the terms k0 … k0 + k − 1 of
 * its sums only. Does nothing if `guard` is not null and allows the split. (product_single.cu) */
template <typename T>
int multiply_fma(startile_exec *x, const product_group<T> &g, int k0, int k, T beta,
                 const split_guard *guard);

/* Returns whether the split is possible on this device with these arguments, and faster.
 * (product_split.cu) */
bool can_multiply_split(startile_exec *x, const product_group<float> &g);

/* Computes multiply_group on tensor cores, for arguments that can_multiply_split accepts. Uses FFMA
 * if the guard forbids the split or memory for the planes does not suffice. (product_split.cu) */
int multiply_split(startile_exec *x, const product_group<float> &g);

} // namespace startile_cuda

#endif
