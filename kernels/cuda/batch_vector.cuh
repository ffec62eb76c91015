/*
 * Many vectors in one call: how threads walk over them. A group of 1 … 32 lanes of a warp goes over
 * a short vector, or over a chunk of a long one; lanes take 16 bytes at a time, several such packs
 * in flight, wherever the vector begins. Vectors with an increment, or two that are not aligned
 * alike, are taken element by element.
 */
#ifndef STARTILE_BATCH_VECTOR_CUH
#define STARTILE_BATCH_VECTOR_CUH

#include "batch.cuh"

#include <algorithm>

namespace startile_cuda
{

constexpr int vector_threads = 256;

/* Packs of all operands that a thread has in flight, and single elements: as many as registers
 * allow beside enough threads. A short vector is read in one go. */
constexpr unsigned int elements_in_flight = 8;
template <bool writes, int operands>
constexpr unsigned int packs_in_flight = writes ? 4 / operands : 8 / operands;

/* Bytes of a vector that one warp goes over. With 8192, vectors of 1 M elements were read at 0.90
 * of the bandwidth, and those of one chunk at 0.98 (H200, xNRM2); 16384 has not been measured. */
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
__device__ inline unsigned int elements_past(const T *p, unsigned int alignment)
{
    return reinterpret_cast<uintptr_t>(p) % alignment / sizeof(T);
}

/* Elements first … end − 1, counted from an aligned address. */
struct span {
    unsigned int first, end;

    __device__ bool has(unsigned int at) const
    {
        return at >= first && at < end;
    }
    template <typename T>
    __device__ bool has_pack(unsigned int at) const
    {
        return at >= first && at + pack<T>::size <= end;
    }
};

template <typename T>
__device__ inline void load_pack(const T *base, unsigned int at, span s, pack<T> &v)
{
    if (s.has_pack<T>(at))
        v = *reinterpret_cast<const pack<T> *>(base + at);
    else
#pragma unroll
        for (unsigned int e = 0; e < pack<T>::size; e++)
            if (s.has(at + e))
                v.e[e] = base[at + e];
}

template <typename T>
__device__ inline void store_pack(T *base, unsigned int at, span s, const pack<T> &v)
{
    if (s.has_pack<T>(at))
        *reinterpret_cast<pack<T> *>(base + at) = v;
    else
#pragma unroll
        for (unsigned int e = 0; e < pack<T>::size; e++)
            if (s.has(at + e))
                base[at + e] = v.e[e];
}

/* visitor(values, i) for element e of packs, which is the vectors' element i */
template <typename T, int operands, typename Visitor>
__device__ inline void visit_element(pack<T> (&v)[operands], unsigned int e, unsigned int i,
                                     Visitor &visitor)
{
    T values[operands];
#pragma unroll
    for (int o = 0; o < operands; o++)
        values[o] = v[o].e[e];
    visitor(values, i);
    v[operands - 1].e[e] = values[operands - 1];
}

/* For all elements of the packs that are the vectors' own; no more than one comparison where all
 * are. */
template <typename T, int operands, typename Visitor>
__device__ inline void visit_pack(pack<T> (&v)[operands], unsigned int at, span s, Visitor &visitor)
{
    if (s.has_pack<T>(at)) {
#pragma unroll
        for (unsigned int e = 0; e < pack<T>::size; e++)
            visit_element(v, e, at + e - s.first, visitor);
    } else if (at < s.end) {
#pragma unroll
        for (unsigned int e = 0; e < pack<T>::size; e++)
            if (s.has(at + e))
                visit_element(v, e, at + e - s.first, visitor);
    }
}

/* visitor(values, i) for the elements i of contiguous vectors, whose first ones lie `first` past an
 * address that is aligned. */
template <bool writes, typename T, int operands, typename Visitor>
__device__ void visit_packs(const chunk<T, operands> &c, unsigned int first, Visitor &visitor)
{
    constexpr unsigned int size = pack<T>::size, in_flight = packs_in_flight<writes, operands>;
    const span s = {first, first + c.n};
    const unsigned int step = c.lanes * size;
    for (unsigned int i = c.lane * size; i < s.end; i += in_flight * step) {
        pack<T> v[in_flight][operands];
#pragma unroll
        for (unsigned int u = 0; u < in_flight; u++)
#pragma unroll
            for (int o = 0; o < operands; o++)
                load_pack(c.p[o] - first, i + u * step, s, v[u][o]);
#pragma unroll
        for (unsigned int u = 0; u < in_flight; u++) {
            visit_pack(v[u], i + u * step, s, visitor);
            if constexpr (writes)
                store_pack(c.p[operands - 1] - first, i + u * step, s, v[u][operands - 1]);
        }
    }
}

/* The same for any vectors */
template <bool writes, typename T, int operands, typename Visitor>
__device__ void visit_elements(const chunk<T, operands> &c, Visitor &visitor)
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
            visitor(v[u], at);
            if constexpr (writes)
                c.p[operands - 1][at * c.ld[operands - 1]] = v[u][operands - 1];
        }
    }
}

/* Whole warps keep to lines of 128 bytes. Smaller groups have few packs for each lane, which the
 * start of a line would make more. */
template <bool writes, typename T, int operands, typename Visitor>
__device__ void visit_vectors(const chunk<T, operands> &c, Visitor &visitor)
{
    bool alike = true;
    for (int o = 0; o < operands; o++)
        alike = alike && c.ld[o] == 1 && elements_past(c.p[o], 16) == elements_past(c.p[0], 16);
    if (alike)
        visit_packs<writes>(c, elements_past(c.p[0], c.lanes == 32 ? 128 : 16), visitor);
    else
        visit_elements<writes>(c, visitor);
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
constexpr int64_t most_partial_sums = 1 << 20;

template <typename T>
vector_plan plan_vectors(int count, int n, unsigned int packs_of_lane)
{
    const int64_t bytes = n * static_cast<int64_t>(sizeof(T));
    vector_plan plan = {0, 1, static_cast<unsigned int>(n), 0};
    if (bytes > 2 * chunk_bytes) {
        const int64_t most = std::max<int64_t>(most_partial_sums / count, 1);
        const int64_t chunks = std::min<int64_t>(ceil_div(bytes, chunk_bytes), most);
        plan.length = ceil_div(ceil_div(n, chunks), pack<T>::size) * pack<T>::size;
        plan.chunks = ceil_div(n, plan.length);
    }
    while (plan.lanes() < 32 &&
           plan.lanes() * packs_of_lane * 16 < plan.length * static_cast<int64_t>(sizeof(T)))
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

/* That chunk of one operand; returns its length. */
template <typename T, int operands>
__device__ inline void place_operand(const vector_plan &plan, const vector_place &at,
                                     const batch<T> &X, int operand, chunk<T, operands> &c)
{
    const auto x = X[at.q];
    const unsigned int first = at.chunk * plan.length, n = x.n;
    c.p[operand] = x.p + static_cast<int64_t>(first) * x.ld;
    c.ld[operand] = x.ld;
    c.n = first < n ? min(n - first, plan.length) : 0;
    c.lane = at.lane;
    c.lanes = plan.lanes();
}

} // namespace startile_cuda

#endif
