/*
 * Triangular solves with a batch of triangles, for trsm and potrs. Views of the matrices reduce all
 * cases to one: M X = B for a lower triangle M. M is op(A) for side L and op(A)ᵀ for side R. A
 * right-hand side is a column of B for side L and a row of B for side R. If M is upper, the order
 * of its rows and columns and of B's rows is reversed (solve_view).
 *
 *     order up to 32 (16 in double complex): a lane has one right-hand side in registers; M, with
 *       reciprocals on its diagonal, is in shared memory (batch_solve_lanes.cuh)
 *     larger, few right-hand sides: a block has a triangle, a warp has a right-hand side
 *       (batch_solve_few.cu)
 *     larger: a block has as many right-hand sides as a tile has rows, and goes down the tiles of
 *       M, left-looking (batch_trsm.cu)
 *
 * Bound for small orders: memory. Error: that of substitution, |M| |X| n eps, with one more
 * rounding for the reciprocals of the diagonal. The reciprocal of a diagonal element below
 * 1/overflow threshold is infinite.
 */
#ifndef STARTILE_BATCH_SOLVE_CUH
#define STARTILE_BATCH_SOLVE_CUH

#include "batch/batch_tile.cuh"

namespace startile_cuda
{

/* View of a triangle and its right-hand sides as M X = B with lower M */
struct solve_view {
    bool right, transposed, conjugated, reversed, unit;

    solve_view(char side, char uplo, char trans, char diag)
        : right(side == 'R'), transposed((trans != 'N') != right), conjugated(trans == 'C'),
          reversed((uplo == 'L') == transposed), unit(diag == 'U')
    {
    }

    /* Returns the view of B whose columns are the right-hand sides. */
    template <typename T>
    __device__ strided<T> rhs(const typename batch<T>::matrix &b) const
    {
        const strided<T> x = right ? as_stored<T>(b).transposed() : as_stored<T>(b);
        return reversed ? x.rows_reversed() : x;
    }

    /* Returns the view of A that is the lower triangle M of order n. */
    template <typename T>
    __device__ strided<T> triangle(const typename batch<T>::matrix &a, int n) const
    {
        strided<T> m = as_stored<T>(a);
        m.m = m.n = n;
        m = transposed ? m.transposed() : m;
        return reversed ? m.rows_reversed().transposed().rows_reversed().transposed() : m;
    }
};

/* Operands of the solves of a batch. factor_info: info of the factorization, or null */
template <typename T>
struct solves {
    batch<T> A, B;
    solve_view view;
    T alpha;
    const int64_t *factor_info;

    /* Returns whether matrix q is skipped, because its factorization failed. */
    __device__ bool is_skipped(int q) const
    {
        return factor_info != nullptr && factor_info[q] != 0;
    }
};

/* Maximal order and maximal number of right-hand sides of the batch */
template <typename T>
struct solve_size {
    int order, rhs;

    solve_size(const solves<T> &s)
        : order(s.view.right ? s.B.n : s.B.m), rhs(s.view.right ? s.B.m : s.B.n)
    {
    }
};

/* Returns whether solve_small (batch_solve_lanes.cuh) takes these triangles. */
template <typename T>
static bool is_small(const solves<T> &s)
{
    return solve_size<T>(s).order <= largest_in_registers<T>;
}

/* Solves with triangles of any order. (batch_trsm.cu) */
template <typename T>
int solve_large(startile_exec *x, int count, const solves<T> &s);

/* Solves with few right-hand sides; alpha must not be 0. (batch_solve_few.cu) */
template <typename T>
int solve_few(startile_exec *x, int count, const solves<T> &s);

} // namespace startile_cuda

#endif
