/*
 * Computes ‖x‖₂ of many vectors in one pass, without overflow or underflow of intermediate results.
 *
 * Single precision is summed in double, whose range the squares never leave. Double has three sums,
 * for small, medium and large numbers; the sums of small and large ones are scaled by powers of 2
 * (Blue, "A portable Fortran program to find the Euclidean norm of a vector", ACM TOMS 4, 1978;
 * thresholds as in Anderson, "Algorithm 978", ACM TOMS 44, 2017). Relative error at most (n/2 + 3)
 * eps of the precision of the sum.
 */
#include "batch_vectors/batch_reduce.cuh"

namespace startile_cuda
{

struct squares_of_single {
    double value;

    __device__ void add(double v)
    {
        value = fma(v, v, value);
    }
    __device__ void combine(const squares_of_single &other)
    {
        value += other.value;
    }
    __device__ double root() const
    {
        return sqrt(value);
    }
};

/* Bounds of medium numbers, whose squares neither overflow in a sum nor lose bits to underflow */
constexpr double min_medium = 0x1p-511, max_medium = 0x1p486;
/* Factors by which small and large numbers are scaled before they are squared */
constexpr double small_scale = 0x1p537, large_scale = 0x1p-538;

/* Returns whether v is a medium number, by one comparison of its exponent. */
__device__ inline bool is_medium(double v)
{
    constexpr unsigned int min_bits = (1023 - 511) << 20, end_bits = (1023 + 486) << 20;
    return (__double2hiint(v) & 0x7fffffff) - min_bits < end_bits - min_bits;
}

struct squares_of_double {
    double medium, large, small;

    __device__ void add_medium(double v)
    {
        medium = fma(v, v, medium);
    }
    __device__ void add(double v)
    {
        if (is_medium(v))
            add_medium(v);
        else if (fabs(v) >= max_medium)
            large = fma(v * large_scale, v * large_scale, large);
        else if (fabs(v) < min_medium)
            small = fma(v * small_scale, v * small_scale, small);
        else
            medium += v; /* NaN */
    }
    __device__ void combine(const squares_of_double &other)
    {
        medium += other.medium;
        large += other.large;
        small += other.small;
    }
    /* Returns the norm. If there are large numbers, ignores the small ones, but not medium ones and
     * NaN. */
    __device__ double root() const
    {
        if (large > 0 || isnan(large))
            return sqrt(large + medium * large_scale * large_scale) / large_scale;
        if (!(small > 0))
            return sqrt(medium);
        const double a = sqrt(medium), b = sqrt(small) / small_scale;
        if (isnan(a) || a == 0)
            return a + b;
        const double ratio = fmin(a, b) / fmax(a, b);
        return fmax(a, b) * sqrt(1 + ratio * ratio);
    }
};

template <typename T>
struct squares {
    using value = typename element<T>::real;

    std::conditional_t<sizeof(value) == 8, squares_of_double, squares_of_single> sum;

    __device__ void add(const T *v, unsigned int)
    {
        sum.add(real_part(v[0]));
        if constexpr (element<T>::is_complex)
            sum.add(v[0].y);
    }
    __device__ void combine(const squares &other)
    {
        sum.combine(other.sum);
    }
    __device__ value result() const
    {
        return static_cast<value>(sum.root());
    }
};

/* Returns whether the largest magnitude is from 2⁻⁴⁵⁰ to below 2⁴⁸⁶. Then no square overflows, and
 * the underflow of other squares is far below rounding. NaN and infinity count as largest, so that
 * the result is false. */
template <typename T, int packs>
__device__ inline bool squares_need_no_scaling(const pack<T> (&v)[packs][1])
{
    constexpr int min_bits = (1023 - 450) << 20, end_bits = (1023 + 486) << 20;
    int largest = 0;
#pragma unroll
    for (int u = 0; u < packs; u++)
#pragma unroll
        for (const T &e : v[u][0].e) {
            largest = max(largest, __double2hiint(real_part(e)) & 0x7fffffff);
            if constexpr (element<T>::is_complex)
                largest = max(largest, __double2hiint(e.y) & 0x7fffffff);
        }
    return largest >= min_bits && largest < end_bits;
}

/* Overloads add_packs (batch_reduce.cuh). If squares_need_no_scaling(), adds the numbers without
 * comparing each of them. */
template <typename T, int packs>
__device__ inline void add_packs(squares<T> &squares, pack<T> (&v)[packs][1], unsigned int i,
                                 unsigned int step)
{
    if constexpr (sizeof(typename element<T>::real) == 8)
        if (squares_need_no_scaling(v)) {
            for_each_element(v, i, step, [&](const T *values, unsigned int) {
                squares.sum.add_medium(real_part(values[0]));
                if constexpr (element<T>::is_complex)
                    squares.sum.add_medium(values[0].y);
            });
            return;
        }
    for_each_element(v, i, step,
                     [&](const T *values, unsigned int at) { squares.add(values, at); });
}

template <typename T>
int nrm2_batch(startile_exec *x, int count, const startile_matrices *X, void *result)
{
    return reduce_vectors<squares<T>, T, 1>(x, count, X, X, result);
}

INSTANTIATE(nrm2_batch);

} // namespace startile_cuda
