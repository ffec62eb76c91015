/*
 * cuBLAS products of single and equally spaced matrices, and the recursion over the blocks of a
 * triangle.
 *
 * A triangle of order n has diagonal blocks of order `leaf`, called leaves (the last one may be
 * smaller). On each level a square block joins two neighbouring triangles to one of twice the
 * order:
 *
 *     level 1          level 2
 *     D . . .          T T . .      D: leaf of order `leaf`
 *     S D . .          T T . .      S: square block that joins two neighbours
 *     . . D .          S S T T      T: triangle of level 1
 *     . . S D          S S T T
 *
 * The square blocks of a level, except the last one, have equal shapes and distances, so that one
 * batched product computes them.
 *
 * Elmroth, Gustavson, Jonsson & Kågström, "Recursive blocked algorithms and hybrid data structures
 * for dense matrix library software", SIAM Review 46 (2004).
 */
#ifndef STARTILE_BLOCK_PRODUCTS_CUH
#define STARTILE_BLOCK_PRODUCTS_CUH

#include "common/cublas.cuh"

#include <algorithm>
#include <limits.h>

namespace startile_cuda
{

/* Matrices of equal shape. Matrix q begins at p + q · stride. */
template <typename T>
struct matrices {
    T *p;
    int ld;
    int64_t stride;
};

/* Computes C_q := alpha op(A_q) op(B_q) + beta C_q for q = 0 … count − 1; op(A_q) is m × k, op(B_q)
 * is k × n. */
template <typename T>
int multiply(startile_exec *x, char transa, char transb, int m, int n, int k, T alpha,
             matrices<const T> a, matrices<const T> b, T beta, matrices<T> c, int count = 1)
{
    cublasOperation_t opa = operation<T>(transa), opb = operation<T>(transb);
    if (count == 1)
        return check(blas<T>::gemm(x->cublas, opa, opb, m, n, k, &alpha, a.p, a.ld, b.p, b.ld,
                                   &beta, c.p, c.ld));
    return check(blas<T>::gemm_strided_batched(x->cublas, opa, opb, m, n, k, &alpha, a.p, a.ld,
                                               a.stride, b.p, b.ld, b.stride, &beta, c.p, c.ld,
                                               c.stride, count));
}

/* For each level below `order`, calls f(first, n1, n2, count) once for the pairs of two full
 * triangles, and once for a last pair with a smaller second triangle, as far as such pairs exist. A
 * call is for `count` pairs of neighbouring triangles of orders n1 and n2. The first pair begins at
 * row `first`, each following pair 2·n1 rows further down. Returns the first error of f, or 0. */
template <typename F>
int for_each_pair(int n, int leaf, F f, int order = INT_MAX)
{
    for (int64_t h = leaf; h < std::min(n, order); h *= 2) {
        int count = static_cast<int>(n / (2 * h));
        int done = static_cast<int>(count * 2 * h);
        int h1 = static_cast<int>(h);
        if (count > 0)
            if (int error = f(0, h1, h1, count))
                return error;
        if (n - done > h1)
            if (int error = f(done, h1, n - done - h1, 1))
                return error;
    }
    return 0;
}

} // namespace startile_cuda

#endif
