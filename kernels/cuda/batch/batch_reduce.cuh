/*
 * Reductions of many vectors. A Sum holds the partial result of a thread:
 *   add(values, i)   adds element i of every operand; i increases
 *   combine(other)   adds another partial result; an empty one changes nothing
 *   result()         returns the result
 * Sums have a fixed order, without atomic operations. Long vectors are summed in two launches.
 */
#ifndef STARTILE_BATCH_REDUCE_CUH
#define STARTILE_BATCH_REDUCE_CUH

#include "batch/batch_vector.cuh"
#include "common/hopper.cuh"

#include <cstring>

namespace startile_cuda
{

/* Returns another lane's Sum, word by word. */
template <typename Sum>
__device__ inline Sum from_lane(const Sum &mine, unsigned int group, unsigned int offset)
{
    unsigned int words[sizeof(Sum) / 4];
    memcpy(words, &mine, sizeof mine);
#pragma unroll
    for (unsigned int w = 0; w < sizeof(Sum) / 4; w++)
        words[w] = __shfl_down_sync(group, words[w], offset);
    Sum other;
    memcpy(&other, words, sizeof other);
    return other;
}

/* Combines each group of lanes to lane 0. */
template <typename Sum>
__device__ inline void combine_lanes(Sum &sum, unsigned int lanes)
{
    const unsigned int all = lanes == 32 ? ~0u : (1u << lanes) - 1;
    const unsigned int group = all << (threadIdx.x % 32 & ~(lanes - 1));
    for (unsigned int offset = lanes / 2; offset > 0; offset /= 2)
        sum.combine(from_lane(sum, group, offset));
}

/* Adds packs. Elements after the end are zero: they change no sum, and no maximum that already has
 * an element. A Sum may have its own version. */
template <typename Sum, typename T, int packs, int operands>
__device__ inline void add_packs(Sum &sum, pack<T> (&v)[packs][operands], unsigned int i,
                                 unsigned int step)
{
    for_each_element(v, i, step, [&](const T *values, unsigned int at) { sum.add(values, at); });
}

template <typename Sum, typename T, int operands>
__global__ void __launch_bounds__(vector_threads)
    sum_vectors_kernel(vector_plan plan, batch<T> X, batch<T> Y, Sum *parts,
                       typename Sum::value *result)
{
    const vector_place at(plan);
    if (at.group >= plan.groups)
        return;
    chunk<T, operands> c;
    place_operand(plan, at, X, 0, c);
    if constexpr (operands == 2)
        place_operand(plan, at, Y, 1, c);
    Sum sum = {}, others = {};
    const unsigned int first = at.chunk * plan.length;
    auto add = [&](auto &v, unsigned int i, unsigned int step) {
        add_packs(sum, v, first + i, step);
    };
    auto add_other = [&](const T *values, unsigned int i) { others.add(values, first + i); };
    apply_to_vectors<false>(c, add, add_other);
    sum.combine(others);
    combine_lanes(sum, plan.lanes());
    if (at.lane != 0)
        return;
    if (plan.chunks == 1)
        result[at.q] = sum.result();
    else
        parts[at.group] = sum;
}

/* Combines the parts of a vector, one warp a vector, whose lanes wait for memory once for up to 512
 * parts. */
constexpr unsigned int parts_in_flight = 16;

template <typename Sum>
__global__ void __launch_bounds__(vector_threads)
    sum_parts_kernel(unsigned int chunks, int count, const Sum *parts, typename Sum::value *result)
{
    wait_for_previous_kernel();
    const int q = static_cast<int>((int64_t(blockIdx.x) * vector_threads + threadIdx.x) / 32);
    if (q >= count)
        return;
    const unsigned int lane = threadIdx.x % 32;
    Sum sum = {};
    for (unsigned int c = lane; c < chunks; c += parts_in_flight * 32) {
        Sum part[parts_in_flight] = {};
#pragma unroll
        for (unsigned int u = 0; u < parts_in_flight; u++)
            if (c + u * 32 < chunks)
                part[u] = parts[static_cast<int64_t>(q) * chunks + c + u * 32];
#pragma unroll
        for (unsigned int u = 0; u < parts_in_flight; u++)
            sum.combine(part[u]);
    }
    combine_lanes(sum, 32);
    if (lane == 0)
        result[q] = sum.result();
}

template <typename Sum, typename T, int operands>
int sum_vectors(startile_exec *x, int count, const startile_matrices *X, const startile_matrices *Y,
                void *result)
{
    if (count == 0)
        return 0;
    const vector_plan plan = plan_vectors<T>(count, X->n, packs_in_flight);
    const auto results = static_cast<typename Sum::value *>(result);
    Sum *parts = nullptr;
    if (plan.chunks > 1)
        if (int error = workspace(x, plan.groups, &parts))
            return error;
    if (int error = launch(x, sum_vectors_kernel<Sum, T, operands>, plan.blocks(), vector_threads,
                           plan, batch<T>(X), batch<T>(Y), parts, results))
        return error;
    if (plan.chunks == 1)
        return 0;
    return launch_dependent(x, sum_parts_kernel<Sum>, ceil_div(int64_t(count) * 32, vector_threads),
                            vector_threads, plan.chunks, count, static_cast<const Sum *>(parts),
                            results);
}

} // namespace startile_cuda

#endif
