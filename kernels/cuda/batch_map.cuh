/*
 * Operations that change every element of many vectors. A Map is made on the device from the alpha
 * of its vector: map(values) changes the last of them, unless map.idle().
 */
#ifndef STARTILE_BATCH_MAP_CUH
#define STARTILE_BATCH_MAP_CUH

#include "batch_vector.cuh"

namespace startile_cuda
{

template <typename Map, typename T, int operands>
__global__ void __launch_bounds__(vector_threads)
    map_vectors_kernel(vector_plan plan, const T *alpha, int step, batch<T> X, batch<T> Y)
{
    const vector_place at(plan);
    if (at.group >= plan.groups)
        return;
    const Map map = {alpha[static_cast<int64_t>(at.q) * step]};
    if (map.idle())
        return;
    chunk<T, operands> c;
    place_operand(plan, at, X, 0, c);
    if constexpr (operands == 2)
        place_operand(plan, at, Y, 1, c);
    auto change = [&](T *values, unsigned int) { map(values); };
    visit_vectors<true>(c, change);
}

template <typename Map, typename T, int operands>
int map_vectors(startile_exec *x, int count, const void *alpha, int step,
                const startile_matrices *X, const startile_matrices *Y)
{
    if (count == 0)
        return 0;
    const vector_plan plan = plan_vectors<T>(count, X->n, packs_in_flight<true, operands>);
    return launch(x, map_vectors_kernel<Map, T, operands>, plan.blocks(), vector_threads, plan,
                  static_cast<const T *>(alpha), step, batch<T>(X), batch<T>(Y));
}

} // namespace startile_cuda

#endif
