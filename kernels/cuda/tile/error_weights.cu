/* Weights of a bound of the error of a solution (LAPACK xPORFS, xGERFS) */
#include "common/apply_elementwise.cuh"
#include "common/operations.cuh"

namespace startile_cuda
{

template <typename T>
struct error_weight {
    const T *r;
    int64_t ldr;
    const T *b;
    int64_t ldb;
    double rounding;
    const double *largest;
    double *w;
    int64_t ldw;

    __device__ void operator()(int i, int j) const
    {
        double &to = w[i + j * ldw];
        const double sum =
            magnitude1(r[i + j * ldr]) + rounding * (to + magnitude1(b[i + j * ldb]));
        to = largest[j] == 0 ? sum : sum / largest[j];
    }
};

template <typename T>
int error_weights(startile_exec *x, int m, int n, const void *r, int ldr, const void *b, int ldb,
                  double rounding, const double *largest, double *w, int ldw)
{
    return apply_elementwise(x, 'G', m, n,
                             error_weight<T>{static_cast<const T *>(r), ldr,
                                             static_cast<const T *>(b), ldb, rounding, largest, w,
                                             ldw});
}

template <typename T>
struct weighted_row {
    const double *w;
    T *v;

    __device__ void operator()(int i, int) const
    {
        if constexpr (element<T>::is_complex)
            v[i] = to_element<T>(w[i] * v[i].x, w[i] * v[i].y);
        else
            v[i] = to_element<T>(w[i] * v[i], 0);
    }
};

template <typename T>
int weight_rows(startile_exec *x, int m, const double *w, void *v)
{
    return apply_elementwise(x, 'G', m, 1, weighted_row<T>{w, static_cast<T *>(v)});
}

INSTANTIATE(error_weights);
INSTANTIATE(weight_rows);

} // namespace startile_cuda
