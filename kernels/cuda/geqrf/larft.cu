/*
 * Computes T of a block reflector from V and tau: G = VᴴV by products, the triangles of small
 * diagonal blocks in one kernel, and larger triangles from these by T₁₂ = −T₁ G₁₂ T₂ (Elmroth &
 * Gustavson, "Applying recursion to serial and parallel QR factorization leads to better
 * performance", IBM J. Res. Dev. 44, 2000).
 *
 * Error: VᴴV has an error of (m + k) eps |V|ᴴ|V|, elementwise, for V with m rows and k columns. The
 * products propagate it to T, as does every way to compute T.
 */
#include "common/block_products.cuh"
#include "common/operations.cuh"
#include "common/tile_column.cuh"

#include <algorithm>

namespace startile_cuda
{

constexpr int larft_leaf = 32;
constexpr int larft_threads = 256;

/* Copies the first k rows of V, with a unit diagonal and zeros above. Sets T to zero except for tau
 * on its diagonal. */
template <typename T, int capacity>
__global__ void __launch_bounds__(larft_threads)
    top_of_v_kernel(tile_column<T, capacity> v, int k, T *top, T *t, int ldt)
{
    const tile_column<T, capacity> &pieces = shared_copy(v);
    const int64_t e = int64_t(blockIdx.x) * larft_threads + threadIdx.x;
    const int i = static_cast<int>(e % k), j = static_cast<int>(e / k);
    if (j >= k)
        return;
    top[e] = i > j ? *pieces.at(i, j) : to_element<T>(i == j, 0);
    if (i != j)
        t[i + int64_t(j) * ldt] = to_element<T>(0, 0);
}

/* Computes one diagonal block of T in a thread block, one row per thread. */
template <typename T>
__global__ void __launch_bounds__(larft_leaf)
    leaf_triangles_kernel(int k, const T *g, T *t, int64_t ldt)
{
    __shared__ T triangle[larft_leaf][larft_leaf + 1];
    const int first = blockIdx.x * larft_leaf, columns = min(larft_leaf, k - first);
    const int i = threadIdx.x;
    g += first + int64_t(first) * k;
    t += first + first * ldt;
    for (int j = 0; j < columns; j++) {
        const T tau = t[j + j * ldt];
        T sum = to_element<T>(0, 0);
        for (int l = i; l < j; l++)
            sum = multiply_add(triangle[i][l], g[l + int64_t(j) * k], sum);
        triangle[i][j] = i < j ? multiply_add(scaled<T>(-1, tau), sum, to_element<T>(0, 0)) : tau;
        if (i < j)
            t[i + j * ldt] = triangle[i][j];
    }
}

/* Computes G := VᴴV from `top`, the first k rows of V, and from the rows of the pieces below it. */
template <typename T>
static int gram(startile_exec *x, int pieces, const startile_piece *v, int k, const T *top, T *g)
{
    const T one = to_element<T>(1, 0), zero = to_element<T>(0, 0);
    const matrices<const T> t = {top, k, 0};
    if (int error = multiply<T>(x, 'C', 'N', k, k, k, one, t, t, zero, {g, k, 0}))
        return error;
    int64_t first = 0;
    for (int q = 0; q < pieces; q++) {
        const int64_t begin = std::min<int64_t>(v[q].m, std::max<int64_t>(0, k - first));
        const int rows = static_cast<int>(v[q].m - begin);
        const matrices<const T> p = {static_cast<const T *>(v[q].p) + begin, v[q].ld, 0};
        if (rows > 0)
            if (int error = multiply<T>(x, 'C', 'N', k, k, rows, one, p, p, one, {g, k, 0}))
                return error;
        first += v[q].m;
    }
    return 0;
}

/* Joins the triangles of the diagonal blocks to one triangle. y: workspace, k × k */
template <typename T>
static int join_triangles(startile_exec *x, int k, const T *g, T *y, T *t, int ldt)
{
    const T one = to_element<T>(1, 0), zero = to_element<T>(0, 0);
    return for_each_pair(k, larft_leaf, [&](int first, int n1, int n2, int count) {
        const int64_t right = first + n1, step = 2 * int64_t(n1);
        const int64_t step_t = step * (ldt + 1), step_g = step * (k + 1);
        const matrices<T> middle = {y + first + right * k, k, step_g};
        if (int error =
                multiply<T>(x, 'N', 'N', n1, n2, n2, one, {g + first + right * k, k, step_g},
                            {t + right + right * ldt, ldt, step_t}, zero, middle, count))
            return error;
        return multiply<T>(x, 'N', 'N', n1, n2, n1, to_element<T>(-1, 0),
                           {t + first + int64_t(first) * ldt, ldt, step_t},
                           {middle.p, middle.ld, middle.stride}, zero,
                           {t + first + right * ldt, ldt, step_t}, count);
    });
}

template <typename T>
int larft(startile_exec *x, int pieces, const startile_piece *v, int k, void *t, int ldt)
{
    if (k == 0)
        return 0;
    T *top, *triangle = static_cast<T *>(t);
    if (int error = workspace(x, 2 * size_t(k) * k, &top))
        return error;
    T *g = top + size_t(k) * k;
    if (int error = with_tile_column<T>(pieces, v, [&](const auto &all) {
            return launch(x, top_of_v_kernel<T, sizeof all.piece / sizeof *all.piece>,
                          ceil_div(int64_t(k) * k, larft_threads), larft_threads, all, k, top,
                          triangle, ldt);
        }))
        return error;
    if (int error = gram<T>(x, pieces, v, k, top, g))
        return error;
    if (int error = launch(x, leaf_triangles_kernel<T>, ceil_div(k, larft_leaf), larft_leaf, k,
                           static_cast<const T *>(g), triangle, static_cast<int64_t>(ldt)))
        return error;
    return join_triangles<T>(x, k, g, top, triangle, ldt);
}

INSTANTIATE(larft);

} // namespace startile_cuda
