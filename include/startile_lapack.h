/**
 * @file startile_lapack.h
 * @brief LAPACK's routines with LAPACK's arguments: blocking, on the caller's column-major storage.
 *
 * Argument order is LAPACKE's without the layout argument, sizes are 64-bit and info is returned:
 * 0, −i for a wrong argument i (nothing is touched), LAPACK's info above 0, or a ::startile_error.
 * Workers write into the caller's storage in place; there is no second copy of a matrix on the
 * host. The library chooses the tile size.
 *
 * The first call starts the library, if startile_init() was not called before, with workers that
 * sleep between calls; it is stopped at exit. All functions may be called from several host
 * threads at once.
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

/**
 * @defgroup typed Typed entries
 * @{
 *
 * @name potrf: Cholesky factorization
 * A = L·Lᴴ (uplo 'L') or A = Uᴴ·U (uplo 'U') of a Hermitian positive definite n × n matrix; the
 * factor overwrites its triangle and the other triangle is not touched. info k > 0: the leading
 * minor of order k is not positive definite and only the leading k − 1 rows and columns of the
 * factor are valid. See startile_potrf_async() for the method and its error. LAPACK xPOTRF.
 * @{ */
int64_t startile_spotrf(char uplo, int64_t n, float *a, int64_t lda);
int64_t startile_dpotrf(char uplo, int64_t n, double *a, int64_t lda);
int64_t startile_cpotrf(char uplo, int64_t n, startile_cfloat *a, int64_t lda);
int64_t startile_zpotrf(char uplo, int64_t n, startile_cdouble *a, int64_t lda);
/** @}
 *
 * @name potrs: solve with the Cholesky factor
 * Solves A·X = B, where a holds the factor from potrf with the same uplo; X overwrites the
 * n × nrhs matrix b. LAPACK xPOTRS.
 * @{ */
int64_t startile_spotrs(char uplo, int64_t n, int64_t nrhs, const float *a, int64_t lda, float *b,
                        int64_t ldb);
int64_t startile_dpotrs(char uplo, int64_t n, int64_t nrhs, const double *a, int64_t lda, double *b,
                        int64_t ldb);
int64_t startile_cpotrs(char uplo, int64_t n, int64_t nrhs, const startile_cfloat *a, int64_t lda,
                        startile_cfloat *b, int64_t ldb);
int64_t startile_zpotrs(char uplo, int64_t n, int64_t nrhs, const startile_cdouble *a, int64_t lda,
                        startile_cdouble *b, int64_t ldb);
/** @}
 *
 * @name posv: factor and solve
 * Solves A·X = B for a Hermitian positive definite A; a is overwritten by its factor and b by X.
 * info as for potrf; b is not touched when it is not 0. LAPACK xPOSV.
 * @{ */
int64_t startile_sposv(char uplo, int64_t n, int64_t nrhs, float *a, int64_t lda, float *b,
                       int64_t ldb);
int64_t startile_dposv(char uplo, int64_t n, int64_t nrhs, double *a, int64_t lda, double *b,
                       int64_t ldb);
int64_t startile_cposv(char uplo, int64_t n, int64_t nrhs, startile_cfloat *a, int64_t lda,
                       startile_cfloat *b, int64_t ldb);
int64_t startile_zposv(char uplo, int64_t n, int64_t nrhs, startile_cdouble *a, int64_t lda,
                       startile_cdouble *b, int64_t ldb);
/** @}
 * @} */

#if defined __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
