/*
 * Products of residues. A cluster of two thread blocks computes tiles of C, each 256 × 256, one
 * after the other; each block 256 rows by 128 columns. For each modulus in turn:
 *
 *     warp 8: fetch                        warpgroups 0, 1: multiply, 64 columns each
 *
 *     wait empty[stage] <---------------------------+
 *     lane 0: arrive_expect_tx full[stage],         |
 *       bulk copies: the block's unit of B,         |
 *       one unit of A to both blocks                |
 *           |                                       |
 *           |    4 stages in shared memory          |
 *           +--> | B, A, A: 128 k each | ---------> wait full[stage]
 *                                                   | wgmma, sums in registers
 *                                                   +-- arrive empty[stage] of both blocks
 *                                                   after the last k: fraction_byte of each sum
 *                                                     to the scratch in global memory
 *                                                     |  after the last modulus
 *     warps 9-11: write (emulated_write.cuh)          |
 *       wait ready[buffer] <--------------------------+
 *       C += alpha y   from the 14 bytes of each element
 *       arrive free[buffer] ------------------------> wait free[buffer] before the next tile but
 * one
 *
 * The kernel computes Cᵀ, so that neighbouring elements of a thread are neighbours in a column of
 * C.
 *
 * Clusters stay within one modulus of each other (wait_for_others), so that the planes in use fit
 * into the L2 cache. This took 23.2 instead of 40.9 ms with an earlier writing part (H100, C of
 * order 16384, k = 2048; perf_models/NOTES.md, "Emulated products in double precision"). The wait
 * has a limit: thread blocks that cannot start yet do not stop the others.
 */
#ifndef STARTILE_EMULATED_BLOCK_CUH
#define STARTILE_EMULATED_BLOCK_CUH

#include "gemm/emulated_planes.cuh"
#include "gemm/emulated_tensor.cuh"
#include "gemm/tile_order.cuh"

namespace startile_cuda
{

constexpr int emulated_tile = 256;          /* rows and columns of a cluster's tile */
constexpr int emulated_block_columns = 128; /* columns of a thread block */
constexpr int emulated_warpgroups = 2;      /* warpgroups that multiply */
constexpr int emulated_block_threads = (emulated_warpgroups + 1) * 128;
constexpr int emulated_cluster = 2;
using emulated_order = tile_order<emulated_tile, emulated_tile>;

/* Bytes of one modulus of a thread block's tile, and of all moduli; a block has two such buffers.
 */
constexpr int fraction_bytes = emulated_tile * emulated_block_columns;
constexpr int fractions_bytes = moduli * fraction_bytes;
constexpr int fractions_bytes_of_block = 2 * fractions_bytes;

struct emulated_piece {
    double *c;
    int ldc, m, n;
    int first_unit_row[2]; /* indices of the first rows of units of op(A) and op(B) */
    bool is_aligned;       /* C and its columns are aligned to 16 bytes */
    char uplo;
};

constexpr int emulated_max_pieces = 64;

/* Arguments of product_emulated_kernel */
struct emulated_arguments {
    int units_of_row, unit_rows, pieces, tiles;
    double alpha;
    const signed char *planes;
    const int *exponents, *unsuitable;
    unsigned int *started; /* moduli that all clusters have started; 0 at the launch */
    unsigned char *scratch;
    int first_tile[emulated_max_pieces];
    emulated_piece piece[emulated_max_pieces];
};

struct emulated_stage {
    signed char b[residue_unit_bytes];
    signed char a[2][residue_unit_bytes];
};

constexpr int emulated_stages = 4;
constexpr int write_warps = 3;
constexpr int write_item_bytes = moduli * 256 + 2048; /* an item of emulated_write.cuh */
constexpr int write_depth = 2;                        /* items in flight of a warp */

struct emulated_memory {
    emulated_stage stage[emulated_stages];
    unsigned char item[write_warps][write_depth][write_item_bytes];
    uint64_t full[emulated_stages], empty[emulated_stages], ready[2], free[2];
};

/* Position in a circular buffer of `size` entries */
template <int size>
struct emulated_cursor {
    int entry = 0, parity = 0;

    __device__ void advance()
    {
        if (++entry == size) {
            entry = 0;
            parity ^= 1;
        }
    }
};

/* Arrives at the mbarrier at this address in thread block `block` of the cluster. */
__device__ inline void arrive_in_cluster(uint32_t address, int block)
{
    asm volatile("{\n"
                 ".reg .b32 remote;\n"
                 "mapa.shared::cluster.u32 remote, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
                 "}" ::"r"(address),
                 "r"(block)
                 : "memory");
}

/* Starts mbarrier::copy_bulk to both blocks of the cluster, at the same addresses. */
__device__ inline void copy_bulk_to_cluster(uint32_t address, uint32_t to, const void *from,
                                            int bytes)
{
    constexpr uint16_t both = 3;
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(address), "h"(both)
                 : "memory");
}

/* Calls work(piece, place) for each tile of this cluster, except tiles outside the triangle
 * of C that is computed. */
template <typename Work>
__device__ __forceinline__ void for_each_emulated_tile(const emulated_arguments &g, Work work)
{
    const int clusters = gridDim.x / emulated_cluster;
    for (int tile = blockIdx.x / emulated_cluster; tile < g.tiles; tile += clusters) {
        tile_place place;
        place.piece = piece_of_tile(g.first_tile, g.pieces, tile);
        const emulated_piece &p = g.piece[place.piece];
        emulated_order::find(p.uplo, p.m, p.n, tile - g.first_tile[place.piece], place);
        if (!emulated_order::is_outside(p.uplo, place.row, place.column))
            work(p, place);
    }
}

/* -- fetching --------------------------------------------------------------------------------- */

/* Counts the moduli that the clusters have started, and keeps a cluster from starting one before
 * all clusters have started the previous one. Gives up for the rest of the launch after about a
 * millisecond. */
struct emulated_pace {
    unsigned int own = 0;
    bool waits = true;

    __device__ void wait_for_others(unsigned int *started)
    {
        constexpr int most_polls = 1000;
        const unsigned int before = own++ * (gridDim.x / emulated_cluster);
        atomicAdd(started, 1u);
        int polls = 0;
        while (waits && *const_cast<volatile unsigned int *>(started) < before)
            waits = ++polls < most_polls;
    }

    /* Counts `expected` moduli as started, so that other clusters do not wait for this one. */
    __device__ void finish(unsigned int *started, unsigned int expected) const
    {
        if (own < expected)
            atomicAdd(started, expected - own);
    }
};

/* Fetches the stages of all tiles of this thread block, by one thread. */
__device__ inline void fetch_residues(const emulated_arguments &g, emulated_memory &shared)
{
    emulated_cursor<emulated_stages> cursor;
    emulated_pace pace;
    const int rank = cluster_rank(), clusters = gridDim.x / emulated_cluster;
    const int64_t row_bytes = int64_t(g.units_of_row) * residue_unit_bytes;
    const int64_t plane_bytes = g.unit_rows * row_bytes;
    for_each_emulated_tile(g, [&](const emulated_piece &p, tile_place place) {
        const int a = place.row * 2, b = place.column * 2 + rank;
        const int a_units = min(2, residue_unit_rows(p.m) - a);
        const bool has_a = rank < a_units, has_b = b < residue_unit_rows(p.n);
        const signed char *from_a = g.planes + (p.first_unit_row[0] + a + rank) * row_bytes;
        const signed char *from_b = g.planes + (p.first_unit_row[1] + b) * row_bytes;
        for (int i = 0; i < moduli; i++, from_a += plane_bytes, from_b += plane_bytes) {
            if (rank == 0)
                pace.wait_for_others(g.started);
            for (int unit = 0; unit < g.units_of_row; unit++, cursor.advance()) {
                emulated_stage &stage = shared.stage[cursor.entry];
                const uint32_t full = shared_address(&shared.full[cursor.entry]);
                mbarrier::wait(shared_address(&shared.empty[cursor.entry]), cursor.parity ^ 1);
                mbarrier::arrive_expect_tx(full, (a_units + has_b) * residue_unit_bytes);
                if (has_b)
                    mbarrier::copy_bulk(full, shared_address(stage.b),
                                        from_b + int64_t(unit) * residue_unit_bytes,
                                        residue_unit_bytes);
                if (has_a)
                    copy_bulk_to_cluster(full, shared_address(stage.a[rank]),
                                         from_a + int64_t(unit) * residue_unit_bytes,
                                         residue_unit_bytes);
            }
        }
    });
    if (rank == 0)
        pace.finish(g.started, (g.tiles + clusters - 1) / clusters * moduli);
}

/* -- multiplying ------------------------------------------------------------------------------ */

/* Factors of fraction_byte for all moduli */
struct fraction_factors {
    int factor[moduli];
};

constexpr fraction_factors all_fraction_factors()
{
    fraction_factors all = {};
    for (int i = 0; i < moduli; i++)
        all.factor[i] = fraction_factor(modulus(i));
    return all;
}

__constant__ fraction_factors factors_of_fractions = all_fraction_factors();

/* Releases a stage to the fetching warps of both blocks, by a warp. */
__device__ inline void release_residues(uint64_t &empty)
{
    if (threadIdx.x % 32 < emulated_cluster)
        arrive_in_cluster(shared_address(&empty), threadIdx.x % 32);
}

/* Computes the sums modulo one modulus, over all k. */
__device__ __forceinline__ void multiply_residues(const emulated_arguments &g,
                                                  emulated_memory &shared, int warpgroup,
                                                  emulated_cursor<emulated_stages> &cursor,
                                                  int (&sum)[128])
{
    constexpr int k_of_product = 32, rows_of_warpgroup = 64;
    int previous = 0;
#pragma unroll 1
    for (int unit = 0; unit < g.units_of_row; unit++) {
        mbarrier::wait(shared_address(&shared.full[cursor.entry]), cursor.parity);
        const emulated_stage &stage = shared.stage[cursor.entry];
        const uint64_t b = swizzled_descriptor(stage.b + warpgroup * rows_of_warpgroup * residue_k);
        const uint64_t a = swizzled_descriptor(stage.a);
        open_products();
#pragma unroll
        for (int k = 0; k < residue_k; k += k_of_product)
            begin_byte_product(sum, advanced(b, k), advanced(a, k), unit > 0 || k > 0);
        commit_products();
        wait_for_products<1>();
        if (unit > 0)
            release_residues(shared.empty[previous]);
        previous = cursor.entry;
        cursor.advance();
    }
    finish_byte_products(sum);
    release_residues(shared.empty[previous]);
}

/* Computes the bytes of all tiles of this thread block. Layout of a modulus: warpgroups, pairs of
 * 8 rows, threads, 8 bytes. Bytes 2 h + e of 4: row 2 (lane % 4) + e, column lane / 4 + 8 h */
__device__ inline void multiply_emulated_tiles(const emulated_arguments &g, emulated_memory &shared,
                                               int warpgroup)
{
    emulated_cursor<emulated_stages> cursor;
    emulated_cursor<2> buffer;
    unsigned char *own = g.scratch + int64_t(blockIdx.x) * fractions_bytes_of_block +
                         warpgroup * (fraction_bytes / emulated_warpgroups) +
                         threadIdx.x % 128 * sizeof(uint2);
    int sum[128];
    for_each_emulated_tile(g, [&](const emulated_piece &, tile_place) {
        mbarrier::wait(shared_address(&shared.free[buffer.entry]), buffer.parity ^ 1);
#pragma unroll 1
        for (int i = 0; i < moduli; i++) {
            multiply_residues(g, shared, warpgroup, cursor, sum);
            const int factor = factors_of_fractions.factor[i];
            unsigned char *to = own + (buffer.entry * moduli + i) * fraction_bytes;
#pragma unroll
            for (int j = 0; j < 128; j += 8) {
                uint32_t word[2];
#pragma unroll
                for (int h = 0; h < 2; h++) {
                    const int *s = sum + j + 4 * h;
                    word[h] = __byte_perm(
                        __byte_perm(fraction_byte(s[0], factor), fraction_byte(s[1], factor), 0x40),
                        __byte_perm(fraction_byte(s[2], factor), fraction_byte(s[3], factor), 0x40),
                        0x5410);
                }
                *reinterpret_cast<uint2 *>(to + j / 8 * 128 * sizeof(uint2)) =
                    make_uint2(word[0], word[1]);
            }
        }
        mbarrier::arrive(shared_address(&shared.ready[buffer.entry]));
        buffer.advance();
    });
}

} // namespace startile_cuda

#endif
