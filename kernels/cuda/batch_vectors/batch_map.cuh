/*
 * Elementwise operations on many vectors. The kernel constructs a Map from the vector's alpha.
 * map(values) gets one element of each operand and updates that of the last operand. If
 * map.changes_nothing(), the kernel skips the vector.
 */
#ifndef STARTILE_BATCH_MAP_CUH
#define STARTILE_BATCH_MAP_CUH

#include "batch_vectors/batch_vector.cuh"

#include <climits>

namespace startile_cuda
{

/* Applies the Map to the vectors. Each group of lanes handles one chunk. */
template <typename Map, typename T, int operands>
__global__ void __launch_bounds__(vector_threads)
    map_vectors_kernel(vector_plan plan, const T *alpha, int step, batch<T> X, batch<T> Y)
{
    const chunk_location at(plan);
    if (at.group >= plan.groups)
        return;
    const Map map = {alpha[static_cast<int64_t>(at.q) * step]};
    if (map.changes_nothing())
        return;
    chunk<T, operands> c;
    locate_operand(plan, at, X, 0, c);
    if constexpr (operands == 2)
        locate_operand(plan, at, Y, 1, c);
    auto change = [&](T *values, unsigned int) { map(values); };
    auto change_packs = [&](auto &v, unsigned int i, unsigned int step) {
        for_each_element(v, i, step, change);
    };
    apply_to_vectors<true>(c, change_packs, change);
}

/* Returns whether the vectors follow each other with the distance ld between all elements, so that
 * together they are one vector. */
inline bool is_one_vector(const startile_matrices *X)
{
    return X->each == nullptr && X->sizes == nullptr && X->stride == int64_t(X->n) * X->ld;
}

template <typename Map, typename T, int operands>
int launch_map(startile_exec *x, int count, const void *alpha, int step, const batch<T> &X,
               const batch<T> &Y)
{
    const vector_plan plan = plan_vectors<T>(count, X.n, packs_in_flight);
    return launch(x, map_vectors_kernel<Map, T, operands>, plan.blocks(), vector_threads, plan,
                  static_cast<const T *>(alpha), step, X, Y);
}

/* Applies the Map to all vectors. If they have one alpha and together are one vector
 * (is_one_vector), they count as one vector, up to a length that an int can hold. This saves the
 * cost of vectors that begin unaligned. */
template <typename Map, typename T, int operands>
int map_vectors(startile_exec *x, int count, const void *alpha, int step,
                const startile_matrices *X, const startile_matrices *Y)
{
    if (count == 0 || X->n == 0)
        return 0;
    if (step != 0 || !is_one_vector(X) || !is_one_vector(Y))
        return launch_map<Map, T, operands>(x, count, alpha, step, X, Y);
    const int at_once = INT_MAX / X->n;
    for (int q = 0; q < count; q += std::min(at_once, count - q)) {
        batch<T> part[] = {X, Y};
        for (batch<T> &p : part) {
            p.a += q * p.stride;
            p.n *= std::min(at_once, count - q);
        }
        if (int error = launch_map<Map, T, operands>(x, 1, alpha, 0, part[0], part[1]))
            return error;
    }
    return 0;
}

} // namespace startile_cuda

#endif
