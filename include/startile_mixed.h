/**
 * @file startile_mixed.h
 * @brief Solvers in mixed precision.
 */
#ifndef STARTILE_MIXED_H
#define STARTILE_MIXED_H

#include "startile_routines.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#pragma GCC visibility push(default)
#endif

/**
 * @defgroup mixed Mixed precision
 *
 *  **Threads.** Several threads may call these functions at once, each on its own matrices, pivots
 *  and requests; startile.h has the whole rule.
 *  @{
 */

/** @brief How a solver in mixed precision improves the solution in single precision. */
typedef enum startile_method {
    STARTILE_METHOD_AUTO,       /**< refinement; if it stagnates after it has reduced the error by a
                                   factor of 1.5 or more, GMRES takes over */
    STARTILE_METHOD_REFINEMENT, /**< iterative refinement (Higham 2002, chapter 12), accelerated */
    STARTILE_METHOD_GMRES       /**< GMRES with the factors as preconditioner after the first step
                                   (Carson & Higham, SIAM J. Sci. Comput. 40, 2018). It converges if
                                   A has few small singular values, up to condition numbers of about
                                   1e12. Each step keeps 2·n·nrhs elements, at most n²/16 (or 2²⁰)
                                   together; where it converts the factors, n²/16 more */
} startile_method;

/** @brief Options of startile_gesv_mixed(), startile_posv_mixed() and startile_gels_mixed(). Fields
 * that are zero have the default: `startile_mixed_options options = {.size = sizeof options};` has
 * all defaults. Later versions may add fields at the end. */
typedef struct startile_mixed_options {
    size_t size; /**< sizeof(startile_mixed_options), set by the caller: tells the library which
                    fields the caller's version has */
    startile_products products; /**< products of the factorization. STARTILE_PRODUCTS_AUTO:
                                   STARTILE_PRODUCTS_FP16X2; for a Hermitian A whose rows are
                                   dominated by the diagonal STARTILE_PRODUCTS_FP16 */
    startile_method method;     /**< how X is improved */
    double tolerance;   /**< backward error (startile_mixed_result.backward) at which the iteration
                           ends, in units of eps = 2⁻⁵³; 0: 10 */
    int max_iterations; /**< largest number of steps of refinement and GMRES, 1 … 30; 0: 30. One
                           step is always computed, also where X needs none */
    int certificate;    /**< non-zero: compute startile_mixed_result.componentwise, and find large
                           condition numbers for .forward, in one to six steps. Ignored by gels */
} startile_mixed_options;

/** @brief Steps of a solver in mixed precision, and the errors of X. NaN: not computed. Before
 * the call: `startile_mixed_result result = {.size = sizeof result};`. Later versions may add
 * fields at the end. */
typedef struct startile_mixed_result {
    size_t size; /**< sizeof(startile_mixed_result), set by the caller: the library writes no field
                    beyond it */
    startile_products products; /**< arithmetic of the factorization that gave X;
                                   STARTILE_PRODUCTS_DOUBLE after the fallback */
    startile_method method;     /**< STARTILE_METHOD_GMRES if GMRES was used, else
                                   STARTILE_METHOD_REFINEMENT */
    int iterations;  /**< LAPACK's iter: the number of steps; in double precision −1 (too many
                        right-hand sides), −2 (a value out of range), −3 (no factorization in single
                        precision), −31 (steps gained less than a factor of 2, or max_iterations) */
    double backward; /**< largest backward error of the columns of X, which ended the iteration.
                        gesv and posv: max_i |b − A·x|_i / (Σ_j |a_ij| · ‖x‖∞), at most twice too
                        large: a bound of LAPACK's ‖b − A·x‖∞ / (‖A‖∞·‖x‖∞). gels: see
                        startile_gels_mixed_async() */
    double componentwise; /**< largest |b − A·x|_i / (|A|·|x| + |b|)_i; not for gels */
    double forward; /**< estimate of the largest ‖x − A⁻¹·b‖∞ / ‖x‖∞, from the size of the
                       corrections (Demmel et al., ACM TOMS 32, 2006) and a lower bound of ‖A⁻¹‖. It
                       may be too small, above all for n < 5 and, without
                       startile_mixed_options.certificate, for condition numbers beyond 1e13 */
} startile_mixed_result;

/**
 * @brief Solves A·X = B with an LU factorization in single precision and iterative refinement to
 * double precision (LAPACK xSGESV, xCGESV; Higham 2002, section 12.1).
 *
 * A is scaled by powers of two and factored in single precision. Refinement converges if growth ·
 * cond(A) · 2⁻²² is small; every step must at least halve the error. GMRES also solves systems with
 * a larger cond(A) if only few singular values are small (::startile_method). If neither converges,
 * A is factored in double precision, as by startile_gesv_async(). The solver needs memory for half
 * of A. Tasks that the program submits on A, P, B and X after this call run after its end, also
 * those that only read B. The descriptors must not be destroyed before startile_request_wait(). For
 * nrhs = 0 nothing is computed.
 *
 * On a grid of processes (startile_mpi.h) all get the same result. They decide together after each
 * step, so this call returns after the last step; only the tasks of a fallback remain. GMRES and
 * the certificate also need memory for a copy of A. If the options of two processes differ, the
 * call returns #STARTILE_ERROR_MISMATCH.
 *
 * @param A n × n in double precision; not changed if result->iterations ≥ 0, else overwritten by
 * its factors
 * @param P created for A's shape; overwritten by the interchanges of the factorization that gave X
 * @param B n × nrhs, tiles as for startile_getrs_async(); read
 * @param X n × nrhs, with the block columns of B; overwritten; not B
 * @param options options, or NULL for the defaults
 * @param[in,out] result has its size set; valid after startile_request_wait(); or NULL
 * @param request request into which the tasks are submitted; info as for startile_getrf_async()
 * @return 0, −1 … −7; −5 and −6 also for a wrong size
 */
int64_t startile_gesv_mixed_async(startile_matrix *A, startile_pivots *P, const startile_matrix *B,
                                  startile_matrix *X, const startile_mixed_options *options,
                                  startile_mixed_result *result, startile_request *request);
/** @brief Blocking startile_gesv_mixed_async(); returns info. */
int64_t startile_gesv_mixed(startile_matrix *A, startile_pivots *P, const startile_matrix *B,
                            startile_matrix *X, const startile_mixed_options *options,
                            startile_mixed_result *result);

/**
 * @brief Solves A·X = B for a Hermitian positive definite A with a Cholesky factorization in single
 * precision and iterative refinement to double precision (LAPACK xSPOSV, xCPOSV).
 *
 * The method is that of startile_gesv_mixed_async(), with the factorization of
 * startile_potrf_async().
 *
 * @param uplo 'L' or 'U': the triangle of A that is read
 * @param A n × n in double precision, square tiles; not changed if result->iterations ≥ 0, else the
 *        triangle is overwritten by its factor
 * @param B n × nrhs, tiles as for startile_potrs_async(); read
 * @param X n × nrhs, with the tiles of B; overwritten; not B
 * @param options options, or NULL for the defaults
 * @param[in,out] result has its size set; valid after startile_request_wait(); or NULL
 * @param request request into which the tasks are submitted; info as for startile_potrf_async()
 * @return 0, −1 … −7; −5 and −6 also for a wrong size
 */
int64_t startile_posv_mixed_async(char uplo, startile_matrix *A, const startile_matrix *B,
                                  startile_matrix *X, const startile_mixed_options *options,
                                  startile_mixed_result *result, startile_request *request);
/** @brief Blocking startile_posv_mixed_async(); returns info. */
int64_t startile_posv_mixed(char uplo, startile_matrix *A, const startile_matrix *B,
                            startile_matrix *X, const startile_mixed_options *options,
                            startile_mixed_result *result);

/**
 * @brief Solves min ‖B − A·X‖₂ for A of full rank with a QR factorization in single precision and
 * iterative refinement of the normal equations to double precision (Björck 1996, section 6.6.5).
 *
 * The method is that of startile_gesv_mixed_async(), without GMRES. The columns of A are scaled by
 * powers of two. Each step solves with R and multiplies with A and Aᴴ in double precision; Aᴴ·A is
 * not formed. Refinement converges if cond(A) · 2⁻²² is small and, where cond(A) is above 1e4, the
 * residual is not much larger than A·X. The error of X is then as large as that of
 * startile_gels_async(), which is the fallback. With e = b − A·x the backward error is the smaller
 * of max_i |Aᴴ·e|_i / (‖a_i‖₁·‖e‖∞), where a_i are the columns of A, and ‖Qᴴ·e‖∞ / (‖A‖∞·‖x‖∞) with
 * the e before the last step. The solver needs memory for half of A and a copy of B.
 *
 * @param A m × n in double precision, m ≥ n, tiles as for startile_geqrf_async(); not changed if
 *        result->iterations ≥ 0, else overwritten as by startile_gels_async()
 * @param B m × nrhs, tiles as for startile_gels_async(); read
 * @param X n × nrhs, with the block columns of B; overwritten; not B
 * @param options options, or NULL for the defaults; method: not STARTILE_METHOD_GMRES
 * @param[in,out] result has its size set; valid after startile_request_wait(); or NULL
 * @param request request into which the tasks are submitted; info as for startile_gels_async()
 * @return 0, −1 … −6; −4 and −5 also for a wrong size
 */
int64_t startile_gels_mixed_async(startile_matrix *A, const startile_matrix *B, startile_matrix *X,
                                  const startile_mixed_options *options,
                                  startile_mixed_result *result, startile_request *request);
/** @brief Blocking startile_gels_mixed_async(); returns info. */
int64_t startile_gels_mixed(startile_matrix *A, const startile_matrix *B, startile_matrix *X,
                            const startile_mixed_options *options, startile_mixed_result *result);

/** @} */

#if defined __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
