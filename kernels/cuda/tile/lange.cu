/*
 * Partial norms (LAPACK xLANGE, xLANSY, xLANHE), accumulated in double
 *
 * Every sum has a fixed order on any device, without atomic operations. Sums of m numbers have a
 * relative error of at most m · 2⁻⁵³. The Frobenius norm keeps a scale and a sum of squares
 * relative to it (LAPACK xLASSQ; Blue, ACM TOMS 4, 1978), so that it neither overflows nor
 * underflows. A maximum becomes NaN, and stays NaN, at the first NaN.
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

constexpr int sum_threads = 256;

/* Shape of row_sums_kernel: neighbouring threads have neighbouring rows, 32 per block, so that
 * loads are contiguous. */
constexpr int row_sum_rows = 32, row_sum_parts = 16;

/* Grid of parts_kernel, for 'M' and 'F'. It does not depend on the tile or the device, so that the
 * parts are added in the same order everywhere. */
constexpr int parts_x = 8, parts_y = 32, part_count = parts_x * parts_y;

/* Returns |a_ij|. The imaginary parts of a Hermitian tile's diagonal are ignored. */
template <typename T>
__device__ double magnitude_at(const T *a, int64_t lda, bool hermitian, int64_t i, int64_t j)
{
    T v = a[i + j * lda];
    return hermitian && i == j ? fabs(static_cast<double>(real_part(v))) : magnitude(v);
}

/* Accumulators: add(v, weight) adds an element of magnitude v, combine() adds another accumulator,
 * update() adds the accumulator to the caller's acc. */

struct sum_of {
    double value;

    __device__ void add(double v, double)
    {
        value += v;
    }
    __device__ void combine(sum_of other)
    {
        value += other.value;
    }
};

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
    __shared__ A all[sum_threads];
    all[threadIdx.x] = mine;
    __syncthreads();
    for (int half = sum_threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            all[threadIdx.x].combine(all[threadIdx.x + half]);
        __syncthreads();
    }
    return all[0];
}

/* Computes acc[j] += Σ_i |a_ij| over the triangle uplo ('G': all rows), one thread block per
 * column. */
template <typename T>
__global__ void __launch_bounds__(sum_threads)
    column_sums_kernel(char uplo, bool hermitian, int m, const T *a, int64_t lda, double *acc)
{
    const int64_t j = blockIdx.x;
    const int64_t first = uplo == 'L' ? j : 0, last = uplo == 'U' ? min(j + 1, int64_t(m)) : m;
    sum_of sum = {0};
    for (int64_t i = first + threadIdx.x; i < last; i += sum_threads)
        sum.add(magnitude_at(a, lda, hermitian, i, j), 1);
    sum = combine_block(sum);
    if (threadIdx.x == 0)
        acc[j] += sum.value;
}

/* Computes acc[i] += Σ_j |a_ij|: for 'G' over all columns, otherwise over the triangle uplo without
 * its diagonal. */
template <typename T>
__global__ void __launch_bounds__(row_sum_rows *row_sum_parts)
    row_sums_kernel(char uplo, int m, int n, const T *a, int64_t lda, double *acc)
{
    __shared__ double parts[row_sum_parts][row_sum_rows];
    const int64_t i = int64_t(blockIdx.x) * row_sum_rows + threadIdx.x;
    const int64_t first = uplo == 'U' ? i + 1 : 0, last = uplo == 'L' ? min(i, int64_t(n)) : n;
    double sum = 0;
    if (i < m)
        for (int64_t j = first + threadIdx.y; j < last; j += row_sum_parts)
            sum += magnitude(a[i + j * lda]);
    parts[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && i < m) {
        double total = 0;
        for (int part = 0; part < row_sum_parts; part++)
            total += parts[part][threadIdx.x];
        acc[i] += total;
    }
}

/* Accumulates the elements of the triangle uplo ('G': all), one part per thread block. In a
 * triangle, elements off the diagonal count twice. */
template <typename T, typename A>
__global__ void __launch_bounds__(sum_threads)
    parts_kernel(char uplo, bool hermitian, int m, int n, const T *a, int64_t lda, A *parts)
{
    A mine = {};
    for (int64_t j = blockIdx.y; j < n; j += parts_y)
        for (int64_t i = blockIdx.x * sum_threads + threadIdx.x; i < m; i += parts_x * sum_threads)
            if (in_triangle(uplo, i, j))
                mine.add(magnitude_at(a, lda, hermitian, i, j), uplo == 'G' || i == j ? 1 : 2);
    mine = combine_block(mine);
    if (threadIdx.x == 0)
        parts[blockIdx.x + parts_x * blockIdx.y] = mine;
}

/* Combines all parts and updates acc, by one thread block. */
template <typename A>
__global__ void __launch_bounds__(sum_threads)
    combine_parts_kernel(const A *parts, double weight, double *acc)
{
    static_assert(part_count == sum_threads, "one part per thread");
    A all = combine_block(parts[threadIdx.x]);
    if (threadIdx.x == 0)
        all.update(acc, weight);
}

template <typename T>
static int column_sums(startile_exec *x, char uplo, bool hermitian, int m, int n, const T *a,
                       int lda, double *acc)
{
    return launch(x, column_sums_kernel<T>, n, sum_threads, uplo, hermitian, m, a, lda, acc);
}

template <typename T>
static int row_sums(startile_exec *x, char uplo, int m, int n, const T *a, int lda, double *acc)
{
    return launch(x, row_sums_kernel<T>, ceil_div(m, row_sum_rows),
                  dim3(row_sum_rows, row_sum_parts), uplo, m, n, a, lda, acc);
}

template <typename T, typename A>
static int combine_all(startile_exec *x, char uplo, bool hermitian, int m, int n, double weight,
                       const T *a, int lda, double *acc)
{
    A *parts;
    if (int error = workspace(x, part_count, &parts))
        return error;
    if (int error = launch(x, parts_kernel<T, A>, dim3(parts_x, parts_y), sum_threads, uplo,
                           hermitian, m, n, a, lda, parts))
        return error;
    return launch(x, combine_parts_kernel<A>, 1, sum_threads, parts, weight, acc);
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
        return column_sums(x, 'G', false, m, n, tile, lda, acc);
    case 'I':
        return row_sums(x, 'G', m, n, tile, lda, acc);
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
    case 'I':
        /* Row sums without the diagonal add the mirrored half of each column. */
        if (int error = column_sums(x, uplo, hermitian, n, n, tile, lda, acc))
            return error;
        return row_sums(x, uplo, n, n, tile, lda, acc);
    case 'M':
        return combine_all<T, maximum_of>(x, uplo, hermitian, n, n, 1, tile, lda, acc);
    default:
        return combine_all<T, squares_of>(x, uplo, hermitian, n, n, 1, tile, lda, acc);
    }
}

template decltype(lange<float>) lange<float>;
template decltype(lange<double>) lange<double>;
template decltype(lange<cuComplex>) lange<cuComplex>;
template decltype(lange<cuDoubleComplex>) lange<cuDoubleComplex>;

template decltype(lansy<float>) lansy<float>;
template decltype(lansy<double>) lansy<double>;
template decltype(lansy<cuComplex>) lansy<cuComplex>;
template decltype(lansy<cuDoubleComplex>) lansy<cuDoubleComplex>;

} // namespace startile_cuda
