/*
 * Products of split factors. A thread block of three warpgroups computes tiles of C, each 192 rows
 * by 128 columns (formats of one plane: 256 columns), one after the other.
 *
 *     warpgroup 2, one warp: fetch                    warpgroups 0, 1: multiply, half of the
 *     40 registers per thread                           columns each; 232 registers per thread
 *
 *     wait empty[stage] <--------------------------+
 *     lane 0: arrive_expect_tx full[stage],        |
 *       bulk copies of the planes of A and B       |
 *           |                                      |
 *           |    3 to 8 stages in shared memory    |
 *           +--> | A1 A2 A3, B1 B2 B3 | ---------> wait full[stage]
 *                   32 k each                      | wgmma (split_multiply.cuh)
 *                                                  +-- arrive empty[stage] (one lane per warp)
 *     prefetch C to the L2 cache                      after the last stage:
 *       when the tile begins                          C := alpha sums + beta C (split_write.cuh)
 *
 * full[stage] counts one arrival and the bytes of the copies. empty[stage] counts the eight
 * multiplying warps. split_kernel (split_planes.cuh) has written the planes before. The kernel
 * computes Cᵀ, so that neighbouring elements of a thread are neighbours in a column of C.
 */
#ifndef STARTILE_SPLIT_BLOCK_CUH
#define STARTILE_SPLIT_BLOCK_CUH

#include "gemm/product_pipeline.cuh"
#include "gemm/split_planes.cuh"
#include "gemm/tile_order.cuh"

namespace startile_cuda
{

constexpr int split_rows = 192;
constexpr int split_row_units = split_rows / unit_length;
constexpr int split_warpgroups = 2; /* warpgroups that multiply */
constexpr int split_block_threads = (split_warpgroups + 1) * 128;
/* Registers per thread of the warpgroups that multiply, and of the warpgroup that fetches */
constexpr int split_registers = 232, split_fetch_registers = 40;

template <typename Format>
struct split_stage;

/* Shape of a tile of C and of the buffer. A multiplying thread has 192 registers for sums. With
 * several planes half of them are for the tensor cores' sums, and half for the additions of these.
 * With one plane the tensor cores compute whole sums, and a tile has twice as many columns. */
template <typename Format>
struct split_shape {
    static constexpr bool sums_in_tensor_cores = Format::planes == 1;
    /* units of columns of a warpgroup, and of the tile */
    static constexpr int own_units = sums_in_tensor_cores ? 2 : 1;
    static constexpr int column_units = split_warpgroups * own_units;
    static constexpr int columns = column_units * unit_length;
    static constexpr int smem = 227 << 10; /* bytes per thread block on compute capability 9.0 */
    static constexpr int mbarrier_bytes = 2 * sizeof(uint64_t); /* of a stage */
    static constexpr int stages = smem / (sizeof(split_stage<Format>) + mbarrier_bytes);
};

/* parts: 1 for real, 2 for complex elements */
template <typename Format, int parts>
using split_order = tile_order<split_rows, split_shape<Format>::columns, parts>;

/* C as real numbers: m of them in each of the n columns */
struct split_piece {
    float *c;
    int ldc, m, n;
    int first_unit_row[2]; /* indices of the first rows of units of op(A) and op(B) */
    char uplo;
};

constexpr int split_max_pieces = 64;

/* Arguments of product_split_kernel */
struct split_arguments {
    /* k0, k: the sums run over k0 … k0 + k − 1, in numbers; units_of_row: units in a row of units
     */
    int k0, k, units_of_row, pieces, tiles;
    float alpha, beta;
    char triangle;
    bool hermitian, triangle_is_left;
    bool c_is_aligned; /* C and its columns are aligned to 8 bytes */
    const unsigned char *planes;
    split_condition condition;
    int first_tile[split_max_pieces];
    split_piece piece[split_max_pieces];
};

template <typename Format>
struct split_stage {
    /* stored unit by unit */
    unsigned char b[split_shape<Format>::column_units][unit_bytes<Format>];
    /* stored plane by plane, so that rows continue from unit to unit */
    unsigned char a[Format::planes][split_row_units][plane_bytes];
};

template <typename Format>
struct split_memory {
    static constexpr int stages = split_shape<Format>::stages;
    split_stage<Format> stage[stages];
    uint64_t full[stages], empty[stages];
};

/* Position in the circular buffer of `stages` stages */
template <int stages>
struct split_cursor {
    int stage = 0, parity = 0;

    __device__ void advance()
    {
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/* Range begin … end − 1 of k, counted from k0 in units of unit_k, that a tile's sums need. Excludes
 * the k for which a triangular factor is zero. */
struct split_k_range {
    int begin, end;
};

/* Returns the range of k of the tile at `place`. */
template <typename Format, int parts>
__device__ inline split_k_range k_range_of_tile(const split_arguments &g, tile_place place)
{
    split_k_range range = {0, g.units_of_row};
    if (g.triangle == 'G')
        return range;
    const int length =
        (g.triangle_is_left ? split_rows : parts * split_shape<Format>::columns) / unit_k;
    const int first = (g.triangle_is_left ? place.row : place.column) * length - g.k0 / unit_k;
    if ((g.triangle == 'U') == g.triangle_is_left)
        range.begin = max(0, first);
    else
        range.end = min(range.end, first + length);
    return range;
}

/* Calls work(piece, place) for each tile of this thread block, except tiles outside the
 * triangle of C that is computed. */
template <typename Format, int parts, typename Work>
__device__ void for_each_tile(const split_arguments &g, Work work)
{
    using order = split_order<Format, parts>;
    for (int tile = blockIdx.x; tile < g.tiles; tile += gridDim.x) {
        tile_place place;
        place.piece = piece_of_tile(g.first_tile, g.pieces, tile);
        const split_piece &p = g.piece[place.piece];
        order::find(p.uplo, p.m, p.n, tile - g.first_tile[place.piece], place);
        if (!order::is_outside(p.uplo, place.row, place.column))
            work(p, place);
    }
}

/* -- fetching --------------------------------------------------------------------------------- */

/* Prefetches the tile's part of C to the L2 cache, by a warp. write_tile reads it after the last k.
 */
template <typename Format>
__device__ inline void prefetch_tile(const split_piece &p, tile_place place)
{
    constexpr int line = 128 / sizeof(float), columns = split_shape<Format>::columns;
    const int row = place.row * split_rows;
    const int rows = min(split_rows, p.m - row);
    for (int j = threadIdx.x % 32; j < columns; j += 32) {
        const int column = place.column * columns + j;
        if (column >= p.n)
            break;
        const float *c = p.c + row + int64_t(column) * p.ldc;
        for (int i = 0; i < rows; i += line)
            prefetch_to_l2(c + i);
    }
}

/* Fetches one stage, by one thread: of each of the tile's rows of units, the unit with index
 * `unit`. Rows of units outside a factor are not fetched, because only elements outside C depend on
 * them. */
template <typename Format>
__device__ inline void fetch_stage(const split_arguments &g, const split_piece &p, tile_place place,
                                   int unit, split_stage<Format> &stage, uint64_t *full)
{
    constexpr int column_units = split_shape<Format>::column_units, bytes = unit_bytes<Format>;
    const int a = place.row * split_row_units, b = place.column * column_units;
    const int a_units = min(split_row_units, unit_rows(p.m) - a);
    const int b_units = min(column_units, unit_rows(p.n) - b);
    const int64_t row_bytes = int64_t(g.units_of_row) * bytes;
    const unsigned char *from = g.planes + int64_t(unit) * bytes;
    const uint32_t filled = shared_address(full);
    mbarrier::arrive_expect_tx(filled, (a_units + b_units) * bytes);
#pragma unroll 1
    for (int i = 0; i < b_units; i++)
        mbarrier::copy_bulk(filled, shared_address(stage.b[i]),
                            from + (p.first_unit_row[1] + b + i) * row_bytes, bytes);
#pragma unroll 1
    for (int i = 0; i < a_units; i++)
#pragma unroll
        for (int plane = 0; plane < Format::planes; plane++)
            mbarrier::copy_bulk(filled, shared_address(stage.a[plane][i]),
                                from + (p.first_unit_row[0] + a + i) * row_bytes +
                                    plane * plane_bytes,
                                plane_bytes);
}

/* Fetches the stages of all tiles of this thread block, by one warp. */
template <typename Format, int parts>
__device__ inline void fetch_tiles(const split_arguments &g, split_memory<Format> &shared)
{
    split_cursor<split_memory<Format>::stages> cursor;
    for_each_tile<Format, parts>(g, [&](const split_piece &p, tile_place place) {
        if (g.beta != 0)
            prefetch_tile<Format>(p, place);
        if (threadIdx.x % 32 != 0)
            return;
        const split_k_range range = k_range_of_tile<Format, parts>(g, place);
        for (int unit = range.begin; unit < range.end; unit++, cursor.advance()) {
            mbarrier::wait(shared_address(&shared.empty[cursor.stage]), cursor.parity ^ 1);
            fetch_stage(g, p, place, unit, shared.stage[cursor.stage], &shared.full[cursor.stage]);
        }
    });
}

} // namespace startile_cuda

#endif
