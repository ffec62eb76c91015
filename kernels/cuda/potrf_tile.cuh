/*
 * What the thread blocks that factor one matrix share (potrf_tile.cu): the tiles that are done, in
 * global memory, and the word that they are.
 */
#ifndef STARTILE_POTRF_TILE_CUH
#define STARTILE_POTRF_TILE_CUH

#include "exec.cuh"
#include "tile_product.cuh"

namespace startile_cuda
{

/* Cleared before each call */
struct potrf_control {
    int ticket, info, concluded;
    unsigned long long norm_t, norm_w;
};

/* Tiles are those of the lower triangle, whatever the storage; all are stored whole, with their
 * leading dimension, and what sticks out of the matrix is that of the identity. */
template <typename T>
struct potrf_job {
    bool upper;
    int n, tiles;
    T *a;
    int64_t lda;
    T *w; /* null: no inverse */
    int64_t ldw;
    panel_state *state;
    startile_panel *panel; /* null: no verdict */

    T *factors;      /* L(i, j), by rows; on the diagonal what has been subtracted from A */
    T *inverses;     /* W(i, j)ᴴ, by columns */
    T *w_diagonal;   /* W(i, i) */
    T *l_diagonal;   /* L(i, i), where W(i, i) is not to be used */
    double *norms_t; /* by tile, the sums of its stored columns' magnitudes */
    double *norms_w;
    potrf_control *control;
    int *factor_there;   /* tiles × tiles, by rows */
    int *inverse_there;  /* tiles × tiles, by columns */
    int *diagonal_there; /* 1: W(i, i) may be used; 2: it may not */
    int *start_there;    /* of the diagonal tile in `factors` */
    int *norms_there;    /* how many, of those whose sums belong together */

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

    /* Element (i, j) of the lower triangle as stored */
    __device__ int64_t place(int64_t i, int64_t j, int64_t ld) const
    {
        return upper ? j + i * ld : i + j * ld;
    }

    __device__ T as_stored(T x) const
    {
        return upper ? conjugate(x) : x;
    }

    __device__ T get(int i, int j) const
    {
        if (i >= n || j >= n)
            return to_element<T>(i == j, 0);
        return i >= j ? as_stored(a[place(i, j, lda)]) : to_element<T>(0, 0);
    }

    __device__ void put(int i, int j, T x) const
    {
        if (i >= j && i < n)
            a[place(i, j, lda)] = as_stored(x);
    }

    __device__ void put_inverse(int i, int j, T x) const
    {
        const T zero = to_element<T>(0, 0);
        if (w == nullptr || i >= n || j >= n)
            return;
        w[place(i, j, ldw)] = i >= j ? as_stored(x) : zero;
        /* the tile on the other side of the diagonal */
        if (i / tile<T>::order > j / tile<T>::order)
            w[place(j, i, ldw)] = zero;
    }
};

/* What other thread blocks wrote before they announced `there` is seen after this. */
__device__ inline int look(const int *there)
{
    int value;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(there) : "memory");
    return value;
}

/* By one thread, after a barrier of those that wrote */
__device__ inline void announce(int *there, int value)
{
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(there), "r"(value) : "memory");
}

/* By each warp for itself */
__device__ inline int wait_until(const int *there)
{
    int value = 0;
    if (threadIdx.x % 32 == 0)
        while ((value = look(there)) == 0)
            ;
    return __shfl_sync(0xffffffff, value, 0);
}

/* How many of the next 32 tiles from k on are there, of two lines of tiles; by a warp */
__device__ inline int count_there(const int *x, const int *y, int k, int last)
{
    const int mine = k + threadIdx.x % 32;
    bool is_there = mine < last;
    if (is_there)
        is_there = look(x + mine) != 0 && look(y + mine) != 0;
    const unsigned int missing = ~__ballot_sync(0xffffffff, is_there);
    return missing == 0 ? 32 : __ffs(static_cast<int>(missing)) - 1;
}

} // namespace startile_cuda

#endif
