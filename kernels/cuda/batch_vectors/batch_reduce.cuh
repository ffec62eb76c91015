/*
 * Reductions of many vectors. A Reduction holds the partial result of a thread:
 * - add(values, i) adds element i of every operand; i increases from call to call
 * - combine(other) adds another partial result; a Reduction without elements changes nothing
 * - result() returns the result
 *
 * The order of the additions is fixed; there are no atomic operations. Long vectors take two
 * launches:
 *
 *     reduce_vectors_kernel    group of lanes per chunk: elements --> partial --> parts
 *     reduce_parts_kernel      warp per vector:          parts --> result
 */
#ifndef STARTILE_BATCH_REDUCE_CUH
#define STARTILE_BATCH_REDUCE_CUH

#include "batch_vectors/batch_vector.cuh"
#include "common/hopper.cuh"

#include <cstring>

namespace startile_cuda
{

/* Returns the Reduction of the lane that is `offset` lanes further, by shuffles of its words. */
template <typename Reduction>
__device__ inline Reduction from_lane(const Reduction &mine, unsigned int group,
                                      unsigned int offset)
{
    unsigned int words[sizeof(Reduction) / 4];
    memcpy(words, &mine, sizeof mine);
#pragma unroll
    for (unsigned int w = 0; w < sizeof(Reduction) / 4; w++)
        words[w] = __shfl_down_sync(group, words[w], offset);
    Reduction other;
    memcpy(&other, words, sizeof other);
    return other;
}

/* Combines the Reductions of each group of lanes in lane 0 of the group. */
template <typename Reduction>
__device__ inline void combine_lanes(Reduction &partial, unsigned int lanes)
{
    const unsigned int all = lanes == 32 ? ~0u : (1u << lanes) - 1;
    const unsigned int group = all << (threadIdx.x % 32 & ~(lanes - 1));
    for (unsigned int offset = lanes / 2; offset > 0; offset /= 2)
        partial.combine(from_lane(partial, group, offset));
}

/* Adds packs of elements. Elements after the end are zero, which changes neither a sum nor the
 * maximum of one or more magnitudes. A Reduction may have its own overload of this function. */
template <typename Reduction, typename T, int packs, int operands>
__device__ inline void add_packs(Reduction &partial, pack<T> (&v)[packs][operands], unsigned int i,
                                 unsigned int step)
{
    for_each_element(v, i, step,
                     [&](const T *values, unsigned int at) { partial.add(values, at); });
}

/* Reduces each chunk of a vector by a group of lanes. Writes to `result` if a vector has one chunk,
 * otherwise to `parts`. */
template <typename Reduction, typename T, int operands>
__global__ void __launch_bounds__(vector_threads)
    reduce_vectors_kernel(vector_plan plan, batch<T> X, batch<T> Y, Reduction *parts,
                          typename Reduction::value *result)
{
    const chunk_location at(plan);
    if (at.group >= plan.groups)
        return;
    chunk<T, operands> c;
    locate_operand(plan, at, X, 0, c);
    if constexpr (operands == 2)
        locate_operand(plan, at, Y, 1, c);
    Reduction partial = {}, partial_of_ends = {};
    const unsigned int first = at.chunk * plan.length;
    auto add = [&](auto &v, unsigned int i, unsigned int step) {
        add_packs(partial, v, first + i, step);
    };
    auto add_end = [&](const T *values, unsigned int i) { partial_of_ends.add(values, first + i); };
    apply_to_vectors<false>(c, add, add_end);
    partial.combine(partial_of_ends);
    combine_lanes(partial, plan.lanes());
    if (at.lane != 0)
        return;
    if (plan.chunks == 1)
        result[at.q] = partial.result();
    else
        parts[at.group] = partial;
}

/* Number of parts that a lane loads at the same time in reduce_parts_kernel. With 32 lanes, up to
 * 512 parts cost one wait for memory. */
constexpr unsigned int parts_in_flight = 16;

/* Combines the parts of each vector, one warp per vector. */
template <typename Reduction>
__global__ void __launch_bounds__(vector_threads)
    reduce_parts_kernel(unsigned int chunks, int count, const Reduction *parts,
                        typename Reduction::value *result)
{
    wait_for_previous_kernel();
    const int q = static_cast<int>((int64_t(blockIdx.x) * vector_threads + threadIdx.x) / 32);
    if (q >= count)
        return;
    const unsigned int lane = threadIdx.x % 32;
    Reduction partial = {};
    for (unsigned int c = lane; c < chunks; c += parts_in_flight * 32) {
        Reduction part[parts_in_flight] = {};
#pragma unroll
        for (unsigned int u = 0; u < parts_in_flight; u++)
            if (c + u * 32 < chunks)
                part[u] = parts[static_cast<int64_t>(q) * chunks + c + u * 32];
#pragma unroll
        for (unsigned int u = 0; u < parts_in_flight; u++)
            partial.combine(part[u]);
    }
    combine_lanes(partial, 32);
    if (lane == 0)
        result[q] = partial.result();
}

/* Enqueues result[q] := the reduction of vector q of X (and of Y, for two operands). */
template <typename Reduction, typename T, int operands>
int reduce_vectors(startile_exec *x, int count, const startile_matrices *X,
                   const startile_matrices *Y, void *result)
{
    if (count == 0)
        return 0;
    const vector_plan plan = plan_vectors<T>(count, X->n, packs_in_flight);
    const auto results = static_cast<typename Reduction::value *>(result);
    Reduction *parts = nullptr;
    if (plan.chunks > 1)
        if (int error = workspace(x, plan.groups, &parts))
            return error;
    if (int error = launch(x, reduce_vectors_kernel<Reduction, T, operands>, plan.blocks(),
                           vector_threads, plan, batch<T>(X), batch<T>(Y), parts, results))
        return error;
    if (plan.chunks == 1)
        return 0;
    return launch_dependent(x, reduce_parts_kernel<Reduction>,
                            ceil_div(int64_t(count) * 32, vector_threads), vector_threads,
                            plan.chunks, count, static_cast<const Reduction *>(parts), results);
}

} // namespace startile_cuda

#endif
