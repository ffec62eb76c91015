/*
 * W := |op(A)| |B| + W in double precision. For few columns of B the kernels are bound by the
 * memory accesses to A. A is read once for each group of columns of B.
 */
#include "common/operations.cuh"
#include "common/tile_sums.cuh"

namespace startile_cuda
{

/* Columns of B in a group */
constexpr int abs_gemm_columns = 4;

/* Functor of row_sums() if of_rows, else of column_sums(). hermitian: the imaginary parts of A's
 * diagonal are not read. */
template <typename T, bool of_rows>
struct add_products {
    const T *a, *b;
    int64_t lda, ldb;
    bool hermitian;

    template <int columns>
    __device__ void operator()(int64_t i, int64_t j, double (&sum)[columns]) const
    {
        const double size = magnitude1(real_if(hermitian && i == j, a[i + j * lda]));
        for (int q = 0; q < columns; q++)
            sum[q] += size * magnitude1(b[(of_rows ? j : i) + q * ldb]);
    }
};

/* Does the same as abs_gemm() for a fixed number of columns of B and W. */
template <int columns, typename T>
static int abs_gemm_group(startile_exec *x, char trans, char uplo, int m, int k, const T *a,
                          int lda, const T *b, int ldb, double *w, int ldw)
{
    const add_products<T, true> of_rows = {a, b, lda, ldb, uplo != 'G'};
    const add_products<T, false> of_columns = {a, b, lda, ldb, uplo != 'G'};
    if (uplo != 'G')
        return symmetric_sums<columns>(x, uplo, m, of_columns, of_rows, w, ldw);
    if (trans == 'N')
        return row_sums<columns>(x, 'G', m, k, of_rows, w, ldw);
    return column_sums<columns>(x, 'G', k, m, of_columns, w, ldw);
}

template <typename T>
int abs_gemm(startile_exec *x, char trans, char uplo, int m, int n, int k, const void *a, int lda,
             const void *b, int ldb, double *w, int ldw)
{
    if (m == 0 || k == 0)
        return 0;
    int error = 0;
    for (int q = 0, columns; q < n && error == 0; q += columns) {
        const bool full = n - q >= abs_gemm_columns;
        columns = full ? abs_gemm_columns : 1;
        error = (full ? abs_gemm_group<abs_gemm_columns, T>
                      : abs_gemm_group<1, T>)(x, trans, uplo, m, k, static_cast<const T *>(a), lda,
                                              static_cast<const T *>(b) + int64_t(q) * ldb, ldb,
                                              w + int64_t(q) * ldw, ldw);
    }
    return error;
}

INSTANTIATE(abs_gemm);

} // namespace startile_cuda
