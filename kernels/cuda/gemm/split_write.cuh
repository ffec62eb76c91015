/*
 * C := alpha sums + beta C for a tile of a product of split factors
 */
#ifndef STARTILE_SPLIT_WRITE_CUH
#define STARTILE_SPLIT_WRITE_CUH

#include "gemm/split_block.cuh"

namespace startile_cuda
{

/* Position of the thread's elements of one unit of columns in C: rows row, row + 1, row + 8, row +
 * 9, row + 16, … of the columns `column` and column + 8. unit: number of the unit in the tile */
template <typename Format>
struct split_position {
    int row, column;

    __device__ split_position(tile_place place, int unit)
    {
        const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
        row = place.row * split_rows + lane % 4 * 2;
        column =
            place.column * split_shape<Format>::columns + unit * unit_length + warp * 16 + lane / 4;
    }
};

/* Writes the thread's pairs of rows in one column of the tile, all inside C. Reads `batch` pairs
 * before it writes them. half: 0 for the thread's first column, 1 for its second */
template <int batch>
__device__ inline void write_whole_column(const split_arguments &g, const float (&sum)[96],
                                          int half, float *to)
{
    constexpr int pairs = 24;
    static_assert(pairs % batch == 0);
    float2 *c = reinterpret_cast<float2 *>(to);
#pragma unroll
    for (int first = 0; first < pairs; first += batch) {
        float2 old[batch] = {};
        if (g.beta != 0)
#pragma unroll
            for (int j = 0; j < batch; j++)
                old[j] = c[4 * (first + j)];
#pragma unroll
        for (int j = 0; j < batch; j++) {
            const int i = 4 * (first + j) + 2 * half;
            const float2 value = {g.alpha * sum[i], g.alpha * sum[i + 1]};
            c[4 * (first + j)] = g.beta != 0 ? make_float2(fmaf(g.beta, old[j].x, value.x),
                                                           fmaf(g.beta, old[j].y, value.y))
                                             : value;
        }
    }
}

/* Writes the thread's elements in rows from … to − 1 of one column, and 0 in row zero_row. Reads a
 * quarter of them before it writes that quarter. */
__device__ inline void write_column(const split_arguments &g, const float (&sum)[96], int half,
                                    float *c, int row, int from, int to, int zero_row)
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
                c[i] = i == zero_row ? 0 : g.beta != 0 ? fmaf(g.beta, old[n], value) : value;
        }
    }
}

/* Writes the warpgroup's part of a tile; sum[u]: sums of its unit u of columns. */
template <typename Format, int parts, int units>
__device__ inline void write_tile(const split_arguments &g, const split_piece &p, tile_place place,
                                  int warpgroup, const float (&sum)[units][96])
{
    using order = split_order<Format, parts>;
    constexpr int batch = 24 / units; /* fewer registers are free with more sums */
    const bool is_whole = g.c_is_aligned && (place.row + 1) * split_rows <= p.m &&
                          !order::is_across(p.uplo, place.row, place.column);
#pragma unroll
    for (int i = 0; i < 2 * units; i++) {
        const int u = i / 2, half = i % 2;
        const split_position<Format> position(place, warpgroup * units + u);
        const int column = position.column + 8 * half;
        if (column >= p.n)
            continue;
        float *c = p.c + int64_t(column) * p.ldc;
        if (is_whole)
            write_whole_column<batch>(g, sum[u], half, c + position.row);
        else
            write_column(g, sum[u], half, c, position.row, p.uplo == 'L' ? parts * column : 0,
                         p.uplo == 'U' ? min(parts * (column + 1), p.m) : p.m,
                         parts == 2 && g.hermitian && p.uplo != 'G' ? parts * column + 1 : -1);
    }
}

} // namespace startile_cuda

#endif
