/*
 * Products of corresponding columns, and sums of columns with quotients of such products as factors
 *
 * One thread block sums a column, in an order that does not depend on timing. The columns are
 * vectors of a few solves: a product of 65,536 elements reads 1 MiB, which is short beside the
 * product with the matrix that precedes it.
 */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

constexpr int dots_threads = 512;

/* sum += conj(a) b in double precision */
template <typename T>
__device__ inline void add_product(double2 &sum, T a, T b)
{
    if constexpr (element<T>::is_complex) {
        sum.x += double(a.x) * b.x + double(a.y) * b.y;
        sum.y += double(a.x) * b.y - double(a.y) * b.x;
    } else {
        sum.x += double(a) * b;
    }
}

template <typename T>
__global__ void __launch_bounds__(dots_threads)
    column_dots_kernel(int m, const T *a, int64_t lda, const T *b, int64_t ldb, double *acc)
{
    __shared__ double2 parts[dots_threads];
    const int64_t j = blockIdx.x;
    double2 sum = {0, 0};
    for (int i = threadIdx.x; i < m; i += dots_threads)
        add_product(sum, a[i + j * lda], b[i + j * ldb]);
    parts[threadIdx.x] = sum;
    for (int half = dots_threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            parts[threadIdx.x].x += parts[threadIdx.x + half].x;
            parts[threadIdx.x].y += parts[threadIdx.x + half].y;
        }
    }
    if (threadIdx.x == 0) {
        acc[2 * j] += parts[0].x;
        acc[2 * j + 1] += parts[0].y;
    }
}

template <typename T>
int column_dots(startile_exec *x, int m, int n, const void *a, int lda, const void *b, int ldb,
                double *acc)
{
    if (m == 0 || n == 0)
        return 0;
    return launch(x, column_dots_kernel<T>, n, dots_threads, m, static_cast<const T *>(a), lda,
                  static_cast<const T *>(b), ldb, acc);
}

/* b_ij += sign num_j / den_j a_ij, or sign a_ij if num is null */
template <typename T>
struct add_quotient_times {
    int sign;
    const double *num, *den;
    const T *a;
    int64_t lda;
    T *b;
    int64_t ldb;

    __device__ void operator()(int i, int j) const
    {
        if (num != nullptr && den[2 * j] == 0)
            return;
        const double re = num == nullptr ? sign : sign * num[2 * j] / den[2 * j];
        const double im = num == nullptr ? 0 : sign * num[2 * j + 1] / den[2 * j];
        const T from = a[i + j * lda];
        T &to = b[i + j * ldb];
        if constexpr (element<T>::is_complex)
            to = to_element<T>(to.x + re * from.x - im * from.y, to.y + re * from.y + im * from.x);
        else
            to = to_element<T>(to + re * from, 0);
    }
};

template <typename T>
int column_axpys(startile_exec *x, int m, int n, int sign, const double *num, const double *den,
                 const void *a, int lda, void *b, int ldb)
{
    return apply_elementwise(x, 'G', m, n,
                             add_quotient_times<T>{sign, num, den, static_cast<const T *>(a), lda,
                                                   static_cast<T *>(b), ldb});
}

INSTANTIATE(column_dots);
INSTANTIATE(column_axpys);

} // namespace startile_cuda
