/*
 * Applies the block reflector of a strip to the other columns in one kernel: W := Tᴴ Vᴴ C and C :=
 * C − V W. A cluster of 16 thread blocks of eight warps has 16 columns of C. Block r has a
 * sixteenth of the rows, and column r of W.
 *
 *     block r, all warps                              block b (every block)
 *
 *     V^H C over its rows, for all 16 columns
 *     sums of column b
 *       --store_async--> parts[r] of block b,
 *                        counted on parts_received    warp 0: wait parts_received
 *                                                     sum of the parts; times T^H: column b of W
 *     w[b] of every block  <--store_async--
 *     counted on w_received
 *     all warps: wait w_received
 *     C -= V W over its rows
 *
 * Between the two passes, a block's rows of V and C stay in the L1 cache if the block has few
 * enough rows. For the columns left of the strip, which hold V, the kernel computes only W, from
 * which T follows.
 *
 * Error: |ΔC| ≤ c (m + k) eps |V| |T|ᴴ |V|ᴴ |C|, elementwise, for V with m rows and k columns and a
 * small constant c.
 */
#include "geqrf/qr_update_block.cuh"

namespace startile_cuda
{

template <typename T>
__global__ void __launch_bounds__(update_threads) qr_update_kernel(qr_update<T> u)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(16) unsigned char shared[];
    qr_update_smem<T> &smem = *reinterpret_cast<qr_update_smem<T> *>(shared);
    if (threadIdx.x == 0) {
        mbarrier::init_for_cluster(&smem.parts_received);
        mbarrier::init_for_cluster(&smem.w_received);
    }
    cluster_barrier();
    wait_for_previous_kernel();
    const int rank = cluster_rank(), tile = blockIdx.x / update_blocks;
    const int left_tiles = (u.left + update_columns - 1) / update_columns;
    const bool is_left = tile < left_tiles;
    const int first = (is_left ? tile : tile - left_tiles) * update_columns;
    const int rows = ((u.m + update_blocks - 1) / update_blocks + 15) / 16 * 16;
    qr_updater<T> updater = {u,
                             smem,
                             (is_left ? u.left_c : u.right_c) + first * u.ld,
                             min(update_columns, (is_left ? u.left : u.right) - first),
                             rank * rows,
                             min(rank * rows + rows, u.m),
                             rank,
                             static_cast<int>(threadIdx.x) / 32,
                             static_cast<int>(threadIdx.x) % 32};
    updater.run(is_left ? u.w + first * u.k : nullptr);
#endif
}

template <typename T>
int apply_block_reflector(startile_exec *x, const qr_update<T> &u)
{
    const unsigned int tiles = ceil_div(u.left, update_columns) + ceil_div(u.right, update_columns);
    constexpr int bytes = sizeof(qr_update_smem<T>);
    return launch_clusters(x, qr_update_kernel<T>, tiles * update_blocks, update_blocks,
                           update_threads, bytes, bytes, u);
}

INSTANTIATE(apply_block_reflector);

} // namespace startile_cuda
