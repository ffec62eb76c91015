/*
 * Partial norms (LAPACK xLANGE, xLANSY, xLANHE), accumulated in double
 *
 * Sums of m numbers have a fixed order and a relative error of at most m · 2⁻⁵³. The Frobenius norm
 * keeps a scale and a sum of squares relative to it (LAPACK xLASSQ; Blue, ACM TOMS 4, 1978), so
 * that it neither overflows nor underflows. A maximum becomes NaN, and stays NaN, at the first NaN.
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"
#include "common/tile_sums.cuh"
#include "power_of_two.h"

namespace startile_cuda
{

/* Threads of a block of parts_kernel, and its grid, for 'M' and 'F'. They do not depend on the tile
 * or the device, so that the parts are added in the same order everywhere. */
constexpr int part_threads = 256, parts_x = 8, parts_y = 32, part_count = parts_x * parts_y;

/* Returns |a_ij|. The imaginary parts of a Hermitian tile's diagonal are ignored. */
template <typename T>
__device__ double magnitude_at(const T *a, int64_t lda, bool hermitian, int64_t i, int64_t j)
{
    return magnitude(real_if(hermitian && i == j, a[i + j * lda]));
}

/* Functor of row_sums() and column_sums() */
template <typename T>
struct add_magnitude {
    const T *a;
    int64_t lda;
    bool hermitian;

    __device__ void operator()(int64_t i, int64_t j, double (&sum)[1]) const
    {
        sum[0] += magnitude_at(a, lda, hermitian, i, j);
    }
};

/* Functor of row_sums(). With is_upper, the elements below the diagonal are left out. */
template <typename T>
struct add_scaled_square {
    const T *a;
    int64_t lda;
    bool is_upper;
    const double *largest;

    __device__ void operator()(int64_t i, int64_t j, double (&sum)[1]) const
    {
        if (is_upper && i > j)
            return;
        const double v = startile_scaled(magnitude(a[i + j * lda]), -startile_exponent(largest, 0));
        sum[0] += v * v;
    }
};

/* Accumulators: add(v, weight) adds an element of magnitude v, combine() adds another accumulator,
 * update() adds the accumulator to the caller's acc. */

struct maximum_of {
    double value;

    __device__ void add(double v, double)
    {
        if (!(v <= value) && !isnan(value))
            value = v;
    }
    __device__ void combine(maximum_of other)
    {
        add(other.value, 1);
    }
    __device__ void update(double *acc, double) const
    {
        maximum_of a = {acc[0]};
        a.combine(*this);
        acc[0] = a.value;
    }
};

struct squares_of {
    double scale, sum;

    /* Adds weight v² to scale² sum. */
    __device__ void add(double v, double weight)
    {
        if (v == 0)
            return;
        if (scale < v) {
            double ratio = scale / v;
            sum = weight + sum * ratio * ratio;
            scale = v;
        } else {
            /* Equal infinities have ratio 1; their quotient would be NaN. */
            double ratio = v == scale ? 1 : v / scale;
            sum += weight * ratio * ratio;
        }
    }
    __device__ void combine(squares_of other)
    {
        double larger = fmax(scale, other.scale);
        double ratio = scale == larger ? 1 : scale / larger;
        double other_ratio = other.scale == larger ? 1 : other.scale / larger;
        sum = sum * ratio * ratio + other.sum * other_ratio * other_ratio;
        scale = larger;
    }
    __device__ void update(double *acc, double weight) const
    {
        squares_of a = {acc[0], acc[1]};
        a.combine({scale, weight * sum});
        acc[0] = a.scale;
        acc[1] = a.sum;
    }
};

/* Combines the accumulators of all threads of a block. Every thread gets the result. */
template <typename A>
__device__ A combine_block(A mine)
{
    __shared__ A all[part_threads];
    all[threadIdx.x] = mine;
    __syncthreads();
    for (int half = part_threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            all[threadIdx.x].combine(all[threadIdx.x + half]);
        __syncthreads();
    }
    return all[0];
}

/* Accumulates the elements of the triangle uplo ('G': all), one part per thread block. In a
 * triangle, elements off the diagonal count twice. */
template <typename T, typename A>
__global__ void __launch_bounds__(part_threads)
    parts_kernel(char uplo, bool hermitian, int m, int n, const T *a, int64_t lda, A *parts)
{
    A mine = {};
    for (int64_t j = blockIdx.y; j < n; j += parts_y)
        for (int64_t i = blockIdx.x * part_threads + threadIdx.x; i < m;
             i += parts_x * part_threads)
            if (in_triangle(uplo, i, j))
                mine.add(magnitude_at(a, lda, hermitian, i, j), uplo == 'G' || i == j ? 1 : 2);
    mine = combine_block(mine);
    if (threadIdx.x == 0)
        parts[blockIdx.x + parts_x * blockIdx.y] = mine;
}

/* Combines all parts and updates acc, by one thread block. */
template <typename A>
__global__ void __launch_bounds__(part_threads)
    combine_parts_kernel(const A *parts, double weight, double *acc)
{
    static_assert(part_count == part_threads, "one part per thread");
    A all = combine_block(parts[threadIdx.x]);
    if (threadIdx.x == 0)
        all.update(acc, weight);
}

template <typename T, typename A>
static int combine_all(startile_exec *x, char uplo, bool hermitian, int m, int n, double weight,
                       const T *a, int lda, double *acc)
{
    A *parts;
    if (int error = workspace(x, part_count, &parts))
        return error;
    if (int error = launch(x, parts_kernel<T, A>, dim3(parts_x, parts_y), part_threads, uplo,
                           hermitian, m, n, a, lda, parts))
        return error;
    return launch(x, combine_parts_kernel<A>, 1, part_threads, parts, weight, acc);
}

template <typename T>
int lange(startile_exec *x, char norm, int m, int n, double weight, const void *a, int lda,
          double *acc)
{
    const T *tile = static_cast<const T *>(a);
    if (m == 0 || n == 0)
        return 0;
    switch (norm) {
    case '1':
        return column_sums<1>(x, 'G', m, n, add_magnitude<T>{tile, lda, false}, acc, 0);
    case 'I':
        return row_sums<1>(x, 'G', m, n, add_magnitude<T>{tile, lda, false}, acc, 0);
    case 'M':
        return combine_all<T, maximum_of>(x, 'G', false, m, n, 1, tile, lda, acc);
    default:
        return combine_all<T, squares_of>(x, 'G', false, m, n, weight, tile, lda, acc);
    }
}

template <typename T>
int lansy(startile_exec *x, char norm, char uplo, int hermitian, int n, const void *a, int lda,
          double *acc)
{
    const T *tile = static_cast<const T *>(a);
    if (n == 0)
        return 0;
    switch (norm) {
    case '1':
    case 'I': {
        const add_magnitude<T> add = {tile, lda, hermitian != 0};
        return symmetric_sums<1>(x, uplo, n, add, add, acc, 0);
    }
    case 'M':
        return combine_all<T, maximum_of>(x, uplo, hermitian, n, n, 1, tile, lda, acc);
    default:
        return combine_all<T, squares_of>(x, uplo, hermitian, n, n, 1, tile, lda, acc);
    }
}

template <typename T>
int row_squares(startile_exec *x, char uplo, int m, int n, const void *a, int lda,
                const double *largest, double *sums)
{
    const add_scaled_square<T> add = {static_cast<const T *>(a), lda, uplo == 'U', largest};
    return m == 0 || n == 0 ? 0 : row_sums<1>(x, 'G', m, n, add, sums, 0);
}

INSTANTIATE(lange);
INSTANTIATE(lansy);
INSTANTIATE(row_squares);

} // namespace startile_cuda
