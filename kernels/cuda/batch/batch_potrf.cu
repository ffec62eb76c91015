/*
 * Cholesky factorization of a batch. Upper triangles are lower ones seen across the diagonal:
 * Aᵀ = Uᵀ conj(U), so that no element is conjugated on the way.
 *
 * Up to order 32 a matrix is in the registers of 8, 16 or 32 lanes, a row to a lane; a column goes
 * to the other lanes through shared memory, two to four elements a load: with shuffles, of which
 * a double takes two, these would be what bounds it. Up to the order of a tile, a thread block has
 * the matrix in shared memory (potrf_block.cuh). Beyond, a thread block goes through the tiles of
 * its matrix, column by column of tiles, left-looking: so a tile is written once. All are one
 * launch.
 *
 * The rows below a diagonal tile are multiplied with its inverse where ‖L‖ ‖W‖ ≤ order in the
 * ∞-norm, and substituted where not (potrf_diagonal.cuh has the bound).
 *
 * After Dong, Haidar, Tomov & Dongarra, "A fast batched Cholesky factorization on a GPU", ICPP
 * 2014.
 */
#include "batch/batch_potrf_lanes.cuh"
#include "batch/batch_potrf_tiles.cuh"

namespace startile_cuda
{

template <typename T, int N>
static int launch_in_registers(startile_exec *x, bool is_upper, int count, const batch<T> &a,
                               int64_t *info)
{
    return launch(x, potrf_lanes_kernel<T, N>, ceil_div(count, warp_class_threads / N),
                  warp_class_threads, a, is_upper, count, a.n, info);
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
    return launch_with_smem(x, potrf_tiles_kernel<T>, count, tile_threads, 3 * tile<T>::bytes, a,
                            is_upper, info);
}

template decltype(potrf_batch<float>) potrf_batch<float>;
template decltype(potrf_batch<double>) potrf_batch<double>;
template decltype(potrf_batch<cuComplex>) potrf_batch<cuComplex>;
template decltype(potrf_batch<cuDoubleComplex>) potrf_batch<cuDoubleComplex>;

} // namespace startile_cuda
