/*
 * A factor of a product in one slot of shared memory: `rows` rows of op(A) or of op(B)ᵀ, with
 * slot_depth indices k (128 bytes) of each. The slot has the order of global memory: by rows if k
 * is the contiguous index (k_first), else by k. A chunk of 16 bytes holds one complex number or two
 * doubles: two k of a row (k_first), or two rows of one k.
 *
 * To avoid bank conflicts, a slot ordered by k pads the elements of each k, and in a slot ordered
 * by rows the index of a chunk is XORed with bits of the row's index.
 *
 * An mma gives correct sums for any assignment of rows and k to its lanes, as long as both factors
 * use the same assignment of k. It reads from consecutive registers of a lane two rows of op(A)
 * with one k, or several k of one row of op(B)ᵀ. If a chunk holds two such doubles, the lane loads
 * the whole chunk (by_chunks); otherwise it loads each double by itself.
 */
#ifndef STARTILE_PRODUCT_OPERAND_CUH
#define STARTILE_PRODUCT_OPERAND_CUH

#include "common/element.cuh"
#include "gemm/product_pipeline.cuh"

namespace startile_cuda
{

constexpr int slot_bytes_of_row = 128;
constexpr int chunk_bytes = 16;
constexpr int fetching_warps = 4;

template <typename T>
constexpr int chunk_elements = chunk_bytes / sizeof(T);
template <typename T>
constexpr int slot_depth = slot_bytes_of_row / sizeof(T);

/* A lane's elements of 16 rows in one slot: two rows by four indices k (complex: two rows by two)
 */
template <typename T>
struct fragment {
    double value[2][4];
};

template <>
struct fragment<cuDoubleComplex> {
    double2 value[2][2];
};

/* Layout of a factor. With t = lane % 4, a lane reads doubles with the k indices t, t + 4, t + 8,
 * t + 12 if k_strided, otherwise 2 t, 2 t + 1, 2 t + 8, 2 t + 9. is_left: the factor is the mma's
 * A, of which a lane needs pairs of rows; otherwise B. */
template <typename T, bool k_first, int rows, bool k_strided, bool is_left>
struct operand {
    static constexpr bool is_complex = element<T>::is_complex;
    /* bytes from a row to the next one (k_first), or from a column to the next one */
    static constexpr int pitch =
        k_first ? slot_bytes_of_row : rows * sizeof(T) + (is_complex || k_strided ? 32 : 16);
    static constexpr int bytes = pitch * (k_first ? rows : slot_depth<T>);
    /* true: a lane reads whole chunks from shared memory; false: single doubles */
    static constexpr bool by_chunks = is_complex || (is_left ? !k_first : k_first && !k_strided);
    /* true: a lane has rows 2 g and 2 g + 1 of 16, g = lane / 4; false: rows g and g + 8 */
    static constexpr bool rows_are_pairs = !is_complex && (by_chunks || k_first);

    /* Returns the bits by which a chunk's index is XORed in this row. Only for k_first. */
    static __device__ int swizzle(int row)
    {
        return is_complex ? (row & 1) << 2 : k_strided ? row & 6 : (row & 2) << 1;
    }

    /* true: columns are copied by bulk copies. Shorter columns are copied faster in chunks. */
    static constexpr bool by_columns = has_bulk_copies && !k_first && rows * sizeof(T) >= 1024;

    /* Copies the block of the m × k matrix p that begins at (row0, k0) to the slot at `to` in
     * shared memory; elements outside p become zero. is_aligned: p and its columns (k_first: its
     * rows) are aligned to 16 bytes. Each of fetching_warps warps calls this for its part. The data
     * is complete when the phase of `full` ends. */
    static __device__ void fetch(bool is_aligned, uint32_t full, int part, uint32_t to, const T *p,
                                 int64_t ld, int row0, int m, int k0, int k)
    {
        const bool whole = is_aligned && row0 + rows <= m && k0 + slot_depth<T> <= k;
        if (whole && by_columns)
            fetch_columns(full, part, to, p + row0 + k0 * ld, ld);
        else if (whole && k_first)
            fetch_whole_rows(part, to, p + k0 + row0 * ld, ld);
        else if (whole)
            fetch_whole_columns(part, to, p + row0 + k0 * ld, ld);
        else if (is_aligned)
            fetch_any<true>(part, to, p, ld, row0, m, k0, k);
        else
            fetch_any<false>(part, to, p, ld, row0, m, k0, k);
    }

    static __device__ void fetch_columns(uint32_t full, int part, uint32_t to, const T *p,
                                         int64_t ld)
    {
        constexpr int columns = slot_depth<T> / fetching_warps, column_bytes = rows * sizeof(T);
        const int lane = threadIdx.x % 32, column = part * columns + lane;
        if (lane < columns) {
            mbarrier::expect_tx(full, column_bytes);
            mbarrier::copy_bulk(full, to + column * pitch, p + column * ld, column_bytes);
        }
    }

    static __device__ void fetch_whole_columns(int part, uint32_t to, const T *p, int64_t ld)
    {
        constexpr int line = rows / chunk_elements<T>;
        const int first = part * 32 + threadIdx.x % 32;
#pragma unroll 2
        for (int c = 0; c < line * slot_depth<T>; c += 32 * fetching_warps) {
            const int i = (c + first) / line, chunk = (c + first) % line;
            copy_chunk(to + i * pitch + chunk * chunk_bytes,
                       p + chunk * chunk_elements<T> + i * ld);
        }
    }

    static __device__ void fetch_whole_rows(int part, uint32_t to, const T *p, int64_t ld)
    {
        const int lane = threadIdx.x % 32, c = lane % 8, first = lane / 8 + 4 * part;
        const T *from = p + c * chunk_elements<T> + first * ld;
        to += first * pitch + (c ^ swizzle(first)) * chunk_bytes;
#pragma unroll
        for (int i = 0; i < rows; i += 4 * fetching_warps) {
            copy_chunk(to + i * pitch, from);
            from += 4 * fetching_warps * ld;
        }
    }

    /* Copies rows or columns that are not whole or not aligned, chunk by chunk. */
    template <bool is_aligned>
    static __device__ void fetch_any(int part, uint32_t to, const T *p, int64_t ld, int row0, int m,
                                     int k0, int k)
    {
        const int lane = threadIdx.x % 32;
        constexpr int per_chunk = chunk_elements<T>, size = sizeof(T);
        if constexpr (k_first) {
            const int c = lane % 8, first = lane / 8 + 4 * part;
            const int in_row = size * min(max(k - k0 - c * per_chunk, 0), per_chunk);
            const T *from = p + (in_row > 0 ? k0 + c * per_chunk : 0) + (row0 + first) * ld;
            to += first * pitch + (c ^ swizzle(first)) * chunk_bytes;
#pragma unroll 2
            for (int i = 0; i < rows; i += 4 * fetching_warps) {
                const bool inside = row0 + first + i < m;
                copy_chunk<is_aligned>(to + i * pitch, inside ? from : p, inside ? in_row : 0);
                from += 4 * fetching_warps * ld;
            }
        } else {
#pragma unroll 2
            for (int c = lane; c < rows / per_chunk; c += 32) {
                const int row = row0 + c * per_chunk;
                const int in_column = size * min(max(m - row, 0), per_chunk);
                const T *from = p + (in_column > 0 ? row : 0) + (k0 + part) * ld;
                for (int i = part; i < slot_depth<T>; i += fetching_warps) {
                    const bool inside = k0 + i < k;
                    copy_chunk<is_aligned>(to + i * pitch + c * chunk_bytes, inside ? from : p,
                                           inside ? in_column : 0);
                    from += fetching_warps * ld;
                }
            }
        }
    }

    /* Returns the offset in a slot of the lane's first element, for the 16 rows from row0 on. row0
     * is a multiple of 16. */
    static __device__ uint32_t place(int row0)
    {
        const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
        const int row = row0 + (rows_are_pairs ? 2 * g : g);
        const int k = is_complex || k_strided ? t : 2 * t;
        if constexpr (k_first)
            return row * pitch + ((k / chunk_elements<T>)^swizzle(row)) * chunk_bytes +
                   k % chunk_elements<T> * sizeof(T);
        else
            return k * pitch + row * sizeof(T);
    }

    /* Returns the lane's elements of the 16 rows from row0 + 16 block on, given place =
     * place(row0). */
    static __device__ fragment<T> read(uint32_t slot, uint32_t place, int block)
    {
        fragment<T> f;
        if constexpr (is_complex) {
#pragma unroll
            for (int r = 0; r < 2; r++)
#pragma unroll
                for (int q = 0; q < 2; q++)
                    f.value[r][q] = k_first ? read_chunk(slot + (place ^ (q * 4 * chunk_bytes)) +
                                                         (16 * block + 8 * r) * pitch)
                                            : read_chunk(slot + place + q * 4 * pitch +
                                                         (16 * block + 8 * r) * chunk_bytes);
        } else if constexpr (by_chunks && k_first) {
#pragma unroll
            for (int r = 0; r < 2; r++)
#pragma unroll
                for (int h = 0; h < 2; h++) {
                    const double2 x = read_chunk(slot + (place ^ (h * 4 * chunk_bytes)) +
                                                 (16 * block + r) * pitch);
                    f.value[r][2 * h] = x.x;
                    f.value[r][2 * h + 1] = x.y;
                }
        } else if constexpr (by_chunks) {
#pragma unroll
            for (int q = 0; q < 4; q++) {
                const double2 x =
                    read_chunk(slot + place + k_of(q) * pitch + 16 * block * sizeof(T));
                f.value[0][q] = x.x;
                f.value[1][q] = x.y;
            }
        } else {
#pragma unroll
            for (int q = 0; q < 4; q++)
#pragma unroll
                for (int r = 0; r < 2; r++)
                    f.value[r][q] = k_first ? read_double(slot + (place ^ (q * 2 * chunk_bytes)) +
                                                          (16 * block + r) * pitch)
                                            : read_double(slot + place + k_of(q) * pitch +
                                                          (16 * block + 8 * r) * sizeof(T));
        }
        return f;
    }

    /* Returns the k index of the lane's element q, relative to that of its element 0. */
    static constexpr __device__ int k_of(int q)
    {
        return k_strided ? 4 * q : 8 * (q / 2) + q % 2;
    }
};

} // namespace startile_cuda

#endif
