/**
 * @file startile_lapack.h
 * @brief LAPACK's routines with LAPACK's arguments: blocking, on the caller's column-major storage.
 *
 * Argument order is LAPACKE's without the layout argument, sizes are 64-bit and info is returned:
 * 0, −i for a wrong argument i (nothing is touched), LAPACK's info above 0, or a ::startile_error.
 * Workers write into the caller's storage in place; there is no second copy of a matrix on the
 * host. The library chooses the tile size. Leading dimensions are limited to 2³¹ − 1.
 *
 * When neither StarPU nor the library runs, the first call starts them until the program ends, with
 * workers that sleep between calls. So a program with StarPU tasks of its own calls starpu_init()
 * or startile_init() first, else those tasks sleep too. All functions may be called from several
 * host threads at once; not from a child process after fork().
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

/** @defgroup typed Typed entries
 *  @{ */

/**
 * @brief Cholesky factorization of a Hermitian positive definite matrix (LAPACK xPOTRF):
 * A = L·Lᴴ or A = Uᴴ·U.
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
int64_t startile_spotrf(char uplo, int64_t n, float *a, int64_t lda);
/** @copydoc startile_spotrf */
int64_t startile_dpotrf(char uplo, int64_t n, double *a, int64_t lda);
/** @copydoc startile_spotrf */
int64_t startile_cpotrf(char uplo, int64_t n, startile_cfloat *a, int64_t lda);
/** @copydoc startile_spotrf */
int64_t startile_zpotrf(char uplo, int64_t n, startile_cdouble *a, int64_t lda);

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
int64_t startile_spotrs(char uplo, int64_t n, int64_t nrhs, const float *a, int64_t lda, float *b,
                        int64_t ldb);
/** @copydoc startile_spotrs */
int64_t startile_dpotrs(char uplo, int64_t n, int64_t nrhs, const double *a, int64_t lda, double *b,
                        int64_t ldb);
/** @copydoc startile_spotrs */
int64_t startile_cpotrs(char uplo, int64_t n, int64_t nrhs, const startile_cfloat *a, int64_t lda,
                        startile_cfloat *b, int64_t ldb);
/** @copydoc startile_spotrs */
int64_t startile_zpotrs(char uplo, int64_t n, int64_t nrhs, const startile_cdouble *a, int64_t lda,
                        startile_cdouble *b, int64_t ldb);

/**
 * @brief Factors a Hermitian positive definite A and solves A·X = B (LAPACK xPOSV).
 * @param uplo 'L' or 'U': the triangle that is read and overwritten by the factor
 * @param n order, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a n × n; overwritten by its factor
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param b n × nrhs; overwritten by X, or untouched when the return value is not 0
 * @param ldb leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; k > 0 as for potrf; −1 … −7; or a ::startile_error
 */
int64_t startile_sposv(char uplo, int64_t n, int64_t nrhs, float *a, int64_t lda, float *b,
                       int64_t ldb);
/** @copydoc startile_sposv */
int64_t startile_dposv(char uplo, int64_t n, int64_t nrhs, double *a, int64_t lda, double *b,
                       int64_t ldb);
/** @copydoc startile_sposv */
int64_t startile_cposv(char uplo, int64_t n, int64_t nrhs, startile_cfloat *a, int64_t lda,
                       startile_cfloat *b, int64_t ldb);
/** @copydoc startile_sposv */
int64_t startile_zposv(char uplo, int64_t n, int64_t nrhs, startile_cdouble *a, int64_t lda,
                       startile_cdouble *b, int64_t ldb);

/** @} */
/* ------------------------------------------------------------------------------------------- */
/** @defgroup lapack_lu LU
 *  @{ */

/**
 * @brief LU factorization with partial pivoting, P·A = L·U (LAPACK xGETRF).
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param a m × n; overwritten by L (unit diagonal not stored) and U
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param[out] ipiv min(m, n) elements: row i was interchanged with row ipiv[i − 1], 1-based
 * @return 0; k > 0: U(k, k) is exactly zero, the first such, and the factorization is complete; −1
 * … −5; or a ::startile_error
 */
int64_t startile_sgetrf(int64_t m, int64_t n, float *a, int64_t lda, int64_t *ipiv);
/** @copydoc startile_sgetrf */
int64_t startile_dgetrf(int64_t m, int64_t n, double *a, int64_t lda, int64_t *ipiv);
/** @copydoc startile_sgetrf */
int64_t startile_cgetrf(int64_t m, int64_t n, startile_cfloat *a, int64_t lda, int64_t *ipiv);
/** @copydoc startile_sgetrf */
int64_t startile_zgetrf(int64_t m, int64_t n, startile_cdouble *a, int64_t lda, int64_t *ipiv);

/**
 * @brief Solves op(A)·X = B with the factors that getrf left (LAPACK xGETRS).
 * @param trans 'N': A·X = B; 'T': Aᵀ·X = B; 'C': Aᴴ·X = B
 * @param n order, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a the factors, n × n; read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param ipiv as getrf left it; −6 also for an element out of range
 * @param b n × nrhs; overwritten by X
 * @param ldb leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; −1 … −8; or a ::startile_error
 */
int64_t startile_sgetrs(char trans, int64_t n, int64_t nrhs, const float *a, int64_t lda,
                        const int64_t *ipiv, float *b, int64_t ldb);
/** @copydoc startile_sgetrs */
int64_t startile_dgetrs(char trans, int64_t n, int64_t nrhs, const double *a, int64_t lda,
                        const int64_t *ipiv, double *b, int64_t ldb);
/** @copydoc startile_sgetrs */
int64_t startile_cgetrs(char trans, int64_t n, int64_t nrhs, const startile_cfloat *a, int64_t lda,
                        const int64_t *ipiv, startile_cfloat *b, int64_t ldb);
/** @copydoc startile_sgetrs */
int64_t startile_zgetrs(char trans, int64_t n, int64_t nrhs, const startile_cdouble *a, int64_t lda,
                        const int64_t *ipiv, startile_cdouble *b, int64_t ldb);

/**
 * @brief Factors A and solves A·X = B (LAPACK xGESV).
 * @param n order, ≥ 0
 * @param nrhs columns of B, ≥ 0
 * @param a n × n; overwritten by its factors
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param[out] ipiv n elements, as for getrf
 * @param b n × nrhs; overwritten by X; not touched when A is singular
 * @param ldb leading dimension, max(1, n) … 2³¹ − 1
 * @return 0; k > 0 as for getrf; −1 … −7; or a ::startile_error
 */
int64_t startile_sgesv(int64_t n, int64_t nrhs, float *a, int64_t lda, int64_t *ipiv, float *b,
                       int64_t ldb);
/** @copydoc startile_sgesv */
int64_t startile_dgesv(int64_t n, int64_t nrhs, double *a, int64_t lda, int64_t *ipiv, double *b,
                       int64_t ldb);
/** @copydoc startile_sgesv */
int64_t startile_cgesv(int64_t n, int64_t nrhs, startile_cfloat *a, int64_t lda, int64_t *ipiv,
                       startile_cfloat *b, int64_t ldb);
/** @copydoc startile_sgesv */
int64_t startile_zgesv(int64_t n, int64_t nrhs, startile_cdouble *a, int64_t lda, int64_t *ipiv,
                       startile_cdouble *b, int64_t ldb);

/**
 * @brief A := A⁻¹ from the factors that getrf left (LAPACK xGETRI). Takes n² elements of memory.
 * @param n order, ≥ 0
 * @param a the factors, n × n; overwritten by the inverse, or untouched when A is singular
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param ipiv as getrf left it; −4 also for an element out of range
 * @return 0; k > 0: U(k, k) is exactly zero, the first such; −1 … −4; or a ::startile_error
 */
int64_t startile_sgetri(int64_t n, float *a, int64_t lda, const int64_t *ipiv);
/** @copydoc startile_sgetri */
int64_t startile_dgetri(int64_t n, double *a, int64_t lda, const int64_t *ipiv);
/** @copydoc startile_sgetri */
int64_t startile_cgetri(int64_t n, startile_cfloat *a, int64_t lda, const int64_t *ipiv);
/** @copydoc startile_sgetri */
int64_t startile_zgetri(int64_t n, startile_cdouble *a, int64_t lda, const int64_t *ipiv);

/**
 * @brief Estimates 1 / (‖A‖·‖A⁻¹‖) from the factors that getrf left (LAPACK xGECON); see
 * startile_gecon_async().
 * @param norm '1' or 'O': 1-norm; 'I': ∞-norm
 * @param n order, ≥ 0
 * @param a the factors, n × n; read
 * @param lda leading dimension, max(1, n) … 2³¹ − 1
 * @param anorm that norm of A before it was factored, ≥ 0
 * @param[out] rcond the estimate
 * @return 0; −1 … −6; or a ::startile_error
 */
int64_t startile_sgecon(char norm, int64_t n, const float *a, int64_t lda, float anorm,
                        float *rcond);
/** @copydoc startile_sgecon */
int64_t startile_dgecon(char norm, int64_t n, const double *a, int64_t lda, double anorm,
                        double *rcond);
/** @copydoc startile_sgecon */
int64_t startile_cgecon(char norm, int64_t n, const startile_cfloat *a, int64_t lda, float anorm,
                        float *rcond);
/** @copydoc startile_sgecon */
int64_t startile_zgecon(char norm, int64_t n, const startile_cdouble *a, int64_t lda, double anorm,
                        double *rcond);

/** @} */

#if defined __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
