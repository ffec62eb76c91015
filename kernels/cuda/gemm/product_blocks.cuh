/*
 * The order of the blocks of C that a thread block computes, and the range of k of each block.
 *
 * A work item is one block of C. For a product in place it is a whole block column (triangle on the
 * left) or block row (triangle on the right), which one thread block computes in steps. The work
 * items of all pieces form one sequence. Thread blocks take work items from it in rounds, every
 * other round backwards:
 *
 *     round 0    thread block 0, 1, 2, ... 131
 *     round 1    thread block 131, ... 2, 1, 0
 *
 * With a triangular factor, not in place, the work items get smaller along the sequence; the
 * alternation gives all thread blocks about the same work. Without one, the sequence runs through
 * bands of block rows of each piece, so that blocks computed at the same time share rows and
 * columns of the factors in the L2 cache.
 */
#ifndef STARTILE_PRODUCT_BLOCKS_CUH
#define STARTILE_PRODUCT_BLOCKS_CUH

#include "gemm/product.cuh"

namespace startile_cuda
{

/* product_group as a kernel argument */
template <typename T, int capacity>
struct product_arguments {
    struct {
        const T *a, *b;
        T *c;
        int lda, ldb, ldc, m, n;
        int first; /* first work item of the piece */
        char uplo;
    } piece[capacity];
    int pieces, work_items;
    int k;
    T alpha, beta;
    char triangle;
    bool triangle_is_left, in_place, hermitian;
    bool conjugate_a, conjugate_b;
    bool a_is_aligned, b_is_aligned, c_is_aligned; /* aligned for copies of 16 bytes */
    const int *only_if;                            /* as in product_group */
};

constexpr int product_band =
    12; /* block rows in a band; 12 × 11 blocks run at the same time on 132 multiprocessors */

/* Iterates over the blocks of C that a thread block computes, each bm × bn. The larger of bm and bn
 * is a multiple of the smaller. A triangle of C is numbered by square blocks of order square_order.
 */
template <int bm, int bn>
struct product_blocks {
    static constexpr int square_order = bm > bn ? bm : bn;

    int round = -1, step = 0, steps_of_work_item = 0;
    int piece = 0, i = 0, j = 0; /* piece, and first row and column of the block in its C */
    int k_begin = 0, k_end = 0;
    int work_item = 0;

    /* Moves to the next block of this thread block. Returns false if there is none. */
    template <typename Arguments>
    __device__ bool next(const Arguments &g)
    {
        if (++step >= steps_of_work_item) {
            round++;
            step = 0;
            const int index_in_round = round % 2 == 0 ? blockIdx.x : gridDim.x - 1 - blockIdx.x;
            work_item = round * gridDim.x + index_in_round;
            if (work_item >= g.work_items)
                return false;
            while (piece + 1 < g.pieces && work_item >= g.piece[piece + 1].first)
                piece++;
        }
        locate(g, work_item - g.piece[piece].first);
        return true;
    }

    /* Sets i, j and the range of k for work item `index` of the piece. */
    template <typename Arguments>
    __device__ void locate(const Arguments &g, int index)
    {
        const int m = g.piece[piece].m, n = g.piece[piece].n;
        const int rows = (m + bm - 1) / bm, columns = (n + bn - 1) / bn;
        steps_of_work_item = 1;
        if (g.triangle != 'G')
            locate_by_length(g, index, rows, columns);
        else if (g.piece[piece].uplo != 'G')
            locate_in_triangle(g.piece[piece].uplo == 'L', index,
                               (n + square_order - 1) / square_order);
        else
            locate_in_bands(index, rows, columns);
        i *= bm;
        j *= bn;
        k_begin = 0;
        k_end = g.k;
        const bool left = g.triangle_is_left;
        const int begin = left ? i : j, size = left ? bm : bn;
        if (g.triangle == (left ? 'L' : 'U'))
            k_end = min(begin + size, g.k);
        else if (g.triangle != 'G')
            k_begin = begin;
    }

    /* Sets i and j, in blocks, for a product with a triangular factor. Lines of blocks (block rows
     * if the triangle is on the left, otherwise block columns) with the longest sums come first. So
     * in place, a block is overwritten only when no later block needs it. */
    template <typename Arguments>
    __device__ void locate_by_length(const Arguments &g, int index, int rows, int columns)
    {
        const bool left = g.triangle_is_left;
        const int lines = left ? rows : columns, across = left ? columns : rows;
        int line = index / across, position = index % across;
        if (g.in_place) {
            steps_of_work_item = lines;
            line = step;
            position = index;
        }
        if (g.triangle == (left ? 'L' : 'U'))
            line = lines - 1 - line;
        i = left ? line : position;
        j = left ? position : line;
    }

    /* Sets i and j, in blocks, for block `index` of a full C. */
    __device__ void locate_in_bands(int index, int rows, int columns)
    {
        const int band = index / (product_band * columns);
        const int in_band = index - band * product_band * columns;
        const int height = min(product_band, rows - band * product_band);
        i = band * product_band + in_band % height;
        j = in_band / height;
    }

    /* Sets i and j, in blocks, for block `index` of a triangle with `lines` square blocks a side.
     * Numbers the lower triangle; the upper triangle is its mirror image. A square block has
     * `parts` blocks. */
    __device__ void locate_in_triangle(bool lower, int index, int lines)
    {
        constexpr int parts = square_order / (bm < bn ? bm : bn);
        const int part = index % parts, square_index = index / parts;
        int band = 0, height = min(product_band, lines), remaining = square_index;
        while (remaining >= height * band * product_band + height * (height + 1) / 2) {
            remaining -= height * band * product_band + height * (height + 1) / 2;
            band++;
            height = min(product_band, lines - band * product_band);
        }
        const int full = height * band * product_band;
        int row = remaining % height, column = remaining / height;
        if (remaining >=
            full) { /* in the triangle at the band's end, which is numbered by columns */
            remaining -= full;
            int of_column = height;
            for (column = 0; remaining >= of_column; column++)
                remaining -= of_column--;
            row = column + remaining;
            column += band * product_band;
        }
        row += band * product_band;
        i = (lower ? row : column) * (square_order / bm) + (bm < bn ? part : 0);
        j = (lower ? column : row) * (square_order / bn) + (bm < bn ? 0 : part);
    }
};

/* Returns the number of work items of an m × n piece of C: its blocks; of a square piece with
 * is_triangle those of one triangle; in place its block columns, or its block rows if the triangle
 * is on the right. */
template <typename Shape>
int count_work_items(int m, int n, bool is_triangle, bool in_place, bool triangle_is_left)
{
    constexpr int bm = Shape::bm, bn = Shape::bn, square_order = Shape::blocks::square_order;
    const int64_t rows = ceil_div(m, bm), columns = ceil_div(n, bn),
                  lines = ceil_div(n, square_order);
    const int64_t parts = (square_order / bm) * (square_order / bn);
    return static_cast<int>(in_place      ? (triangle_is_left ? columns : rows)
                            : is_triangle ? lines * (lines + 1) / 2 * parts
                                          : rows * columns);
}

} // namespace startile_cuda

#endif
