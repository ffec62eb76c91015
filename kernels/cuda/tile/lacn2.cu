/*
 * Steps of the 1-norm estimator (LAPACK xLACN2; Higham, "FORTRAN codes for estimating the one-norm
 * of a real or complex matrix", ACM TOMS 14, 1988), by one thread block. One block is enough: the
 * solve between two steps takes far longer than a step on 100 000 elements, and sums keep a fixed
 * order.
 */
#include "common/operations.cuh"

#include <algorithm>

namespace startile_cuda
{

constexpr int lacn2_threads = 1024;

/* Returns the larger number, or NaN if one of them is NaN. */
__device__ inline double larger_of(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

/* Modulus and index of an element. The larger modulus wins; of equal ones, the first; NaN wins over
 * all numbers. */
struct candidate {
    double value;
    int index;

    __device__ bool beats(candidate other) const
    {
        if (isnan(value) || isnan(other.value))
            return isnan(value) && !(isnan(other.value) && other.index < index);
        return value > other.value || (value == other.value && index < other.index);
    }
};

struct total {
    __device__ double operator()(double a, double b) const
    {
        return a + b;
    }
};

struct winner {
    __device__ candidate operator()(candidate a, candidate b) const
    {
        return a.beats(b) ? a : b;
    }
};

/* Combines the values of all threads of the block. Every thread gets the result. */
template <typename A, typename F>
__device__ A combine_all_threads(A mine, F combine)
{
    __shared__ A all[lacn2_threads];
    all[threadIdx.x] = mine;
    __syncthreads();
    for (int half = lacn2_threads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            all[threadIdx.x] = combine(all[threadIdx.x], all[threadIdx.x + half]);
        __syncthreads();
    }
    return all[0];
}

/* Returns v / |v|, or 1 for v = 0. */
template <typename T>
__device__ T sign_of(T v)
{
    double size = magnitude(v);
    if (size == 0)
        return to_element<T>(1, 0);
    if constexpr (element<T>::is_complex)
        return to_element<T>(v.x / size, v.y / size);
    else
        return isnan(v) ? v : copysign(T(1), v); /* ∞/∞ would be NaN */
}

template <typename T>
__device__ double sum_of_magnitudes(int n, const T *v)
{
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += lacn2_threads)
        sum += magnitude(v[i]);
    return combine_all_threads(sum, total());
}

/* Returns the element of largest modulus, to all threads. The initial modulus −1 is smaller than
 * that of any element. */
template <typename T>
__device__ candidate largest_of(int n, const T *v)
{
    candidate best = {-1, n};
    for (int i = threadIdx.x; i < n; i += lacn2_threads)
        best = winner()(best, {magnitude(v[i]), i});
    return combine_all_threads(best, winner());
}

/* Returns s v. */
template <typename T>
__device__ T scaled(double s, T v)
{
    if constexpr (element<T>::is_complex)
        return to_element<T>(s * v.x, s * v.y);
    else
        return static_cast<T>(s * v);
}

template <typename T>
__global__ void __launch_bounds__(lacn2_threads)
    lacn2_kernel(startile_lacn2 step, int n, double s, T *v, T *best, double *state)
{
    const bool starts = step == STARTILE_LACN2_START;
    const double old = starts ? 0 : state[STARTILE_LACN2_ESTIMATE];
    const bool repeats = !starts && state[STARTILE_LACN2_REPEATS] != 0;
    if (repeats && (step == STARTILE_LACN2_SIGN || step == STARTILE_LACN2_UNIT))
        return;
    double norm = 0;
    candidate largest = {0, 0};
    if (step == STARTILE_LACN2_UNIT)
        largest = largest_of(n, v);
    else if (!starts && !(repeats && step == STARTILE_LACN2_ALTERNATING))
        norm = sum_of_magnitudes(n, v);
    if (step == STARTILE_LACN2_END)
        norm = 2 * (norm / (3 * static_cast<double>(max(n, 1))));
    const bool raises = norm > old;

    for (int i = threadIdx.x; i < n; i += lacn2_threads) {
        if (best != nullptr && raises)
            best[i] = v[i];
        if (starts)
            v[i] = to_element<T>(s / static_cast<double>(n), 0);
        else if (step == STARTILE_LACN2_SIGN)
            v[i] = scaled(s, sign_of(v[i]));
        else if (step == STARTILE_LACN2_UNIT)
            v[i] = to_element<T>(i == largest.index ? s : 0, 0);
        else if (step == STARTILE_LACN2_ALTERNATING)
            v[i] = to_element<T>(
                s * (i % 2 ? -1 : 1) * (1 + i / static_cast<double>(max(n - 1, 1))), 0);
    }
    if (threadIdx.x != 0)
        return;
    if (step == STARTILE_LACN2_UNIT)
        norm = isnan(largest.value) ? largest.value : 0;
    state[STARTILE_LACN2_ESTIMATE] = larger_of(old, norm);
    if (starts)
        state[STARTILE_LACN2_INDEX] = state[STARTILE_LACN2_REPEATS] = 0;
    if (step == STARTILE_LACN2_UNIT) {
        state[STARTILE_LACN2_REPEATS] = state[STARTILE_LACN2_INDEX] == largest.index + 1;
        state[STARTILE_LACN2_INDEX] = largest.index + 1;
    }
}

template <typename T>
int lacn2(startile_exec *x, startile_lacn2 step, int n, double s, void *v, void *best,
          double *state)
{
    return launch(x, lacn2_kernel<T>, 1, lacn2_threads, step, n, s, static_cast<T *>(v),
                  static_cast<T *>(best), state);
}

INSTANTIATE(lacn2);

} // namespace startile_cuda
