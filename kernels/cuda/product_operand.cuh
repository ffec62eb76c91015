/*
 * A factor of a product on its way through shared memory: `rows` rows (of op(A), or of op(B)ᵀ) by
 * a slot's depth in k, which is 128 bytes. Its chunks of 16 bytes hold two doubles or one complex
 * number, neighbours in global memory: of a row (k_first: the other index is the far one), or of a
 * column.
 *
 * A chunk's place is its index with some bits turned (^) by those of its line, so that the eight
 * lanes whose 16 bytes are read together find them in different banks.
 *
 * Which row and which k a lane has in an mma is free, as long as both factors agree on k: so a
 * lane's two doubles of a chunk are rows g and g + 8 of the mma or two of its k, and the mma's row
 * g, 8 + g is 2 g, 2 g + 1 of the matrix. With complex numbers a lane has rows g and g + 8 as they
 * are.
 */
#ifndef STARTILE_PRODUCT_OPERAND_CUH
#define STARTILE_PRODUCT_OPERAND_CUH

#include "element.cuh"
#include "product_pipe.cuh"

namespace startile_cuda
{

constexpr int slot_bytes_of_row = 128;
constexpr int chunk_bytes = 16;
constexpr int fetching_warps = 4;

template <typename T>
constexpr int chunk_elements = chunk_bytes / sizeof(T);
template <typename T>
constexpr int slot_depth = slot_bytes_of_row / sizeof(T);

/* What a lane holds of 16 rows and half a slot's depth: with complex numbers chunk r is its row r.
 * With doubles that is row r for two k if k_first, and else two rows for k number r. */
struct fragment {
    double2 chunk[2];

    template <bool k_first>
    __device__ double value(int r, int k) const
    {
        const double2 c = chunk[k_first ? r : k];
        return (k_first ? k : r) == 0 ? c.x : c.y;
    }
};

template <typename T, bool k_first, int rows>
struct operand {
    static constexpr int bytes = rows * slot_bytes_of_row;
    static constexpr int line = rows / chunk_elements<T>; /* chunks, where rows are contiguous */
    static constexpr bool is_complex = element<T>::is_complex;

    /* By fetching_warps, each its part: the slot at `to` := k0 … of rows row0 …, with zeros outside
     * of m × k. p is the matrix. */
    template <bool at_once>
    static __device__ void fetch(int part, uint32_t to, const T *p, int64_t ld, int row0, int m,
                                 int k0, int k)
    {
        const int lane = threadIdx.x % 32;
        constexpr int per = chunk_elements<T>, size = sizeof(T);
        if constexpr (k_first) {
            const int c = lane % 8, first = lane / 8 + 4 * part;
            const int turned = c ^ (is_complex ? (first & 1) << 2 : (first & 2) << 1);
            const int in_row = min(max((k - k0 - c * per) * size, 0), chunk_bytes);
            const T *from = p + (in_row > 0 ? k0 + c * per : 0) + (row0 + first) * ld;
            to += first * slot_bytes_of_row + turned * chunk_bytes;
#pragma unroll 8
            for (int i = 0; i < rows; i += 4 * fetching_warps) {
                const bool inside = row0 + first + i < m;
                copy_chunk<at_once>(to + i * slot_bytes_of_row, inside ? from : p,
                                    inside ? in_row : 0);
                from += 4 * fetching_warps * ld;
            }
        } else {
            constexpr int chunks = line / 32;
            int in_column[chunks];
            const T *from[chunks];
#pragma unroll
            for (int h = 0; h < chunks; h++) {
                const int row = row0 + (lane + 32 * h) * per;
                in_column[h] = min(max((m - row) * size, 0), chunk_bytes);
                from[h] = p + (in_column[h] > 0 ? row : 0) + (k0 + part) * ld;
            }
#pragma unroll
            for (int step = 0; step < slot_depth<T>; step += fetching_warps) {
                const int i = step + part, turn = is_complex ? (i & 3) << 1 : i & 6;
                const bool inside = k0 + i < k;
#pragma unroll
                for (int h = 0; h < chunks; h++) {
                    copy_chunk<at_once>(to + (i * line + 32 * h + (lane ^ turn)) * chunk_bytes,
                                        inside ? from[h] : p, inside ? in_column[h] : 0);
                    from[h] += fetching_warps * ld;
                }
            }
        }
    }

    /* Where a lane finds its part of the rows from row0 on, a multiple of 16, in a slot at 0 */
    static __device__ uint32_t place(int row0)
    {
        const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
        if constexpr (k_first)
            return (row0 + (is_complex ? g : 2 * g)) * slot_bytes_of_row +
                   (t ^ ((g & 1) << 2)) * chunk_bytes;
        else
            return ((is_complex ? t : 2 * t) * line + row0 / chunk_elements<T> + (g ^ (2 * t))) *
                   chunk_bytes;
    }

    /* Half a slot's depth of 16 rows, block by block from that place on */
    static __device__ fragment read(uint32_t slot, uint32_t place, int half, int block)
    {
        fragment f;
#pragma unroll
        for (int r = 0; r < 2; r++)
            if constexpr (k_first)
                f.chunk[r] =
                    read_chunk(slot + (place ^ (half * 4 * chunk_bytes)) +
                               (16 * block + (is_complex ? 8 * r : r)) * slot_bytes_of_row);
            else if constexpr (is_complex)
                f.chunk[r] =
                    read_chunk(slot + place + (half * 4 * line + 16 * block + 8 * r) * chunk_bytes);
            else
                f.chunk[r] =
                    read_chunk(slot + place + ((half * 8 + r) * line + 8 * block) * chunk_bytes);
        return f;
    }
};

} // namespace startile_cuda

#endif
