/*
 * Checks the first half of geqrf_tall.cu: Q1 must be nearly orthonormal, and the multiplication by
 * the inverses W of R1's diagonal blocks must not have lost much accuracy.
 *
 * The residual A − Q1 R1 of a block column is at most c n eps |Y| |W| |R1_jj|, elementwise, where Y
 * is the matrix that was multiplied by W and c is a small constant. Let d_l be the norm of column l
 * of R1_jj, which is also the norm of column l of Y. Then the residual of column k is at most c n
 * eps growth(k) d_k, with growth(k) = (Σ_l d_l (|W| |R1_jj|)_lk) / d_k. The kernel measures the
 * largest growth. Scaling the columns of A does not change it. The growth is at most the condition
 * number of R1_jj, and far below it where small rows of R1_jj meet large columns of W. This
 * neglects the error of W itself, which trtri.cu bounds by a further factor of R1_jj's condition
 * number.
 */
#include "common/operations.cuh"
#include "geqrf/geqrf_tall.cuh"

#include <cmath>
#include <limits>

namespace startile_cuda
{

/* Bound of ‖I − Q1ᴴ Q1‖_F by Yamamoto et al. (geqrf_tall.cu) */
constexpr double max_distance = 5.0 / 64;

/* Bound of the growth. The residual was at most 0.25 growth eps. With blocks of 128, on an H100,
 * 20000 × 256 in double and 20000 × 140 in complex double, random matrices of condition up to 10⁷
 * had a growth of up to 300 and residuals of up to 61 eps times their columns' norms (cuSOLVER:
 * 30), Kahan's matrix, the worst case, 1100 and 250 eps (cuSOLVER: 11). With blocks of 256 (numpy)
 * matrices with geometric singular values have 260, 670 and 1600 for conditions of 10², 10⁴ and
 * 10⁷: some panels of condition 10³ and more are left to Householder's method. */
constexpr double max_growth = 400;

/* Threads of a thread block: check_parts for each row of a diagonal block */
constexpr int check_parts = 4, check_threads = check_parts * tall_block;

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

struct check_smem {
    double part[check_threads];
    double norm[tall_block], weight[tall_block]; /* d, and |W| d */
    double growth[tall_block];
};

/* to[i] := Σ_j≤i f(i, j) for i < rows, by all threads. Neighbouring threads have neighbouring i. */
template <typename F>
__device__ void sum_rows(check_smem &smem, int rows, double *to, F f)
{
    const int i = threadIdx.x % tall_block, part = threadIdx.x / tall_block;
    double sum = 0;
    for (int j = part; j <= i && i < rows; j += check_parts)
        sum += f(i, j);
    smem.part[threadIdx.x] = sum;
    __syncthreads();
    if (part == 0 && i < rows) {
        for (int q = 1; q < check_parts; q++)
            sum += smem.part[q * tall_block + i];
        to[i] = sum;
    }
    __syncthreads();
}

/* Computes the growth in the diagonal blocks of R1, one for each thread block, and its columns'
 * part of ‖I − G‖_F². R1ᴴ and the inverses are stored as lower triangles; so the columns of R1 are
 * rows here. */
template <typename T>
__global__ void __launch_bounds__(check_threads)
    check_tall_kernel(int n, const T *l, const T *w, const T *g, const tile_status *state,
                      tall_check_result *results)
{
    __shared__ check_smem smem;
    const int first = blockIdx.x * tall_block, rows = min(tall_block, n - first);
    const int64_t corner = first + int64_t(first) * n;
    const auto in_l = [&](int i, int j) { return l[corner + i + int64_t(j) * n]; };
    const auto in_w = [&](int i, int j) { return w[corner + i + int64_t(j) * n]; };
    sum_rows(smem, rows, smem.norm, [&](int i, int j) { return square(in_l(i, j)); });
    if (threadIdx.x < rows)
        smem.norm[threadIdx.x] = sqrt(smem.norm[threadIdx.x]);
    __syncthreads();
    sum_rows(smem, rows, smem.weight,
             [&](int i, int j) { return magnitude(in_w(i, j)) * smem.norm[j]; });
    sum_rows(smem, rows, smem.growth,
             [&](int i, int j) { return magnitude(in_l(i, j)) * smem.weight[j]; });

    double distance = 0;
    for (int j = first + threadIdx.x / 32; j < first + rows; j += check_threads / 32)
        for (int i = j + threadIdx.x % 32; i < n; i += 32)
            distance += i == j ? square(real_part(g[i + int64_t(j) * n]) - 1)
                               : 2 * square(g[i + int64_t(j) * n]);
    smem.part[threadIdx.x] = distance;
    __syncthreads();
    for (int half = check_threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            smem.part[threadIdx.x] += smem.part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x > 0)
        return;
    double growth = 0;
    for (int i = 0; i < rows; i++)
        growth = larger(smem.growth[i] / smem.norm[i], growth);
    results[blockIdx.x] = {smem.part[0], growth, state->info};
}

template <typename T>
int check_tall(startile_exec *x, int n, const T *l, const T *w, const T *g,
               tall_check_result *results, tall_accuracy *accuracy)
{
    tall_check_result found[most_tall_blocks];
    const int blocks = ceil_div(n, tall_block);
    if (int error =
            launch(x, check_tall_kernel<T>, blocks, check_threads, n, l, w, g, x->status, results))
        return error;
    if (int error = check(cudaMemcpyAsync(found, results, blocks * sizeof *found,
                                          cudaMemcpyDeviceToHost, x->stream)))
        return error;
    if (int error = check(cudaStreamSynchronize(x->stream)))
        return error;
    double growth = 0, distance = 0; /* squared */
    for (int b = 0; b < blocks; b++) {
        growth = found[b].growth > growth || std::isnan(found[b].growth) ? found[b].growth : growth;
        distance += found[b].distance;
    }
    const double eps = std::numeric_limits<typename element<T>::real>::epsilon() / 2;
    /* The comparisons are false for NaN. */
    const bool is_accurate =
        found[0].info == 0 && distance <= max_distance * max_distance && growth <= max_growth;
    *accuracy = !is_accurate ? NOT_ACCURATE : distance <= eps ? NEARLY_ORTHONORMAL : ACCURATE;
    return 0;
}

INSTANTIATE(check_tall);

} // namespace startile_cuda
