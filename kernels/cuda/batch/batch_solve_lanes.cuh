/* Triangular solves in registers, one right-hand side per lane (batch_solve.cuh) */
#ifndef STARTILE_BATCH_SOLVE_LANES_CUH
#define STARTILE_BATCH_SOLVE_LANES_CUH

#include "batch/batch_solve.cuh"

#include <algorithm>

namespace startile_cuda
{

/* State of a lane of a group of `lanes` lanes, which solves for `lanes` right-hand sides with a
 * matrix of order at most N */
template <typename T, int N>
struct solve_group {
    static constexpr int ld = N + 1;
    /* Padded, so that few groups access the same banks */
    static constexpr int triangle_elements = N * ld + 4;
    T *triangle, *staged;   /* in shared memory: the triangle, and `lanes` right-hand sides */
    int lanes, lane, order; /* order: maximal order in the batch */
    T x[N];                 /* the lane's right-hand side */

    /* Calls f(row, column) for the lane's elements of a matrix of `rows` rows and `columns`
     * columns. Neighbouring lanes have neighbouring elements in memory. */
    template <typename F>
    __device__ void for_each_in_matrix(bool by_rows, int rows, int columns, F f) const
    {
        const int contiguous = by_rows ? columns : rows;
#pragma unroll 4
        for (int e = lane; e < rows * columns; e += lanes) {
            const int outer = e / contiguous, inner = e - outer * contiguous;
            f(by_rows ? outer : inner, by_rows ? inner : outer);
        }
    }

    /* Starts copying the triangle and the right-hand sides to shared memory. */
    __device__ void start_copies(const strided<T> &m, const strided<T> &b)
    {
        for_each_in_matrix(m.is_row_major(), order, order, [&](int i, int j) {
            const bool is_inside = j <= i && i < m.n;
            copy_element_async(triangle + i + j * ld, is_inside ? &m(i, j) : m.p, is_inside);
        });
        for_each_in_matrix(b.is_row_major(), order, lanes, [&](int i, int c) {
            const bool is_inside = i < b.m && c < b.n;
            copy_element_async(staged + i + c * ld, is_inside ? &b(i, c) : b.p, is_inside);
        });
        commit_copies();
    }

    /* Waits for the copies. Conjugates the triangle if `conjugated`, replaces its diagonal by the
     * reciprocals, or by 1 if `unit`, and pads it with the identity from row n on. Sets x to alpha
     * times the lane's right-hand side. */
    __device__ void finish_copies(int n, bool conjugated, bool unit, T alpha)
    {
        wait_for_copies_except<0>();
        __syncwarp();
        if (conjugated && element<T>::is_complex)
            for (int e = lane; e < N * ld; e += lanes)
                triangle[e] = conjugate(triangle[e]);
        __syncwarp();
        for (int i = lane; i < order; i += lanes) {
            T &d = triangle[i + i * ld];
            d = unit || i >= n ? to_element<T>(1, 0) : reciprocal(d);
        }
        __syncwarp();
#pragma unroll
        for (int i = 0; i < N; i++)
            x[i] = i < order ? multiply_add(alpha, staged[i + lane * ld], to_element<T>(0, 0))
                             : to_element<T>(0, 0);
    }

    __device__ void store_rhs(const strided<T> &b)
    {
#pragma unroll
        for (int i = 0; i < N; i++)
            if (i < order)
                staged[i + lane * ld] = x[i];
        __syncwarp();
        for_each_in_matrix(b.is_row_major(), order, lanes, [&](int i, int c) {
            if (i < b.m && c < b.n)
                b(i, c) = staged[i + c * ld];
        });
        __syncwarp();
    }

    __device__ void clear()
    {
#pragma unroll
        for (int i = 0; i < N; i++)
            x[i] = to_element<T>(0, 0);
    }

    __device__ void solve_lower()
    {
#pragma unroll
        for (int j = 0; j < N; j++) {
            if (j >= order)
                break;
            __syncwarp(); /* Keeps the compiler from loading far ahead. */
            x[j] = multiply_add(triangle[j + j * ld], x[j], to_element<T>(0, 0));
#pragma unroll
            for (int i = j + 1; i < N; i++)
                if (i < order)
                    x[i] = subtract_product(x[i], triangle[i + j * ld], x[j]);
        }
    }

    /* Solves with the adjoint of the triangle. */
    __device__ void solve_adjoint()
    {
#pragma unroll
        for (int j = N - 1; j >= 0; j--) {
            if (j >= order)
                continue;
            __syncwarp();
            x[j] = multiply_add(conjugate(triangle[j + j * ld]), x[j], to_element<T>(0, 0));
#pragma unroll
            for (int i = 0; i < j; i++)
                x[i] = subtract_product(x[i], conjugate(triangle[j + i * ld]), x[j]);
        }
    }
};

/* Solves with each lower triangle and, if with_adjoint, then with its adjoint. order: largest order
 * of all triangles. A group of `lanes` lanes solves for `lanes` right-hand sides of one matrix, one
 * per lane; a matrix has `chunks` groups. */
template <typename T, int N, bool with_adjoint>
__global__ void __launch_bounds__(32, 12)
    solve_lanes_kernel(solves<T> s, int count, int lanes, int order, int chunks)
{
    extern __shared__ int4 memory[];
    const solve_view view = s.view;
    const int groups = 32 / lanes, group_index = static_cast<int>(threadIdx.x) / lanes;
    solve_group<T, N> g;
    g.lanes = lanes;
    g.lane = threadIdx.x % lanes;
    g.order = order;
    g.triangle = reinterpret_cast<T *>(memory) + group_index * g.triangle_elements;
    g.staged =
        reinterpret_cast<T *>(memory) + groups * g.triangle_elements + group_index * lanes * g.ld;
    const bool nonzero_alpha = !is_zero(s.alpha);
    const int64_t problems = static_cast<int64_t>(count) * chunks;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * groups; first < problems;
         first += static_cast<int64_t>(gridDim.x) * groups) {
        const int64_t problem = first + group_index;
        const int q = static_cast<int>(problem / chunks),
                  c0 = static_cast<int>(problem % chunks) * lanes;
        strided<T> b = {nullptr, 1, 0, 0, 0}, m = b;
        if (problem < problems && !s.is_skipped(q)) {
            b = view.rhs<T>(s.B[q]);
            m = view.triangle<T>(s.A[q], nonzero_alpha ? b.m : 0);
            b = b.from(0, c0);
        }
        g.start_copies(m, b);
        g.finish_copies(m.n, view.conjugated, view.unit, s.alpha);
        if (!nonzero_alpha)
            g.clear();
        g.solve_lower();
        if constexpr (with_adjoint)
            g.solve_adjoint();
        g.store_rhs(b);
    }
}

template <typename T, int N, bool with_adjoint>
static int launch_solves_in_registers(startile_exec *x, int count, const solves<T> &s)
{
    using group = solve_group<T, N>;
    constexpr int64_t max_blocks = int64_t(1) << 20;
    const solve_size<T> size(s);
    const int lanes = size.rhs <= 8 ? 8 : size.rhs <= 16 ? 16 : 32, groups = 32 / lanes;
    const int chunks = static_cast<int>(ceil_div(size.rhs, lanes));
    const int64_t blocks = (int64_t(count) * chunks + groups - 1) / groups;
    const size_t elements = size_t(groups) * group::triangle_elements + 32 * group::ld;
    return launch_with_smem(x, solve_lanes_kernel<T, N, with_adjoint>,
                            static_cast<unsigned int>(std::min(blocks, max_blocks)), 32,
                            elements * sizeof(T), s, count, lanes, size.order, chunks);
}

/* Solves with triangles that fit registers and, if with_adjoint, then with their adjoints. */
template <bool with_adjoint, typename T>
static int solve_small(startile_exec *x, int count, const solves<T> &s)
{
    const int order = solve_size<T>(s).order;
    if (order <= 8)
        return launch_solves_in_registers<T, 8, with_adjoint>(x, count, s);
    if (order <= 16)
        return launch_solves_in_registers<T, 16, with_adjoint>(x, count, s);
    return launch_solves_in_registers<T, largest_in_registers<T>, with_adjoint>(x, count, s);
}

} // namespace startile_cuda

#endif
