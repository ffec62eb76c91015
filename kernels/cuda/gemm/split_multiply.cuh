/*
 * Sums of products of split factors by a multiplying warpgroup, one struct for each kind of format:
 * split_sums for formats of several planes, tensor_sums for formats of one plane.
 */
#ifndef STARTILE_SPLIT_MULTIPLY_CUH
#define STARTILE_SPLIT_MULTIPLY_CUH

#include "gemm/split_tensor.cuh"
#include "gemm/split_write.cuh"

#include <type_traits>

namespace startile_cuda
{

/* Descriptors of a stage's planes: first plane of the warpgroup's columns of op(B), first plane of
 * op(A) */
struct split_descriptors {
    uint64_t b, a;
};

template <typename Format>
__device__ split_descriptors descriptors_of(const split_stage<Format> &stage, int warpgroup)
{
    constexpr int next_rows = cores_of_row * core_bytes;
    return {matrix_descriptor(stage.b[warpgroup * split_shape<Format>::own_units], core_bytes,
                              next_rows),
            matrix_descriptor(stage.a, core_bytes, next_rows)};
}

/* Starts the product of two planes of 64 columns and 32 k. Adds it to d if keep, otherwise
 * overwrites d. */
template <typename Format>
__device__ inline void begin_unit(float (&d)[96], uint64_t b, uint64_t a, bool keep)
{
    constexpr int step = 2 * core_bytes; /* 16 k */
    begin_product<typename Format::pair>(d, b, a, keep);
    begin_product<typename Format::pair>(d, advanced(b, step), advanced(a, step), true);
}

/* Releases a stage to the fetching warp. */
__device__ inline void release_stage(uint64_t &empty)
{
    if (threadIdx.x % 32 == 0)
        mbarrier::arrive(shared_address(&empty));
}

/*
 * Sums of several planes. Tensor cores truncate to about 24 bits when they sum, which would bias
 * long sums. Hence they sum over 32 k only, the large products separately from the small ones, so
 * that these sums are nearly exact. Additions in registers, which round, add up these sums. The
 * error of a sum of k products is at most about
 *
 *     (e + (k / 16 + 8) u) Σ (|x| + v) (|y| + v)
 *
 * with e the error of a product relative to (|x| + v) (|y| + v), and u and v as in split_format.cuh
 * (bf16x3: v = 0). Rounding errors of different signs mostly cancel.
 */
template <typename Format>
struct split_sums {
    float part[96]; /* accumulators of the tensor cores, of one stage */
    float sum[1][96];

    __device__ void clear()
    {
#pragma unroll
        for (int i = 0; i < 96; i++)
            sum[0][i] = 0;
    }

    /* Starts the product of plane i of op(B) and plane j of op(A). */
    __device__ void begin(split_descriptors from, int i, int j, bool keep)
    {
        begin_unit<Format>(part, advanced(from.b, i * plane_bytes),
                           advanced(from.a, j * split_row_units * plane_bytes), keep);
    }

    /* Waits for the products that were started, and adds scale · part to `sum`. */
    __device__ void add(float scale)
    {
        commit_products();
        finish_products(part);
#pragma unroll
        for (int i = 0; i < 96; i++)
            sum[0][i] = fmaf(scale, part[i], sum[0][i]);
    }

    /* Starts the small products of planes, the smallest first. plane_scale of formats with several
     * orders of small products is 1. */
    __device__ void begin_small(split_descriptors from)
    {
        static_assert(Format::planes == 2 || Format::plane_scale == 1);
        constexpr int last = Format::planes - 1;
        open_products();
#pragma unroll
        for (int order = last; order > 0; order--)
#pragma unroll
            for (int i = order; i >= 0; i--)
                begin(from, i, order - i, order < last || i < last);
    }

    __device__ void begin_large(split_descriptors from)
    {
        open_products();
        begin(from, 0, 0, false);
    }

    /* Adds the products of all stages in `range`. */
    __device__ void add_stages(split_memory<Format> &shared,
                               split_cursor<split_memory<Format>::stages> &cursor,
                               split_k_range range, int warpgroup)
    {
        for (int unit = range.begin; unit < range.end; unit++, cursor.advance()) {
            const split_descriptors from = descriptors_of(shared.stage[cursor.stage], warpgroup);
            mbarrier::wait(shared_address(&shared.full[cursor.stage]), cursor.parity);
            begin_small(from);
            add(Format::plane_scale);
            begin_large(from);
            add(1);
            release_stage(shared.empty[cursor.stage]);
        }
    }
};

/*
 * Sums of one plane, computed by the tensor cores alone: their truncation is small relative to the
 * rounding of the elements. Each of the k / 16 additions truncates by at most about 2 u of the sum
 * of the absolute values. While the products of a stage run, those of the next one are started.
 */
template <typename Format>
struct tensor_sums {
    static constexpr int units = split_shape<Format>::own_units;
    float sum[units][96];

    __device__ void clear()
    {
#pragma unroll
        for (int u = 0; u < units; u++)
#pragma unroll
            for (int i = 0; i < 96; i++)
                sum[u][i] = 0;
    }

    /* Starts the products of a stage. */
    __device__ void begin(split_descriptors from)
    {
        open_products();
#pragma unroll
        for (int u = 0; u < units; u++)
            begin_unit<Format>(sum[u], advanced(from.b, u * unit_bytes<Format>), from.a, true);
        commit_products();
    }

    /* Adds the products of all stages in `range`. */
    __device__ void add_stages(split_memory<Format> &shared,
                               split_cursor<split_memory<Format>::stages> &cursor,
                               split_k_range range, int warpgroup)
    {
        int previous = 0;
        for (int unit = range.begin; unit < range.end; unit++, cursor.advance()) {
            mbarrier::wait(shared_address(&shared.full[cursor.stage]), cursor.parity);
            begin(descriptors_of(shared.stage[cursor.stage], warpgroup));
            wait_for_products<1>();
            if (unit > range.begin)
                release_stage(shared.empty[previous]);
            previous = cursor.stage;
        }
        finish_products(sum[0], sum[1]);
        if (range.begin < range.end)
            release_stage(shared.empty[previous]);
    }
};

/* Computes and stores this warpgroup's columns of all tiles of this thread block. */
template <typename Format, int parts>
__device__ inline void multiply_tiles(const split_arguments &g, split_memory<Format> &shared,
                                      int warpgroup)
{
    std::conditional_t<split_shape<Format>::sums_in_tensor_cores, tensor_sums<Format>,
                       split_sums<Format>>
        c;
    split_cursor<split_memory<Format>::stages> cursor;
    for_each_tile<Format, parts>(g, [&](const split_piece &p, tile_place place) {
        c.clear();
        c.add_stages(shared, cursor, k_range_of_tile<Format, parts>(g, place), warpgroup);
        write_tile<Format, parts>(g, p, place, warpgroup, c.sum);
    });
}

} // namespace startile_cuda

#endif
