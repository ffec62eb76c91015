/*
 * C := (I − V op(T) Vᴴ) C for a block reflector, by products alone (Schreiber & Van Loan, "A
 * storage-efficient WY representation for products of Householder transformations", SIAM J. Sci.
 * Stat. Comput. 10, 1989):
 *     W = Vᴴ C,  W := op(T) W,  C := C − V W.
 *
 * The top of V, a unit triangle that shares its storage with R, is copied out with its ones and
 * zeros: a dense product with it runs at full rate, and only k² n of the 2 m k n flops are spent on
 * zeros. Below, V and C are taken as they lie, one product for each pair of pieces that overlap.
 *
 * Error: the computed C is that of an exactly orthogonal transformation of C + ΔC with ‖ΔC‖_F ≤ c m
 * k eps ‖C‖_F (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 19.5).
 */
#include "blocks.cuh"
#include "operations.cuh"
#include "stack.cuh"

#include <algorithm>

namespace startile_cuda
{

constexpr int top_threads = 256;

/* One block per column */
template <typename T, int most>
__global__ void __launch_bounds__(top_threads)
    unit_top_kernel(const __grid_constant__ stack<T, most> argument, int k, T *top)
{
    const stack<T, most> &v = shared_copy(argument);
    const int64_t j = blockIdx.x;
    for (int i = threadIdx.x; i < k; i += top_threads)
        top[i + j * k] = i > j ? *v.at(i, j) : to_element<T>(i == j, 0);
}

template <typename T, int most>
static int copy_top(startile_exec *x, const stack<T, most> &v, int k, T *top)
{
    return launch(x, unit_top_kernel<T, most>, k, top_threads, v, k, top);
}

/* A walk down a stack, past its empty pieces */
struct place {
    const startile_piece *piece;
    int row;

    int rows_left()
    {
        for (; row == piece->m; piece++)
            row = 0;
        return piece->m - row;
    }

    template <typename T>
    matrices<T> here() const
    {
        return {static_cast<T *>(piece->p) + row, piece->ld, 0};
    }
};

template <typename T>
struct reflector {
    startile_exec *x;
    int pieces, k;
    const startile_piece *v;
    const T *top; /* V's first k rows */

    /* f(rows, V there, C there) for all rows, from the top down */
    template <typename F>
    int for_each_overlap(const startile_piece *c, F f) const
    {
        const int64_t m = rows_of(pieces, v);
        place in_v = {v, 0}, in_c = {c, 0};
        int rows;
        for (int64_t row = 0; row < m; row += rows) {
            rows = std::min(in_v.rows_left(), in_c.rows_left());
            matrices<const T> v_here = in_v.here<const T>();
            if (row < k) {
                rows = static_cast<int>(std::min<int64_t>(rows, k - row));
                v_here = {top + row, k, 0};
            }
            if (int error = f(rows, v_here, in_c.here<T>()))
                return error;
            in_v.row += rows;
            in_c.row += rows;
        }
        return 0;
    }

    int apply(char trans, const T *t, int ldt, const startile_piece *c, int n, T *w, T *tw) const;
};

/* w, tw: k × n each */
template <typename T>
int reflector<T>::apply(char trans, const T *t, int ldt, const startile_piece *c, int n, T *w,
                        T *tw) const
{
    const T zero = to_element<T>(0, 0), one = to_element<T>(1, 0), minus_one = to_element<T>(-1, 0);
    T beta = zero;
    auto project = [&](int rows, matrices<const T> v_here, matrices<T> c_here) {
        int error = multiply<T>(x, 'C', 'N', k, n, rows, one, v_here,
                                {c_here.p, c_here.ld, c_here.stride}, beta, {w, k, 0});
        beta = one;
        return error;
    };
    auto subtract = [&](int rows, matrices<const T> v_here, matrices<T> c_here) {
        return multiply<T>(x, 'N', 'N', rows, n, k, minus_one, v_here, {tw, k, 0}, one, c_here);
    };
    if (int error = for_each_overlap(c, project))
        return error;
    if (int error =
            multiply<T>(x, trans, 'N', k, n, k, one, {t, ldt, 0}, {w, k, 0}, zero, {tw, k, 0}))
        return error;
    return for_each_overlap(c, subtract);
}

template <typename T>
int larfb(startile_exec *x, char trans, int v_pieces, const startile_piece *v, int k, const void *t,
          int ldt, int c_pieces, const startile_piece *c, int n)
{
    if (k == 0 || n == 0)
        return 0;
    if (rows_of(v_pieces, v) != rows_of(c_pieces, c))
        return STARTILE_ERROR_DEVICE;
    T *top;
    const size_t k_k = size_t(k) * k, k_n = size_t(k) * n;
    if (int error = workspace(x, k_k + 2 * k_n, &top))
        return error;
    if (int error =
            with_stack<T>(v_pieces, v, [&](const auto &all) { return copy_top(x, all, k, top); }))
        return error;
    reflector<T> q = {x, v_pieces, k, v, top};
    return q.apply(trans, static_cast<const T *>(t), ldt, c, n, top + k_k, top + k_k + k_n);
}

template decltype(larfb<float>) larfb<float>;
template decltype(larfb<double>) larfb<double>;
template decltype(larfb<cuComplex>) larfb<cuComplex>;
template decltype(larfb<cuDoubleComplex>) larfb<cuDoubleComplex>;

} // namespace startile_cuda
