/*
 * A factor of a product on its way through shared memory: `rows` rows (of op(A), or of op(B)ᵀ) by
 * a slot's depth in k, which is 128 bytes. Its chunks of 16 bytes hold two doubles or one complex
 * number, neighbours in global memory: of a row (k_first: the other index is the far one), or of a
 * column.
 *
 * A chunk's place is its index with some bits turned (^) by those of its line, so that the lanes
 * whose 128 bytes are read together find them in different banks.
 *
 * Which row and which k a lane has in an mma is free, as long as both factors agree on k. The
 * tensor cores want a lane's doubles in neighbouring registers: pairs of rows of A, all k of a
 * column of B. Where a chunk of 16 bytes is such a pair it is read as one, and its two rows or k
 * are then neighbours in the mma, too; else each double is read by itself.
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

/* What a lane holds of 16 rows: of doubles two rows by four k, a slot's depth; of complex numbers
 * rows g and g + 8, g = lane / 4, and one k of half a slot's depth. */
template <typename T>
struct fragment {
    double value[2][4];
};

template <>
struct fragment<cuDoubleComplex> {
    double2 value[2];
};

/* The k of a lane with doubles, t = lane % 4: k_apart 4 q + t, else 2 t and 2 t + 1, and those
 * eight further. The factor that is the mma's A has pairs. */
template <typename T, bool k_first, int rows, bool k_apart, bool is_left>
struct operand {
    static constexpr int bytes = rows * slot_bytes_of_row;
    static constexpr int line = rows / chunk_elements<T>; /* chunks, where rows are contiguous */
    static constexpr bool is_complex = element<T>::is_complex;
    static constexpr bool by_chunks = is_complex || (is_left ? !k_first : k_first && !k_apart);
    /* rows 2 g and 2 g + 1 of 16; else g and g + 8 */
    static constexpr bool rows_are_pairs = !is_complex && (by_chunks || k_first);

    /* Which bits of a chunk's index are turned, by its row (k_first) or its k */
    static __device__ int turn(int of)
    {
        if constexpr (is_complex)
            return k_first ? (of & 1) << 2 : (of & 3) << 1;
        else if constexpr (k_apart)
            return k_first ? of & 6 : (of & 3) << 1;
        else
            return k_first ? (of & 2) << 1 : of & 6;
    }

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
            const int in_row = min(max((k - k0 - c * per) * size, 0), chunk_bytes);
            const T *from = p + (in_row > 0 ? k0 + c * per : 0) + (row0 + first) * ld;
            to += first * slot_bytes_of_row + (c ^ turn(first)) * chunk_bytes;
#pragma unroll 8
            for (int i = 0; i < rows; i += 4 * fetching_warps) {
                const bool inside = row0 + first + i < m;
                copy_chunk<at_once>(to + i * slot_bytes_of_row, inside ? from : p,
                                    inside ? in_row : 0);
                from += 4 * fetching_warps * ld;
            }
        } else {
            constexpr int chunks = (line + 31) / 32;
            if (line < 32 && lane >= line)
                return;
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
                const int i = step + part;
                const bool inside = k0 + i < k;
#pragma unroll
                for (int h = 0; h < chunks; h++) {
                    copy_chunk<at_once>(to + (i * line + 32 * h + (lane ^ turn(i))) * chunk_bytes,
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
        if constexpr (k_first) {
            const int row = row0 + (rows_are_pairs ? 2 * g : g);
            const int k = by_chunks ? t * chunk_elements<T> : t;
            return row * slot_bytes_of_row + ((k / chunk_elements<T>)^turn(row)) * chunk_bytes +
                   k % chunk_elements<T> * sizeof(T);
        } else {
            const int k = is_complex || k_apart ? t : 2 * t;
            const int row = by_chunks ? g * chunk_elements<T> : g;
            return (k * line + row0 / chunk_elements<T> + ((row / chunk_elements<T>)^turn(k))) *
                       chunk_bytes +
                   row % chunk_elements<T> * sizeof(T);
        }
    }

    /* Sixteen rows, block by block from that place on; with complex numbers half a slot's depth */
    static __device__ fragment<T> read(uint32_t slot, uint32_t place, int half, int block)
    {
        fragment<T> f;
        if constexpr (is_complex) {
#pragma unroll
            for (int r = 0; r < 2; r++)
                f.value[r] = k_first
                                 ? read_chunk(slot + (place ^ (half * 4 * chunk_bytes)) +
                                              (16 * block + 8 * r) * slot_bytes_of_row)
                                 : read_chunk(slot + place +
                                              (half * 4 * line + 16 * block + 8 * r) * chunk_bytes);
        } else if constexpr (by_chunks && k_first) {
#pragma unroll
            for (int r = 0; r < 2; r++)
#pragma unroll
                for (int h = 0; h < 2; h++) {
                    const double2 x = read_chunk(slot + (place ^ (h * 4 * chunk_bytes)) +
                                                 (16 * block + r) * slot_bytes_of_row);
                    f.value[r][2 * h] = x.x;
                    f.value[r][2 * h + 1] = x.y;
                }
        } else if constexpr (by_chunks) {
#pragma unroll
            for (int q = 0; q < 4; q++) {
                const double2 x =
                    read_chunk(slot + place + (k_of(q) * line + 8 * block) * chunk_bytes);
                f.value[0][q] = x.x;
                f.value[1][q] = x.y;
            }
        } else {
#pragma unroll
            for (int q = 0; q < 4; q++)
#pragma unroll
                for (int r = 0; r < 2; r++)
                    f.value[r][q] = k_first
                                        ? read_double(slot + (place ^ (q * 2 * chunk_bytes)) +
                                                      (16 * block + r) * slot_bytes_of_row)
                                        : read_double(slot + (place ^ (r * 4 * chunk_bytes)) +
                                                      (k_of(q) * line + 8 * block) * chunk_bytes);
        }
        return f;
    }

    /* Number q of a lane's k, less its first */
    static constexpr __device__ int k_of(int q)
    {
        return k_apart ? 4 * q : 8 * (q / 2) + q % 2;
    }
};

} // namespace startile_cuda

#endif
