/*
 * [A; B] := (I − [I; V] op(T) [I; V]ᴴ) [A; B], by products alone:
 *     W = op(T) (A + Vᴴ B),  A := A − W,  B := B − V W.
 * A trapezoidal V is first copied with zeros below the diagonal. The zeros cost at most half of the
 * flops; the full rate of the product makes up for that.
 *
 * Error: as larfb's, with k + m rows (larfb.cu)
 */
#include "common/apply_elementwise.cuh"
#include "common/block_products.cuh"
#include "common/operations.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Copies a trapezoidal V, with zeros below the diagonal. */
template <typename T>
struct trapezoid_element {
    const T *v;
    int64_t ldv;
    T *dense;
    int64_t rows;

    __device__ void operator()(int i, int j) const
    {
        dense[i + j * rows] = in_triangle('U', i, j) ? v[i + j * ldv] : to_element<T>(0, 0);
    }
};

template <typename T>
int tpmqrt(startile_exec *x, char uplo, char trans, int m, int n, int k, const void *v, int ldv,
           const void *t, int ldt, void *a, int lda, void *b, int ldb)
{
    if (k == 0 || n == 0)
        return 0;
    const T zero = to_element<T>(0, 0), one = to_element<T>(1, 0), minus_one = to_element<T>(-1, 0);
    const bool full = uplo == 'G';
    const int rows = full ? m : std::min(m, k);
    const size_t k_n = size_t(k) * n;
    T *w;
    if (int error = workspace(x, 2 * k_n + (full ? 0 : size_t(rows) * k), &w))
        return error;
    T *tw = w + k_n, *dense = tw + k_n;
    matrices<const T> reflectors = {static_cast<const T *>(v), ldv, 0};
    if (!full) {
        if (int error = apply_elementwise(x, 'G', rows, k,
                                          trapezoid_element<T>{reflectors.p, ldv, dense, rows}))
            return error;
        reflectors = {dense, std::max(rows, 1), 0};
    }
    T *bottom = static_cast<T *>(b);
    if (int error = lacpy<T>(x, 'G', k, n, a, lda, w, k))
        return error;
    if (rows > 0)
        if (int error = multiply<T>(x, 'C', 'N', k, n, rows, one, reflectors, {bottom, ldb, 0}, one,
                                    {w, k, 0}))
            return error;
    if (int error = multiply<T>(x, trans, 'N', k, n, k, one, {static_cast<const T *>(t), ldt, 0},
                                {w, k, 0}, zero, {tw, k, 0}))
        return error;
    if (int error = geadd<T>(x, k, n, {-1, 0}, tw, k, {1, 0}, a, lda))
        return error;
    return rows == 0 ? 0
                     : multiply<T>(x, 'N', 'N', rows, n, k, minus_one, reflectors, {tw, k, 0}, one,
                                   {bottom, ldb, 0});
}

INSTANTIATE(tpmqrt);

} // namespace startile_cuda
