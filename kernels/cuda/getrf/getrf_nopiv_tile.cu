/* LU of a matrix without pivoting, and the inverses of its factors, in one kernel
 * (tile_tasks/task_list.cuh) */
#include "common/operations.cuh"
#include "getrf/getrf_nopiv_strip.cuh"
#include "tile_tasks/tile_kernel.cuh"

namespace startile_cuda
{

/* Largest number of thread blocks: the number of multiprocessors of an H100 */
constexpr int max_nopiv_blocks = 132;

/* Number of thread blocks per column of tiles. Other kernels may use the other multiprocessors; a
 * thread block here takes one. With inverses on an H100, double of order 1024 takes 336, 319, 317
 * and 319 µs with 32, 48, 64 and 132 blocks, complex single of order 1536 1425 and 1258 with 96 and
 * 132. The value for real single precision is an estimate. */
template <typename T>
constexpr int blocks_per_column = sizeof(real_of<T>) == 8 ? 4 : 6;

template <typename T>
size_t nopiv_tiles_workspace(int n, bool with_inverses)
{
    return tile_kernel_workspace<T, 2>(n, with_inverses);
}

template <typename T>
int nopiv_tiles_smem()
{
    return tile_kernel_smem<T, 2>();
}

template <typename T>
int nopiv_by_tiles(startile_exec *x, int n, T *a, int lda, T *wl, int ldwl, T *wu, int ldwu,
                   double largest_norm, startile_tile_status *status)
{
    tile_jobs<T, 2> jobs = {};
    const bool with_inverses = wl != nullptr && wu != nullptr;
    for (int side = 0; side < 2; side++) {
        tile_job<T, 2> &job = jobs.side[side];
        job.upper = side == 1;
        job.a = a;
        job.lda = lda;
        job.w = !with_inverses ? nullptr : side == 0 ? wl : wu;
        job.ldw = side == 0 ? ldwl : ldwu;
        job.largest_norm = largest_norm;
        job.status = status;
    }
    const int64_t blocks = blocks_per_column<T> * ceil_div(n, tile<T>::order);
    return launch_tile_kernel<T, nopiv_strips<T>>(x, n, jobs,
                                                  std::min<int64_t>(blocks, max_nopiv_blocks));
}

INSTANTIATE(nopiv_tiles_workspace);
INSTANTIATE(nopiv_tiles_smem);
INSTANTIATE(nopiv_by_tiles);

} // namespace startile_cuda
