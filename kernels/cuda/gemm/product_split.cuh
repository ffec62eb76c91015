/*
 * Products in single and complex single precision on the tensor cores of compute capability 9.0.
 * Private to kernels/cuda.
 */
#ifndef STARTILE_PRODUCT_SPLIT_CUH
#define STARTILE_PRODUCT_SPLIT_CUH

#include "gemm/product.cuh"

namespace startile_cuda
{

/* Range of the elements of the factors, found on the device, as bits of |x|, which compare as |x|
 * does */
struct split_guard {
    unsigned int largest[2];        /* bits of the largest |x|, of op(A) and of op(B) */
    unsigned int smallest_but_0[2]; /* minus the bits of the smallest |x| > 0, modulo 2³²; 0: all
                                       elements are zero */
};

/* Bias and position of the exponent in the bits of a float */
constexpr int exponent_bias = 127;
constexpr int fraction_bits = 23;

/* Returns the bits of the float 2^exponent. */
constexpr unsigned int bits_of_power(int exponent)
{
    return static_cast<unsigned int>(exponent_bias + exponent) << fraction_bits;
}

/* Limits of the elements of a factor, as bits of |x|. A factor of zeros is always within them. */
struct split_limits {
    unsigned int least;         /* lower limit of every |x| > 0 */
    unsigned int least_largest; /* lower limit of the largest |x| */
    unsigned int most;          /* upper limit of every |x|; below infinity */
};

/* Condition for a product of split operands. Where it does not hold, FFMA computes the product. */
struct split_condition {
    const split_guard *guard; /* in device memory; null: the condition does not hold */
    split_limits limits;

    /* Returns whether both factors are within the limits, and sums of k products of first planes
     * are finite wherever those of elements are. */
    __device__ bool holds(int k) const
    {
        constexpr int max_of_sum = 2 * exponent_bias + 124;
        if (guard == nullptr)
            return false;
        int exponents = 32 - __clz(k);
        for (int f = 0; f < 2; f++) {
            const unsigned int largest = guard->largest[f];
            if (guard->smallest_but_0[f] != 0 && 0 - guard->smallest_but_0[f] < limits.least)
                return false;
            if (largest > limits.most || (largest != 0 && largest < limits.least_largest))
                return false;
            exponents += static_cast<int>(largest >> fraction_bits);
        }
        return exponents <= max_of_sum;
    }
};

/* Computes C := alpha S + beta C by FFMA, where S is op(A) op(B) with the terms k0 … k0 + k − 1 of
 * its sums only. Does nothing if the condition holds. (product_single.cu) */
template <typename T>
int multiply_fma(startile_exec *x, const product_group<T> &g, int k0, int k, T beta,
                 const split_condition &condition);

/* Returns whether this device can compute the group with split operands, and faster than by FFMA.
 * Returns false for PLAIN and TF32, and for complex alpha or beta. (product_split.cu) */
template <typename T>
bool can_multiply_split(const startile_exec *x, const product_group<T> &g,
                        startile_products products);

/* Computes multiply_group on tensor cores, for arguments that can_multiply_split accepts. Uses FFMA
 * if the elements do not allow the split or memory for the planes does not suffice.
 * (product_split.cu) */
template <typename T>
int multiply_split(startile_exec *x, const product_group<T> &g, startile_products products);

} // namespace startile_cuda

#endif
