/*
 * Cholesky or LU without pivoting of a matrix, the inverse of each factor and the check of these
 * inverses (as in trtri.cu), in one kernel, without steps on the host. The matrix is cut into tiles
 * that fit registers and shared memory.
 *
 *     thread block (four warps a side, all blocks alike):    ready flags in global memory
 *
 *         task = list[atomicAdd(ticket)]
 *         wait_until, count_ready: load_acquire  <---------  factor_ready[i][j], diagonal_ready[i],
 *         copy the tiles from global to shared memory        presum_ready[i], inverse_ready[j][i]
 *         multiply, factor or solve, in registers               ^
 *         store the result to global memory                     |
 *         store_release of its own flag  -----------------------+
 *
 *     the list, for steps s = 0 ... nt of a matrix of nt × nt tiles:
 *         diagonal   L(s, s), W(s, s) and L(s, s - 1)                 (diagonal_task.cuh)
 *         presum     partial sums of tiles (s + 3, s + 3) and (s + 3, s + 2)
 *         panel      L(i, s - 1) for i > s                            (block_tasks.cuh)
 *         inverse    row i = s - 1:
 *                    W(i, j) = -W(i, i) sum of L(i, k) W(k, j) over j <= k < i
 *       and at the end
 *         norms      by columns of tiles (upper: rows)
 *
 * These are the tasks of Cholesky and of LU's side L. LU's side V (tile_job.cuh) has the same,
 * which the same thread block runs at the same time.
 *
 * The kernel cannot deadlock: a task needs only results of tasks before it in the list, which
 * running thread blocks have taken already. So at least one thread block can always proceed,
 * however few of them the device runs at a time.
 *
 * Bound: the latency of the diagonal tiles (potrf_strip.cuh, getrf_nopiv_strip.cuh), which are
 * computed one after the other.
 *
 * The scheme of lists and flags is that of Kurzak, Buttari & Dongarra, "Solving systems of linear
 * equations on the CELL processor using Cholesky factorization", IEEE TPDS 19 (2008).
 */
#ifndef STARTILE_TASK_LIST_CUH
#define STARTILE_TASK_LIST_CUH

#include "tile_tasks/block_tasks.cuh"

namespace startile_cuda
{

enum task_kind { diagonal_kind, presum_kind, panel_kind, inverse_kind, norms_kind, no_kind };

struct tile_task {
    task_kind kind;
    int i, j;
};

/* Position of a thread block in the list of tasks. It only moves forward. */
struct task_list {
    int tiles;
    bool with_inverse;
    int step = 0, first = 0; /* first: ticket of the step's first task */

    /* Return the number of tasks of each kind in the current step. */
    __device__ int diagonals() const
    {
        return step < tiles;
    }

    __device__ int presums() const
    {
        return step > 1 && step + lookahead < tiles;
    }

    __device__ int panels() const
    {
        return step > 0 ? max(0, tiles - 1 - step) : 0;
    }

    __device__ int inverses() const
    {
        return with_inverse ? max(0, step - 1) : 0;
    }

    /* Returns the task with number `ticket` in the list, and moves to its step. Tickets of
     * successive calls increase. */
    __device__ tile_task at(int ticket)
    {
        for (; step <= tiles; step++) {
            const int all = diagonals() + presums() + panels() + inverses();
            if (ticket < first + all)
                break;
            first += all;
        }
        int remaining = ticket - first;
        if (step > tiles)
            return {with_inverse && remaining < tiles ? norms_kind : no_kind, remaining, 0};
        if (remaining < diagonals())
            return {diagonal_kind, step, 0};
        remaining -= diagonals();
        if (remaining < presums())
            return {presum_kind, step + lookahead, 0};
        remaining -= presums();
        if (remaining < panels())
            return {panel_kind, step + 1 + remaining, step - 1};
        return {inverse_kind, step - 1, remaining - panels()};
    }
};

} // namespace startile_cuda

#endif
