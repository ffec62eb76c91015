/*
 * Assignment of threads to elements of many vectors. A group of 1 to 32 lanes of a warp has a short
 * vector, or a chunk of a long one. Lanes take aligned packs of 16 bytes, several in flight, and
 * take the few elements before the first and after the last pack one by one:
 *
 *     elements    | head | pack | pack | ...  | pack | tail |
 *     lanes         0 1     0      1             0     0 1
 *
 * Vectors with an increment, pairs with different alignment, and tiny vectors are taken element by
 * element.
 */
#ifndef STARTILE_BATCH_VECTOR_CUH
#define STARTILE_BATCH_VECTOR_CUH

#include "batch/batch.cuh"

#include <algorithm>

namespace startile_cuda
{

constexpr int vector_threads = 128;

/* packs_in_flight: number of packs of each operand that a thread has in flight. elements_in_flight:
 * number of single elements, of all operands together. As many as registers allow with enough
 * threads; a short vector is read at once. On an H100 4 packs were faster than 8 by up to 0.02 of
 * the bandwidth, except for scal with one alpha per vector. There 8 packs were faster for vectors
 * of some hundred elements (d 500: 0.90 of the bandwidth with 4 packs, 0.98 with 8), and slower by
 * as much for shorter ones. */
constexpr unsigned int elements_in_flight = 8, packs_in_flight = 4;

/* Bytes of a chunk, which one warp has. With 8192, vectors of 1 M elements were read at 0.90 of the
 * bandwidth, and vectors of one chunk at 0.98 (H200, xNRM2). With 16384, vectors of 1 M elements
 * were read at 0.99 (H100). */
constexpr int64_t chunk_bytes = 16384;

/* 16 bytes of a vector, which a lane loads at once */
template <typename T>
struct alignas(16) pack {
    static constexpr unsigned int size = 16 / sizeof(T);
    T e[size];
};

/* The part of one vector of each operand that one group of lanes has: elements 0 … n − 1. An
 * operation that writes an operand writes the last one. */
template <typename T, int operands>
struct chunk {
    T *p[operands];
    int64_t ld[operands];
    unsigned int n, lane, lanes;
};

/* Returns the number of elements from the last address aligned for a pack to p. */
template <typename T>
__device__ inline unsigned int elements_past_pack(const T *p)
{
    return reinterpret_cast<uintptr_t>(p) % sizeof(pack<T>) / sizeof(T);
}

/* Rounds in which the lanes take the elements before the first aligned pack and after the last one.
 * There is less than a pack of each, and at least two lanes share a vector. */
template <typename T>
constexpr int rounds_of_ends = pack<T>::size - 1;

/* A lane's elements of contiguous vectors outside the packs. head: number of elements before the
 * first pack; inside: number of elements in packs; count: number of elements of all lanes outside
 * the packs */
template <typename T, int operands>
struct vector_ends {
    unsigned int head, inside, count;
    T v[rounds_of_ends<T> + 1][operands];

    __device__ vector_ends(const chunk<T, operands> &c, unsigned int head, unsigned int inside)
        : head(head), inside(inside), count(c.n - inside)
    {
#pragma unroll
        for (int r = 0; r < rounds_of_ends<T>; r++)
#pragma unroll
            for (int o = 0; o < operands; o++)
                if (c.lane + r * c.lanes < count)
                    v[r][o] = c.p[o][element(c.lane + r * c.lanes)];
    }
    /* Returns the index in the vector of element number `end` outside the packs. */
    __device__ unsigned int element(unsigned int end) const
    {
        return end < head ? end : end + inside;
    }
    template <bool writes, typename Op>
    __device__ void apply(const chunk<T, operands> &c, Op &op)
    {
#pragma unroll
        for (int r = 0; r < rounds_of_ends<T>; r++)
            if (c.lane + r * c.lanes < count) {
                const unsigned int i = element(c.lane + r * c.lanes);
                op(v[r], i);
                if constexpr (writes)
                    c.p[operands - 1][i] = v[r][operands - 1];
            }
    }
};

/* Calls use(values, i) for every element i of packs, and stores what `use` changes in the last
 * operand. v[u] holds the elements from i + u · step on, of all operands. */
template <typename T, int packs, int operands, typename Use>
__device__ inline void for_each_element(pack<T> (&v)[packs][operands], unsigned int i,
                                        unsigned int step, const Use &use)
{
#pragma unroll
    for (int u = 0; u < packs; u++)
#pragma unroll
        for (unsigned int e = 0; e < pack<T>::size; e++) {
            T values[operands];
#pragma unroll
            for (int o = 0; o < operands; o++)
                values[o] = v[u][o].e[e];
            use(values, i + u * step + e);
            v[u][operands - 1].e[e] = values[operands - 1];
        }
}

/* Applies the operations to contiguous vectors whose first aligned pack begins at element `head`.
 * Loads the elements outside the packs first and uses them last. */
template <bool writes, typename T, int operands, typename Packs, typename Element>
__device__ void apply_to_packs(const chunk<T, operands> &c, unsigned int head, Packs &packs_op,
                               Element &element_op)
{
    constexpr unsigned int size = pack<T>::size, in_flight = packs_in_flight;
    const unsigned int packs = (c.n - head) / size;
    vector_ends<T, operands> ends(c, head, packs * size);
    for (unsigned int i = c.lane; i < packs; i += in_flight * c.lanes) {
        pack<T> v[in_flight][operands] = {};
#pragma unroll
        for (unsigned int u = 0; u < in_flight; u++)
#pragma unroll
            for (int o = 0; o < operands; o++)
                if (i + u * c.lanes < packs)
                    v[u][o] = reinterpret_cast<const pack<T> *>(c.p[o] + head)[i + u * c.lanes];
        packs_op(v, head + i * size, c.lanes * size);
        if constexpr (writes)
#pragma unroll
            for (unsigned int u = 0; u < in_flight; u++)
                if (i + u * c.lanes < packs)
                    reinterpret_cast<pack<T> *>(c.p[operands - 1] + head)[i + u * c.lanes] =
                        v[u][operands - 1];
    }
    ends.template apply<writes>(c, element_op);
}

/* Applies the operation to vectors with any increment and alignment. */
template <bool writes, typename T, int operands, typename Element>
__device__ void apply_to_elements(const chunk<T, operands> &c, Element &op)
{
    constexpr unsigned int in_flight = elements_in_flight / operands;
    for (unsigned int i = c.lane; i < c.n; i += in_flight * c.lanes) {
        T v[in_flight][operands];
#pragma unroll
        for (unsigned int u = 0; u < in_flight; u++)
#pragma unroll
            for (int o = 0; o < operands; o++)
                if (i + u * c.lanes < c.n)
                    v[u][o] = c.p[o][(i + u * c.lanes) * c.ld[o]];
#pragma unroll
        for (unsigned int u = 0; u < in_flight; u++) {
            const unsigned int at = i + u * c.lanes;
            if (at >= c.n)
                break;
            op(v[u], at);
            if constexpr (writes)
                c.p[operands - 1][at * c.ld[operands - 1]] = v[u][operands - 1];
        }
    }
}

/* Applies packs_op(v, i, step) to the calling lane's packs, with zeros after the last element, as
 * in for_each_element, and element_op(values, i) to its other elements. Each operation gets its
 * elements in ascending order. */
template <bool writes, typename T, int operands, typename Packs, typename Element>
__device__ void apply_to_vectors(const chunk<T, operands> &c, Packs &packs_op, Element &element_op)
{
    constexpr unsigned int size = pack<T>::size;
    const unsigned int past = elements_past_pack(c.p[0]);
    bool packed = c.lanes > 1 && c.n >= size;
    for (int o = 0; o < operands; o++)
        packed = packed && c.ld[o] == 1 && elements_past_pack(c.p[o]) == past;
    if (packed)
        apply_to_packs<writes>(c, (size - past) % size, packs_op, element_op);
    else
        apply_to_elements<writes>(c, element_op);
}

/* Division of the vectors: each has `chunks` chunks of `length` elements, and a group of 2^shift
 * lanes has one chunk. groups: number of groups of the batch */
struct vector_plan {
    unsigned int shift, chunks, length, groups;

    __host__ __device__ unsigned int lanes() const
    {
        return 1u << shift;
    }
    unsigned int blocks() const
    {
        return ceil_div(static_cast<int64_t>(groups) << shift, vector_threads);
    }
};

/* Maximal number of partial sums. Below this limit the plan depends on the longest vector only, so
 * that the bits of a sum do not depend on the number of vectors. The limit is reached if `count`
 * times the bytes of the longest vector is above 16 GiB, for example with few long vectors among
 * many others. */
constexpr int64_t max_partial_sums = 1 << 20;

/* Returns the plan for `count` vectors of at most n elements: one chunk for up to 2 · chunk_bytes
 * bytes, otherwise chunks of about chunk_bytes, and the fewest lanes, up to 32, with at most
 * packs_of_lane packs each. */
template <typename T>
vector_plan plan_vectors(int count, int n, unsigned int packs_of_lane)
{
    constexpr unsigned int size = pack<T>::size, line = 128 / sizeof(T);
    const int64_t bytes = n * static_cast<int64_t>(sizeof(T));
    vector_plan plan = {0, 1, static_cast<unsigned int>(n), 0};
    if (bytes > 2 * chunk_bytes) {
        const int64_t most = std::max<int64_t>(max_partial_sums / count, 1);
        const int64_t chunks = std::min<int64_t>(ceil_div(bytes, chunk_bytes), most);
        plan.length = ceil_div(ceil_div(n, chunks), line) * line;
        plan.chunks = ceil_div(n, plan.length);
    }
    const unsigned int packs = plan.length / size;
    if (packs > 1)
        plan.shift = 1;
    while (plan.lanes() < 32 && plan.lanes() * packs_of_lane < packs)
        plan.shift++;
    plan.groups = static_cast<unsigned int>(count) * plan.chunks;
    return plan;
}

/* The calling thread's group, vector q, chunk of that vector, and lane in the group */
struct chunk_location {
    unsigned int group, q, chunk, lane;

    __device__ chunk_location(const vector_plan &plan)
    {
        const int64_t thread = int64_t(blockIdx.x) * vector_threads + threadIdx.x;
        lane = threadIdx.x & (plan.lanes() - 1);
        group = static_cast<unsigned int>(thread >> plan.shift);
        q = plan.chunks == 1 ? group : group / plan.chunks;
        chunk = group - q * plan.chunks;
    }
};

/* Sets operand `operand` of c to the chunk of X at location `at`. */
template <typename T, int operands>
__device__ inline void locate_operand(const vector_plan &plan, const chunk_location &at,
                                      const batch<T> &X, int operand, chunk<T, operands> &c)
{
    const auto x = X[at.q];
    __builtin_assume(__isGlobal(x.p));
    const unsigned int first = at.chunk * plan.length, n = x.n;
    c.p[operand] = x.p + static_cast<int64_t>(first) * x.ld;
    c.ld[operand] = x.ld;
    c.n = first < n ? min(n - first, plan.length) : 0;
    c.lane = at.lane;
    c.lanes = plan.lanes();
}

} // namespace startile_cuda

#endif
