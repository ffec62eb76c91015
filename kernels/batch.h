/*
 * Kernel interface for batches: one function per operation on many small matrices or vectors, with
 * one signature for all types and devices. Each type and device has one table of functions.
 *
 * As in kernels.h, matrices are column-major. Flags are LAPACK's capital letters. The caller has
 * checked flags and shapes. Every dimension and the number of matrices may be 0. CPU kernels
 * compute before they return; CUDA kernels enqueue on the stream of their startile_exec and return
 * at once. The result is 0 or a startile_error. A NaN, a singular or an indefinite matrix changes
 * no bit of the other matrices.
 */
#ifndef STARTILE_BATCH_KERNELS_H
#define STARTILE_BATCH_KERNELS_H

#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Matrices 0, 1, … of a batch. The matrices and the arrays `each` and `sizes` are in the memory of
 * the device that runs the kernel. A vector of length n and increment ld is a matrix of one row. */
typedef struct {
    void *a;           /* the first matrix, if each is NULL */
    int64_t stride;    /* distance of two matrices in elements; 0: all are one matrix, which is only
                          read */
    void *const *each; /* addresses of the matrices; or NULL */
    int m, n, ld;      /* dimensions of every matrix; with sizes, the largest m and the largest n */
    const int *sizes;  /* m, n and ld of matrix q at sizes[3 q]; or NULL */
} startile_matrices;

/* `count` is the number of matrices of each operand. info[q] is LAPACK's info of matrix q; the
 * kernel writes all of them. `done` is the info of an earlier factorization, or NULL: a matrix with
 * done[q] ≠ 0 is skipped, and its right-hand sides do not change. */
typedef struct startile_batch_kernels {
    /* A := Cholesky factor in the triangle uplo; the other triangle is not touched (xPOTRF) */
    int (*potrf)(startile_exec *x, char uplo, int count, const startile_matrices *A, int64_t *info);
    /* B := A⁻¹ B with the factor of potrf (xPOTRS) */
    int (*potrs)(startile_exec *x, char uplo, int count, const startile_matrices *A,
                 const startile_matrices *B, const int64_t *done);

    /* A := L and U; P: columns of min(m, n) int64_t, LAPACK's 1-based ipiv. The pivot is the
     * largest element by |re| + |im|, the topmost of equal ones. P = NULL: no pivoting. info > 0:
     * index of the first zero pivot; the factorization continues (xGETRF). */
    int (*getrf)(startile_exec *x, int count, const startile_matrices *A,
                 const startile_matrices *P, int64_t *info);
    /* B := op(A)⁻¹ B with the factors of getrf (xGETRS); P may be NULL */
    int (*getrs)(startile_exec *x, char trans, int count, const startile_matrices *A,
                 const startile_matrices *P, const startile_matrices *B, const int64_t *done);
    /* A := A⁻¹ from the factors of getrf. With a zero on U's diagonal info > 0, and A is not
     * changed (xGETRI) */
    int (*getri)(startile_exec *x, int count, const startile_matrices *A,
                 const startile_matrices *P, int64_t *info);

    /* A := R and the reflectors, tau: columns of min(m, n) elements (xGEQRF) */
    int (*geqrf)(startile_exec *x, int count, const startile_matrices *A,
                 const startile_matrices *tau);
    /* C := op(Q) C (side L) or C op(Q), op 'N' or 'C'; the reflectors are A's first columns, as
     * many as tau has elements (xORMQR, xUNMQR) */
    int (*ormqr)(startile_exec *x, char side, char trans, int count, const startile_matrices *A,
                 const startile_matrices *tau, const startile_matrices *C);
    /* Solves op(A) X = B by least squares or least norm, op 'N' or 'C', for A of any shape and full
     * rank. B has max(m, n) rows and becomes X, above the rest of LAPACK's B. A is overwritten.
     * info > 0: a zero on R's diagonal, and B is not changed. (xGELS without its scaling) */
    int (*gels)(startile_exec *x, char trans, int count, const startile_matrices *A,
                const startile_matrices *B, int64_t *info);

    /* C := alpha op(A) op(B) + beta C */
    int (*gemm)(startile_exec *x, char transa, char transb, int count, startile_scalar alpha,
                const startile_matrices *A, const startile_matrices *B, startile_scalar beta,
                const startile_matrices *C);
    /* B := alpha op(A)⁻¹ B (side L) or alpha B op(A)⁻¹ (side R) */
    int (*trsm)(startile_exec *x, char side, char uplo, char trans, char diag, int count,
                startile_scalar alpha, const startile_matrices *A, const startile_matrices *B);

    /* result[q] := ‖x_q‖₂, of the real type, without intermediate overflow or underflow */
    int (*nrm2)(startile_exec *x, int count, const startile_matrices *X, void *result);
    /* result[q] := Σ (|re| + |im|), of the real type */
    int (*asum)(startile_exec *x, int count, const startile_matrices *X, void *result);
    /* result[q] := Σ x y; with conjugate ≠ 0 Σ x̄ y */
    int (*dot)(startile_exec *x, int conjugate, int count, const startile_matrices *X,
               const startile_matrices *Y, void *result);
    /* result[q] := 1-based index of the first element of largest |re| + |im|; 0 for an empty
     * vector. NaN counts as larger than any number. */
    int (*iamax)(startile_exec *x, int count, const startile_matrices *X, int64_t *result);
    /* x_q := alpha[q step] x_q; step 0: one alpha for all vectors */
    int (*scal)(startile_exec *x, int count, const void *alpha, int step,
                const startile_matrices *X);
    /* y_q := alpha[q step] x_q + y_q */
    int (*axpy)(startile_exec *x, int count, const void *alpha, int step,
                const startile_matrices *X, const startile_matrices *Y);
} startile_batch_kernels;

/* Indexed by startile_dtype. */
extern const startile_batch_kernels *const startile_cpu_batch_kernels[4];
extern const startile_batch_kernels *const startile_cuda_batch_kernels[4];

#ifdef __cplusplus
}
#endif
#endif
