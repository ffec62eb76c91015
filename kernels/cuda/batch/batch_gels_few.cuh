/*
 * Systems of batch_gels.cu with few rows and few columns of B, a warp for each column of B. Lane i
 * has rows i and i + 32 of the column, and of each reflector and column of R, which it reads from
 * memory. The other kernel (batch_gels.cu) has a thread block for each matrix; with few columns
 * most of its lanes are idle.
 */
#ifndef STARTILE_BATCH_GELS_FEW_CUH
#define STARTILE_BATCH_GELS_FEW_CUH

#include "batch/batch_column_share.cuh"

namespace startile_cuda
{

/* Systems op(A) X = B with the factors of S */
template <typename T>
struct tall_systems {
    batch<T> S, tau, A, B; /* A: only its shape is used */
    bool adjoint;          /* op(A) = Aᴴ */
    int64_t *info;
};

template <typename T>
__device__ inline T quotient(T x, T y)
{
    if constexpr (element<T>::is_complex)
        return multiply(x, reciprocal(y));
    else
        return x / y;
}

constexpr int few_rows = 64, few_columns = 4, few_threads = 128;

/* A column in the registers of a warp */
template <typename T>
struct column_of_warp {
    T x[2] = {};

    __device__ static int row(int r)
    {
        return static_cast<int>(threadIdx.x % 32) + 32 * r;
    }

    /* Sets the rows begin … end − 1 from memory, and the others to zero. */
    __device__ void load(const T *from, int begin, int end)
    {
#pragma unroll
        for (int r = 0; r < 2; r++)
            x[r] = row(r) >= begin && row(r) < end ? from[row(r)] : to_element<T>(0, 0);
    }

    __device__ void store(T *to, int end) const
    {
#pragma unroll
        for (int r = 0; r < 2; r++)
            if (row(r) < end)
                to[row(r)] = x[r];
    }

    __device__ void set(int i, T value)
    {
#pragma unroll
        for (int r = 0; r < 2; r++)
            x[r] = row(r) == i ? value : x[r];
    }

    /* Returns element i, to all lanes. */
    __device__ T at(int i) const
    {
        return from_lane<32>(i < 32 ? x[0] : x[1], i % 32);
    }

    /* Returns vᴴ x, to all lanes. */
    __device__ T dot(const column_of_warp &v) const
    {
        const T sum = multiply_add(conjugate(v.x[1]), x[1],
                                   multiply_add(conjugate(v.x[0]), x[0], to_element<T>(0, 0)));
        return sum_over_lanes<32>(sum);
    }

    /* x += f v */
    __device__ void add(T f, const column_of_warp &v)
    {
#pragma unroll
        for (int r = 0; r < 2; r++)
            x[r] = multiply_add(f, v.x[r], x[r]);
    }
};

/* Applies Qᴴ or, with `forward` false, Q to the column. */
template <typename T>
__device__ void reflect_few(column_of_warp<T> &column, int m, int n, bool forward, const T *s,
                            int64_t ld, const T *tau)
{
    for (int step = 0; step < n; step++) {
        const int j = forward ? step : n - 1 - step;
        column_of_warp<T> v;
        v.load(s + j * ld, j + 1, m);
        v.set(j, to_element<T>(1, 0));
        const T factor = multiply(forward ? conjugate(tau[j]) : tau[j], column.dot(v));
        column.add(scaled<T>(-1, factor), v);
    }
}

/* Multiplies the first n rows of the column by R⁻¹ or, with by_adjoint, by R⁻ᴴ. */
template <typename T>
__device__ void substitute_few(column_of_warp<T> &column, int n, bool by_adjoint, const T *r,
                               int64_t ld)
{
    for (int step = 0; step < n; step++) {
        const int j = by_adjoint ? step : n - 1 - step;
        column_of_warp<T> above;
        above.load(r + j * ld, 0, j);
        const T diagonal = r[j + j * ld], top = column.at(j);
        if (by_adjoint) {
            const T known = scaled<T>(-1, column.dot(above));
            column.set(j, quotient(plus(top, known), conjugate(diagonal)));
        } else {
            const T solution = quotient(top, diagonal);
            column.set(j, solution);
            column.add(scaled<T>(-1, solution), above);
        }
    }
}

/* Returns the 1-based index of the first zero on R's diagonal, or 0, to all lanes. */
template <typename T>
__device__ int first_zero_of_few(const T *r, int64_t ld, int n)
{
    unsigned int zeros[2];
    for (int part = 0; part < 2; part++) {
        const int j = column_of_warp<T>::row(part);
        zeros[part] = __ballot_sync(all_lanes, j < n && is_zero(r[j + j * ld]));
    }
    return zeros[0] != 0 ? __ffs(zeros[0]) : zeros[1] != 0 ? 32 + __ffs(zeros[1]) : 0;
}

/* Solves with the factors of S. columns: the largest number of columns of a B, at least 1 */
template <typename T>
__global__ void __launch_bounds__(few_threads)
    solve_few_kernel(tall_systems<T> systems, int count, int columns)
{
    const int64_t warp = (int64_t(blockIdx.x) * few_threads + threadIdx.x) / 32;
    const int q = static_cast<int>(warp / columns), c = static_cast<int>(warp % columns);
    if (q >= count)
        return;
    const auto s = systems.S[q], b = systems.B[q], a = systems.A[q];
    const int m = max(a.m, a.n), n = min(a.m, a.n);
    const int info = b.n > 0 ? first_zero_of_few(s.p, s.ld, n) : 0;
    if (c == 0 && threadIdx.x % 32 == 0)
        systems.info[q] = info;
    if (info > 0 || c >= b.n)
        return;
    const bool is_least_norm = (a.m >= a.n) == systems.adjoint || n == 0;
    T *const place = b.p + c * int64_t(b.ld);
    column_of_warp<T> column;
    column.load(place, 0, is_least_norm ? n : m);
    if (!is_least_norm)
        reflect_few(column, m, n, true, s.p, s.ld, systems.tau[q].p);
    substitute_few(column, n, is_least_norm, s.p, s.ld);
    if (is_least_norm)
        reflect_few(column, m, n, false, s.p, s.ld, systems.tau[q].p);
    column.store(place, m);
}

} // namespace startile_cuda

#endif
