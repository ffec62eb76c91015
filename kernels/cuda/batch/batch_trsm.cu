/* Computes B := alpha op(A)⁻¹ B or alpha B op(A)⁻¹ for a batch. batch_solve.cuh reduces all cases
 * to one. */
#include "batch/batch_solve_lanes.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Right-hand sides of one matrix, one in each row of the tile c */
template <typename T>
struct solve_tiles {
    static constexpr int order = tile<T>::order, ld = tile<T>::ld;
    T *c, *m, *reciprocals; /* in shared memory: two tiles and `order` elements */

    /* Loads the diagonal tile of the triangle to m, conjugated, because the products conjugate it
     * again. Also writes the reciprocals of its diagonal. */
    __device__ void load_diagonal(const strided<T> &a, bool conjugated, bool unit) const
    {
        for_each_in_part<T, order>(a.is_row_major(), [&](int i, int j) {
            T value = to_element<T>(0, 0);
            if (j <= i && i < a.m && !(i == j && unit))
                value = conjugated ? a(i, j) : conjugate(a(i, j));
            m[i + j * ld] = value;
            if (i == j)
                reciprocals[i] =
                    i < a.m && !unit ? reciprocal(conjugate(value)) : to_element<T>(1, 0);
        });
    }

    /* Solves with the tile m for columns 0 … n − 1 of c. Each warp has 16 rows of c. For eight
     * columns at a time, the warp subtracts the products of the columns before; then each of 16
     * lanes solves for one row. */
    __device__ void solve(int n) const
    {
        const int row0 = static_cast<int>(threadIdx.x) / 32 * 16, lane = threadIdx.x % 32;
        if (row0 >= order)
            return;
        for (int j0 = 0; j0 < n; j0 += 8) {
            warp_block<T, 16, 8> sum;
            sum.for_each([](int, int, T &e) { e = to_element<T>(0, 0); });
            add_product_twofold(sum, c + row0, m + j0, j0);
            sum.for_each([&](int i, int j, T &e) {
                T &entry = c[row0 + i + (j0 + j) * ld];
                entry = multiply_add(to_element<T>(-1, 0), e, entry);
            });
            __syncwarp();
            if (lane < 16)
                substitute_eight(c + row0 + lane, j0);
            __syncwarp();
        }
    }

    /* Solves for elements j0 … j0 + 7 of a row, with the 8 × 8 diagonal block of m at j0. */
    __device__ void substitute_eight(T *row, int j0) const
    {
        T x[8];
#pragma unroll
        for (int j = 0; j < 8; j++)
            x[j] = row[(j0 + j) * ld];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            x[j] = multiply_add(reciprocals[j0 + j], x[j], to_element<T>(0, 0));
#pragma unroll
            for (int i = j + 1; i < 8; i++)
                x[i] = subtract_product(x[i], conjugate(m[j0 + i + (j0 + j) * ld]), x[j]);
            row[(j0 + j) * ld] = x[j];
        }
    }
};

/* Solves for right-hand sides of matrix blockIdx.x, `order` at a time. The blocks with the same
 * blockIdx.x share the right-hand sides. */
template <typename T>
__global__ void __launch_bounds__(tile_threads, 2) solve_tiles_kernel(solves<T> s)
{
    constexpr int order = tile<T>::order, ld = tile<T>::ld;
    extern __shared__ int4 memory[];
    __shared__ T reciprocals[order];
    T *const c = reinterpret_cast<T *>(memory), *const m = c + tile<T>::elements;
    const solve_tiles<T> tiles = {c, m, reciprocals};
    const solve_view view = s.view;
    const int q = blockIdx.x;
    if (s.is_skipped(q))
        return;
    const strided<T> all = view.rhs<T>(s.B[q]);
    const strided<T> a = view.triangle<T>(s.A[q], all.m);
    const bool nonzero_alpha = !is_zero(s.alpha);
    for (int c0 = blockIdx.y * order; c0 < all.n; c0 += gridDim.y * order) {
        const strided<T> b = all.from(0, c0).transposed();
        for (int i0 = 0; i0 < a.n; i0 += order) {
            const strided<T> to = b.from(0, i0);
            const T zero = to_element<T>(0, 0);
            copy_part_async<T, order>(c, to);
            commit_copies();
            wait_for_copies_except<0>();
            __syncthreads();
            quadrant<T> sum;
            sum.for_each_in_tile([&](int i, int j, T &e) {
                const T old = nonzero_alpha ? c[i + j * ld] : zero;
                e = scaled<T>(-1, multiply_add(s.alpha, old, zero));
            });
            __syncthreads();
            add_product_of_factors<T>(sum, {b, false, c}, {a.from(i0, 0), !view.conjugated, m},
                                      nonzero_alpha ? i0 : 0);
            sum.for_each_in_tile([&](int i, int j, T &e) { c[i + j * ld] = scaled<T>(-1, e); });
            if (nonzero_alpha)
                tiles.load_diagonal(a.from(i0, i0), view.conjugated, view.unit);
            __syncthreads();
            if (nonzero_alpha)
                tiles.solve(min(order, to.n));
            __syncthreads();
            for_each_in_part<T, order>(to.is_row_major(), [&](int i, int j) {
                if (i < to.m && j < to.n)
                    to(i, j) = c[i + j * ld];
            });
            __syncthreads();
        }
    }
}

template <typename T>
int solve_large(startile_exec *x, int count, const solves<T> &s)
{
    constexpr int max_few = 8;
    if (solve_size<T>(s).rhs <= max_few && !is_zero(s.alpha))
        return solve_few(x, count, s);
    constexpr unsigned int max_blocks_of_matrix = 65535;
    const unsigned int parts = ceil_div(solve_size<T>(s).rhs, tile<T>::order);
    const dim3 grid(count, std::min(parts, max_blocks_of_matrix));
    return launch_with_smem(x, solve_tiles_kernel<T>, grid, tile_threads, 2 * tile<T>::bytes, s);
}

template <typename T>
int trsm_batch(startile_exec *x, char side, char uplo, char trans, char diag, int count,
               startile_scalar alpha, const startile_matrices *A, const startile_matrices *B)
{
    if (count == 0 || B->m == 0 || B->n == 0)
        return 0;
    const solves<T> s = {A, B, solve_view(side, uplo, trans, diag), to_element<T>(alpha), nullptr};
    return is_small(s) ? solve_small<false>(x, count, s) : solve_large(x, count, s);
}

INSTANTIATE(solve_large);
INSTANTIATE(trsm_batch);

} // namespace startile_cuda
