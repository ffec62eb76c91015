/*
 * The contract between codelets and kernels: one function per operation on one tile, with the same
 * signature for every type and device, in one table per type and device.
 *
 * Tiles are column-major with a leading dimension in elements. Flags are LAPACK's letters and have
 * been checked. All dimensions may be 0. CPU kernels compute before they return; CUDA kernels
 * enqueue on the stream of their startile_exec and return at once.
 *
 * Kernels return 0 or a startile_error. They never print, and they know nothing of StarPU.
 */
#ifndef STARTILE_KERNELS_H
#define STARTILE_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a CUDA worker needs to run kernels: stream, cuBLAS and cuSOLVER handles, workspace. One per
 * worker, used by one thread at a time. NULL for the CPU. */
typedef struct startile_exec startile_exec;

typedef struct {
    double re, im;
} startile_scalar;

/* Outcome of a diagonal tile. Lives in page-locked host memory, which GPUs write directly, so that
 * the host can read it as soon as the task has ended. */
typedef struct {
    int64_t info;        /* 0, or the 1-based order of the failing minor inside the tile */
    int32_t use_inverse; /* 1: the inverse passed the norm check and may be multiplied with */
} startile_panel;

typedef enum { STARTILE_GENERAL, STARTILE_SYMMETRIC, STARTILE_HERMITIAN } startile_symmetry;

typedef struct startile_kernels {
    /* C := alpha op(A) op(B) + beta C; C is m × n */
    int (*gemm)(startile_exec *x, char transa, char transb, int m, int n, int k,
                startile_scalar alpha, const void *a, int lda, const void *b, int ldb,
                startile_scalar beta, void *c, int ldc);

    /* C := alpha op(A) op(A)ᴴ + beta C on one triangle; alpha.im and beta.im are 0 */
    int (*herk)(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
                const void *a, int lda, startile_scalar beta, void *c, int ldc);

    /* C := alpha op(A) op(A)ᵀ + beta C on one triangle */
    int (*syrk)(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
                const void *a, int lda, startile_scalar beta, void *c, int ldc);

    /* B := alpha op(A)⁻¹ B (side L) or alpha B op(A)⁻¹ (side R); B is m × n */
    int (*trsm)(startile_exec *x, char side, char uplo, char trans, char diag, int m, int n,
                startile_scalar alpha, const void *a, int lda, void *b, int ldb);

    /* B := alpha op(W) B (side L) or alpha B op(W) (side R), where W is a triangle: the inverse
     * that potrf left, so that this is trsm by multiplication. The other triangle of W is zero. */
    int (*trmm)(startile_exec *x, char side, char uplo, char trans, int m, int n,
                startile_scalar alpha, const void *w, int ldw, void *b, int ldb);

    /* A := its Cholesky factor T. With w not NULL, also W := T⁻¹ (other triangle zero) and
     * panel->use_inverse := ‖W‖₁ ‖T‖₁ ≤ n, column sums as stored for both triangles. */
    int (*potrf)(startile_exec *x, char uplo, int n, void *a, int lda, void *w, int ldw,
                 startile_panel *panel);

    /* A := offdiag off the diagonal and diag on it, in the triangle uplo ('G': everywhere). The
     * diagonal is where row + shift = column. */
    int (*laset)(startile_exec *x, char uplo, int m, int n, int64_t shift, startile_scalar offdiag,
                 startile_scalar diag, void *a, int lda);

    /* B := A in the triangle uplo ('G': everywhere) */
    int (*lacpy)(startile_exec *x, char uplo, int m, int n, const void *a, int lda, void *b,
                 int ldb);

    /* A := random elements that depend on seed and the global indices i0 + i, j0 + j only (see
     * random.h); bump is added where those are equal */
    int (*random)(startile_exec *x, startile_symmetry kind, uint64_t seed, double bump, int64_t i0,
                  int64_t j0, int m, int n, void *a, int lda);

    /* acc := acc combined with the tile, for one of the norms below; acc is a vector of doubles.
     *   'M': acc[0] = max(acc[0], |a_ij|)
     *   '1': acc[j] += Σ_i |a_ij|          (n of them)
     *   'I': acc[i] += Σ_j |a_ij|          (m of them)
     *   'F': acc[0]² acc[1] += weight Σ |a_ij|²    (scale and scaled sum of squares, as LASSQ)
     * weight is 1 except for 'F', where 2 counts a tile twice. NaN propagates into acc. */
    int (*lange)(startile_exec *x, char norm, int m, int n, double weight, const void *a, int lda,
                 double *acc);

    /* The same for a diagonal tile of a symmetric (hermitian = 0) or Hermitian matrix, of which
     * the triangle uplo is read; '1' and 'I' are the same. */
    int (*lansy)(startile_exec *x, char norm, char uplo, int hermitian, int n, const void *a,
                 int lda, double *acc);
} startile_kernels;

/* Indexed by startile_dtype. */
extern const startile_kernels *const startile_cpu_kernels[4];
extern const startile_kernels *const startile_cuda_kernels[4];

/* Element size in bytes, indexed by startile_dtype. */
extern const int startile_element_size[4];

/* To be called before any CPU kernel: stops the threads of the library's own copy of OpenBLAS. */
void startile_cpu_setup(void);

/* For the calling thread's current CUDA device, with everything enqueued on `stream` (a
 * cudaStream_t). NULL when a handle or memory cannot be had. */
startile_exec *startile_exec_create(void *stream);
void startile_exec_destroy(startile_exec *x);

#ifdef __cplusplus
}
#endif
#endif
