/**
 * @file startile_lapack.h
 * @brief LAPACK's routines with LAPACK's arguments: blocking, on the caller's column-major storage.
 *
 * The argument order is LAPACKE's without the layout argument. Sizes are 64-bit. The return value
 * is 0, −i for a wrong argument i (no argument is changed), LAPACK's info k > 0, or a
 * ::startile_error. Workers compute in place in the caller's storage, without a second copy of the
 * matrix in host memory, unless a function's comment says that it needs memory. The library chooses
 * the tile size, unless the environment variable STARTILE_NB sets it. Leading dimensions are at
 * most 2³¹ − 1.
 *
 * Each matrix may be in main memory, in managed memory or in the memory of a GPU, and is used
 * there, see startile_matrix_wrap(). An entry waits for no stream: work that writes its arguments
 * must have ended. Its results are complete when it returns. Scalars, pivots and tau are in memory
 * that the host can access; pivots and tau in the memory of a GPU are wrong arguments.
 * #STARTILE_ERROR_NO_WORKER: a matrix is in the memory of a GPU that the library does not use.
 *
 * With a GPU an entry, but not one for batches, page-locks each pageable array that it overwrites
 * during the call, if the array has a MiB or more and lda = m: that takes less time than it saves.
 *
 * potrs, getrs, pocon and gecon with few right-hand sides and factors of order 1024 or more in main
 * memory run on CPU workers, also with a GPU, if there are two or more: a copy of the factors to
 * the GPU would take longer.
 *
 * If neither StarPU nor the library runs, the first call starts both until the program ends; the
 * workers sleep between calls. If StarPU was built without blocking drivers (tools/setup builds it
 * with them), a program with its own StarPU tasks must call starpu_init() or startile_init() first,
 * else its tasks do not run between calls. All functions may be called from several host threads at
 * once, also with the same arrays if all calls only read them. In a child of fork() whose parent
 * uses StarPU they return #STARTILE_ERROR_STARPU.
 *
 * The program may end while threads are in calls. exit() waits for these calls, for about a second;
 * calls that other threads begin afterwards return #STARTILE_ERROR_STARPU after about two seconds,
 * if the process still exists. Exit handlers may call the functions.
 */
#ifndef STARTILE_LAPACK_H
#define STARTILE_LAPACK_H

#include <stdint.h>

#ifdef __cplusplus
#include <complex>
typedef std::complex<float> startile_cfloat;
typedef std::complex<double> startile_cdouble;
extern "C" {
#else
/** @brief LAPACK's COMPLEX. */
typedef float _Complex startile_cfloat;
/** @brief LAPACK's COMPLEX*16. */
typedef double _Complex startile_cdouble;
#endif

#if defined __GNUC__
#pragma GCC visibility push(default)
#endif

/*
 * STARTILE_TYPES(op) declares startile_sOP(), startile_dOP(), startile_cOP() and startile_zOP(),
 * STARTILE_UNITARY_TYPES(op) startile_sorOP(), startile_dorOP(), startile_cunOP() and
 * startile_zunOP(), STARTILE_HERMITIAN_TYPES(op) startile_ssyOP(), startile_dsyOP(),
 * startile_cheOP() and startile_zheOP(). STARTILE_ENTRY_op is their prototype with element type T
 * and real type R. Programs call the functions and do not use the macros.
 */
#define STARTILE_FOUR_TYPES(op, s, d, c, z)                                                        \
    STARTILE_ENTRY_##op(startile_##s, float, float);                                               \
    /** @copydoc startile_##s */                                                                   \
    STARTILE_ENTRY_##op(startile_##d, double, double);                                             \
    /** @copydoc startile_##s */                                                                   \
    STARTILE_ENTRY_##op(startile_##c, startile_cfloat, float);                                     \
    /** @copydoc startile_##s */                                                                   \
    STARTILE_ENTRY_##op(startile_##z, startile_cdouble, double);
#define STARTILE_TYPES(op) STARTILE_FOUR_TYPES(op, s##op, d##op, c##op, z##op)
#define STARTILE_HERMITIAN_TYPES(op) STARTILE_FOUR_TYPES(op, ssy##op, dsy##op, che##op, zhe##op)
#define STARTILE_UNITARY_TYPES(op) STARTILE_FOUR_TYPES(op, sor##op, dor##op, cun##op, zun##op)

/**
 * @defgroup typed_blas Typed entries: BLAS 3 and triangular systems
 *
 *  **Threads.** These functions are thread-safe, as long as no call writes an array that another
 *  call uses at the same time.
 *  @{
 */

#define STARTILE_ENTRY_gemm(name, T, R)                                                            \
    int64_t name(char transa, char transb, int64_t m, int64_t n, int64_t k, T alpha, const T *a,   \
                 int64_t lda, const T *b, int64_t ldb, T beta, T *c, int64_t ldc)
/**
 * @brief Computes C := alpha·op(A)·op(B) + beta·C (BLAS xGEMM).
 * @param transa 'N', 'T' or 'C': op(A) is A, Aᵀ or Aᴴ
 * @param transb the same for B
 * @param m rows of C, ≥ 0
 * @param n columns of C, ≥ 0
 * @param k columns of op(A), ≥ 0
 * @param alpha scalar
 * @param a op(A) is m × k; read
 * @param lda leading dimension, at least the rows of A and 1, at most 2³¹ − 1
 * @param b op(B) is k × n; read
 * @param ldb leading dimension, at least the rows of B and 1, at most 2³¹ − 1
 * @param beta scalar; when it is 0, C need not be initialized
 * @param c m × n; updated
 * @param ldc leading dimension, max(1, m) … 2³¹ − 1
 * @return 0; −1 … −5, −7 … −10, −12, −13; or a ::startile_error
 */
STARTILE_TYPES(gemm)

#define STARTILE_ENTRY_syrk(name, T, R)                                                            \
    int64_t name(char uplo, char trans, int64_t n, int64_t k, T alpha, const T *a, int64_t lda,    \
                 T beta, T *c, int64_t ldc)
/**
 * @brief Computes C := alpha·op(A)·op(A)ᵀ + beta·C on one triangle (BLAS xSYRK).
 * @param uplo 'L' or 'U': the triangle of C that is updated; the other is not touched
 * @param trans 'N': op(A) = A; 'T' (or 'C' for real types): op(A) = Aᵀ
 * @param n order of C, ≥ 0
 * @param k columns of op(A), ≥ 0
 * @param alpha scalar
 * @param a op(A) is n × k; read
 * @param lda leading dimension, at least the rows of A and 1, at most 2³¹ − 1
 * @param beta scalar
 * @param c n × n; updated
 * @param ldc leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; −1 … −4, −6, −7, −9, −10; or a ::startile_error
 */
STARTILE_TYPES(syrk)

/**
 * @brief Computes C := alpha·op(A)·op(A)ᴴ + beta·C on one triangle (BLAS xHERK). Arguments and
 * return values are those of syrk, but alpha and beta are real, and trans is 'N' or 'C'.
 */
int64_t startile_cherk(char uplo, char trans, int64_t n, int64_t k, float alpha,
                       const startile_cfloat *a, int64_t lda, float beta, startile_cfloat *c,
                       int64_t ldc);
/** @copydoc startile_cherk */
int64_t startile_zherk(char uplo, char trans, int64_t n, int64_t k, double alpha,
                       const startile_cdouble *a, int64_t lda, double beta, startile_cdouble *c,
                       int64_t ldc);

#define STARTILE_ENTRY_trsm(name, T, R)                                                            \
    int64_t name(char side, char uplo, char transa, char diag, int64_t m, int64_t n, T alpha,      \
                 const T *a, int64_t lda, T *b, int64_t ldb)
/**
 * @brief Solves op(A)·X = alpha·B or X·op(A) = alpha·B for a triangular A (BLAS xTRSM).
 *
 * See startile_trsm_async() for the error.
 * @param side 'L': op(A)·X = alpha·B; 'R': X·op(A) = alpha·B
 * @param uplo 'L' or 'U': the triangle of A that is read
 * @param transa 'N', 'T' or 'C': op(A) is A, Aᵀ or Aᴴ
 * @param diag 'N'; or 'U': A has a diagonal of ones, which is not read
 * @param m rows of B, ≥ 0
 * @param n columns of B, ≥ 0
 * @param alpha scalar
 * @param a m × m ('L') or n × n ('R'); read. Its diagonal is not searched for zeros
 * @param lda leading dimension, at least the order of A and 1, at most 2³¹ − 1
 * @param b m × n; overwritten by X
 * @param ldb leading dimension, max(1, m) … 2³¹ − 1
 * @return 0; −1 … −6, −8 … −11; or a ::startile_error
 */
STARTILE_TYPES(trsm)

#define STARTILE_ENTRY_trtrs(name, T, R)                                                           \
    int64_t name(char uplo, char trans, char diag, int64_t n, int64_t nrhs, const T *a,            \
                 int64_t lda, T *b, int64_t ldb)
/**
 * @brief Solves op(A)·X = B for a triangular A (LAPACK xTRTRS), for example R·X = Qᴴ·B after geqrf
 * and unmqr.
 * @param uplo 'L' or 'U': the triangle of A that is read
 * @param trans 'N', 'T' or 'C': op(A) is A, Aᵀ or Aᴴ
 * @param diag 'N'; or 'U': A has a diagonal of ones, which is not read
 * @param n order of A, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a n × n; read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param b n × nrhs; overwritten by X
 * @param ldb leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; k > 0: A(k, k) is the first diagonal element that is exactly zero, and B is not
 *         changed; −1 … −9; or a ::startile_error
 */
STARTILE_TYPES(trtrs)

/** @} */

/**
 * @defgroup typed Typed entries: Cholesky
 *
 *  **Threads.** These functions are thread-safe, as long as no call writes an array that another
 *  call uses at the same time.
 *  @{
 */

#define STARTILE_ENTRY_potrf(name, T, R) int64_t name(char uplo, int64_t n, T *a, int64_t lda)
/**
 * @brief Computes the Cholesky factorization of a Hermitian positive definite matrix (LAPACK
 * xPOTRF): A = L·Lᴴ or A = Uᴴ·U.
 *
 * See startile_potrf_async() for the method and its error.
 * @param uplo 'L' or 'U': the triangle that is read and overwritten by the factor; the other is
 *        not touched
 * @param n order, ≥ 0
 * @param a n × n
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; k > 0: the leading minor of order k is not positive definite, and only the leading
 *         k − 1 rows and columns of the factor are valid; −1 … −4; or a ::startile_error
 */
STARTILE_TYPES(potrf)

#define STARTILE_ENTRY_pstrf(name, T, R)                                                           \
    int64_t name(char uplo, int64_t n, T *a, int64_t lda, int64_t *piv, int64_t *rank, R tol)
/**
 * @brief Computes the Cholesky factorization with diagonal pivoting of a Hermitian positive
 * semidefinite matrix (LAPACK xPSTRF): Pᵀ·A·P = L·Lᴴ or Uᴴ·U. See startile_pstrf_async().
 * @param uplo 'L' or 'U': the triangle that is read and overwritten by the factor; the other is
 *        not touched
 * @param n order, ≥ 0
 * @param a n × n; after info 1, only the first *rank columns of L or rows of U are valid
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param[out] piv n elements: row j of Pᵀ·A·P is row piv[j − 1] of A
 * @param[out] rank number of pivots
 * @param tol limit for pivots, ≥ 0; negative or NaN: n·u·max a_ii with u = 2⁻⁵³ or 2⁻²⁴
 * @return 0: *rank = n; 1: *rank < n; −1 … −6; or a ::startile_error
 */
STARTILE_TYPES(pstrf)

#define STARTILE_ENTRY_potrs(name, T, R)                                                           \
    int64_t name(char uplo, int64_t n, int64_t nrhs, const T *a, int64_t lda, T *b, int64_t ldb)
/**
 * @brief Solves A·X = B with the factor from potrf (LAPACK xPOTRS).
 * @param uplo as given to potrf
 * @param n order, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a the factor, n × n; read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param b n × nrhs; overwritten by X
 * @param ldb leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; −1 … −7; or a ::startile_error
 */
STARTILE_TYPES(potrs)

#define STARTILE_ENTRY_posv(name, T, R)                                                            \
    int64_t name(char uplo, int64_t n, int64_t nrhs, T *a, int64_t lda, T *b, int64_t ldb)
/**
 * @brief Factors a Hermitian positive definite A and solves A·X = B (LAPACK xPOSV).
 * @param uplo 'L' or 'U': the triangle that is read and overwritten by the factor
 * @param n order, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a n × n; overwritten by its factor
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param b n × nrhs; overwritten by X; not changed if A is not positive definite
 * @param ldb leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; k > 0 as for potrf; −1 … −7; or a ::startile_error
 */
STARTILE_TYPES(posv)

/**
 * @brief Solves A·X = B for a Hermitian positive definite A by Cholesky in single precision and
 * iterative refinement; factors in double precision if that does not converge (LAPACK xSPOSV,
 * xCPOSV). See startile_posv_mixed_async().
 * @param uplo 'L' or 'U': the triangle that is read
 * @param n order, ≥ 0
 * @param nrhs columns of B and X, ≥ 0; with 0 nothing is factored
 * @param a n × n; not changed if *iter ≥ 0, else overwritten by its factor
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param b n × nrhs; read
 * @param ldb leading dimension, max(1, n) … 2³¹ − 1
 * @param[out] x n × nrhs
 * @param ldx leading dimension, max(1, n) … 2³¹ − 1
 * @param[out] iter ≥ 0: number of refinement steps; < 0: X was computed in double precision, see
 *             startile_mixed_result
 * @return 0; k > 0 as for potrf; −1 … −10; or a ::startile_error
 */
int64_t startile_dsposv(char uplo, int64_t n, int64_t nrhs, double *a, int64_t lda, const double *b,
                        int64_t ldb, double *x, int64_t ldx, int64_t *iter);
/** @copydoc startile_dsposv */
int64_t startile_zcposv(char uplo, int64_t n, int64_t nrhs, startile_cdouble *a, int64_t lda,
                        const startile_cdouble *b, int64_t ldb, startile_cdouble *x, int64_t ldx,
                        int64_t *iter);

#define STARTILE_ENTRY_trtri(name, T, R)                                                           \
    int64_t name(char uplo, char diag, int64_t n, T *a, int64_t lda)
/**
 * @brief Computes A⁻¹ of a triangular matrix in place (LAPACK xTRTRI); see startile_trtri_async().
 * @param uplo 'L' or 'U': the triangle that is read and overwritten; the other is not touched
 * @param diag 'U': A has a diagonal of ones, which is neither read nor written; 'N': the diagonal
 *         is read and overwritten
 * @param n order, ≥ 0
 * @param a n × n
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; k > 0: A(k, k) is the first diagonal element that is exactly zero, and A is not
 *         changed; −1 … −5; or a ::startile_error
 */
STARTILE_TYPES(trtri)

#define STARTILE_ENTRY_lauum(name, T, R) int64_t name(char uplo, int64_t n, T *a, int64_t lda)
/**
 * @brief Computes A := Lᴴ·L or A := U·Uᴴ for the triangle of A (LAPACK xLAUUM). The imaginary parts
 * of the diagonal are ignored.
 * @param uplo 'L' or 'U': the triangle that is read and overwritten; the other is not touched
 * @param n order, ≥ 0
 * @param a n × n
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; −1 … −4; or a ::startile_error
 */
STARTILE_TYPES(lauum)

#define STARTILE_ENTRY_potri(name, T, R) int64_t name(char uplo, int64_t n, T *a, int64_t lda)
/**
 * @brief Computes the inverse of a Hermitian positive definite matrix from its Cholesky factor
 * (LAPACK xPOTRI); see startile_potri_async().
 * @param uplo 'L' or 'U': the triangle of the factor, overwritten by this triangle of the inverse
 * @param n order, ≥ 0
 * @param a n × n
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; k > 0 as for trtri; −1 … −4; or a ::startile_error
 */
STARTILE_TYPES(potri)

#define STARTILE_ENTRY_pocon(name, T, R)                                                           \
    int64_t name(char uplo, int64_t n, const T *a, int64_t lda, R anorm, R *rcond)
/**
 * @brief Estimates 1 / (‖A‖₁·‖A⁻¹‖₁) from a Cholesky factor (LAPACK xPOCON); see
 * startile_pocon_async().
 * @param uplo 'L' or 'U': the triangle of the factor
 * @param n order, ≥ 0
 * @param a the factor, n × n; read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param anorm 1-norm of A before the factorization, ≥ 0
 * @param[out] rcond the estimate
 * @return 0; −1 … −6; or a ::startile_error
 */
STARTILE_TYPES(pocon)

#define STARTILE_ENTRY_pocon_vector(name, T, R)                                                    \
    int64_t name(char uplo, int64_t n, const T *a, int64_t lda, R anorm, R *rcond, T *v)
/**
 * @brief startile_spocon() that also computes an approximate null vector v of A (LAPACK's
 * WORK(N+1:2N) on exit).
 *
 * v = s·A⁻¹·w, where ‖v‖₁ / ‖w‖₁ is the estimate of s·‖A⁻¹‖₁ up to rounding, w is a unit vector or
 * the alternating vector of LAPACK's xLACN2, and s is a power of two, 1 for 2⁻⁴⁰ ≤ anorm ≤ 2⁴⁰.
 * @param uplo as for startile_spocon()
 * @param n order, ≥ 0
 * @param a the factor, n × n; read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param anorm as for startile_spocon()
 * @param[out] rcond the estimate
 * @param[out] v n elements in memory that the host can access; not changed if anorm is 0
 * @return 0; −1 … −7; or a ::startile_error
 */
STARTILE_TYPES(pocon_vector)

#define STARTILE_ENTRY_gst(name, T, R)                                                             \
    int64_t name(int itype, char uplo, int64_t n, T *a, int64_t lda, const T *b, int64_t ldb)
/**
 * @brief Reduces a generalized Hermitian eigenproblem to standard form with the Cholesky factor of
 * B (LAPACK xSYGST, xHEGST); see startile_hegst_async().
 * @param itype 1: A·x = λ·B·x; 2: A·B·x = λ·x; 3: B·A·x = λ·x
 * @param uplo 'L' or 'U': the triangle of A that is read and overwritten, and the triangle of the
 *        factor; the others are not touched
 * @param n order, ≥ 0
 * @param a n × n
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param b the factor of potrf, n × n; read
 * @param ldb leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; −1 … −7; or a ::startile_error
 */
STARTILE_HERMITIAN_TYPES(gst)

#define STARTILE_ENTRY_podet(name, T, R) int64_t name(int64_t n, const T *a, int64_t lda, R *logdet)
/**
 * @brief Computes log det A from the factor of potrf (LINPACK xPODI). See startile_podet_async().
 * @param n order, ≥ 0
 * @param a the factor, n × n; only its diagonal is read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param[out] logdet log det A
 * @return 0; −1 … −4; or a ::startile_error
 */
STARTILE_TYPES(podet)

/** @} */
/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup lapack_symmetric Typed entries: symmetric indefinite systems
 *
 *  **Threads.** These functions are thread-safe, as long as no call writes an array that another
 *  call uses at the same time.
 *  @{
 */

#define STARTILE_ENTRY_sytrf(name, T, R)                                                           \
    int64_t name(char uplo, int64_t n, T *a, int64_t lda, int64_t *ipiv)
/**
 * @brief Computes the Bunch–Kaufman factorization of a symmetric matrix (LAPACK xSYTRF): A =
 * L·D·Lᵀ or A = U·D·Uᵀ. See startile_sytrf_async() for the method, its error, and the form of the
 * result.
 * @param uplo 'L' or 'U': the triangle that is read and overwritten by D and by L or U; the other
 *        is not touched
 * @param n order, ≥ 0
 * @param a n × n
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param[out] ipiv n elements, as those of LAPACK's xSYTRF
 * @return 0; k > 0: D(k, k), a block of order 1, is exactly zero, and the factorization is
 *         complete; −1 … −5; or a ::startile_error
 */
STARTILE_TYPES(sytrf)

/**
 * @brief Computes the Bunch–Kaufman factorization of a Hermitian matrix (LAPACK xHETRF): A = L·D·Lᴴ
 * or A = U·D·Uᴴ. Arguments and return values are those of startile_csytrf().
 */
int64_t startile_chetrf(char uplo, int64_t n, startile_cfloat *a, int64_t lda, int64_t *ipiv);
/** @copydoc startile_chetrf */
int64_t startile_zhetrf(char uplo, int64_t n, startile_cdouble *a, int64_t lda, int64_t *ipiv);

/* As STARTILE_TYPES(), for Hermitian matrices: startile_cOP() and startile_zOP(). */
#define STARTILE_COMPLEX_TYPES(op)                                                                 \
    STARTILE_ENTRY_##op(startile_c##op, startile_cfloat, float);                                   \
    /** @copydoc startile_c##op */                                                                 \
    STARTILE_ENTRY_##op(startile_z##op, startile_cdouble, double);

#define STARTILE_ENTRY_sytrs(name, T, R)                                                           \
    int64_t name(char uplo, int64_t n, int64_t nrhs, const T *a, int64_t lda, const int64_t *ipiv, \
                 T *b, int64_t ldb)
/**
 * @brief Solves A·X = B with the factors from sytrf (LAPACK xSYTRS). See startile_sytrs_async().
 * @param uplo as given to sytrf
 * @param n order, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a the factors, n × n; read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param ipiv pivots of sytrf; read. The call also returns −6 if no factorization of this triangle
 *        has them
 * @param b n × nrhs; overwritten by X
 * @param ldb leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; −1 … −8; or a ::startile_error
 */
STARTILE_TYPES(sytrs)
#define STARTILE_ENTRY_hetrs STARTILE_ENTRY_sytrs
/** @brief startile_csytrs() for a Hermitian A, with the factors from hetrf (LAPACK xHETRS). */
STARTILE_COMPLEX_TYPES(hetrs)

#define STARTILE_ENTRY_sysv(name, T, R)                                                            \
    int64_t name(char uplo, int64_t n, int64_t nrhs, T *a, int64_t lda, int64_t *ipiv, T *b,       \
                 int64_t ldb)
/**
 * @brief Factors a symmetric A and solves A·X = B (LAPACK xSYSV).
 * @param uplo 'L' or 'U': the triangle that is read and overwritten by the factors
 * @param n order, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a n × n; overwritten by its factors
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param[out] ipiv n elements, as for sytrf
 * @param b n × nrhs; overwritten by X; not changed if the result is positive
 * @param ldb leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; k > 0 as for sytrf; −1 … −8; or a ::startile_error
 */
STARTILE_TYPES(sysv)
#define STARTILE_ENTRY_hesv STARTILE_ENTRY_sysv
/** @brief startile_csysv() for a Hermitian A (LAPACK xHESV). */
STARTILE_COMPLEX_TYPES(hesv)

#define STARTILE_ENTRY_sycon(name, T, R)                                                           \
    int64_t name(char uplo, int64_t n, const T *a, int64_t lda, const int64_t *ipiv, R anorm,      \
                 R *rcond)
/**
 * @brief Estimates 1 / (‖A‖₁·‖A⁻¹‖₁) with the factors from sytrf (LAPACK xSYCON). See
 * startile_sycon_async().
 * @param uplo as given to sytrf
 * @param n order, ≥ 0
 * @param a the factors, n × n; read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param ipiv pivots of sytrf; read. The call also returns −5 if no factorization of this triangle
 *        has them
 * @param anorm 1-norm of A before the factorization, ≥ 0
 * @param[out] rcond the estimate
 * @return 0; −1 … −7; or a ::startile_error
 */
STARTILE_TYPES(sycon)
#define STARTILE_ENTRY_hecon STARTILE_ENTRY_sycon
/** @brief startile_csycon() for a Hermitian A, with the factors from hetrf (LAPACK xHECON). */
STARTILE_COMPLEX_TYPES(hecon)

#define STARTILE_ENTRY_sytri(name, T, R)                                                           \
    int64_t name(char uplo, int64_t n, T *a, int64_t lda, const int64_t *ipiv)
/**
 * @brief Computes the inverse of a symmetric matrix with the factors from sytrf (LAPACK xSYTRI).
 * See startile_sytri_async().
 * @param uplo as given to sytrf
 * @param n order, ≥ 0
 * @param a the factors, n × n; the triangle is overwritten by that of the inverse
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param ipiv pivots of sytrf; read. The call also returns −5 if no factorization of this triangle
 *        has them
 * @return 0; k > 0: D(k, k), a block of order 1, is exactly zero, and A is not changed; −1 … −5; or
 *         a ::startile_error
 */
STARTILE_TYPES(sytri)
#define STARTILE_ENTRY_hetri STARTILE_ENTRY_sytri
/** @brief startile_csytri() for a Hermitian A, with the factors from hetrf (LAPACK xHETRI). */
STARTILE_COMPLEX_TYPES(hetri)

#define STARTILE_ENTRY_sydet(name, T, R)                                                           \
    int64_t name(char uplo, int64_t n, const T *a, int64_t lda, const int64_t *ipiv, T *sign,      \
                 R *logabsdet)
/**
 * @brief Computes det A = *sign · exp(*logabsdet) with the factors from sytrf. See
 * startile_sydet_async().
 * @param uplo as given to sytrf
 * @param n order, ≥ 0
 * @param a the factors, n × n; only D is read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param ipiv pivots of sytrf; read. The call also returns −5 if no factorization of this triangle
 *        has them
 * @param[out] sign number of modulus 1, or 0
 * @param[out] logabsdet log |det A|
 * @return 0; −1 … −7; or a ::startile_error
 */
STARTILE_TYPES(sydet)
#define STARTILE_ENTRY_hedet STARTILE_ENTRY_sydet
/** @brief startile_csydet() for a Hermitian A, with the factors from hetrf. */
STARTILE_COMPLEX_TYPES(hedet)

#define STARTILE_ENTRY_inertia(name, T)                                                            \
    int64_t name(char uplo, int64_t n, const T *a, int64_t lda, const int64_t *ipiv,               \
                 int64_t *inertia)
/**
 * @brief Returns the numbers of positive, negative and zero eigenvalues of A, with the factors from
 * sytrf of a real or hetrf of a complex matrix. See startile_heinertia_async().
 * @param uplo as given to sytrf or hetrf
 * @param n order, ≥ 0
 * @param a the factors, n × n; only D is read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param ipiv pivots of sytrf or hetrf; read. The call also returns −5 if no factorization of this
 *        triangle has them
 * @param[out] inertia three numbers
 * @return 0; −1 … −6; or a ::startile_error
 */
STARTILE_ENTRY_inertia(startile_ssyinertia, float);
/** @copydoc startile_ssyinertia */
STARTILE_ENTRY_inertia(startile_dsyinertia, double);
/** @copydoc startile_ssyinertia */
STARTILE_ENTRY_inertia(startile_cheinertia, startile_cfloat);
/** @copydoc startile_ssyinertia */
STARTILE_ENTRY_inertia(startile_zheinertia, startile_cdouble);

#define STARTILE_ENTRY_sytrf_aa(name, T, R)                                                        \
    int64_t name(char uplo, int64_t n, T *a, int64_t lda, T *tb, int64_t ltb, int64_t *ipiv,       \
                 int64_t *ipiv2)
/**
 * @brief Computes Aasen's factorization of a symmetric matrix in two stages (LAPACK
 * xSYTRF_AA_2STAGE), with LAPACK's form of the result: P·A·Pᵀ = L·T·Lᵀ or Uᵀ·T·U, and the LU
 * factorization of the band matrix T. See startile_sytrf_aa_async() for the method and its error.
 * @param uplo 'L' or 'U': the triangle that is read and overwritten by L or U; the other is not
 *        touched
 * @param n order, ≥ 0
 * @param a n × n
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param[out] tb ltb elements: tb[0] = nb, and LU factors of T as from LAPACK's xGBTRF with nb
 *        diagonals on each side and leading dimension ltb / n. In main memory
 * @param ltb elements of tb, ≥ (3·nb + 1)·n. The order nb of the tiles is the library's choice, or
 *        the largest one for which ltb suffices; at least n / 1024. Tiles below about 64 make the
 *        call slow: give it what the library's choice needs. −1: tb[0] := the ltb that the
 *        library's choice needs, and nothing else is done
 * @param[out] ipiv n elements: rows and columns i and ipiv[i] of A were interchanged
 * @param[out] ipiv2 n elements: rows i and ipiv2[i] of T were interchanged
 * @return 0; k > 0: the k-th element on the diagonal of T's factor is exactly zero, and the
 *         factorization is complete; −1 … −8; or a ::startile_error
 */
STARTILE_TYPES(sytrf_aa)
#define STARTILE_ENTRY_hetrf_aa STARTILE_ENTRY_sytrf_aa
/** @brief startile_csytrf_aa() for a Hermitian A (LAPACK xHETRF_AA_2STAGE). */
STARTILE_COMPLEX_TYPES(hetrf_aa)

#define STARTILE_ENTRY_sytrs_aa(name, T, R)                                                        \
    int64_t name(char uplo, int64_t n, int64_t nrhs, const T *a, int64_t lda, const T *tb,         \
                 int64_t ltb, const int64_t *ipiv, const int64_t *ipiv2, T *b, int64_t ldb)
/**
 * @brief Solves A·X = B with the factors from sytrf_aa, or from LAPACK's xSYTRF_AA_2STAGE (LAPACK
 * xSYTRS_AA_2STAGE). See startile_sytrs_aa_async().
 * @param uplo as given to sytrf_aa
 * @param n order, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a L or U, n × n; read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param tb factors of T; read. The call also returns −6 if tb[0] is no possible nb
 * @param ltb as given to sytrf_aa
 * @param ipiv interchanges of A; read. The call also returns −8 if no factorization has them
 * @param ipiv2 interchanges of T; read. The call also returns −9 if no factorization has them
 * @param b n × nrhs; overwritten by X
 * @param ldb leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; −1 … −11; or a ::startile_error
 */
STARTILE_TYPES(sytrs_aa)
#define STARTILE_ENTRY_hetrs_aa STARTILE_ENTRY_sytrs_aa
/** @brief startile_csytrs_aa() for a Hermitian A, with the factors from hetrf_aa (LAPACK
 * xHETRS_AA_2STAGE). */
STARTILE_COMPLEX_TYPES(hetrs_aa)

#define STARTILE_ENTRY_sysv_aa(name, T, R)                                                         \
    int64_t name(char uplo, int64_t n, int64_t nrhs, T *a, int64_t lda, T *tb, int64_t ltb,        \
                 int64_t *ipiv, int64_t *ipiv2, T *b, int64_t ldb)
/**
 * @brief Factors a symmetric A by sytrf_aa and solves A·X = B (LAPACK xSYSV_AA_2STAGE).
 * @param uplo 'L' or 'U': the triangle that is read and overwritten
 * @param n order, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a n × n; overwritten by L or U
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param[out] tb ltb elements, as for sytrf_aa
 * @param ltb as for sytrf_aa, but not −1
 * @param[out] ipiv n elements, as for sytrf_aa
 * @param[out] ipiv2 n elements, as for sytrf_aa
 * @param b n × nrhs; overwritten by X; not changed if the result is positive
 * @param ldb leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; k > 0 as for sytrf_aa; −1 … −11; or a ::startile_error
 */
STARTILE_TYPES(sysv_aa)
#define STARTILE_ENTRY_hesv_aa STARTILE_ENTRY_sysv_aa
/** @brief startile_csysv_aa() for a Hermitian A (LAPACK xHESV_AA_2STAGE). */
STARTILE_COMPLEX_TYPES(hesv_aa)

/** @} */
/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup lapack_lu Typed entries: LU
 *
 *  **Threads.** These functions are thread-safe, as long as no call writes an array that another
 *  call uses at the same time.
 *  @{
 */

#define STARTILE_ENTRY_getrf(name, T, R)                                                           \
    int64_t name(int64_t m, int64_t n, T *a, int64_t lda, int64_t *ipiv)
/**
 * @brief Computes the LU factorization with partial pivoting, P·A = L·U (LAPACK xGETRF). See
 * startile_getrf_async() for the method and its error.
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param a m × n; overwritten by L (unit diagonal not stored) and U
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param[out] ipiv min(m, n) elements: row i was interchanged with row ipiv[i − 1], 1-based
 * @return 0; k > 0: U(k, k) is the first diagonal element of U that is exactly zero, and the
 *         factorization is complete; −1 … −5; or a ::startile_error
 */
STARTILE_TYPES(getrf)

#define STARTILE_ENTRY_getrs(name, T, R)                                                           \
    int64_t name(char trans, int64_t n, int64_t nrhs, const T *a, int64_t lda,                     \
                 const int64_t *ipiv, T *b, int64_t ldb)
/**
 * @brief Solves op(A)·X = B with the factors of getrf (LAPACK xGETRS).
 * @param trans 'N': A·X = B; 'T': Aᵀ·X = B; 'C': Aᴴ·X = B
 * @param n order, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a the factors, n × n; read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param ipiv pivots of getrf; read. The call also returns −6 if element i, from 1, is not in i … n
 * @param b n × nrhs; overwritten by X
 * @param ldb leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; −1 … −8; or a ::startile_error
 */
STARTILE_TYPES(getrs)

#define STARTILE_ENTRY_gesv(name, T, R)                                                            \
    int64_t name(int64_t n, int64_t nrhs, T *a, int64_t lda, int64_t *ipiv, T *b, int64_t ldb)
/**
 * @brief Factors A and solves A·X = B (LAPACK xGESV).
 * @param n order, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a n × n; overwritten by its factors
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param[out] ipiv n elements, as for getrf
 * @param b n × nrhs; overwritten by X; not changed if A is singular
 * @param ldb leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; k > 0 as for getrf; −1 … −7; or a ::startile_error
 */
STARTILE_TYPES(gesv)

/**
 * @brief Solves A·X = B by LU in single precision and iterative refinement; factors in double
 * precision if that does not converge (LAPACK xSGESV, xCGESV). See startile_gesv_mixed_async().
 * @param n order, ≥ 0
 * @param nrhs columns of B and X, ≥ 0; with 0 nothing is factored
 * @param a n × n; not changed if *iter ≥ 0, else overwritten by its factors
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param[out] ipiv n elements, as for getrf, of the factorization that gave X
 * @param b n × nrhs; read
 * @param ldb leading dimension, max(1, n) … 2³¹ − 1
 * @param[out] x n × nrhs
 * @param ldx leading dimension, max(1, n) … 2³¹ − 1
 * @param[out] iter ≥ 0: number of refinement steps; < 0: X was computed in double precision, see
 *             startile_mixed_result
 * @return 0; k > 0 as for getrf; −1 … −10; or a ::startile_error
 */
int64_t startile_dsgesv(int64_t n, int64_t nrhs, double *a, int64_t lda, int64_t *ipiv,
                        const double *b, int64_t ldb, double *x, int64_t ldx, int64_t *iter);
/** @copydoc startile_dsgesv */
int64_t startile_zcgesv(int64_t n, int64_t nrhs, startile_cdouble *a, int64_t lda, int64_t *ipiv,
                        const startile_cdouble *b, int64_t ldb, startile_cdouble *x, int64_t ldx,
                        int64_t *iter);

#define STARTILE_ENTRY_getri(name, T, R)                                                           \
    int64_t name(int64_t n, T *a, int64_t lda, const int64_t *ipiv)
/**
 * @brief Computes A⁻¹ from the factors of getrf (LAPACK xGETRI). Needs n² elements of memory.
 * @param n order, ≥ 0
 * @param a the factors, n × n; overwritten by the inverse, or not changed if A is singular
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param ipiv pivots of getrf; read. The call also returns −4 if element i, from 1, is not in i … n
 * @return 0; k > 0: U(k, k) is the first diagonal element of U that is exactly zero; −1 … −4; or a
 *         ::startile_error
 */
STARTILE_TYPES(getri)

#define STARTILE_ENTRY_gecon(name, T, R)                                                           \
    int64_t name(char norm, int64_t n, const T *a, int64_t lda, R anorm, R *rcond)
/**
 * @brief Estimates 1 / (‖A‖·‖A⁻¹‖) from the factors of getrf (LAPACK xGECON); see
 * startile_gecon_async().
 * @param norm '1' or 'O': 1-norm; 'I': ∞-norm
 * @param n order, ≥ 0
 * @param a the factors, n × n; read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param anorm this norm of A before the factorization, ≥ 0
 * @param[out] rcond the estimate
 * @return 0; −1 … −6; or a ::startile_error
 */
STARTILE_TYPES(gecon)

#define STARTILE_ENTRY_gecon_vector(name, T, R)                                                    \
    int64_t name(char norm, int64_t n, const T *a, int64_t lda, R anorm, R *rcond, T *v)
/**
 * @brief startile_sgecon() that also computes an approximate null vector v of A (LAPACK's
 * WORK(N+1:2N) on exit).
 *
 * v = s·(L·U)⁻¹·w, or s·(L·U)⁻ᴴ·w for the ∞-norm, where ‖v‖₁ / ‖w‖₁ is the estimate of s·‖A⁻¹‖ up
 * to rounding, w is a unit vector or the alternating vector of LAPACK's xLACN2, and s is a power of
 * two, 1 for 2⁻⁴⁰ ≤ anorm ≤ 2⁴⁰.
 * @param norm as for startile_sgecon()
 * @param n order, ≥ 0
 * @param a the factors, n × n; read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param anorm as for startile_sgecon()
 * @param[out] rcond the estimate
 * @param[out] v n elements in memory that the host can access; not changed if anorm is 0
 * @return 0; −1 … −7; or a ::startile_error
 */
STARTILE_TYPES(gecon_vector)

#define STARTILE_ENTRY_gedet(name, T, R)                                                           \
    int64_t name(int64_t n, const T *a, int64_t lda, const int64_t *ipiv, T *sign, R *logabsdet)
/**
 * @brief Computes sign and logarithm of a determinant from the factors of getrf (LINPACK xGEDI):
 * det A = *sign · exp(*logabsdet). See startile_gedet_async().
 * @param n order, ≥ 0
 * @param a the factors, n × n; read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param ipiv pivots of getrf; read. The call also returns −4 if element i, from 1, is not in i … n
 * @param[out] sign see startile_gedet_async()
 * @param[out] logabsdet log |det A|; −∞ if U has a zero on its diagonal
 * @return 0; −1 … −6; or a ::startile_error
 */
STARTILE_TYPES(gedet)

/** @} */

/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup lapack_qr Typed entries: QR and least squares
 *
 *  **Threads.** These functions are thread-safe, as long as no call writes an array that another
 *  call uses at the same time.
 *  @{
 */

#define STARTILE_ENTRY_geqrf(name, T, R)                                                           \
    int64_t name(int64_t m, int64_t n, T *a, int64_t lda, T *tau)
/**
 * @brief Computes the QR factorization A = Q·R (LAPACK xGEQRF). See startile_geqrf_async().
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param a m × n; overwritten by R on and above the diagonal and the reflectors below it
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param[out] tau min(m, n) elements
 * @return 0; −1 … −5; or a ::startile_error
 */
STARTILE_TYPES(geqrf)

#define STARTILE_ENTRY_geqp3(name, T, R)                                                           \
    int64_t name(int64_t m, int64_t n, T *a, int64_t lda, int64_t *jpvt, T *tau)
/**
 * @brief Computes the QR factorization with column pivoting A·P = Q·R (LAPACK xGEQP3). See
 * startile_geqp3_async().
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param a m × n; overwritten by R on and above the diagonal and the reflectors below it
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param jpvt n elements. On entry, column j of A comes first if jpvt[j − 1] ≠ 0. On exit, column j
 *        of A·P is column jpvt[j − 1] of A; the identity if m = 0
 * @param[out] tau min(m, n) elements
 * @return 0; −1 … −6; or a ::startile_error
 */
STARTILE_TYPES(geqp3)

#define STARTILE_ENTRY_geqp3_random(name, T, R)                                                    \
    int64_t name(int64_t m, int64_t n, T *a, int64_t lda, int64_t *jpvt, T *tau, uint64_t seed)
/**
 * @brief Computes a QR factorization with column pivoting A·P = Q·R by random sketches. See
 * startile_geqp3_random_async().
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param a m × n; overwritten by R on and above the diagonal and the reflectors below it
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param[out] jpvt n elements: column j of A·P is column jpvt[j − 1] of A
 * @param[out] tau min(m, n) elements
 * @param seed of the random numbers
 * @return 0; −1 … −6; or a ::startile_error
 */
STARTILE_TYPES(geqp3_random)

#define STARTILE_ENTRY_geqp3_rank(name, T, R)                                                      \
    int64_t name(int64_t m, int64_t n, T *a, int64_t lda, int64_t *jpvt, T *tau, R tol,            \
                 int64_t max_rank, int64_t *rank)
/**
 * @brief Approximates A by some of its columns, with a QR factorization with column pivoting that
 * stops early. See startile_geqp3_rank_async().
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param a m × n; overwritten by the factors of the leading columns, and the trailing matrix
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param[out] jpvt n elements: column j of A·P is column jpvt[j − 1] of A
 * @param[out] tau min(m, n) elements; 0 behind the factored columns
 * @param tol the norm of the error is at most tol·‖A‖_F, unless max_rank is reached first; ≥ 0
 * @param max_rank largest rank, ≥ 0
 * @param[out] rank number of columns of the approximation
 * @return 0; −1 … −9; or a ::startile_error
 */
STARTILE_TYPES(geqp3_rank)

#define STARTILE_ENTRY_gelqf(name, T, R)                                                           \
    int64_t name(int64_t m, int64_t n, T *a, int64_t lda, T *tau)
/**
 * @brief Computes the LQ factorization A = L·Q (LAPACK xGELQF). Needs m·n elements of memory.
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param a m × n; overwritten by L on and below the diagonal and the reflectors above it, in rows
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param[out] tau min(m, n) elements
 * @return 0; −1 … −5; or a ::startile_error
 */
STARTILE_TYPES(gelqf)

#define STARTILE_ENTRY_mqr(name, T, R)                                                             \
    int64_t name(char side, char trans, int64_t m, int64_t n, int64_t k, const T *a, int64_t lda,  \
                 const T *tau, T *c, int64_t ldc)
/**
 * @brief Computes C := op(Q)·C or C := C·op(Q) with the Q of geqrf (LAPACK xORMQR, xUNMQR).
 * @param side 'L': op(Q)·C; 'R': C·op(Q), which needs m·n elements of memory
 * @param trans 'N': Q; 'T' (real types) or 'C' (complex types): Qᴴ
 * @param m rows of C, ≥ 0
 * @param n columns of C, ≥ 0
 * @param k number of reflectors, 0 … m ('L') or n ('R')
 * @param a k columns of reflectors from geqrf, m ('L') or n ('R') rows; read
 * @param lda leading dimension, max(1, rows of a) … 2³¹ − 1
 * @param tau k elements, from geqrf; read
 * @param c m × n; updated
 * @param ldc leading dimension, max(1, m) … 2³¹ − 1
 * @return 0; −1 … −10; or a ::startile_error
 */
STARTILE_UNITARY_TYPES(mqr)

#define STARTILE_ENTRY_mlq(name, T, R)                                                             \
    int64_t name(char side, char trans, int64_t m, int64_t n, int64_t k, const T *a, int64_t lda,  \
                 const T *tau, T *c, int64_t ldc)
/**
 * @brief Computes C := op(Q)·C or C := C·op(Q) with the Q of gelqf (LAPACK xORMLQ, xUNMLQ). Needs
 * memory for a copy of the reflectors, and of C with side 'R'.
 * @param side 'L': op(Q)·C; 'R': C·op(Q)
 * @param trans 'N': Q; 'T' (real types) or 'C' (complex types): Qᴴ
 * @param m rows of C, ≥ 0
 * @param n columns of C, ≥ 0
 * @param k number of reflectors, 0 … m ('L') or n ('R')
 * @param a k rows of reflectors from gelqf, m ('L') or n ('R') columns; read
 * @param lda leading dimension, max(1, k) … 2³¹ − 1
 * @param tau k elements, from gelqf; read
 * @param c m × n; updated
 * @param ldc leading dimension, max(1, m) … 2³¹ − 1
 * @return 0; −1 … −10; or a ::startile_error
 */
STARTILE_UNITARY_TYPES(mlq)

#define STARTILE_ENTRY_gqr(name, T, R)                                                             \
    int64_t name(int64_t m, int64_t n, int64_t k, T *a, int64_t lda, const T *tau)
/**
 * @brief Computes the first n columns of the Q of geqrf (LAPACK xORGQR, xUNGQR).
 * @param m rows, ≥ n
 * @param n columns, ≥ 0
 * @param k number of reflectors, 0 … n
 * @param a m × n, with the reflectors in its first k columns; overwritten
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param tau k elements, from geqrf; read
 * @return 0; −1 … −6; or a ::startile_error
 */
STARTILE_UNITARY_TYPES(gqr)

#define STARTILE_ENTRY_glq(name, T, R)                                                             \
    int64_t name(int64_t m, int64_t n, int64_t k, T *a, int64_t lda, const T *tau)
/**
 * @brief Computes the first m rows of the Q of gelqf (LAPACK xORGLQ, xUNGLQ). Needs m·n elements of
 * memory.
 * @param m rows, ≥ 0
 * @param n columns, ≥ m
 * @param k number of reflectors, 0 … m
 * @param a m × n, with the reflectors in its first k rows; overwritten
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param tau k elements, from gelqf; read
 * @return 0; −1 … −6; or a ::startile_error
 */
STARTILE_UNITARY_TYPES(glq)

#define STARTILE_ENTRY_gels(name, T, R)                                                            \
    int64_t name(char trans, int64_t m, int64_t n, int64_t nrhs, T *a, int64_t lda, T *b,          \
                 int64_t ldb)
/**
 * @brief Solves a least-squares problem, or computes the solution of least norm, for A of full rank
 * (LAPACK xGELS). See startile_gels_async().
 * @param trans 'N': op(A) = A; 'T' (real types) or 'C' (complex types): op(A) = Aᴴ
 * @param m rows of A, ≥ 0
 * @param n columns of A, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a m × n; overwritten by its factorization
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param b max(m, n) × nrhs: on entry the right-hand sides, on exit the solutions
 * @param ldb leading dimension, max(1, m, n) … 2³¹ − 1
 * @return 0; k > 0: R(k, k), for m < n L(k, k), is the first diagonal element of the factor that is
 *         exactly zero: A does not have full rank, and B is not changed; −1 … −8; or a
 *         ::startile_error
 */
STARTILE_TYPES(gels)

#define STARTILE_ENTRY_gelsy(name, T, R)                                                           \
    int64_t name(int64_t m, int64_t n, int64_t nrhs, T *a, int64_t lda, T *b, int64_t ldb,         \
                 int64_t *jpvt, R rcond, int64_t *rank)
/**
 * @brief Solves a least-squares problem for A of any rank (LAPACK xGELSY). See
 * startile_gelsy_async().
 * @param m rows of A, ≥ 0
 * @param n columns of A, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a m × n; overwritten by R of A·P = Q·R and its reflectors if rank = n, else by the
 *        trapezoid of the first rows of R, as many as rank, above zeros. LAPACK returns the factors
 *        of xTZRZF.
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param b max(m, n) × nrhs: on entry the right-hand sides, on exit the solutions
 * @param ldb leading dimension, max(1, m, n) … 2³¹ − 1
 * @param jpvt n elements, as for startile_dgeqp3(); unchanged if nrhs = 0
 * @param rcond bound of 1 / condition for the rank; < 0: the machine epsilon times max(m, n)
 * @param[out] rank the rank; 0 if m, n or nrhs is 0
 * @return 0; −1 … −10; or a ::startile_error
 */
STARTILE_TYPES(gelsy)

/** @} */

#if defined __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
