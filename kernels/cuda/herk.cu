/*
 * C := alpha op(A) op(A)ᴴ + beta C and its symmetric sister, on one triangle.
 *
 * Method: the squares beside the diagonal are matrix products, level by level (blocks.cuh); the
 * diagonal blocks are multiplied in full into the workspace, in one batched call, and their
 * triangles are added to C. That makes (1 + leaf/n)/2 of the flops of a full product run at its
 * rate, where cuBLAS' own routine takes about as long as a full product. Small triangles go to
 * cuBLAS' routine.
 *
 * Error: |ΔC| ≤ k · eps · |alpha| |op(A)| |op(A)|ᴴ + 2 eps |beta| |C|, elementwise, up to a small
 * constant, as for any order of summation (Higham, Accuracy and Stability of Numerical Algorithms,
 * 2nd ed., 3.5).
 */
#include "blocks.cuh"
#include "operations.cuh"
#include "visit.cuh"

namespace startile_cuda
{

static constexpr int rank_k_leaf = 512;

/* Visits `size` rows of all diagonal blocks, side by side in `product`. */
template <typename T>
struct diagonal_blocks_visitor {
    char uplo;
    bool hermitian;
    bool overwrite;
    int size;
    T beta;
    const T *product;
    T *c;
    int64_t ldc;

    __device__ void operator()(int i, int column) const
    {
        int64_t block = column / size;
        int j = column % size;
        if (!in_triangle(uplo, i, j))
            return;
        T *target = c + block * size * (ldc + 1) + i + j * ldc;
        T value = product[i + int64_t(column) * size];
        if (!overwrite)
            value = multiply_add(beta, *target, value);
        *target = hermitian && i == j ? to_element<T>(real_part(value), 0) : value;
    }
};

template <typename T>
int rank_k_by_blocks(startile_exec *x, bool hermitian, char uplo, char trans, int n, int k, T alpha,
                     const T *a, int lda, T beta, T *c, int ldc, int leaf)
{
    const char opposite = hermitian ? 'C' : 'T';
    const char op1 = trans == 'N' ? 'N' : opposite, op2 = trans == 'N' ? opposite : 'N';
    const T zero = to_element<T>(0, 0);
    bool overwrite;
    if constexpr (element<T>::is_complex)
        overwrite = beta.x == 0 && beta.y == 0;
    else
        overwrite = beta == 0;

    /* from one row of op(A), and one diagonal element of C, to the next */
    const int64_t step_a = trans == 'N' ? 1 : lda, step_c = int64_t(ldc) + 1;

    int error = for_each_leaf(n, leaf, [&](int64_t first, int size, int count) {
        T *product;
        if (int error = workspace(x, size_t(size) * size * count, &product))
            return error;
        matrices<const T> rows = {a + first * step_a, lda, size * step_a};
        matrices<T> to = {product, size, int64_t(size) * size};
        if (int error = multiply(x, op1, op2, size, size, k, alpha, rows, rows, zero, to, count))
            return error;
        return visit(x, 'G', size, size * count,
                     diagonal_blocks_visitor<T>{uplo, hermitian, overwrite, size, beta, product,
                                                c + first * step_c, ldc});
    });
    if (error)
        return error;

    return for_each_pair(n, leaf, [&](int64_t first, int n1, int n2, int count) {
        int64_t second = first + n1, distance = 2 * int64_t(n1);
        matrices<const T> rows1 = {a + first * step_a, lda, distance * step_a};
        matrices<const T> rows2 = {a + second * step_a, lda, distance * step_a};
        if (uplo == 'L') {
            matrices<T> below = {c + second + first * ldc, ldc, distance * step_c};
            return multiply(x, op1, op2, n2, n1, k, alpha, rows2, rows1, beta, below, count);
        }
        matrices<T> above = {c + first + second * ldc, ldc, distance * step_c};
        return multiply(x, op1, op2, n1, n2, k, alpha, rows1, rows2, beta, above, count);
    });
}

template <typename T>
static int rank_k_direct(startile_exec *x, bool hermitian, char uplo, char trans, int n, int k,
                         T alpha, const T *a, int lda, T beta, T *c, int ldc)
{
    cublasFillMode_t fill = fill_mode(uplo);
    cublasOperation_t op = operation<T>(trans);
    if constexpr (element<T>::is_complex)
        if (hermitian)
            return check(
                element<T>::herk(x->cublas, fill, op, n, k, &alpha.x, a, lda, &beta.x, c, ldc));
    return check(element<T>::syrk(x->cublas, fill, op, n, k, &alpha, a, lda, &beta, c, ldc));
}

template <typename T>
static int rank_k(startile_exec *x, bool hermitian, char uplo, char trans, int n, int k,
                  startile_scalar alpha, const void *a, int lda, startile_scalar beta, void *c,
                  int ldc)
{
    T *to = static_cast<T *>(c);
    const T *from = static_cast<const T *>(a);
    T s = to_element<T>(alpha), t = to_element<T>(beta);
    if (n == 0)
        return 0;
    if (k == 0 || (alpha.re == 0 && alpha.im == 0))
        return scale(x, uplo, hermitian, n, n, t, to, ldc);
    if (n <= rank_k_leaf)
        return rank_k_direct(x, hermitian, uplo, trans, n, k, s, from, lda, t, to, ldc);
    return rank_k_by_blocks(x, hermitian, uplo, trans, n, k, s, from, lda, t, to, ldc, rank_k_leaf);
}

template <typename T>
int herk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
         const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
    return rank_k<T>(x, true, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}

template <typename T>
int syrk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
         const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
    return rank_k<T>(x, false, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}

template decltype(rank_k_by_blocks<float>) rank_k_by_blocks<float>;
template decltype(rank_k_by_blocks<double>) rank_k_by_blocks<double>;
template decltype(rank_k_by_blocks<cuComplex>) rank_k_by_blocks<cuComplex>;
template decltype(rank_k_by_blocks<cuDoubleComplex>) rank_k_by_blocks<cuDoubleComplex>;

template decltype(herk<float>) herk<float>;
template decltype(herk<double>) herk<double>;
template decltype(herk<cuComplex>) herk<cuComplex>;
template decltype(herk<cuDoubleComplex>) herk<cuDoubleComplex>;

template decltype(syrk<float>) syrk<float>;
template decltype(syrk<double>) syrk<double>;
template decltype(syrk<cuComplex>) syrk<cuComplex>;
template decltype(syrk<cuDoubleComplex>) syrk<cuDoubleComplex>;

} // namespace startile_cuda
