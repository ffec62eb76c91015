/*
 * Data in global memory that the thread blocks of one factorization share (task_list.cuh): finished
 * tiles and their ready flags
 *
 * Cholesky, A = L Lᴴ, has one side. LU without pivoting, A = L U, has two: with V = Uᴴ, A = L Vᴴ,
 * and the tasks of V are those of L with L and V exchanged and Aᴴ for A. A thread block has
 * tile_threads threads per side; threadIdx.y is the side, 0 for L and 1 for V.
 */
#ifndef STARTILE_TILE_JOB_CUH
#define STARTILE_TILE_JOB_CUH

#include "common/exec.cuh"
#include "common/hopper.cuh"
#include "common/smem_tile.cuh"

namespace startile_cuda
{

/* Named barriers of a thread block. Side 1 uses the next number of the first two. */
enum { helpers_barrier = 1, sides_barrier = 3, strips_barrier = 5 };

/* Returns the side of the calling thread. */
template <int sides>
__device__ inline int own_side()
{
    return sides == 1 ? 0 : static_cast<int>(threadIdx.y);
}

/* Returns the index of the calling thread in its side, for the roles of warps in factor_tile.cuh.
 * Side 1's are rotated, so that the two warps 0 are on different quarters of the multiprocessor
 * (H100, double, order 1024 with the inverses: 365 µs, 374 without). */
template <int sides>
__device__ inline unsigned int thread_of_side()
{
    constexpr int rotation = 96;
    return sides == 1 ? threadIdx.x : (threadIdx.x + rotation * threadIdx.y) % tile_threads;
}

/* Synchronises the threads of the calling thread's side. */
template <int sides>
__device__ inline void sync_side()
{
    if constexpr (sides == 1)
        __syncthreads();
    else
        sync(sides_barrier + own_side<sides>(), tile_threads);
}

/* Counters and results of all thread blocks. Set to zero before each call. */
template <int sides>
struct tile_control {
    int ticket, info, finished_columns; /* finished_columns: stored columns of tiles with norms */
    unsigned long long norm_t[sides], norm_w[sides]; /* bits of doubles ≥ 0, as in tile_status */
};

/* Use of the inverse W(i, i) of a diagonal tile by tasks of the factor: multiply by it, substitute
 * with blocks of 8 × 8 and multiply by their inverses, or substitute */
enum inverse_use { not_ready, use_whole, use_blocks, use_none };

/* Arguments and arrays of one side of a factorization. The tasks compute the tiles (i, j), i ≥ j,
 * of a lower factor. With `upper`, tile (i, j) of A is the adjoint of the stored tile (j, i). The
 * arrays hold whole tiles with the leading dimension that they have in shared memory, padded with
 * the identity outside the matrix. */
template <typename T, int sides>
struct tile_job {
    bool upper;
    int n, tiles;
    T *a;
    int64_t lda;
    T *w; /* null: no inverse */
    int64_t ldw;
    double largest_norm; /* largest 1-norm of an inverse that may be used */
    tile_status *state;
    startile_tile_status *status; /* null: no report */

    T *factors;      /* L(i, j) by rows of tiles; before that, the results of presum() */
    T *inverses;     /* W(i, j)ᴴ by columns of tiles */
    T *w_diagonal;   /* W(i, i) */
    T *l_diagonal;   /* L(i, i) where W(i, i) is not used as a whole */
    double *norms_t; /* sum of magnitudes of each stored column of each tile of the factor */
    double *norms_w; /* as norms_t, of the inverse */
    tile_control<sides> *control;
    int *factor_ready;   /* tiles × tiles, by rows */
    int *inverse_ready;  /* tiles × tiles, by columns */
    int *diagonal_ready; /* inverse_use */
    int *presum_ready;   /* 1: presum() has stored its results */
    int *norms_ready;    /* tiles with column sums, of factor and inverse, in each stored column of
                            tiles */

    /* Returns whether the diagonal is 1 and not stored. */
    __device__ bool is_unit() const
    {
        return sides == 2 && !upper;
    }

    /* Returns the index of tile (i, j) in the lower triangle, by rows. */
    __host__ __device__ static int64_t lower(int64_t i, int64_t j)
    {
        return i * (i + 1) / 2 + j;
    }

    __device__ T *factor(int i, int j) const
    {
        return factors + lower(i, j) * tile<T>::elements;
    }

    __device__ T *inverse(int i, int j) const
    {
        return inverses + (lower(tiles - 1 - j, 0) + i - j) * tile<T>::elements;
    }

    /* Converts an element of a tile to the stored triangle, or back. */
    __device__ T as_stored(T x) const
    {
        return upper ? conjugate(x) : x;
    }
};

/* The jobs of all sides, as a kernel argument */
template <typename T, int sides>
struct tile_jobs {
    tile_job<T, sides> side[sides];
};

/* Waits until a flag is not 0, and returns it to all lanes. Each warp waits by itself. */
__device__ inline int wait_until(const int *ready)
{
    int value = 0;
    if (threadIdx.x % 32 == 0)
        while ((value = load_acquire(ready)) == 0)
            ;
    __syncwarp(); /* A shuffle does not order memory accesses. */
    return __shfl_sync(0xffffffff, value, 0);
}

/* Returns the number of consecutive tiles, from k on, that are ready in both lines of tiles, by a
 * warp. Counts at most 32 tiles, none from `last` on. */
__device__ inline int count_ready(const int *x, const int *y, int k, int last)
{
    const int mine = k + threadIdx.x % 32;
    bool is_ready = mine < last;
    if (is_ready)
        is_ready = load_acquire(x + mine) != 0 && load_acquire(y + mine) != 0;
    __syncwarp();
    const unsigned int missing = ~__ballot_sync(0xffffffff, is_ready);
    return missing == 0 ? 32 : __ffs(static_cast<int>(missing)) - 1;
}

} // namespace startile_cuda

#endif
