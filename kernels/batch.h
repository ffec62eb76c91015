/*
 * The contract for batches: one function per operation on many small matrices or vectors at once,
 * with the same signature for every type and device, in one table per type and device.
 *
 * As in kernels.h, matrices are column-major, flags are LAPACK's capital letters and have been
 * checked, so have shapes, every dimension and the number of matrices may be 0, CPU kernels compute
 * before they return, CUDA kernels enqueue on the stream of their startile_exec and return at once,
 * and the result is 0 or a startile_error. What is NaN, singular or indefinite in one matrix
 * changes no bit of another.
 */
#ifndef STARTILE_BATCH_KERNELS_H
#define STARTILE_BATCH_KERNELS_H

#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Matrices 0, 1, … of a batch, in the memory of the device that runs the kernel; so are the arrays
 * `each` and `sizes`. A vector of length n and increment ld is a matrix of one row. */
typedef struct {
    void *a;           /* the first, where they follow each other */
    int64_t stride;    /* from one to the next, in elements; 0: they are one and the same, read */
    void *const *each; /* NULL; or where each of them begins */
    int m, n, ld;      /* of every one; with sizes, the largest m and the largest n of all */
    const int *sizes;  /* NULL; or m, n and ld of matrix q at sizes[3 q] */
} startile_matrices;

/* `count` is how many matrices each operand has. info[q] is written for each, LAPACK's of the
 * routine; where it is read (`done`, which may be NULL), a matrix with done[q] ≠ 0 is passed over:
 * a factorization failed, and its right-hand sides stay as they are. */
typedef struct startile_batch_kernels {
    /* A := its Cholesky factor in the triangle uplo; the other one is not touched (xPOTRF) */
    int (*potrf)(startile_exec *x, char uplo, int count, const startile_matrices *A, int64_t *info);
    /* B := A⁻¹ B with that factor (xPOTRS) */
    int (*potrs)(startile_exec *x, char uplo, int count, const startile_matrices *A,
                 const startile_matrices *B, const int64_t *done);

    /* A := L and U; P: columns of min(m, n) integers (int64_t), LAPACK's 1-based ipiv, the largest
     * by |re| + |im|, the topmost of equals; NULL: without pivoting. info > 0: the first zero
     * pivot, and the factorization goes on (xGETRF). */
    int (*getrf)(startile_exec *x, int count, const startile_matrices *A,
                 const startile_matrices *P, int64_t *info);
    /* B := op(A)⁻¹ B with those factors (xGETRS); P may be NULL */
    int (*getrs)(startile_exec *x, char trans, int count, const startile_matrices *A,
                 const startile_matrices *P, const startile_matrices *B, const int64_t *done);
    /* A := A⁻¹ from its factors; with a zero on U's diagonal info > 0 and A is untouched (xGETRI)
     */
    int (*getri)(startile_exec *x, int count, const startile_matrices *A,
                 const startile_matrices *P, int64_t *info);

    /* A := R and the reflectors, tau: columns of min(m, n) elements (xGEQRF) */
    int (*geqrf)(startile_exec *x, int count, const startile_matrices *A,
                 const startile_matrices *tau);
    /* C := op(Q) C (side L) or C op(Q), op 'N' or 'C'; Q's reflectors are A's first columns, as
     * many as tau has elements (xORMQR, xUNMQR) */
    int (*ormqr)(startile_exec *x, char side, char trans, int count, const startile_matrices *A,
                 const startile_matrices *tau, const startile_matrices *C);
    /* op(A) X = B, op 'N' or 'C', A of any shape and full rank, by least squares or least norm; B
     * (max(m, n) rows) := X and what is left of B; A is overwritten. info > 0: a zero on R's
     * diagonal, and B is untouched. Without the scaling that xGELS begins and ends with. */
    int (*gels)(startile_exec *x, char trans, int count, const startile_matrices *A,
                const startile_matrices *B, int64_t *info);

    /* C := alpha op(A) op(B) + beta C */
    int (*gemm)(startile_exec *x, char transa, char transb, int count, startile_scalar alpha,
                const startile_matrices *A, const startile_matrices *B, startile_scalar beta,
                const startile_matrices *C);
    /* B := alpha op(A)⁻¹ B (side L) or alpha B op(A)⁻¹ (side R) */
    int (*trsm)(startile_exec *x, char side, char uplo, char trans, char diag, int count,
                startile_scalar alpha, const startile_matrices *A, const startile_matrices *B);

    /* result[q] := ‖x_q‖₂, of the real type, without overflow or underflow on the way */
    int (*nrm2)(startile_exec *x, int count, const startile_matrices *X, void *result);
    /* result[q] := Σ |re| + |im|, of the real type */
    int (*asum)(startile_exec *x, int count, const startile_matrices *X, void *result);
    /* result[q] := Σ x y, with conjugate Σ x̄ y */
    int (*dot)(startile_exec *x, int conjugate, int count, const startile_matrices *X,
               const startile_matrices *Y, void *result);
    /* result[q] := the 1-based index of the first of the largest |re| + |im|, or 0 of no element; a
     * NaN is larger than all else */
    int (*iamax)(startile_exec *x, int count, const startile_matrices *X, int64_t *result);
    /* x_q := alpha x_q; alpha: one for each vector, or with step 0 the same for all */
    int (*scal)(startile_exec *x, int count, const void *alpha, int step,
                const startile_matrices *X);
    /* y_q := alpha x_q + y_q */
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
