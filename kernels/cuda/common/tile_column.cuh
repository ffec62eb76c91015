/*
 * A stack of pieces (kernels.h) as an argument of CUDA kernels, by value: no copy to the device has
 * to be awaited. An argument of 16 KiB makes a launch slower, so that there are three sizes.
 */
#ifndef STARTILE_STACK_CUH
#define STARTILE_STACK_CUH

#include "common/exec.cuh"

#include <algorithm>

namespace startile_cuda
{

/* The rows of all pieces together have to be fewer than 2³¹. */
template <typename T, int most>
struct stack {
    struct {
        T *p;
        int ld, first; /* first: the row of the stack that it begins at */
    } piece[most];
    int count;
    int usual;   /* rows of all but the first and the last piece */
    int missing; /* those minus the rows of the first piece */

    __device__ int piece_of(int row) const
    {
        if constexpr (most == 1)
            return 0;
        /* right where the pieces are as usual, which the loops need not be told */
        int q = min(max((row + missing) / usual, 0), count - 1);
        while (row < piece[q].first)
            q--;
        while (q + 1 < count && row >= piece[q + 1].first)
            q++;
        return q;
    }

    __device__ T *at(int row, int64_t column) const
    {
        int q = piece_of(row);
        return piece[q].p + (row - piece[q].first) + column * piece[q].ld;
    }
};

constexpr int few_pieces = 32;

template <typename T, int most>
stack<T, most> make_stack(int pieces, const startile_piece *a)
{
    stack<T, most> s;
    int first = 0;
    for (int q = 0; q < pieces; q++) {
        s.piece[q].p = static_cast<T *>(a[q].p);
        s.piece[q].ld = a[q].ld;
        s.piece[q].first = first;
        first += a[q].m;
    }
    s.count = pieces;
    s.usual = std::max(pieces > 1 ? a[1].m : 0, 1);
    s.missing = s.usual - a[0].m;
    return s;
}

/* f(the stack in the smallest size that holds it), and f's error */
template <typename T, typename F>
int with_stack(int pieces, const startile_piece *a, F f)
{
    if (pieces == 1)
        return f(make_stack<T, 1>(pieces, a));
    if (pieces <= few_pieces)
        return f(make_stack<T, few_pieces>(pieces, a));
    if (pieces <= STARTILE_MOST_PIECES)
        return f(make_stack<T, STARTILE_MOST_PIECES>(pieces, a));
    return STARTILE_ERROR_DEVICE;
}

inline int64_t rows_of(int pieces, const startile_piece *a)
{
    int64_t rows = 0;
    for (int q = 0; q < pieces; q++)
        rows += a[q].m;
    return rows;
}

/* Copies between the pieces and the array that stands for all of them */
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

/* Threads of a warp look up different pieces, which the constant bank of the arguments would serve
 * one after the other: so a block takes its own copy. */
template <typename T, int most>
__device__ inline const stack<T, most> &shared_copy(const stack<T, most> &argument)
{
    if constexpr (most == 1) {
        return argument;
    } else {
        __shared__ stack<T, most> copy;
        for (int q = threadIdx.x; q < argument.count; q += blockDim.x)
            copy.piece[q] = argument.piece[q];
        if (threadIdx.x == 0) {
            copy.count = argument.count;
            copy.usual = argument.usual;
            copy.missing = argument.missing;
        }
        __syncthreads();
        return copy;
    }
}

} // namespace startile_cuda

#endif
