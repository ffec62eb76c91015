/*
 * Products of split factors. A thread block of three warpgroups computes tiles of C, each 192 rows
 * by 128 columns, one after the other.
 *
 *     warpgroup 2, one warp: fetch                    warpgroups 0, 1: multiply, 64 columns each
 *     40 registers per thread                           232 registers per thread
 *
 *     wait empty[stage] <--------------------------+
 *     lane 0: arrive_expect_tx full[stage],        |
 *       bulk copies of the planes of A and B       |
 *           |                                      |
 *           |    3 stages in shared memory         |
 *           +--> | A1 A2 A3, B1 B2 B3 | ---------> wait full[stage]
 *                   32 k each                      | wgmma of small products, then large ones
 *                                                  +-- arrive empty[stage] (one lane per warp)
 *     prefetch C to the L2 cache                      after the last stage:
 *       when the tile begins                          C := alpha sums + beta C
 *
 * full[stage] counts one arrival and the bytes of the copies. empty[stage] counts the eight
 * multiplying warps. split_kernel (split_planes.cuh) has written the planes before. The kernel
 * computes Cᵀ, so that neighbouring elements of a thread are neighbours in a column of C.
 *
 * Six of the nine products of planes are computed. The other three together are at most 2⁻²⁴ of the
 * product of two elements. Tensor cores truncate to about 24 bits when they sum, which would bias
 * long sums. Hence they sum over 32 k only, large products separately from small ones, so that
 * these sums are nearly exact. Additions in registers, which round, add up these sums.
 */
#ifndef STARTILE_SPLIT_BLOCK_CUH
#define STARTILE_SPLIT_BLOCK_CUH

#include "gemm/split_planes.cuh"
#include "gemm/split_tensor.cuh"
#include "gemm/tile_order.cuh"

namespace startile_cuda
{

constexpr int split_rows = 192, split_columns = 128;
constexpr int split_row_units = split_rows / unit_length;
constexpr int split_warpgroups = split_columns / unit_length; /* warpgroups that multiply */
constexpr int split_stages = 3;
constexpr int split_block_threads = (split_warpgroups + 1) * 128;
/* Registers per thread of the warpgroups that multiply, and of the warpgroup that fetches */
constexpr int split_registers = 232, split_fetch_registers = 40;

using split_order = tile_order<split_rows, split_columns>;

struct split_piece {
    float *c;
    int ldc, m, n;
    int first_unit_row[2]; /* indices of the first rows of units of op(A) and op(B) */
};

constexpr int split_max_pieces = 64;

/* Arguments of product_split_kernel */
struct split_arguments {
    /* k0, k: the sums run over k0 … k0 + k − 1; units_of_row: units in a row of units */
    int k0, k, units_of_row, pieces, tiles;
    float alpha, beta;
    char uplo, triangle;
    bool triangle_is_left;
    bool c_is_aligned; /* C and its columns are aligned to 8 bytes */
    const unsigned char *planes;
    const split_guard *guard;
    int first_tile[split_max_pieces];
    split_piece piece[split_max_pieces];
};

struct split_stage {
    unsigned char b[split_warpgroups][unit_bytes];    /* stored unit by unit */
    unsigned char a[3][split_row_units][plane_bytes]; /* stored plane by plane, so that rows
                                                         continue from unit to unit */
};

struct split_memory {
    split_stage stage[split_stages];
    uint64_t full[split_stages], empty[split_stages];
};

/* Position in the circular buffer of stages */
struct split_cursor {
    int stage = 0, parity = 0;

    __device__ void advance()
    {
        if (++stage == split_stages) {
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
__device__ inline split_k_range k_range_of_tile(const split_arguments &g, tile_place place)
{
    split_k_range range = {0, g.units_of_row};
    if (g.triangle == 'G')
        return range;
    const int length = (g.triangle_is_left ? split_rows : split_columns) / unit_k;
    const int first = (g.triangle_is_left ? place.row : place.column) * length - g.k0 / unit_k;
    if ((g.triangle == 'U') == g.triangle_is_left)
        range.begin = max(0, first);
    else
        range.end = min(range.end, first + length);
    return range;
}

/* Calls work(piece, uplo, place) for each tile of this thread block, except tiles outside the
 * triangle of C that is computed. */
template <typename Work>
__device__ void for_each_tile(const split_arguments &g, Work work)
{
    for (int tile = blockIdx.x; tile < g.tiles; tile += gridDim.x) {
        tile_place place;
        place.piece = piece_of_tile(g.first_tile, g.pieces, tile);
        const split_piece &p = g.piece[place.piece];
        const char uplo = place.piece == 0 ? g.uplo : 'G';
        split_order::find(uplo, p.m, p.n, tile - g.first_tile[place.piece], place);
        if (!split_order::is_outside(uplo, place.row, place.column))
            work(p, uplo, place);
    }
}

/* -- fetching --------------------------------------------------------------------------------- */

/* Prefetches the tile's part of C to the L2 cache, by a warp. write_tile reads it after the last k.
 */
__device__ inline void prefetch_tile(const split_piece &p, tile_place place)
{
    constexpr int line = 128 / sizeof(float);
    const int row = place.row * split_rows;
    const int rows = min(split_rows, p.m - row);
    for (int j = threadIdx.x % 32; j < split_columns; j += 32) {
        const int column = place.column * split_columns + j;
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
__device__ inline void fetch_stage(const split_arguments &g, const split_piece &p, tile_place place,
                                   int unit, split_stage &stage, uint64_t *full)
{
    const int a = place.row * split_row_units, b = place.column * split_warpgroups;
    const int a_units = min(split_row_units, unit_rows(p.m) - a);
    const int b_units = min(split_warpgroups, unit_rows(p.n) - b);
    const int64_t row_bytes = int64_t(g.units_of_row) * unit_bytes;
    const unsigned char *from = g.planes + int64_t(unit) * unit_bytes;
    const uint32_t filled = shared_address(full);
    mbarrier::arrive_expect_tx(filled, (a_units + b_units) * unit_bytes);
#pragma unroll 1
    for (int i = 0; i < b_units; i++)
        mbarrier::copy_bulk(filled, shared_address(stage.b[i]),
                            from + (p.first_unit_row[1] + b + i) * row_bytes, unit_bytes);
#pragma unroll 1
    for (int i = 0; i < a_units; i++)
#pragma unroll
        for (int plane = 0; plane < 3; plane++)
            mbarrier::copy_bulk(filled, shared_address(stage.a[plane][i]),
                                from + (p.first_unit_row[0] + a + i) * row_bytes +
                                    plane * plane_bytes,
                                plane_bytes);
}

/* Fetches the stages of all tiles of this thread block, by one warp. */
__device__ inline void fetch_tiles(const split_arguments &g, split_memory &shared)
{
    split_cursor cursor;
    for_each_tile(g, [&](const split_piece &p, char, tile_place place) {
        if (g.beta != 0)
            prefetch_tile(p, place);
        if (threadIdx.x % 32 != 0)
            return;
        const split_k_range range = k_range_of_tile(g, place);
        for (int unit = range.begin; unit < range.end; unit++, cursor.advance()) {
            mbarrier::wait(shared_address(&shared.empty[cursor.stage]), cursor.parity ^ 1);
            fetch_stage(g, p, place, unit, shared.stage[cursor.stage], &shared.full[cursor.stage]);
        }
    });
}

/* -- multiplying ------------------------------------------------------------------------------ */

struct split_accumulator {
    float part[96]; /* accumulators of the tensor cores, of one stage */
    float sum[96];

    __device__ void clear()
    {
#pragma unroll
        for (int i = 0; i < 96; i++)
            sum[i] = 0;
    }

    /* Starts the product of two planes of a stage. Adds it to `part` if keep, otherwise overwrites
     * `part`. */
    __device__ void begin(uint64_t b, int plane_of_b, uint64_t a, int plane_of_a, bool keep)
    {
        constexpr int step = 2 * core_bytes; /* 16 k */
        b = advanced(b, plane_of_b * plane_bytes);
        a = advanced(a, plane_of_a * split_row_units * plane_bytes);
        begin_product(part, b, a, keep);
        begin_product(part, advanced(b, step), advanced(a, step), true);
    }

    /* Waits for the products that were started, and adds `part` to `sum`. */
    __device__ void add()
    {
        commit_products();
        finish_products(part);
#pragma unroll
        for (int i = 0; i < 96; i++)
            sum[i] += part[i];
    }

    /* Starts the five small products of planes. */
    __device__ void begin_small(uint64_t b, uint64_t a)
    {
        open_products();
        begin(b, 2, a, 0, false);
        begin(b, 0, a, 2, true);
        begin(b, 1, a, 1, true);
        begin(b, 1, a, 0, true);
        begin(b, 0, a, 1, true);
    }

    /* Starts the product of the first planes. */
    __device__ void begin_large(uint64_t b, uint64_t a)
    {
        open_products();
        begin(b, 0, a, 0, false);
    }
};

/* Position of the thread's elements in C: rows row, row + 1, row + 8, row + 9, row + 16, … of the
 * columns `column` and column + 8 */
struct split_position {
    int row, column;

    __device__ split_position(tile_place place, int warpgroup)
    {
        const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
        row = place.row * split_rows + lane % 4 * 2;
        column = place.column * split_columns + warpgroup * unit_length + warp * 16 + lane / 4;
    }
};

/* Writes the thread's pairs of rows in one column of the tile, all inside C. half: 0 for the
 * thread's first column, 1 for its second */
__device__ inline void write_whole_column(const split_arguments &g, const float (&sum)[96],
                                          int half, float *to)
{
    float2 *c = reinterpret_cast<float2 *>(to), old[24] = {};
    if (g.beta != 0)
#pragma unroll
        for (int j = 0; j < 24; j++)
            old[j] = c[4 * j];
#pragma unroll
    for (int j = 0; j < 24; j++) {
        const int i = 4 * j + 2 * half;
        const float2 value = {g.alpha * sum[i], g.alpha * sum[i + 1]};
        c[4 * j] = g.beta != 0 ? make_float2(fmaf(g.beta, old[j].x, value.x),
                                             fmaf(g.beta, old[j].y, value.y))
                               : value;
    }
}

/* Writes the thread's elements in rows from … to − 1 of one column. Reads a quarter of them before
 * it writes that quarter. */
__device__ inline void write_column(const split_arguments &g, const float (&sum)[96], int half,
                                    float *c, int row, int from, int to)
{
#pragma unroll
    for (int quarter = 0; quarter < 4; quarter++) {
        float old[12];
#pragma unroll
        for (int n = 0; n < 12; n++) {
            const int i = row + (6 * quarter + n / 2) * 8 + n % 2;
            if (g.beta != 0 && i >= from && i < to)
                old[n] = c[i];
        }
#pragma unroll
        for (int n = 0; n < 12; n++) {
            const int i = row + (6 * quarter + n / 2) * 8 + n % 2;
            const float value = g.alpha * sum[(6 * quarter + n / 2) * 4 + 2 * half + n % 2];
            if (i >= from && i < to)
                c[i] = g.beta != 0 ? fmaf(g.beta, old[n], value) : value;
        }
    }
}

__device__ inline void write_tile(const split_arguments &g, const split_piece &p, char uplo,
                                  tile_place place, int warpgroup, const float (&sum)[96])
{
    const split_position position(place, warpgroup);
    const bool is_whole = g.c_is_aligned && (place.row + 1) * split_rows <= p.m &&
                          !split_order::is_across(uplo, place.row, place.column);
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int column = position.column + 8 * half;
        if (column >= p.n)
            continue;
        float *c = p.c + int64_t(column) * p.ldc;
        if (is_whole)
            write_whole_column(g, sum, half, c + position.row);
        else
            write_column(g, sum, half, c, position.row, uplo == 'L' ? column : 0,
                         uplo == 'U' ? min(column + 1, p.m) : p.m);
    }
}

/* Computes and stores this warpgroup's 64 columns of all tiles of this thread block. */
__device__ inline void multiply_tiles(const split_arguments &g, split_memory &shared, int warpgroup)
{
    split_accumulator c;
    split_cursor cursor;
    for_each_tile(g, [&](const split_piece &p, char uplo, tile_place place) {
        c.clear();
        const split_k_range range = k_range_of_tile(g, place);
        for (int unit = range.begin; unit < range.end; unit++, cursor.advance()) {
            split_stage &stage = shared.stage[cursor.stage];
            const uint64_t b =
                matrix_descriptor(stage.b[warpgroup], core_bytes, cores_of_row * core_bytes);
            const uint64_t a = matrix_descriptor(stage.a, core_bytes, cores_of_row * core_bytes);
            mbarrier::wait(shared_address(&shared.full[cursor.stage]), cursor.parity);
            c.begin_small(b, a);
            c.add();
            c.begin_large(b, a);
            c.add();
            if (threadIdx.x % 32 == 0)
                mbarrier::arrive(shared_address(&shared.empty[cursor.stage]));
        }
        write_tile(g, p, uplo, place, warpgroup, c.sum);
    });
}

} // namespace startile_cuda

#endif
