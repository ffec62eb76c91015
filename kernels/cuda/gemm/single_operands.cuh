/*
 * Copies of the factors of a product in single precision from global to shared memory, and the
 * shape of a tile of C. For float and cuComplex.
 */
#ifndef STARTILE_SINGLE_OPERANDS_CUH
#define STARTILE_SINGLE_OPERANDS_CUH

#include "common/element.cuh"
#include "common/hopper.cuh"

namespace startile_cuda
{

constexpr int single_threads = 128; /* 2 × 2 warps of 4 × 8 threads each */
constexpr int single_stages = 3;

/* Shape of a thread's part of C, in vectors of 16 bytes with `vector` elements each. A thread has
 * row_groups vectors along the rows and column_groups along the columns of its warp's part of the
 * tile. Between two of them are those of the warp's other threads, so that the accesses of a warp
 * are contiguous. The part has 128 numbers, which allows two thread blocks per multiprocessor: one
 * computes while the other stores. */
template <typename T>
struct single_shape;

template <>
struct single_shape<float> {
    static constexpr int vector = 4, row_groups = 4, column_groups = 2;
};

template <>
struct single_shape<cuComplex> {
    static constexpr int vector = 2, row_groups = 4, column_groups = 4;
};

template <typename T>
struct alignas(16) single_vector {
    T value[single_shape<T>::vector];
};

/* One side of a tile: its rows of op(A) or its columns of op(B). Threads: number of threads of a
 * warp along this side. Groups: vectors of a thread. A stage stores the elements of one k after
 * those of another, padded so that threads which write neighbouring k of neighbouring rows access
 * different banks. */
template <typename T, int Threads, int Groups>
struct single_side {
    static constexpr int vector = single_shape<T>::vector;
    static constexpr int warp_vectors = Threads * Groups;
    static constexpr int vectors = 2 * warp_vectors;
    static constexpr int length = vectors * vector; /* rows of op(A), or columns of op(B) */
    static constexpr int depth = 4 * vector;        /* number of k of a stage */
    static constexpr int stride = length + 4;       /* elements from one k to the next */
    static constexpr int stage_vectors = depth * stride / vector;
};

template <typename T>
using single_rows = single_side<T, 4, single_shape<T>::row_groups>;
template <typename T>
using single_columns = single_side<T, 8, single_shape<T>::column_groups>;

__device__ inline void copy_vector_async(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
                 : "memory");
#endif
}

/* Starts a copy of 16 bytes. The bytes after the first `bytes` become zero and are not read. */
__device__ inline void copy_part_async(void *to, const void *from, int bytes)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
#endif
}

/* Starts a copy of an element, which becomes zero and is not read if is_inside is false. */
template <typename T>
__device__ void copy_element_async(T *to, const T *from, bool is_inside)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)),
                 "l"(from), "n"(static_cast<int>(sizeof(T))),
                 "r"(is_inside ? static_cast<int>(sizeof(T)) : 0)
                 : "memory");
#endif
}

__device__ inline void commit_stage()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* A thread's copies of one factor, stage by stage. A row here is a contiguous line of the factor in
 * global memory: along the tile's side (along; op(A) = A, or op(B) = Bᵀ), or along k. A thread
 * copies the same element or vector of every `step`-th row. */
template <typename T, typename Side>
struct single_source {
    static constexpr int V = Side::vector;

    static constexpr int vector_step =
        single_threads /
        Side::vectors; /* rows between two copies of a thread, for copies of vectors */
    static constexpr int vector_copies = Side::depth * Side::vectors / single_threads;

    const T *next;    /* the thread's first element of the stage that is fetched next */
    int64_t row_step; /* elements between two rows of the thread */
    int64_t stage_step;
    T *place; /* destination in the first stage */
    int place_step, step;
    int elements, rows; /* remaining elements of a row, and rows, from the thread's first on */
    bool along, by_vectors;

    /* Finds the thread's elements. p: the factor from the tile's first row or column and first k
     * on. length: rows or columns of the factor from there on. k: number of k */
    __device__ single_source(single_vector<T> *stage, const T *p, int ld, int length, int k,
                             bool along, bool is_aligned)
        : along(along), by_vectors(along && is_aligned)
    {
        const int width = by_vectors ? V : 1;
        const int of_row = along ? Side::length / width : Side::depth;
        const int i = threadIdx.x % of_row * width, row = threadIdx.x / of_row;
        step = single_threads / of_row;
        place = stage->value + (along ? row * Side::stride + i : i * Side::stride + row);
        place_step = along ? step * Side::stride : step;
        next = p + i + int64_t(row) * ld;
        row_step = int64_t(step) * ld;
        stage_step = along ? int64_t(Side::depth) * ld : Side::depth;
        elements = (along ? length : k) - i;
        rows = (along ? k : length) - row;
    }

    /* Starts the thread's copies of the next stage of the factor to buffer number `stage`. */
    __device__ void fetch(int stage)
    {
        T *to = place + stage * (Side::stage_vectors * V);
        if (by_vectors && elements >= V && rows > (vector_copies - 1) * vector_step)
            fetch_whole_vectors(to);
        else if (by_vectors)
            fetch_vectors(to);
        else
            fetch_elements(to);
        next += stage_step;
        (along ? rows : elements) -= Side::depth;
    }

    __device__ void fetch_whole_vectors(T *to) const
    {
        const T *from = next;
#pragma unroll
        for (int i = 0; i < vector_copies; i++, from += row_step)
            copy_vector_async(to + i * vector_step * Side::stride, from);
    }

    __device__ void fetch_vectors(T *to) const
    {
        const int inside = elements < 0 ? 0 : elements > V ? V : elements;
        const T *from = next;
#pragma unroll
        for (int i = 0; i < vector_copies; i++, from += row_step, to += place_step)
            copy_part_async(to, from, i * step < rows ? inside * static_cast<int>(sizeof(T)) : 0);
    }

    __device__ void fetch_elements(T *to) const
    {
        constexpr int copies = Side::depth * Side::length / single_threads;
        const T *from = next;
#pragma unroll
        for (int i = 0; i < copies; i++, from += row_step, to += place_step)
            copy_element_async(to, from, i * step < rows && elements > 0);
    }
};

} // namespace startile_cuda

#endif
