/*
 * QR with column pivoting of a batch: a thread block factors a matrix (batch_pivoted.cuh), in
 * shared memory where it fits, otherwise in a workspace.
 *
 * Bound for 64 × 32 matrices in double precision: instructions, of which a step has about 800 in
 * all warps of its thread block. For large matrices: memory, by one read and one write of the
 * trailing matrix a step. The error bounds are those of geqrf (batch_geqrf.cu).
 */
#include "batch/batch_pivoted.cuh"

namespace startile_cuda
{

template <typename T, typename Share, placement where>
__global__ void __launch_bounds__(most_pivoted_threads<Share>)
    factor_pivoted_kernel(batch<T> A, batch<int64_t> P, batch<T> taus, pivoted_layout<T> layout,
                          char *workspace, int64_t bytes, int count)
{
    for (int q = blockIdx.x; q < count; q += gridDim.x) {
        const auto a = A[q];
        const pivoted_problem<T> p = problem_of<where>(layout, workspace, bytes, a.m, a.n, 0);
        for_columns<Share>(0, a.n, [&](Share &column, int c) {
            if (c < a.n)
                copy_column(column, &a(0, c), a.m, p.a + c * p.ld);
        });
        __syncthreads();
        begin_norms<Share>(p);
        factor_pivoted<Share>(p, taus[q].p);
        for_columns<Share>(0, a.n, [&](Share &column, int c) {
            if (c < a.n)
                copy_column(column, p.column(c), a.m, &a(0, c));
        });
        int64_t *const jpvt = P[q].p;
        for (int c = threadIdx.x; c < a.n; c += blockDim.x)
            jpvt[c] = p.order[c] + 1;
        __syncthreads();
    }
}

template <typename T>
int geqp3_batch(startile_exec *x, int count, const startile_matrices *A, const startile_matrices *P,
                const startile_matrices *tau)
{
    if (count == 0 || A->n == 0)
        return 0;
    const pivoted_layout<T> layout(A->m, A->n, 0, false, x->max_smem - static_smem);
    const unsigned int blocks = layout.blocks(x, count);
    if (int error = reserve(x, blocks * layout.workspace()))
        return error;
    return with_pivoted_share(layout, [&](auto share, auto where) {
        return launch_with_smem(
            x, factor_pivoted_kernel<T, decltype(share), decltype(where)::value>, blocks,
            layout.threads(most_pivoted_threads<decltype(share)>), layout.smem(), batch<T>(A),
            batch<int64_t>(P), batch<T>(tau), layout, static_cast<char *>(x->workspace),
            static_cast<int64_t>(layout.workspace()), count);
    });
}

INSTANTIATE(geqp3_batch);

} // namespace startile_cuda
