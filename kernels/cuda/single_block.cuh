/*
 * A thread block's share of a product in single precision by FFMA: a tile of C in registers, and
 * the factors' stages on their way from global to shared memory. For float and cuComplex.
 */
#ifndef STARTILE_SINGLE_BLOCK_CUH
#define STARTILE_SINGLE_BLOCK_CUH

#include "element.cuh"
#include "hopper.cuh"

namespace startile_cuda
{

constexpr int single_threads = 128; /* 2 × 2 warps; each has 4 × 8 threads */
constexpr int single_stages = 3;

/*
 * All in vectors of 16 bytes, V elements. A thread has `groups` vectors along the rows and along
 * the columns of its warp's tile, as far apart as the warp has threads in that direction, so that a
 * warp's accesses to a vector each are contiguous. That is 128 numbers of C, hence two blocks on a
 * multiprocessor: one computes while the other writes.
 */
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
    T of[single_shape<T>::vector];
};

/* One side of a block: the rows of op(A), or the columns of op(B). Threads: of a warp, in this
 * direction. */
template <typename T, int Threads, int Groups>
struct single_side {
    static constexpr int vector = single_shape<T>::vector;
    static constexpr int warp_vectors = Threads * Groups;
    static constexpr int vectors = 2 * warp_vectors;
    static constexpr int length = vectors * vector; /* rows of op(A), or columns of op(B) */
    static constexpr int depth = 4 * vector;        /* terms in a stage */
    static constexpr int stage_vectors = length * 4;
    static constexpr int copies = stage_vectors / single_threads;

    /* Where the vector lies in a stage that has vectors along the side: term by term */
    static __device__ int place_along(int v, int term)
    {
        return term * vectors + v;
    }

    /* And where there are vectors along the terms, 4 for each row: two rows fill a line of all
     * banks, and the vectors within it change places, so that threads that read neighbouring
     * groups of rows do not meet in a bank. */
    static __device__ int place_across(int row, int v)
    {
        int slot = (row % 2 * 4 + v) ^ (row / vector % 8);
        return row / 2 * 8 + slot;
    }
};

template <typename T>
using single_rows = single_side<T, 4, single_shape<T>::row_groups>;
template <typename T>
using single_columns = single_side<T, 8, single_shape<T>::column_groups>;

/* 16 bytes, of which only the first so many are there and the others become 0 */
__device__ inline void copy_part_later(void *to, const void *from, int bytes)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
#endif
}

template <typename T>
__device__ void copy_element_later(T *to, const T *from, bool is_there)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)),
                 "l"(from), "n"(static_cast<int>(sizeof(T))),
                 "r"(is_there ? static_cast<int>(sizeof(T)) : 0)
                 : "memory");
#endif
}

__device__ inline void end_copies_of_stage()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/*
 * The stages of one factor, and a thread's share in fetching them. Along: its elements are
 * contiguous along the side (op(A) = A, or op(B) = Bᵀ), else along the terms. A row below is what is
 * contiguous in memory; a thread fetches the same vector of every so many rows.
 */
template <typename T, typename Side, bool Along>
struct single_source {
    static constexpr int V = Side::vector;
    static constexpr int vectors_of_row = Along ? Side::vectors : 4;
    static constexpr int step = single_threads / vectors_of_row;
    static constexpr int place_step = step * vectors_of_row;

    const T *next; /* the thread's first element of the stage that is fetched next */
    int64_t ld;
    int row, place;
    int elements, rows; /* what is there of the thread's vectors, and rows from `row` on */
    bool is_aligned;

    /* p: the factor from the block's first row or column and term on, of which there are so many */
    __device__ single_source(const T *p, int ld, int length, int terms, bool is_aligned)
        : ld(ld), row(threadIdx.x / vectors_of_row), is_aligned(is_aligned)
    {
        int v = threadIdx.x % vectors_of_row;
        place = Along ? Side::place_along(v, row) : Side::place_across(row, v);
        next = p + v * V + int64_t(row) * ld;
        elements = (Along ? length : terms) - v * V;
        rows = (Along ? terms : length) - row;
    }

    __device__ void fetch(single_vector<T> *stage)
    {
        const int there = elements < 0 ? 0 : elements > V ? V : elements;
        single_vector<T> *to = stage + place;
        const T *from = next;
#pragma unroll
        for (int i = 0; i < Side::copies; i++, from += step * ld, to += place_step)
            fetch_vector(to, from, i * step < rows ? there : 0);
        if constexpr (Along) {
            next += Side::depth * ld;
            rows -= Side::depth;
        } else {
            next += Side::depth;
            elements -= Side::depth;
        }
    }

    __device__ void fetch_vector(single_vector<T> *to, const T *from, int there) const
    {
        if (is_aligned) {
            copy_part_later(to, from, there * static_cast<int>(sizeof(T)));
            return;
        }
#pragma unroll
        for (int e = 0; e < V; e++)
            copy_element_later(&to->of[e], from + e, e < there);
    }
};

/* A thread's vectors of one group and V terms: [v] is term v, or element v with vectors along the
 * terms */
template <typename T, typename Side, bool Along>
struct single_fragment {
    static constexpr int V = Side::vector;
    single_vector<T> v[V];

    /* group: the vector of the side; quarter: which V terms of the stage */
    __device__ void load(const single_vector<T> *stage, int group, int quarter)
    {
#pragma unroll
        for (int i = 0; i < V; i++)
            v[i] = stage[Along ? Side::place_along(group, quarter * V + i)
                               : Side::place_across(group * V + i, quarter)];
    }

    __device__ T get(int element, int term) const
    {
        return Along ? v[term].of[element] : v[element].of[term];
    }
};

__device__ inline void accumulate(float &c, float a, float b)
{
    c = fmaf(a, b, c);
}

__device__ inline void accumulate(cuComplex &c, cuComplex a, cuComplex b)
{
    c = multiply_add(a, b, c);
}

} // namespace startile_cuda

#endif
