/* Blocks of a whole matrix as arguments of kernels, and its strips of rows or columns */
#ifndef STARTILE_WHOLE_CUH
#define STARTILE_WHOLE_CUH

#include "common/element.cuh"
#include "common/exec.cuh"
#include "whole.h"

namespace startile_cuda
{

/* The blocks of startile_blocks, by value */
template <typename T>
struct block_table {
    struct {
        const T *p;
        int64_t ld;
    } block[STARTILE_MOST_BLOCKS * STARTILE_MOST_BLOCKS];
    int64_t n;
    int nb, count;

    /* Returns the address of element (i, j) of block (k, l). */
    __device__ const T *at(int k, int l, int i, int j) const
    {
        const auto &b = block[k + l * count];
        return b.p + i + j * b.ld;
    }

    __device__ int64_t ld(int k, int l) const
    {
        return block[k + l * count].ld;
    }
};

template <typename T>
block_table<T> make_block_table(startile_blocks a)
{
    block_table<T> table;
    for (int b = 0; b < a.count * a.count; b++) {
        table.block[b].p = static_cast<const T *>(a.block[b].p);
        table.block[b].ld = a.block[b].ld;
    }
    table.n = a.n;
    table.nb = a.nb;
    table.count = a.count;
    return table;
}

/* The blocks of rows of a matrix of few columns */
template <typename T>
struct row_blocks {
    struct {
        T *p;
        int64_t ld;
    } block[STARTILE_MOST_BLOCKS];

    __device__ T *at(int k, int i, int64_t column) const
    {
        return block[k].p + i + column * block[k].ld;
    }
};

template <typename T>
row_blocks<T> make_row_blocks(int count, const startile_piece *b)
{
    row_blocks<T> rows;
    for (int k = 0; k < count; k++) {
        rows.block[k].p = static_cast<T *>(b[k].p);
        rows.block[k].ld = b[k].ld;
    }
    return rows;
}

/* Strips of at most `width` rows or columns, cut within the blocks */
struct strips {
    int width, of_block; /* of_block: strips in a whole block */

    __host__ __device__ strips(int width, int nb) : width(width), of_block((nb + width - 1) / width)
    {
    }

    /* Returns the number of strips of the matrix. */
    __host__ __device__ int count(int64_t n, int nb, int blocks) const
    {
        const int last = static_cast<int>(n - int64_t(blocks - 1) * nb);
        return (blocks - 1) * of_block + (last + width - 1) / width;
    }
};

/* A strip: its block, its first row or column in the block, and its size */
struct strip_place {
    int block, first, size;

    __device__ strip_place(strips s, int strip, int64_t n, int nb)
        : block(strip / s.of_block), first(strip % s.of_block * s.width)
    {
        const int64_t block_end = min(int64_t(nb), n - int64_t(block) * nb);
        size = static_cast<int>(min(int64_t(s.width), block_end - first));
    }
};

template <typename S>
__device__ inline S total_of_warp(S x)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        if constexpr (element<S>::is_complex)
            x = plus(x, S{__shfl_xor_sync(0xffffffff, x.x, distance),
                          __shfl_xor_sync(0xffffffff, x.y, distance)});
        else
            x = plus(x, __shfl_xor_sync(0xffffffff, x, distance));
    }
    return x;
}

/* Operations of startile_whole_kernels (solve.cu, product.cu). T: type of the triangle; V: of B */
template <typename T, typename V>
int whole_solve(startile_exec *x, char uplo, char trans, char diag, startile_blocks t, int columns,
                const startile_piece *b);
template <typename T>
int whole_residual(startile_exec *x, char uplo, startile_blocks a, int columns,
                   const startile_piece *v, const startile_piece *b, const startile_piece *r);
template <typename T>
int whole_abs_sums(startile_exec *x, char uplo, startile_blocks a, double *sums);

} // namespace startile_cuda

#endif
