/*
 * Operations on batches (kernels/batch.h) as templates, each in the file batch_NAME.cu, and the
 * view of a batch inside kernels. Private to kernels/cuda.
 */
#ifndef STARTILE_BATCH_CUH
#define STARTILE_BATCH_CUH

#include "batch.h"
#include "common/element.cuh"
#include "common/exec.cuh"

namespace startile_cuda
{

/* startile_matrices as a by-value argument of CUDA kernels */
template <typename T>
struct batch {
    T *a;
    int64_t stride;
    T *const *each;
    const int *sizes;
    int m, n, ld;

    __host__ batch(const startile_matrices *A)
        : a(static_cast<T *>(A->a)), stride(A->stride), each(reinterpret_cast<T *const *>(A->each)),
          sizes(A->sizes), m(A->m), n(A->n), ld(A->ld)
    {
    }

    struct matrix {
        T *p;
        int m, n, ld;

        __device__ T &operator()(int i, int j) const
        {
            return p[i + static_cast<int64_t>(j) * ld];
        }
    };

    __device__ matrix operator[](int q) const
    {
        T *p = each != nullptr ? each[q] : a + q * stride;
        if (sizes == nullptr)
            return {p, m, n, ld};
        return {p, sizes[3 * static_cast<int64_t>(q)], sizes[3 * static_cast<int64_t>(q) + 1],
                sizes[3 * static_cast<int64_t>(q) + 2]};
    }
};

/* In the order of batch.h */
template <typename T>
int potrf_batch(startile_exec *x, char uplo, int count, const startile_matrices *A, int64_t *info);
template <typename T>
int potrs_batch(startile_exec *x, char uplo, int count, const startile_matrices *A,
                const startile_matrices *B, const int64_t *done);
template <typename T>
int getrf_batch(startile_exec *x, int count, const startile_matrices *A, const startile_matrices *P,
                int64_t *info);
template <typename T>
int getrs_batch(startile_exec *x, char trans, int count, const startile_matrices *A,
                const startile_matrices *P, const startile_matrices *B, const int64_t *done);
template <typename T>
int getri_batch(startile_exec *x, int count, const startile_matrices *A, const startile_matrices *P,
                int64_t *info);
template <typename T>
int geqrf_batch(startile_exec *x, int count, const startile_matrices *A,
                const startile_matrices *tau);
template <typename T>
int ormqr_batch(startile_exec *x, char side, char trans, int count, const startile_matrices *A,
                const startile_matrices *tau, const startile_matrices *C);
template <typename T>
int gels_batch(startile_exec *x, char trans, int count, const startile_matrices *A,
               const startile_matrices *B, int64_t *info);
template <typename T>
int gemm_batch(startile_exec *x, char transa, char transb, int count, startile_scalar alpha,
               const startile_matrices *A, const startile_matrices *B, startile_scalar beta,
               const startile_matrices *C);
template <typename T>
int trsm_batch(startile_exec *x, char side, char uplo, char trans, char diag, int count,
               startile_scalar alpha, const startile_matrices *A, const startile_matrices *B);
template <typename T>
int nrm2_batch(startile_exec *x, int count, const startile_matrices *X, void *result);
template <typename T>
int asum_batch(startile_exec *x, int count, const startile_matrices *X, void *result);
template <typename T>
int dot_batch(startile_exec *x, int conjugate, int count, const startile_matrices *X,
              const startile_matrices *Y, void *result);
template <typename T>
int iamax_batch(startile_exec *x, int count, const startile_matrices *X, int64_t *result);
template <typename T>
int scal_batch(startile_exec *x, int count, const void *alpha, int step,
               const startile_matrices *X);
template <typename T>
int axpy_batch(startile_exec *x, int count, const void *alpha, int step, const startile_matrices *X,
               const startile_matrices *Y);

} // namespace startile_cuda
#endif
