/*
 * Joins the triangle T₁ of the strips on the left and the triangle T₂ of the next strip of the
 * group: computes the block between them, T₁₂ = −T₁ (V₁ᴴ V₂) T₂. The error is that of the product.
 */
#include "common/element.cuh"
#include "common/hopper.cuh"
#include "geqrf/geqrf.cuh"

namespace startile_cuda
{

/* Threads that sum one element, and threads of a block */
constexpr int join_slices = 8, join_threads = join_slices * max_joined;

/* Computes T₁₂ := −T₁ Wᴴ, one column per thread block. Several threads sum each element, because
 * latency bounds this kernel. */
template <typename T>
__global__ void __launch_bounds__(join_threads)
    join_kernel(int before, int k, const T *t1, const T *w, T *t12, int64_t ldt)
{
    __shared__ T sums[join_slices][max_joined];
    constexpr int part = max_joined / join_slices;
    const int j = blockIdx.x, i = threadIdx.x % max_joined, slice = threadIdx.x / max_joined;
    T sum = to_element<T>(0, 0);
    wait_for_previous_kernel();
#pragma unroll
    for (int q = 0; q < part; q++) {
        const int l = slice * part + q;
        if (i <= l && l < before)
            sum = subtract_product(sum, t1[i + l * ldt], conjugate(w[j + l * k]));
    }
    sums[slice][i] = sum;
    __syncthreads();
    if (slice > 0 || i >= before)
        return;
#pragma unroll
    for (int q = 1; q < join_slices; q++)
        sum = multiply_add(to_element<T>(1, 0), sums[q][i], sum);
    t12[i + j * ldt] = sum;
}

template <typename T>
int join_triangle(startile_exec *x, int before, int k, const T *t1, const T *w, T *t12, int ldt)
{
    return launch_dependent(x, join_kernel<T>, k, join_threads, before, k, t1, w, t12,
                            static_cast<int64_t>(ldt));
}

INSTANTIATE(join_triangle);

} // namespace startile_cuda
