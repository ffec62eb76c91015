/* Cholesky of a matrix and the inverse of its factor in one kernel (tile_tasks/task_list.cuh) */
#include "common/operations.cuh"
#include "potrf/potrf_strip.cuh"
#include "tile_tasks/tile_kernel.cuh"

#include <cfloat>

namespace startile_cuda
{

/* Largest number of thread blocks: the number of multiprocessors of an H100. With twice as many,
 * two blocks of one multiprocessor slow each other down, and a matrix of order 2048 takes 1.2 times
 * as long. With half as many, it takes 1.3 times as long. */
constexpr int max_potrf_blocks = 132;

template <typename T>
size_t potrf_tiles_workspace(int n, bool with_inverse)
{
    return tile_kernel_workspace<T, 1>(n, with_inverse);
}

template <typename T>
int potrf_tiles_smem()
{
    return tile_kernel_smem<T, 1>();
}

template <typename T>
int potrf_by_tiles(startile_exec *x, char uplo, int n, T *a, int lda, T *w, int ldw,
                   startile_tile_status *status)
{
    tile_jobs<T, 1> jobs = {};
    jobs.side[0].upper = uplo == 'U';
    jobs.side[0].a = a;
    jobs.side[0].lda = lda;
    jobs.side[0].w = w;
    jobs.side[0].ldw = ldw;
    jobs.side[0].largest_norm = DBL_MAX;
    jobs.side[0].status = status;
    return launch_tile_kernel<T, potrf_strips<T>>(x, n, jobs, max_potrf_blocks);
}

INSTANTIATE(potrf_tiles_workspace);
INSTANTIATE(potrf_tiles_smem);
INSTANTIATE(potrf_by_tiles);

} // namespace startile_cuda
