/*
 * Cholesky factorization of a batch. By order:
 *
 *     up to 32: potrf_lanes_kernel, 8, 16 or 32 lanes per matrix (batch_potrf_lanes.cuh)
 *
 *       lane i: row i in registers --> column[j % 2] in shared memory --> all lanes: rows -= ...
 *
 *     up to one tile: potrf_one_tile_kernel, one block per matrix, in shared memory
 *       (batch_potrf_tiles.cuh); the roles of the warps as in tile_tasks/factor_tile.cuh
 *
 *       warp 0: factors eight columns        warps 1-3: update the eight columns after these
 *       all warps: update the next eight columns with those that warp 0 factored
 *
 *     larger, few: one after the other (batch_large.cuh)
 *     larger: left-looking, for each column k of tiles; potrf_tiles_kernel, one block per matrix,
 *       or with at most one matrix per multiprocessor factor_by_columns(), one block per tile
 *
 *       update(k, k)     global memory --> tile s in shared memory; s -= products (registers)
 *       factor_tile      s --> L, W = L^-1 in shared memory (tile_tasks/factor_tile.cuh)
 *       for i > k        update(i, k), then multiply(i, k) by W^H, or solve(i, k)
 *
 * An upper triangle is factored as a lower one in the transposed view: Aᵀ = Uᵀ conj(U), so that no
 * element needs to be conjugated. In potrf_lanes_kernel columns pass through shared memory, 16
 * bytes a load. With shuffles, of which a double takes two, the shuffles would be the bound. The
 * tiles below a diagonal tile with the factor L are multiplied by Wᴴ, W = L⁻¹, if ‖L‖ ‖W‖ ≤ order
 * in the ∞-norm; otherwise they are solved by substitution (tile_tasks/diagonal_task.cuh has the
 * error bound).
 *
 * The method follows Dong, Haidar, Tomov & Dongarra, "A fast batched Cholesky factorization on a
 * GPU", ICPP 2014.
 */
#include "batch/batch_large.cuh"
#include "batch/batch_potrf_lanes.cuh"
#include "batch/batch_potrf_tiles.cuh"

namespace startile_cuda
{

template <typename T, int N>
static int launch_in_registers(startile_exec *x, bool is_upper, int count, const batch<T> &a,
                               int64_t *info)
{
    return launch(x, potrf_lanes_kernel<T, N>, ceil_div(count, potrf_lanes_threads / N),
                  potrf_lanes_threads, a, is_upper, count, a.n, info);
}

/* Order above which factor_by_columns() is the faster way for at most one matrix per multiprocessor
 * (H200, double precision, milliseconds of one block per matrix and of columns: 16 of order 512
 * 0.51, 0.35; 132 of order 512 0.57, 0.57; 60 of order 1024 3.1, 1.6; single precision, 64 of order
 * 256 0.21, 0.21) */
constexpr int least_by_columns = 256;

/* Factors column of tiles by column of tiles, each with one launch for the diagonal tiles and one
 * for the tiles below them. */
template <typename T>
static int factor_by_columns(startile_exec *x, bool is_upper, int count, const batch<T> &a,
                             int64_t *info)
{
    constexpr int order = tile<T>::order;
    const size_t elements = size_t(count) * tile<T>::elements;
    if (int error = reserve(x, elements * sizeof(T) + count * sizeof(int)))
        return error;
    T *const w = static_cast<T *>(x->workspace);
    const diagonal_inverses<T> inverses = {w, reinterpret_cast<int *>(w + elements)};
    for (int k0 = 0; k0 < a.n; k0 += order) {
        const unsigned int below = ceil_div(a.n - k0, order) - 1;
        if (int error = launch_with_smem(x, potrf_diagonal_kernel<T>, count, tile_threads,
                                         3 * tile<T>::bytes, a, is_upper, k0, inverses, info))
            return error;
        if (below == 0)
            return 0;
        if (int error = launch_with_smem(x, potrf_below_kernel<T>,
                                         dim3(static_cast<unsigned int>(count), below),
                                         tile_threads, 3 * tile<T>::bytes, a, is_upper, k0,
                                         inverses, static_cast<const int64_t *>(info)))
            return error;
    }
    return 0;
}

template <typename T>
int potrf_batch(startile_exec *x, char uplo, int count, const startile_matrices *A, int64_t *info)
{
    const batch<T> a(A);
    const bool is_upper = uplo == 'U';
    if (count == 0)
        return 0;
    if (a.n <= 8)
        return launch_in_registers<T, 8>(x, is_upper, count, a, info);
    if (a.n <= 16)
        return launch_in_registers<T, 16>(x, is_upper, count, a, info);
    if (a.n <= 32)
        return launch_in_registers<T, 32>(x, is_upper, count, a, info);
    if constexpr (tile<T>::order > 32)
        if (a.n <= tile<T>::order)
            return launch_with_smem(x, potrf_one_tile_kernel<T>, count, tile_threads,
                                    tile<T>::bytes, a, is_upper, info);
    if (potrf_is_one_by_one(count, a.n))
        return potrf_one_by_one<T>(x, uplo, count, A, info);
    if (count <= x->multiprocessors && a.n > least_by_columns)
        return factor_by_columns(x, is_upper, count, a, info);
    return launch_with_smem(x, potrf_tiles_kernel<T>, count, tile_threads, 3 * tile<T>::bytes, a,
                            is_upper, info);
}

INSTANTIATE(potrf_batch);

} // namespace startile_cuda
