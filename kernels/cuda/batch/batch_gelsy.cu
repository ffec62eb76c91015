/*
 * Least squares of any rank of a batch, by the algorithm of LAPACK xGELSY. A thread block solves a
 * problem, in shared memory where it fits, otherwise in a workspace:
 *
 *     load A and B, scale them if an element is near the ends of the range
 *     factor_pivoted      A P = Q R, B := Qᴴ B                     (batch_pivoted.cuh)
 *     find_rank           r, by one warp                           (batch_rank.cuh)
 *     solve_pivoted       [R11 R12] = [L 0] Z if r < n, X := Zᴴ [L⁻¹ B; 0]
 *     store P X
 *
 * Error bounds: those of geqrf for the matrix whose R has no other rows than the first r (Higham,
 * Accuracy and Stability of Numerical Algorithms, 2nd ed., theorem 20.3).
 */
#include "batch/batch_rank.cuh"

namespace startile_cuda
{

/* Returns the largest x of a thread block, to all threads. */
__device__ inline double largest_of_block(double x)
{
    __shared__ double list[pivoted_batch_threads / 32];
    x = largest_over_lanes<32>(x);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        list[threadIdx.x / 32] = x;
    __syncthreads();
    x = list[0];
    for (int w = 1; w < int(blockDim.x) / 32; w++)
        x = fmax(x, list[w]);
    return x;
}

/* Returns 2^power x. */
template <typename T>
__device__ inline T times_power(T x, int power)
{
    const wide<T> y = convert<wide<T>>(x);
    return to_element<T>(scalbn(real_part(y), power), scalbn(imaginary_part(y), power));
}

/* Copies `columns` columns of m elements and scales the copies so that the largest element is near
 * 1, if it is so large or small that LAPACK scales it, too. Returns the exponent of the power of
 * two.
 */
template <typename T>
__device__ inline int copy_and_scale(const typename batch<T>::matrix &from, int m, int columns,
                                     T *to, int64_t ld)
{
    using S = wide<T>;
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
    double largest = 0;
    for (int c = warp; c < columns; c += warps)
        for (int i = lane; i < m; i += 32) {
            const T e = from(i, c);
            to[i + c * ld] = e;
            largest = fmax(largest, largest_part(convert<S>(e)));
        }
    largest = largest_of_block(largest);
    constexpr double least = is_single<T> ? FLT_MIN / FLT_EPSILON : DBL_MIN / DBL_EPSILON;
    if (largest == 0 || largest > DBL_MAX || (largest >= least && largest <= 1 / least))
        return 0;
    const int power = -ilogb(largest);
    for (int c = warp; c < columns; c += warps)
        for (int i = lane; i < m; i += 32)
            to[i + c * ld] = times_power(to[i + c * ld], power);
    return power;
}

/* Stores P X in the first n rows of `to`, and the rows of B below X. */
template <typename T>
__device__ inline void store_solution(const pivoted_problem<T> &p, int power_of_a, int power_of_b,
                                      const typename batch<T>::matrix &to)
{
    const int warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;
    for (int c = warp; c < p.sides; c += warps) {
        const T *const x = p.b + c * p.ldb;
        for (int i = lane; i < p.n; i += 32)
            to(p.order[i], c) = times_power(x[i], power_of_a - power_of_b);
        for (int i = p.n + lane; i < p.m; i += 32)
            to(i, c) = times_power(x[i], -power_of_b);
    }
}

/* Solves a problem with elements and right-hand sides. Returns the rank. */
template <typename T, typename Share>
__device__ inline int solve_problem(const pivoted_problem<T> &p, double rcond,
                                    const typename batch<T>::matrix &a,
                                    const typename batch<T>::matrix &b)
{
    constexpr double eps = is_single<T> ? FLT_EPSILON : DBL_EPSILON;
    __shared__ int rank;
    const int power_of_a = copy_and_scale(a, p.m, p.n, p.a, p.ld);
    const int power_of_b = copy_and_scale(b, p.m, p.sides, p.b, p.ldb);
    __syncthreads();
    begin_norms<Share>(p);
    factor_pivoted<Share>(p, static_cast<T *>(nullptr));
    if (threadIdx.x < 32) {
        const int found = find_rank(p, rcond < 0 ? eps * max(p.m, p.n) : rcond);
        if (threadIdx.x == 0)
            rank = found;
    }
    __syncthreads();
    solve_pivoted(p, rank);
    __syncthreads();
    store_solution(p, power_of_a, power_of_b, b);
    return rank;
}

template <typename T>
__device__ inline void clear_matrix(const typename batch<T>::matrix &b)
{
    for (int c = 0; c < b.n; c++)
        for (int i = threadIdx.x; i < b.m; i += blockDim.x)
            b(i, c) = to_element<T>(0, 0);
}

template <typename T, typename Share, placement where>
__global__ void __launch_bounds__(most_pivoted_threads<Share>)
    solve_pivoted_kernel(batch<T> A, batch<T> B, int64_t *ranks, double rcond,
                         pivoted_layout<T> layout, char *workspace, int64_t bytes, int count)
{
    for (int q = blockIdx.x; q < count; q += gridDim.x) {
        const auto a = A[q], b = B[q];
        int rank = 0;
        if (a.m == 0 || a.n == 0) {
            clear_matrix<T>(b);
        } else if (b.n > 0) {
            const pivoted_problem<T> p = problem_of<where>(layout, workspace, bytes, a.m, a.n, b.n);
            rank = solve_problem<T, Share>(p, rcond, a, b);
        }
        if (threadIdx.x == 0)
            ranks[q] = rank;
        __syncthreads();
    }
}

template <typename T>
int gelsy_batch(startile_exec *x, double rcond, int count, const startile_matrices *A,
                const startile_matrices *B, int64_t *rank)
{
    if (count == 0)
        return 0;
    const pivoted_layout<T> layout(A->m, A->n, B->n, true, x->max_smem - static_smem);
    const unsigned int blocks = layout.blocks(x, count);
    if (int error = reserve(x, blocks * layout.workspace()))
        return error;
    return with_pivoted_share(layout, [&](auto share, auto where) {
        return launch_with_smem(x, solve_pivoted_kernel<T, decltype(share), decltype(where)::value>,
                                blocks, layout.threads(most_pivoted_threads<decltype(share)>),
                                layout.smem(), batch<T>(A), batch<T>(B), rank, rcond, layout,
                                static_cast<char *>(x->workspace),
                                static_cast<int64_t>(layout.workspace()), count);
    });
}

INSTANTIATE(gelsy_batch);

} // namespace startile_cuda
