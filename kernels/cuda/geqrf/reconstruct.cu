/*
 * Householder reconstruction: LU factorization of Q − S without pivoting, by blocks of 32 columns,
 * then the triangle T and the new signs of R. The factorization of a diagonal block chooses its
 * signs in S. For the error see kernels/cpu/reconstruct.c.
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

constexpr int sign_block = 32;

/* Returns s_j = ±1, of opposite sign to the real part of the pivot. Subtracting s_j does not change
 * the sign of that real part; so the pivot may be given before or after the subtraction. */
template <typename T>
__device__ inline typename element<T>::real sign_for(T pivot)
{
    return real_part(pivot) < 0 ? 1 : -1;
}

/* Factors A − S = L U for a block of n ≤ 32 columns. Thread (i, j) has element (i, j). */
template <typename T>
__global__ void __launch_bounds__(sign_block *sign_block)
    factor_with_signs_kernel(int n, T *a, int64_t lda)
{
    __shared__ T block[sign_block][sign_block + 1];
    const int i = threadIdx.x, j = threadIdx.y;
    const bool is_inside = i < n && j < n;
    if (is_inside)
        block[j][i] = a[i + j * lda];
    __syncthreads();
    for (int k = 0; k < n; k++) {
        if (i == k && j == k)
            block[k][k] = multiply_add(to_element<T>(sign_for(block[k][k]), 0),
                                       to_element<T>(-1, 0), block[k][k]);
        __syncthreads();
        if (is_inside && j == k && i > k)
            block[k][i] = multiply_add(block[k][i], reciprocal(block[k][k]), to_element<T>(0, 0));
        __syncthreads();
        if (is_inside && j > k && i > k)
            block[j][i] = subtract_product(block[j][i], block[k][i], block[j][k]);
        __syncthreads();
    }
    if (is_inside)
        a[i + j * lda] = block[j][i];
}

/* Sets U to the upper triangle of Q, with zeros below. */
template <typename T>
struct upper_element {
    const T *q;
    int64_t ldq;
    T *u;
    int64_t ldu;

    __device__ void operator()(int i, int j) const
    {
        u[i + j * ldu] = i <= j ? q[i + j * ldq] : to_element<T>(0, 0);
    }
};

/* Completes V1 in Q, whose elements below the diagonal are those of L. Sets T := −U S and R := S
 * R. */
template <typename T>
struct sign_element {
    const T *u;
    int64_t ldu;
    T *q;
    int64_t ldq;
    T *t;
    int64_t ldt;
    T *r;
    int64_t ldr;

    __device__ void operator()(int i, int j) const
    {
        t[i + j * ldt] = scaled<T>(-sign_for(u[j + j * ldu]), u[i + j * ldu]);
        if (i > j)
            return;
        q[i + j * ldq] = to_element<T>(i == j ? 1 : 0, 0);
        r[i + j * ldr] = scaled<T>(sign_for(u[i + i * ldu]), r[i + j * ldr]);
    }
};

/* Factors A − S = L U, right-looking over blocks of columns. */
template <typename T>
static int factor_with_signs(startile_exec *x, int n, T *a, int lda)
{
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    for (int k = 0; k < n; k += sign_block) {
        int width = std::min(sign_block, n - k), remaining = n - k - width;
        T *a11 = a + k + int64_t(k) * lda, *a21 = a11 + width, *a12 = a11 + int64_t(width) * lda;
        if (int error = launch(x, factor_with_signs_kernel<T>, 1, dim3(sign_block, sign_block),
                               width, a11, lda))
            return error;
        if (remaining == 0)
            continue;
        if (int error = trsm<T>(x, 'R', 'U', 'N', 'N', remaining, width, one, a11, lda, a21, lda))
            return error;
        if (int error = trsm<T>(x, 'L', 'L', 'N', 'U', width, remaining, one, a11, lda, a12, lda))
            return error;
        if (int error = gemm<T>(x, 'N', 'N', remaining, remaining, width, minus_one, a21, lda, a12,
                                lda, one, a12 + width, lda))
            return error;
    }
    return 0;
}

template <typename T>
int reconstruct(startile_exec *x, int n, void *q, int ldq, void *u, int ldu, void *t, int ldt,
                void *r, int ldr)
{
    T *v1 = static_cast<T *>(q), *upper = static_cast<T *>(u), *triangle = static_cast<T *>(t);
    const startile_scalar one = {1, 0};
    if (int error = factor_with_signs(x, n, v1, ldq))
        return error;
    if (int error = apply_elementwise(x, 'G', n, n, upper_element<T>{v1, ldq, upper, ldu}))
        return error;
    if (int error = apply_elementwise(
            x, 'G', n, n,
            sign_element<T>{upper, ldu, v1, ldq, triangle, ldt, static_cast<T *>(r), ldr}))
        return error;
    return trsm<T>(x, 'R', 'L', 'C', 'U', n, n, one, v1, ldq, triangle, ldt);
}

INSTANTIATE(reconstruct);

} // namespace startile_cuda
