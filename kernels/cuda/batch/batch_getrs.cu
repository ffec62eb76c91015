/*
 * B := op(A)⁻¹ B from the LU factors of many matrices. Up to order 32, or 16 with one right-hand
 * side, a lane has one right-hand side (batch_lu_group.cuh). Otherwise a thread block has one or
 * eight (batch_lu_solve.cuh).
 *
 * Bound for few right-hand sides: memory, one read of the factors. Error: (op(A) + ΔA) x = b with
 * |ΔA| ≤ c n eps |L| |U|, where c is a small constant and P is left out (Higham, Accuracy and
 * Stability of Numerical Algorithms, 2nd ed., 9.4).
 */
#include "batch/batch_lu_group.cuh"
#include "batch/batch_lu_solve.cuh"

#include <algorithm>

namespace startile_cuda
{

template <typename T>
struct getrs_task {
    char trans;
    batch<T> A;
    batch<int64_t> P;
    bool pivots; /* P has interchanges; otherwise P is not used */
    batch<T> B;
    const int64_t *factor_info;
};

/* Solves with matrices of order at most N, N lanes per matrix. */
template <typename T, int N>
__global__ void __launch_bounds__(lu_group_threads<T, N>)
    getrs_warp_kernel(int count, getrs_task<T> task)
{
    __shared__ lu_group_smem<T, N> smem_of_groups[lu_group_threads<T, N> / N];
    lu_group<T, N> group(smem_of_groups, blockIdx.x, count, task.A);
    const bool transposed = task.trans != 'N';
    const int n = group.matrix.n;
    group.load(transposed, task.trans == 'C');
    group.find_sources(task.pivots ? task.P[group.q].p : nullptr);
    const int *const sources = group.smem.sources;
    const auto b = task.B[group.q];
    if (task.factor_info != nullptr && task.factor_info[group.q] != 0)
        return;
    for (int c = group.lane; n > 0 && c < b.n; c += N) {
        /* Keeps the compiler from holding all factors in registers between passes. */
        asm volatile("" ::: "memory");
        T x[N];
#pragma unroll
        for (int i = 0; i < N; i++)
            x[i] = i < n ? b(transposed ? i : sources[i], c) : to_element<T>(0, 0);
        group.solve(x, transposed);
#pragma unroll
        for (int i = 0; i < N; i++)
            if (i < n)
                b(transposed ? sources[i] : i, c) = x[i];
    }
}

template <typename T, int N>
static int solve_in_warps(startile_exec *x, int count, const getrs_task<T> &task)
{
    constexpr int threads = lu_group_threads<T, N>;
    return launch(x, getrs_warp_kernel<T, N>, ceil_div(count, threads / N), threads, count, task);
}

template <typename T, int columns>
static int solve_in_blocks(startile_exec *x, int count, const getrs_task<T> &task)
{
    constexpr unsigned int max_strips = 65535;
    const int n = task.A.n, warps = std::min(getrs_warps, static_cast<int>(ceil_div(n, 32)));
    const size_t bytes = getrs_bytes<T>(n, columns, task.trans != 'N', warps);
    if (bytes > static_cast<size_t>(x->max_smem))
        return STARTILE_ERROR_MEMORY;
    const unsigned int strips = std::min(ceil_div(task.B.n, columns), max_strips);
    return launch_with_smem(x, getrs_kernel<T, columns>,
                            dim3(static_cast<unsigned int>(count), strips), 32 * warps, bytes,
                            task.trans, task.A, task.P, task.pivots, task.B, task.factor_info);
}

constexpr int max_getrs_columns = 8;

template <typename T>
int getrs_batch(startile_exec *x, char trans, int count, const startile_matrices *A,
                const startile_matrices *P, const startile_matrices *B, const int64_t *factor_info)
{
    const startile_matrices no_pivots = {};
    const getrs_task<T> task = {trans,        A, P != nullptr ? P : &no_pivots,
                                P != nullptr, B, factor_info};
    const int n = A->n;
    if (count == 0 || n == 0 || B->n == 0)
        return 0;
    if (n <= 8)
        return solve_in_warps<T, 8>(x, count, task);
    if (n <= 16)
        return solve_in_warps<T, 16>(x, count, task);
    if (n <= 32 && B->n > 1)
        return solve_in_warps<T, 32>(x, count, task);
    const size_t bytes = getrs_bytes<T>(n, max_getrs_columns, trans != 'N', getrs_warps);
    if (B->n > 1 && bytes <= static_cast<size_t>(x->max_smem))
        return solve_in_blocks<T, max_getrs_columns>(x, count, task);
    return solve_in_blocks<T, 1>(x, count, task);
}

INSTANTIATE(getrs_batch);

} // namespace startile_cuda
