/*
 * Checks the first half of geqrf_tall.cu: Q1 must be nearly orthonormal, and the multiplication by
 * the inverses W of R1's diagonal blocks must not have lost much accuracy.
 *
 * The residual A − Q1 R1 of a block column is at most c n eps |Y| |W| |R1_jj|, elementwise, where Y
 * is the matrix that was multiplied by W and c is a small constant. Let d_l be the norm of column l
 * of R1_jj, which is also the norm of column l of Y. Then the residual of column k is at most c n
 * eps growth(k) d_k, with growth(k) = (Σ_l d_l (|W| |R1_jj|)_lk) / d_k. The kernel measures the
 * largest growth. Scaling the columns of A does not change it. The growth is at most the condition
 * number of R1_jj, and far below it where small rows of R1_jj meet large columns of W.
 */
#include "common/operations.cuh"
#include "geqrf/geqrf_tall.cuh"

#include <algorithm>
#include <limits>

namespace startile_cuda
{

/* Bound of ‖I − Q1ᴴ Q1‖_F by Yamamoto et al. (geqrf_tall.cu) */
constexpr double max_distance = 5.0 / 64;

/* Bound of the growth. On an H100, for 20000 × 256 in double and 20000 × 140 in complex double:
 * random matrices of condition up to 10⁷ have a growth of up to 300 and residuals of up to 61 eps
 * times their columns' norms (cuSOLVER: 30). Kahan's matrix, the worst case, has a growth of 1100
 * and a residual of 250 eps (cuSOLVER: 11). */
constexpr double max_growth = 400;

constexpr int check_warps = 32;

__device__ inline double warp_sum(double sum)
{
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    return sum;
}

template <typename T>
__device__ double square(T x)
{
    double size = magnitude(x);
    return size * size;
}

/* Returns the larger number, or NaN if x or y is NaN. */
__device__ inline double larger(double x, double y)
{
    return x > y || isnan(x) ? x : y;
}

/* Computes the growth and the distance ‖I − G‖_F, in one block, one warp per row. R1ᴴ and the
 * inverses are stored as lower triangles; so the columns of R1 are rows here. work: 2 n doubles */
template <typename T>
__global__ void __launch_bounds__(32 * check_warps)
    check_tall_kernel(int n, int order, const T *l, const T *w, const T *g,
                      const tile_status *state, double *work, tall_check_result *check_result)
{
    const int lane = threadIdx.x, warp = threadIdx.y;
    double *norm = work, *weight = work + n; /* d, and dᵀ |W| */
    __shared__ double growths[check_warps], distances[check_warps];
    double growth = 0, distance = 0;
    for (int64_t i = warp; i < n; i += check_warps) {
        double sum = 0;
        for (int64_t j = i / order * order + lane; j <= i; j += 32)
            sum += square(l[i + j * n]);
        norm[i] = sqrt(warp_sum(sum));
    }
    __syncthreads();
    for (int64_t i = warp; i < n; i += check_warps) {
        double sum = 0;
        for (int64_t j = i / order * order + lane; j <= i; j += 32)
            sum += magnitude(w[i + j * n]) * norm[j];
        weight[i] = warp_sum(sum);
    }
    __syncthreads();
    for (int64_t i = warp; i < n; i += check_warps) {
        double sum = 0, row = 0;
        for (int64_t j = i / order * order + lane; j <= i; j += 32)
            sum += magnitude(l[i + j * n]) * weight[j];
        sum = warp_sum(sum) / norm[i];
        growth = larger(sum, growth);
        for (int64_t j = lane; j <= i; j += 32)
            row += i == j ? square(real_part(g[i + i * n]) - 1) : 2 * square(g[i + j * n]);
        distance += warp_sum(row);
    }
    growths[warp] = growth;
    distances[warp] = distance;
    __syncthreads();
    if (lane != 0 || warp != 0)
        return;
    for (int i = 1; i < check_warps; i++) {
        growth = larger(growths[i], growth);
        distance += distances[i];
    }
    *check_result = {sqrt(distance), growth, state->info};
}

template <typename T>
int check_tall(startile_exec *x, int n, int order, const T *l, const T *w, const T *g, double *work,
               tall_check_result *check_result, tall_accuracy *accuracy)
{
    tall_check_result found;
    if (int error = launch(x, check_tall_kernel<T>, 1, dim3(32, check_warps), n, order, l, w, g,
                           x->status, work, check_result))
        return error;
    if (int error = check(
            cudaMemcpyAsync(&found, check_result, sizeof found, cudaMemcpyDeviceToHost, x->stream)))
        return error;
    if (int error = check(cudaStreamSynchronize(x->stream)))
        return error;
    const double eps = std::numeric_limits<typename element<T>::real>::epsilon() / 2;
    /* The comparisons are false for NaN. */
    const bool is_accurate =
        found.info == 0 && found.distance <= max_distance && found.growth <= max_growth;
    *accuracy = !is_accurate                             ? NOT_ACCURATE
                : found.distance * found.distance <= eps ? NEARLY_ORTHONORMAL
                                                         : ACCURATE;
    return 0;
}

template decltype(check_tall<float>) check_tall<float>;
template decltype(check_tall<double>) check_tall<double>;
template decltype(check_tall<cuComplex>) check_tall<cuComplex>;
template decltype(check_tall<cuDoubleComplex>) check_tall<cuDoubleComplex>;

} // namespace startile_cuda
