/*
 * LU of many matrices, with or without partial pivoting. The method depends on the size:
 *
 *     up to 32 x 32: lu_warp_kernel, 4 to 32 lanes per matrix, one row per lane, in registers
 *       (batch_lu_warp.cuh)
 *     at least four matrices fit shared memory: lu_block_kernel, one block per matrix, one row per
 *       thread, in shared memory (batch_lu_block.cuh)
 *     few large ones: one after the other (batch_large.cuh)
 *     otherwise: for each panel of up to 32 columns, with one launch for the whole batch,
 *
 *       lu_block_kernel    factors the panel; lu_long_kernel if it has too many rows
 *           |                (batch_lu_long.cuh)
 *           |   L, pivots, sources (original position of each row)
 *           v
 *       lu_strip_kernel    other columns, one block per strip: interchanges, U := L11^-1 A12,
 *                          A22 -= L21 U (batch_lu_strip.cuh)
 *
 * Error: P A + ΔA = L U with |ΔA| ≤ c k eps |L| |U|, elementwise, for k = min(m, n) and a small
 * constant c (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 9.3 and 13.2). No
 * inverses are used. Large matrices one after the other have the errors of getrf/.
 *
 * The blocking by columns follows Dong, Haidar, Tomov & Dongarra, "A fast batched Cholesky
 * factorization on a GPU", ICPP 2014.
 */
#include "batch/batch_large.cuh"
#include "batch/batch_lu_block.cuh"
#include "batch/batch_lu_long.cuh"
#include "batch/batch_lu_strip.cuh"
#include "batch/batch_lu_warp.cuh"

#include <algorithm>
#include <type_traits>

namespace startile_cuda
{

template <typename T>
struct lu_task {
    startile_exec *x;
    int count;
    batch<T> A;
    batch<int64_t> P;
    bool pivots; /* P has interchanges; otherwise P is not used */
    int64_t *info;
};

/* Factors matrices of at most N rows and columns, N lanes each. */
template <typename T, int N>
static int factor_in_warps(const lu_task<T> &task)
{
    return launch(task.x, lu_warp_kernel<T, N>, ceil_div(task.count, lu_warp_threads / N),
                  lu_warp_threads, task.count, task.A, task.P, task.pivots, task.info);
}

/* Calls f(integral constant) with the maximal number of threads of the kernel for m rows. */
template <typename F>
static auto with_threads(int m, F f)
{
    if (m <= small_lu_threads)
        return f(std::integral_constant<int, small_lu_threads>());
    if (m <= medium_lu_threads)
        return f(std::integral_constant<int, medium_lu_threads>());
    return f(std::integral_constant<int, max_lu_threads>());
}

/* Returns the bytes of shared memory of lu_block_kernel for an m × n matrix. */
template <typename T>
static size_t lu_block_bytes(int m, int n)
{
    return with_threads(m,
                        [&](auto max_threads) { return lu_smem<T, max_threads()>::bytes(m, n); });
}

/* Returns whether lu_block_kernel can factor m × n matrices. */
template <typename T>
static bool fits_block(const startile_exec *x, int m, int n)
{
    return m <= max_lu_threads && lu_block_bytes<T>(m, n) <= static_cast<size_t>(x->max_smem);
}

/* Factors `width` columns from row and column `first` on, one thread block per matrix. */
template <typename T>
static int factor_in_blocks(const lu_task<T> &task, int first, int width, int *sources)
{
    const int m = task.A.m - first, threads = (m + 31) / 32 * 32;
    return with_threads(m, [&](auto max_threads) {
        return launch_with_smem(task.x, lu_block_kernel<T, max_threads()>, task.count, threads,
                                lu_smem<T, max_threads()>::bytes(m, width), task.A, task.P,
                                task.pivots, task.info, first, width, sources);
    });
}

/* Returns whether one thread block per matrix is used instead of panels: if m is at most
 * max_lu_threads and at least four blocks fit the shared memory of a multiprocessor, where they
 * hide each other's latency. That is the faster way on an H200, except for order 64 in double
 * precision. TFLOP/s of one block and of panels, the chosen way first named: double, order 64:
 * block 1.7, panels 1.9; order 128: panels 3.0, block 1.2; single, order 100: block 4.0, panels
 * 2.7; order 128: panels 4.9, block 4.1. */
template <typename T>
static bool suits_block(const startile_exec *x, int m, int n)
{
    return m <= max_lu_threads && 4 * lu_block_bytes<T>(m, n) <= static_cast<size_t>(x->max_smem);
}

/* Returns the width of a panel of m rows when n columns remain; 0 if no panel fits shared
 * memory. */
template <typename T>
static int panel_width(const startile_exec *x, int m, int n)
{
    int width = std::min(max_panel_width, (n + lu_width - 1) / lu_width * lu_width);
    while (width > 0 && !fits_block<T>(x, m, width))
        width -= lu_width;
    return width;
}

/* Factors the panel that begins at column `first`, and updates all other columns. Sets *width to
 * the panel's width. */
template <typename T>
static int factor_panel(const lu_task<T> &task, int first, int *width, int *sources)
{
    constexpr int order = tile<T>::order;
    const int fitting = panel_width<T>(task.x, task.A.m - first, task.A.n - first);
    *width = fitting > 0 ? fitting : max_panel_width;
    if (fitting > 0) {
        if (int error = factor_in_blocks(task, first, *width, sources))
            return error;
    } else if (int error = launch(task.x, lu_long_kernel<T>, task.count, lu_long_threads, task.A,
                                  task.P, task.pivots, task.info, first, *width, sources)) {
        return error;
    }
    const unsigned int strips =
        ceil_div(first, order) + ceil_div(std::max(task.A.n - first - *width, 0), order);
    if (strips == 0)
        return 0;
    return launch_with_smem(task.x, lu_strip_kernel<T>,
                            dim3(static_cast<unsigned int>(task.count), strips), tile_threads,
                            sizeof(lu_strip_smem<T>), task.A, first, *width,
                            static_cast<const int *>(sources));
}

/* Factors panel by panel. `sources` in the workspace has the original position of each row of each
 * matrix. */
template <typename T>
static int factor_by_panels(const lu_task<T> &task)
{
    int *sources = nullptr;
    if (task.pivots)
        if (int error = workspace(task.x, static_cast<size_t>(task.count) * task.A.m, &sources))
            return error;
    for (int first = 0, width = 0; first < std::min(task.A.m, task.A.n); first += width)
        if (int error = factor_panel(task, first, &width, sources))
            return error;
    return 0;
}

template <typename T>
int getrf_batch(startile_exec *x, int count, const startile_matrices *A, const startile_matrices *P,
                int64_t *info)
{
    const startile_matrices no_pivots = {};
    const lu_task<T> task = {x, count, A, P != nullptr ? P : &no_pivots, P != nullptr, info};
    const int larger = std::max(A->m, A->n);
    if (count == 0)
        return 0;
    if (A->m == 0 || A->n == 0)
        return check(cudaMemsetAsync(info, 0, count * sizeof *info, x->stream));
    if (larger <= 4)
        return factor_in_warps<T, 4>(task);
    if (larger <= 8)
        return factor_in_warps<T, 8>(task);
    if (larger <= 16)
        return factor_in_warps<T, 16>(task);
    if (larger <= 32)
        return factor_in_warps<T, 32>(task);
    if (suits_block<T>(x, A->m, A->n))
        return factor_in_blocks(task, 0, A->n, nullptr);
    if (getrf_is_one_by_one(count, A->m, A->n) && (P != nullptr || (A->m == A->n && !A->sizes)))
        return getrf_one_by_one<T>(x, count, A, P, info);
    return factor_by_panels(task);
}

INSTANTIATE(getrf_batch);

} // namespace startile_cuda
