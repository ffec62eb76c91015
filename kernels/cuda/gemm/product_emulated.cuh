/*
 * Products in double precision, also complex, on the INT8 tensor cores of compute capability 9.0,
 * for large updates C + alpha op(A) op(B) with a real alpha. Private to kernels/cuda. A complex
 * product is computed as a real one of 2 k terms (emulated_planes.cuh), to which the following
 * applies.
 *
 * Each row of op(A) and column of op(B) is scaled by a power of two and rounded to integers. Let k
 * be the number of terms, u = 2⁻⁵³, a a row of op(A) and b a column of op(B). The error of their
 * product is at most about
 *
 *     u (√k + 3) ‖a‖₂ ‖b‖₂.
 *
 * The bound of a product in double precision, u k |a|ᵀ|b|, is larger unless |a|ᵀ|b| is small beside
 * ‖a‖₂ ‖b‖₂ √k / k. Guard: rows and columns must be flat, √k ‖a‖₂ <= flatness ‖a‖₁ with flatness² =
 * √k / 4, so that u k |a|ᵀ|b| is the larger bound wherever |a|ᵀ|b| >= ‖a‖₁ ‖b‖₁ / (4 k). If one row
 * or column is not flat, or has Inf, NaN or elements of extreme size, the device leaves the whole
 * product to the kernel on FP64 tensor cores. Results do not depend on the number of thread blocks:
 * two runs give the same bits.
 */
#ifndef STARTILE_PRODUCT_EMULATED_CUH
#define STARTILE_PRODUCT_EMULATED_CUH

#include "gemm/product.cuh"

namespace startile_cuda
{

/* Returns whether this device can emulate the group, and faster than FP64 tensor cores compute it.
 * Returns false unless x->emulates_double. */
template <typename T>
bool can_multiply_emulated(const startile_exec *x, const product_group<T> &g);

/* Computes multiply_group on INT8 tensor cores, for arguments that can_multiply_emulated accepts.
 * Uses FP64 tensor cores if the elements do not allow it or memory does not suffice. */
template <typename T>
int multiply_emulated(startile_exec *x, const product_group<T> &g);

} // namespace startile_cuda

#endif
