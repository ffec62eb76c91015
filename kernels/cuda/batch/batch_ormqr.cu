/*
 * Computes C := op(Q) C or C op(Q) for a batch. A group of lanes keeps one or two columns of C in
 * registers while the reflectors pass through shared memory, one after the other. C is read and
 * written once, and no triangle of a block reflector is needed. For C op(Q) the columns are those
 * of Cᴴ. Few large matrices are multiplied from the left one after the other, by block reflectors
 * (batch_large.cuh).
 *
 * Error: that of reflectors applied one by one, ‖ΔC‖_F ≤ c k m eps ‖C‖_F for k reflectors of m
 * elements and a small constant c (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
 * 19.3).
 */
#include "batch/batch_column_share.cuh"
#include "batch/batch_large.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Applies the reflectors to C. One thread block has a tile of columns of one matrix; a group of
 * lanes has Share::columns columns. */
template <typename T, typename Share>
__global__ void __launch_bounds__(share_threads, Share::min_blocks)
    reflect_batch_kernel(reflection<T> task, int count, int tiles)
{
    extern __shared__ double2 reflect_smem[];
    const int groups = blockDim.x / Share::lanes, columns = groups * Share::columns;
    for (int64_t problem = blockIdx.x; problem < int64_t(count) * tiles; problem += gridDim.x) {
        const int q = static_cast<int>(problem / tiles);
        const auto a = task.A[q], tau = task.tau[q], c = task.C[q];
        const int length = (task.is_row ? c.n : c.m) - task.row;
        const int vectors = min((task.is_row ? c.m : c.n) - task.column, task.vectors);
        const int first = static_cast<int>(problem % tiles) * columns;
        const int reflectors =
            min(min(task.count, length), (task.count_from_tau ? tau.m : a.n) - task.row);
        if (first >= vectors || reflectors <= 0)
            continue;
        const int group = first + threadIdx.x / Share::lanes;
        const int64_t along = task.is_row ? c.ld : 1, across = task.is_row ? 1 : c.ld;
        const auto place = [&](int i) {
            const int mine = group + i * groups;
            return strided_vector<T>{c.p + task.row * along + (task.column + mine) * across, along,
                                     mine < vectors ? length : 0, task.is_row};
        };
        Share column[Share::columns];
#pragma unroll
        for (int i = 0; i < Share::columns; i++) {
            column[i].lane = threadIdx.x % Share::lanes;
            column[i].load(place(i));
        }
        const reflectors_of_matrix<T> q_factor = {a.p + task.row + task.row * int64_t(a.ld),
                                                  tau.p + task.row, a.ld, length};
        reflect(column, reflectors, task.forward, reinterpret_cast<T *>(reflect_smem), q_factor);
#pragma unroll
        for (int i = 0; i < Share::columns; i++)
            column[i].store(place(i));
    }
}

template <typename T>
int reflect_batch(startile_exec *x, int count, const reflection<T> &task, int length)
{
    const int columns = task.vectors;
    if (count <= 0 || length <= 0 || columns <= 0)
        return 0;
    return with_share<T>(length, [&](auto share) {
        using Share = decltype(share);
        const int threads = threads_for(ceil_div(columns, Share::columns), Share::lanes);
        const int tiles = ceil_div(columns, threads / Share::lanes * Share::columns);
        return launch_with_smem(x, reflect_batch_kernel<T, Share>,
                                blocks_for(int64_t(count) * tiles), threads,
                                columns_bytes<Share, T>, task, count, tiles);
    });
}

/* Columns of C from which op(Q) C is computed one by one for large matrices: 4 of order 2048 in
 * double precision took 171 ms by reflectors (H200). */
constexpr int least_columns = 64;

template <typename T>
int ormqr_batch(startile_exec *x, char side, char trans, int count, const startile_matrices *A,
                const startile_matrices *tau, const startile_matrices *C)
{
    const bool is_row = side == 'R';
    if (!is_row && C->n >= least_columns && geqrf_is_one_by_one(count, A))
        return ormqr_one_by_one<T>(x, trans, count, A, tau, C, nullptr);
    const int length = is_row ? C->n : C->m, vectors = is_row ? C->m : C->n;
    const reflection<T> task = {A,      tau,     C,    0,      0,
                                tau->m, vectors, true, is_row, (trans == 'N') == is_row};
    return reflect_batch(x, count, task, length);
}

INSTANTIATE(reflect_batch);
INSTANTIATE(ormqr_batch);

} // namespace startile_cuda
