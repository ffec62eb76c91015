/*
 * Computes the QR factorization of a triangle R on top of B: copies both to one array, with zeros
 * below the diagonal of R and of a trapezoidal B, and calls geqrf.
 *
 * The top of the reflectors, their first n rows, is then exactly the unit matrix, and is not
 * stored. Householder's method: below the diagonal the top is zero at first, so that H₁'s vector is
 * zero there. I − tau v vᴴ does not change rows where v is zero; so the same holds for H₂, and so
 * on. A blocked method preserves these zeros as well, because it adds to these rows only sums of
 * products with zeros. The method for tall panels (geqrf_tall.cu) preserves them too: Q's top
 * is a product of upper triangles there, so that the factor L of Q_top − S is the unit matrix.
 * (Infinity and NaN break this, but then there is no factorization.)
 *
 * Error: that of geqrf. Copying moves at most 4 (n + m) n elements for about 2 (n + m) n² flops.
 * With uplo 'U' most of these flops are spent on zeros.
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Copies R and B to one array, with zeros below the diagonal of R and of a trapezoidal B. */
template <typename T>
struct gather_element {
    char uplo;
    int n;
    const T *r;
    int64_t ldr;
    const T *b;
    int64_t ldb;
    T *s;
    int64_t lds;

    __device__ void operator()(int i, int j) const
    {
        const int row = i < n ? i : i - n;
        const bool stored = in_triangle(i < n ? 'U' : uplo, row, j);
        const T *from = i < n ? r + row + j * ldr : b + row + j * ldb;
        s[i + j * lds] = stored ? *from : to_element<T>(0, 0);
    }
};

template <typename T>
int tpqrt(startile_exec *x, char uplo, int m, int n, void *a, int lda, void *b, int ldb, void *t,
          int ldt)
{
    T *r = static_cast<T *>(a), *v = static_cast<T *>(b);
    if (n == 0)
        return 0;
    const int rows = uplo == 'U' ? std::min(m, n) : m, lds = n + rows;
    if (int error = reserve_copy(x, size_t(lds) * n * sizeof(T)))
        return error;
    T *s = static_cast<T *>(x->copy);
    if (int error =
            apply_elementwise(x, 'G', lds, n, gather_element<T>{uplo, n, r, lda, v, ldb, s, lds}))
        return error;
    const startile_piece whole = {s, lds, lds};
    if (int error = geqrf<T>(x, 1, &whole, n, t, ldt))
        return error;
    if (int error = lacpy<T>(x, 'U', n, n, s, lds, r, lda))
        return error;
    return lacpy<T>(x, uplo, rows, n, s + n, lds, v, ldb);
}

INSTANTIATE(tpqrt);

} // namespace startile_cuda
