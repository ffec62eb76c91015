/*
 * B := op(T)⁻¹ B by a substitution with the inverses of T's diagonal blocks. For each block, a
 * product with its inverse and one with the rest of its columns of T; in one kernel where
 * block_substitution.cu can do it.
 */
#include "common/operations.cuh"

#include <algorithm>
#include <type_traits>

namespace startile_cuda
{

/* Computes the substitution by products, given the functions for them. */
template <typename T>
static int substitute_by_products(startile_exec *x, decltype(startile_kernels::trmm) trmm,
                                  decltype(startile_kernels::gemm) gemm, char uplo, char trans,
                                  int m, int n, const T *t, int ldt, const T *w, int ldw, T *b,
                                  int ldb)
{
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    const bool is_downward = (uplo == 'L') == (trans == 'N');
    constexpr int order = STARTILE_INVERTED_ORDER;
    const int blocks = static_cast<int>(ceil_div(m, order));
    for (int q = 0; q < blocks; q++) {
        const int i = order * (is_downward ? q : blocks - 1 - q), k = std::min(order, m - i);
        const int first = is_downward ? i + k : 0, rest = is_downward ? m - first : i;
        /* B_i := op(W_ii) B_i, B_rest -= op(T)_(rest,i) B_i */
        if (int error =
                trmm(x, 'L', uplo, trans, k, n, one, w + i + i * int64_t(ldw), ldw, b + i, ldb))
            return error;
        const T *of_rest =
            trans == 'N' ? t + first + i * int64_t(ldt) : t + i + first * int64_t(ldt);
        if (rest > 0)
            if (int error = gemm(x, trans, 'N', rest, n, k, minus_one, of_rest, ldt, b + i, ldb,
                                 one, b + first, ldb))
                return error;
    }
    return 0;
}

template <typename T>
int trsm_by_inverses_with(startile_exec *x, decltype(startile_kernels::gemm) gemm, char uplo,
                          char trans, int m, int n, const void *t, int ldt, const void *w, int ldw,
                          void *b, int ldb)
{
    const T *triangle = static_cast<const T *>(t), *inverses = static_cast<const T *>(w);
    T *const right = static_cast<T *>(b);
    if constexpr (std::is_same<T, double>::value) {
        const block_substitution s = {m, n, triangle, inverses, right, ldt, ldw, ldb};
        if (uplo == 'L' && trans == 'N' && can_substitute_blocks(x, s))
            return substitute_blocks(x, s);
    }
    return substitute_by_products(x, trmm<T>, gemm, uplo, trans, m, n, triangle, ldt, inverses, ldw,
                                  right, ldb);
}

/* The inverses have the diagonal; therefore diag is not used. */
template <typename T>
int trsm_by_inverses(startile_exec *x, char uplo, char trans, char, int m, int n, const void *t,
                     int ldt, const void *w, int ldw, void *b, int ldb)
{
    return trsm_by_inverses_with<T>(x, gemm<T>, uplo, trans, m, n, t, ldt, w, ldw, b, ldb);
}

template <typename T>
int vendor_trsm_by_inverses(startile_exec *x, char uplo, char trans, char, int m, int n,
                            const void *t, int ldt, const void *w, int ldw, void *b, int ldb)
{
    return substitute_by_products(x, vendor_trmm<T>, vendor_gemm<T>, uplo, trans, m, n,
                                  static_cast<const T *>(t), ldt, static_cast<const T *>(w), ldw,
                                  static_cast<T *>(b), ldb);
}

INSTANTIATE(trsm_by_inverses);
INSTANTIATE(trsm_by_inverses_with);
INSTANTIATE(vendor_trsm_by_inverses);

} // namespace startile_cuda
