/*
 * Weighted sums of the columns or rows of a tile, and their comparison (option `verify`)
 *
 * The sums are bound by the memory accesses to A, which each call reads once.
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"
#include "common/tile_sums.cuh"
#include "weights.h"

#include <cfloat>

namespace startile_cuda
{

/* Number of columns of all sums of a checksum; one weighted sum has parts_of<T> columns */
template <typename T>
constexpr int sums_of = 2 * parts_of<T> + 1;

/* -- weights --------------------------------------------------------------------------------- */

template <typename T>
struct weight_of_row {
    T *e;
    int64_t lde, first, rows;

    __device__ void operator()(int i, int q) const
    {
        e[i + q * lde] = to_element<T>(startile_weight(first + i, rows, q), 0);
    }
};

template <typename T>
int weights(startile_exec *x, int64_t first, int64_t rows, int m, void *e, int lde)
{
    return apply_elementwise(x, 'G', m, 2, weight_of_row<T>{static_cast<T *>(e), lde, first, rows});
}

template <typename T>
struct spread_row {
    const T *e;
    int64_t lde;
    double *w;
    int64_t ldw;

    __device__ void operator()(int i, int column) const
    {
        double to = 1;
        if (column < sums_of<T> - 1) {
            const T from = e[i + column / parts_of<T> * lde];
            if constexpr (element<T>::is_complex)
                to = column % 2 == 0 ? from.x : from.y;
            else
                to = from;
        }
        w[i + column * ldw] = to;
    }
};

template <typename T>
int spread_weights(startile_exec *x, int m, const void *e, int lde, double *w, int ldw)
{
    return apply_elementwise(x, 'G', m, sums_of<T>,
                             spread_row<T>{static_cast<const T *>(e), lde, w, ldw});
}

/* -- sums ------------------------------------------------------------------------------------ */

/* Functor of row_sums() if of_rows, else of column_sums(); operator() adds the products of op(a_ij)
 * and a row of W to the sums. */
template <typename T, bool of_rows>
struct add_weighted {
    const T *a;
    int64_t lda;
    const double *w;
    int64_t ldw;
    startile_scalar alpha;
    double sign;   /* of the imaginary parts of A */
    bool triangle; /* the diagonal is that of a triangle, see `diag` */
    char diag;

    /* Sets re and im to element (i, j). */
    __device__ void load(int64_t i, int64_t j, double &re, double &im) const
    {
        re = 1, im = 0;
        const bool is_diagonal = triangle && i == j;
        if (is_diagonal && diag == 'U')
            return;
        re = 0;
        if (is_diagonal && diag == 'Z')
            return;
        const T from = a[i + j * lda];
        if constexpr (element<T>::is_complex) {
            re = from.x;
            im = is_diagonal && diag == 'R' ? 0 : sign * from.y;
        } else {
            re = from;
        }
    }

    template <int sums>
    __device__ void operator()(int64_t i, int64_t j, double (&sum)[sums]) const
    {
        double re, im;
        load(i, j, re, im);
        const double *row = w + (of_rows ? j : i);
        sum[sums - 1] += (alpha.re * alpha.re + alpha.im * alpha.im) * (re * re + im * im) *
                         row[(sums - 1) * ldw];
        if constexpr (element<T>::is_complex) {
            const double p = alpha.re * re - alpha.im * im, q = alpha.re * im + alpha.im * re;
            for (int s = 0; s < 4; s += 2) {
                sum[s] += p * row[s * ldw] - q * row[(s + 1) * ldw];
                sum[s + 1] += p * row[(s + 1) * ldw] + q * row[s * ldw];
            }
        } else {
            for (int s = 0; s < 2; s++)
                sum[s] += alpha.re * re * row[s * ldw];
        }
    }
};

/* Functor of apply_elementwise() on one column: adds the products of A's diagonal elements. */
template <typename T>
struct add_weighted_diagonal {
    add_weighted<T, true> add;
    double *to;
    int64_t ldt;

    __device__ void operator()(int i, int) const
    {
        double sum[sums_of<T>] = {};
        add(i, i, sum);
        for (int s = 0; s < sums_of<T>; s++)
            to[i + s * ldt] += sum[s];
    }
};

template <typename T>
int checksum(startile_exec *x, char op, char uplo, char diag, int m, int n, startile_scalar alpha,
             const void *a, int lda, const double *w, int ldw, double *to, int ldt)
{
    constexpr int sums = sums_of<T>;
    const double sign = op == 'C' || op == 'J' ? -1 : 1;
    const T *of = static_cast<const T *>(a);
    const bool triangle = uplo != 'G';
    if (op == 'T' || op == 'C') {
        if (n == 0)
            return 0;
        const add_weighted<T, false> add = {of, lda, w, ldw, alpha, sign, triangle, diag};
        return column_sums<sums>(x, uplo, m, n, add, to, ldt);
    }
    if (m == 0)
        return 0;
    const add_weighted<T, true> add = {of, lda, w, ldw, alpha, sign, triangle, diag};
    /* of a triangle row_sums() leaves out the diagonal */
    if (int error = row_sums<sums>(x, uplo, m, n, add, to, ldt))
        return error;
    if (!triangle || diag == 'Z')
        return 0;
    return apply_elementwise(x, 'G', n, 1, add_weighted_diagonal<T>{add, to, ldt});
}

/* -- comparison ------------------------------------------------------------------------------ */

constexpr int compare_threads = 1024;

/* Differences of one row of two checksums */
struct row_difference {
    double r0, r1, ratio;
    bool differs, is_out_of_range;
};

template <typename T>
__device__ double distance(const double *c, int64_t ldc, const double *d, int64_t ldd)
{
    const double re = c[0] - d[0];
    if constexpr (element<T>::is_complex)
        return hypot(re, c[ldc] - d[ldd]);
    else
        return fabs(re);
}

template <typename T>
__device__ row_difference compare_row(const double *c, int64_t ldc, const double *d, int64_t ldd,
                                      double bound)
{
    constexpr int parts = parts_of<T>, last = sums_of<T> - 1;
    /* square of the type's smallest normal number, as far as a double can hold it */
    const double least = is_single<T> ? double(FLT_MIN) * FLT_MIN : DBL_MIN;
    row_difference r = {distance<T>(c, ldc, d, ldd),
                        distance<T>(c + parts * ldc, ldc, d + parts * ldd, ldd), 0, false, false};
    const double v_c = c[last * ldc], v = v_c + d[last * ldd];
    const bool is_finite = isfinite(r.r0) && isfinite(r.r1) && isfinite(v);
    r.is_out_of_range = !(v_c <= (is_single<T> ? FLT_MAX : DBL_MAX));
    if (r.is_out_of_range)
        return r;
    const double ratio = fmax(r.r0, r.r1) / (bound * sqrt(fmax(v, least)));
    r.differs = !(is_finite && ratio <= 1);
    r.ratio = is_finite ? ratio : 0;
    return r;
}

/* One thread block compares all rows. */
template <typename T>
__global__ void __launch_bounds__(compare_threads)
    compare_kernel(int n, const double *c, int64_t ldc, const double *d, int64_t ldd, double bound,
                   int64_t before, double *found)
{
    __shared__ int first;
    __shared__ unsigned long long largest; /* bits of a double ≥ 0, which compare as doubles do */
    if (threadIdx.x == 0) {
        first = n;
        largest = 0;
    }
    __syncthreads();
    for (int j = threadIdx.x; j < n; j += compare_threads) {
        const row_difference r = compare_row<T>(c + j, ldc, d + j, ldd, bound);
        if (r.is_out_of_range)
            found[4] = 1;
        if (r.differs)
            atomicMin(&first, j);
        atomicMax(&largest, static_cast<unsigned long long>(__double_as_longlong(r.ratio)));
    }
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    found[3] = fmax(found[3], __longlong_as_double(static_cast<long long>(largest)));
    if (first == n || found[0] != 0)
        return;
    const row_difference r = compare_row<T>(c + first, ldc, d + first, ldd, bound);
    found[0] = double(before + first + 1);
    found[1] = r.r0;
    found[2] = r.r1;
}

template <typename T>
int compare_checksums(startile_exec *x, int n, const double *c, int ldc, const double *d, int ldd,
                      double bound, int64_t before, double *found)
{
    if (n == 0)
        return 0;
    return launch(x, compare_kernel<T>, 1, compare_threads, n, c, ldc, d, ldd, bound, before,
                  found);
}

INSTANTIATE(weights);
INSTANTIATE(spread_weights);
INSTANTIATE(checksum);
INSTANTIATE(compare_checksums);

} // namespace startile_cuda
