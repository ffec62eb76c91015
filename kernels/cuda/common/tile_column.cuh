/*
 * A tile column (startile_piece in kernels.h) as a by-value argument of CUDA kernels, which saves a
 * copy to the device. It has one of three capacities (1, 32 or 1024 pieces), because an argument of
 * 16 KiB makes a launch slower.
 */
#ifndef STARTILE_TILE_COLUMN_CUH
#define STARTILE_TILE_COLUMN_CUH

#include "common/exec.cuh"

#include <algorithm>

namespace startile_cuda
{

/* A tile column as an array of pieces; together they have fewer than 2³¹ rows */
template <typename T, int capacity>
struct tile_column {
    struct {
        T *p;
        int ld, first; /* first: row of the tile column at which the piece begins */
    } piece[capacity];
    int count;
    int regular_rows;  /* rows of the second piece; usually of all except the first and the last */
    int first_deficit; /* regular_rows minus the rows of the first piece */

    /* Returns the index of the piece that has row `row`. */
    __device__ int piece_of(int row) const
    {
        if constexpr (capacity == 1)
            return 0;
        /* The first guess is exact if all pieces except the first have regular_rows rows. The loops
         * correct it otherwise. */
        int q = min(max((row + first_deficit) / regular_rows, 0), count - 1);
        while (row < piece[q].first)
            q--;
        while (q + 1 < count && row >= piece[q + 1].first)
            q++;
        return q;
    }

    /* Returns the address of the element (row, column) of the tile column. */
    __device__ T *at(int row, int64_t column) const
    {
        int q = piece_of(row);
        return piece[q].p + (row - piece[q].first) + column * piece[q].ld;
    }
};

/* Middle one of the three capacities of tile_column, in pieces */
constexpr int few_pieces = 32;

template <typename T, int capacity>
tile_column<T, capacity> make_tile_column(int pieces, const startile_piece *a)
{
    tile_column<T, capacity> s;
    int first = 0;
    for (int q = 0; q < pieces; q++) {
        s.piece[q].p = static_cast<T *>(a[q].p);
        s.piece[q].ld = a[q].ld;
        s.piece[q].first = first;
        first += a[q].m;
    }
    s.count = pieces;
    s.regular_rows = std::max(pieces > 1 ? a[1].m : 0, 1);
    s.first_deficit = s.regular_rows - a[0].m;
    return s;
}

/* Calls f with the tile column in the smallest capacity that holds it, and returns f's result.
 * Returns STARTILE_ERROR_DEVICE for more than STARTILE_MOST_PIECES pieces. */
template <typename T, typename F>
int with_tile_column(int pieces, const startile_piece *a, F f)
{
    if (pieces == 1)
        return f(make_tile_column<T, 1>(pieces, a));
    if (pieces <= few_pieces)
        return f(make_tile_column<T, few_pieces>(pieces, a));
    if (pieces <= STARTILE_MOST_PIECES)
        return f(make_tile_column<T, STARTILE_MOST_PIECES>(pieces, a));
    return STARTILE_ERROR_DEVICE;
}

/* Returns the number of rows of a tile column. */
inline int64_t rows_of(int pieces, const startile_piece *a)
{
    int64_t rows = 0;
    for (int q = 0; q < pieces; q++)
        rows += a[q].m;
    return rows;
}

/* If `gather`, copies the pieces to the m × n array `all`; otherwise copies `all` to the pieces. */
template <typename T>
int copy_pieces(startile_exec *x, bool gather, int pieces, const startile_piece *a, int n, T *all,
                int m)
{
    for (int i = 0; i < pieces; i++) {
        size_t piece_pitch = a[i].ld * sizeof(T), pitch = m * sizeof(T);
        if (a[i].m > 0)
            if (int error = check(
                    cudaMemcpy2DAsync(gather ? all : a[i].p, gather ? pitch : piece_pitch,
                                      gather ? a[i].p : all, gather ? piece_pitch : pitch,
                                      a[i].m * sizeof(T), n, cudaMemcpyDeviceToDevice, x->stream)))
                return error;
        all += a[i].m;
    }
    return 0;
}

/* Copies the tile column to shared memory and returns the copy (for one piece, the argument).
 * Kernel arguments are in the constant bank, which serializes threads that read different pieces.
 */
template <typename T, int capacity>
__device__ inline const tile_column<T, capacity> &shared_copy(
    const tile_column<T, capacity> &argument)
{
    if constexpr (capacity == 1) {
        return argument;
    } else {
        __shared__ tile_column<T, capacity> copy;
        for (int q = threadIdx.x; q < argument.count; q += blockDim.x)
            copy.piece[q] = argument.piece[q];
        if (threadIdx.x == 0) {
            copy.count = argument.count;
            copy.regular_rows = argument.regular_rows;
            copy.first_deficit = argument.first_deficit;
        }
        __syncthreads();
        return copy;
    }
}

} // namespace startile_cuda

#endif
