/*
 * Many vectors in one call: how threads walk over them. A group of 1 … 32 lanes of a warp goes over
 * a short vector, or over a chunk of a long one; lanes take aligned packs of 16 bytes, several in
 * flight, wherever the vector begins, and the few elements before and behind them one by one.
 * Vectors with an increment, two that are not aligned alike, and tiny ones are taken element by
 * element.
 */
#ifndef STARTILE_BATCH_VECTOR_CUH
#define STARTILE_BATCH_VECTOR_CUH

#include "batch/batch.cuh"

#include <algorithm>

namespace startile_cuda
{

constexpr int vector_threads = 128;

/* Packs of each operand that a thread has in flight, and single elements: as many as registers
 * allow beside enough threads. A short vector is read in one go. Of 4 and 8 packs, 4 was the faster
 * on an H100 up to 0.02 of the bandwidth, but for scal with a factor for each vector of some
 * hundred elements (d 500: 0.90 against 0.98), which loses as much with 8 where they are shorter.
 */
constexpr unsigned int elements_in_flight = 8, packs_in_flight = 4;

/* Bytes of a vector that one warp goes over. With 8192, vectors of 1 M elements were read at 0.90
 * of the bandwidth, and those of one chunk at 0.98 (H200, xNRM2); with 16384 at 0.99 (H100). */
constexpr int64_t chunk_bytes = 16384;

template <typename T>
struct alignas(16) pack {
    static constexpr unsigned int size = 16 / sizeof(T);
    T e[size];
};

/* The part of some vectors that one group goes over: elements 0 … n − 1, the last operand being
 * the one that is written, if any. */
template <typename T, int operands>
struct chunk {
    T *p[operands];
    int64_t ld[operands];
    unsigned int n, lane, lanes;
};

template <typename T>
__device__ inline unsigned int elements_past_pack(const T *p)
{
    return reinterpret_cast<uintptr_t>(p) % sizeof(pack<T>) / sizeof(T);
}

/* Lanes that share one vector are at least two, so that this many rounds take what lies before the
 * first aligned pack and behind the last, each less than a pack. */
template <typename T>
constexpr int rounds_of_ends = pack<T>::size - 1;

/* The elements of contiguous vectors outside of the packs that begin at element `head` */
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

/* use(values, i) for the elements of packs: v[u]'s are the vectors' elements i + u step, … */
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

/* Contiguous vectors, whose first aligned pack begins at element `head`. The ends are asked for
 * first, and seen last. */
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

/* Any vectors */
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

/* All elements that are the calling lane's: most of them by packs_op(v, i, step), as
 * for_each_element has them, with zeros behind the last, and the others by element_op(values,
 * i). Each sees its own in their order. */
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

/* How a batch of vectors is shared out: 2^shift lanes for each of `chunks` chunks of `length`
 * elements of every vector. */
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

/* Depends on the longest vector alone, so that the bits of a sum do not depend on how many vectors
 * there are; unless a few are so long and so many others short that partial sums would need more
 * than this. */
constexpr int64_t max_partial_sums = 1 << 20;

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

/* Which chunk of which vector the calling thread's group has. */
struct vector_place {
    unsigned int group, q, chunk, lane;

    __device__ vector_place(const vector_plan &plan)
    {
        const int64_t thread = int64_t(blockIdx.x) * vector_threads + threadIdx.x;
        lane = threadIdx.x & (plan.lanes() - 1);
        group = static_cast<unsigned int>(thread >> plan.shift);
        q = plan.chunks == 1 ? group : group / plan.chunks;
        chunk = group - q * plan.chunks;
    }
};

/* That chunk of one operand */
template <typename T, int operands>
__device__ inline void place_operand(const vector_plan &plan, const vector_place &at,
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
