/*
 * Triangular solves with a batch of triangles, for trsm and potrs. All cases are one: M X = B for a
 * lower triangle M, where M is op(A) for side L and op(A)ᵀ for side R, a right-hand side is a
 * column of B, or a row, and for upper M both are seen from their ends.
 *
 * Up to order 32 (in double complex, 16) a lane has a right-hand side in registers, and M is in
 * shared memory, with the reciprocals of its diagonal: memory bounds it. For larger orders a thread
 * block has as many right-hand sides as a tile has rows and goes down the tiles of M, left-looking.
 *
 * Error: that of substitution, |M| |X| n eps, with one more rounding for the reciprocals of the
 * diagonal. That of a diagonal element below 1/overflow is infinite.
 */
#ifndef STARTILE_BATCH_SOLVE_CUH
#define STARTILE_BATCH_SOLVE_CUH

#include "batch/batch_tile.cuh"

namespace startile_cuda
{

/* The view of a triangle and its right-hand sides */
struct solve_view {
    bool right, transposed, conjugated, from_end, unit;

    solve_view(char side, char uplo, char trans, char diag)
        : right(side == 'R'), transposed((trans != 'N') != right), conjugated(trans == 'C'),
          from_end((uplo == 'L') == transposed), unit(diag == 'U')
    {
    }

    /* Returns the right-hand sides of a matrix, as columns. */
    template <typename T>
    __device__ strided<T> sides(const typename batch<T>::matrix &b) const
    {
        const strided<T> x = right ? as_stored<T>(b).transposed() : as_stored<T>(b);
        return from_end ? x.upside_down() : x;
    }

    /* Returns the triangle of order n. */
    template <typename T>
    __device__ strided<T> triangle(const typename batch<T>::matrix &a, int n) const
    {
        strided<T> m = as_stored<T>(a);
        m.m = m.n = n;
        m = transposed ? m.transposed() : m;
        return from_end ? m.upside_down().transposed().upside_down().transposed() : m;
    }
};

/* Operands of the solves of a batch; done may be null */
template <typename T>
struct solves {
    batch<T> A, B;
    solve_view view;
    T alpha;
    const int64_t *done;

    __device__ bool is_done(int q) const
    {
        return done != nullptr && done[q] != 0;
    }
};

/* Maximal order and number of right-hand sides of the batch */
template <typename T>
struct solve_size {
    int order, sides;

    solve_size(const solves<T> &s)
        : order(s.view.right ? s.B.n : s.B.m), sides(s.view.right ? s.B.m : s.B.n)
    {
    }
};

template <typename T>
static bool is_small(const solves<T> &s)
{
    return solve_size<T>(s).order <= largest_in_registers<T>;
}

/* Solves with triangles of any order. (batch_trsm.cu) */
template <typename T>
int solve_large(startile_exec *x, int count, const solves<T> &s);

/* Solves with few right-hand sides, alpha ≠ 0. (batch_solve_few.cu) */
template <typename T>
int solve_few(startile_exec *x, int count, const solves<T> &s);

} // namespace startile_cuda

#endif
