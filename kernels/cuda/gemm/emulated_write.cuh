/*
 * C += alpha y for the tiles of emulated products. An item is 16 rows by 16 columns of C with the
 * bytes of all moduli; a warp copies its next item to shared memory while it computes one.
 */
#ifndef STARTILE_EMULATED_WRITE_CUH
#define STARTILE_EMULATED_WRITE_CUH

#include "gemm/emulated_block.cuh"

namespace startile_cuda
{

constexpr int write_items = emulated_tile / 16 * (emulated_block_columns / 16);

/* A tile of C of a thread block, and the bytes of its elements */
struct emulated_target {
    const emulated_arguments &g;
    const emulated_piece &p;
    bool is_whole; /* all elements are written, and C is aligned */
    int row, column;
    const unsigned char *bytes;

    __device__ bool is_written(int i, int j) const
    {
        return i < p.m && j < p.n && (p.uplo == 'G' || (p.uplo == 'L' ? i >= j : i <= j));
    }

    __device__ double *element(int i, int j) const
    {
        return p.c + i + int64_t(j) * p.ldc;
    }
};

/* Position of an item: warpgroup and warp that multiplied, pair of 8 rows */
struct write_item {
    int warpgroup, pair, warp, row, column;

    __device__ write_item(const emulated_target &to, int item)
        : warpgroup(item / 64), pair(item / 4 % 16), warp(item % 4), row(to.row + 16 * pair),
          column(to.column + 64 * warpgroup + 16 * warp)
    {
    }
};

/* Returns the offset of two elements of C in an item: rows 2 part and 2 part + 1 of a column. */
__device__ inline int offset_in_item(int column, int part)
{
    return moduli * 256 + column * 128 + (part ^ (column & 1) << 2) * 16;
}

__device__ inline void copy_16_bytes(uint32_t to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/* Starts the copies of an item, by a warp. */
__device__ __forceinline__ void fetch_item(const emulated_target &from, int item, uint32_t to)
{
    const int lane = threadIdx.x % 32;
    const write_item at(from, item);
    const unsigned char *bytes =
        from.bytes + at.warpgroup * (fraction_bytes / 2) + at.pair * 1024 + at.warp * 256;
#pragma unroll
    for (int i = lane; i < moduli * 16; i += 32)
        copy_16_bytes(to + i * 16, bytes + i / 16 * fraction_bytes + i % 16 * 16);
    if (from.is_whole)
#pragma unroll
        for (int i = lane; i < 128; i += 32)
            copy_16_bytes(to + offset_in_item(i / 8, i % 8),
                          from.element(at.row + i % 8 * 2, at.column + i / 8));
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Updates rows `row` and `row` + 1 of one column. */
__device__ __forceinline__ void update_two(const emulated_target &to, int row, int column,
                                           const unsigned char *old, double factor, double first,
                                           double second)
{
    double *c = to.element(row, column);
    if (to.is_whole) {
        const double2 before = *reinterpret_cast<const double2 *>(old);
        *reinterpret_cast<double2 *>(c) =
            make_double2(fma(factor, first, before.x), fma(factor, second, before.y));
        return;
    }
    if (to.is_written(row, column))
        c[0] = fma(factor, first, c[0]);
    if (to.is_written(row + 1, column))
        c[1] = fma(factor, second, c[1]);
}

/* Computes and writes an item, by a warp. */
__device__ __forceinline__ void write_one(const emulated_target &to, int item,
                                          const unsigned char *from)
{
    const int lane = threadIdx.x % 32;
    const write_item at(to, item);
    const double factor = to.g.alpha * range_mantissa();
    const int *row_exponents = to.g.exponents + to.p.first_unit_row[0] * residue_rows;
    const int *column_exponents = to.g.exponents + to.p.first_unit_row[1] * residue_rows;
    const int column = at.column + lane / 4;
    int of_column[2];
#pragma unroll
    for (int h = 0; h < 2; h++)
        of_column[h] = column + 8 * h < to.p.n ? column_exponents[column + 8 * h] : 0;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int part = half * 4 + lane % 4, row = at.row + 2 * part;
        const int2 of_row =
            row < to.p.m ? *reinterpret_cast<const int2 *>(row_exponents + row) : make_int2(0, 0);
        fraction96 y[4];
        const auto residues = [&](auto i) {
            return residues_of_fractions<decltype(i)::value>(*reinterpret_cast<const uint32_t *>(
                from + decltype(i)::value * 256 + lane * 8 + half * 4));
        };
        for_each_constant<moduli / 2>([&](auto pair) {
            constexpr int i = 2 * decltype(pair)::value;
            add_residues<i>(y, residues(std::integral_constant<int, i>()),
                            residues(std::integral_constant<int, i + 1>()));
        });
#pragma unroll
        for (int h = 0; h < 2; h++)
            update_two(to, row, column + 8 * h, from + offset_in_item(lane / 4 + 8 * h, part),
                       factor, y[2 * h].value(of_row.x + of_column[h]),
                       y[2 * h + 1].value(of_row.y + of_column[h]));
    }
}

/* Writes all items of a tile, by write_warps warps with numbers `warp`. */
__device__ __forceinline__ void write_items_of_tile(
    const emulated_target &to, int warp, unsigned char (&buffer)[write_depth][write_item_bytes])
{
    static_assert(write_depth == 2);
    fetch_item(to, warp, shared_address(buffer[0]));
    int now = 0;
#pragma unroll 1
    for (int item = warp; item < write_items; item += write_warps, now ^= 1) {
        if (item + write_warps < write_items)
            fetch_item(to, item + write_warps, shared_address(buffer[now ^ 1]));
        else
            asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncwarp();
        write_one(to, item, buffer[now]);
        __syncwarp();
    }
}

/* Writes all tiles of this thread block. */
__device__ inline void write_emulated_tiles(const emulated_arguments &g, emulated_memory &shared,
                                            int warp)
{
    emulated_cursor<2> buffer;
    const unsigned char *scratch = g.scratch + int64_t(blockIdx.x) * fractions_bytes_of_block;
    for_each_emulated_tile(g, [&](const emulated_piece &p, tile_place place) {
        mbarrier::wait(shared_address(&shared.ready[buffer.entry]), buffer.parity);
        const int row = place.row * emulated_tile;
        const int column = place.column * emulated_tile + cluster_rank() * emulated_block_columns;
        const bool is_whole = p.is_aligned && row + emulated_tile <= p.m &&
                              column + emulated_block_columns <= p.n &&
                              !emulated_order::is_across(p.uplo, place.row, place.column);
        const emulated_target to = {g,   p,      is_whole,
                                    row, column, scratch + buffer.entry * fractions_bytes};
        write_items_of_tile(to, warp, shared.item[warp]);
        mbarrier::arrive(shared_address(&shared.free[buffer.entry]));
        buffer.advance();
    });
}

} // namespace startile_cuda

#endif
