/*
 * Pieces of a matrix (startile_piece in kernels.h) as an array in device memory, for many kernels
 * on the same pieces
 */
#ifndef STARTILE_PIECE_LIST_CUH
#define STARTILE_PIECE_LIST_CUH

#include "common/tile_column.cuh"

#include <algorithm>

namespace startile_cuda
{

template <typename T>
struct listed_piece {
    T *p;
    int64_t ld;
};

constexpr int list_threads = 256;

/* `line` is a tile_column only because that type holds many pieces. */
template <typename T, int capacity>
__global__ void __launch_bounds__(list_threads)
    list_pieces_kernel(const __grid_constant__ tile_column<T, capacity> line, listed_piece<T> *to)
{
    for (int q = threadIdx.x; q < line.count; q += list_threads)
        to[q] = {line.piece[q].p, line.piece[q].ld};
}

/* Copies the addresses of the pieces to device memory. */
template <typename T>
int list_pieces(startile_exec *x, int pieces, const startile_piece *a, listed_piece<T> *to)
{
    for (int first = 0; first < pieces; first += STARTILE_MOST_PIECES)
        if (int error = with_tile_column<T>(
                std::min<int>(STARTILE_MOST_PIECES, pieces - first), a + first,
                [&](const auto &line) {
                    return launch(x, list_pieces_kernel<T, sizeof line.piece / sizeof *line.piece>,
                                  1, list_threads, line, to + first);
                }))
            return error;
    return 0;
}

} // namespace startile_cuda

#endif
