/**
 * @file startile_routines.h
 * @brief Operations on matrices: norms, BLAS 3, Cholesky, LU, QR.
 */
#ifndef STARTILE_ROUTINES_H
#define STARTILE_ROUTINES_H

#include "startile_core.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#pragma GCC visibility push(default)
#endif

/**
 * @defgroup norms Norms
 *
 *  **Threads.** Several threads may call these functions at once, each on its own matrices and
 *  requests; startile.h has the whole rule.
 *  @{
 */

/**
 * @brief Computes a norm of a general matrix (LAPACK xLANGE), accumulated in double. NaN
 * propagates.
 *
 * The relative error is at most (m + n) · 2⁻⁵³. 'F' does not overflow.
 * @param norm 'M': max |a_ij|; '1' or 'O': largest column sum; 'I': largest row sum; 'F' or 'E':
 *        Frobenius
 * @param A m × n, read
 * @param[out] value the result, valid when the request has finished without a failure; 0 for an
 *        empty matrix
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4
 */
int64_t startile_lange_async(char norm, const startile_matrix *A, double *value,
                             startile_request *request);
/** @brief Blocking startile_lange_async(). */
int64_t startile_lange(char norm, const startile_matrix *A, double *value);

/**
 * @brief Computes a norm of a symmetric matrix of which one triangle is stored (LAPACK xLANSY).
 * @param norm as for startile_lange_async()
 * @param uplo 'L' or 'U': the triangle that is read
 * @param A n × n with square tiles, read
 * @param[out] value the result, valid when the request has finished without a failure
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int64_t startile_lansy_async(char norm, char uplo, const startile_matrix *A, double *value,
                             startile_request *request);
/** @brief Blocking startile_lansy_async(). */
int64_t startile_lansy(char norm, char uplo, const startile_matrix *A, double *value);

/**
 * @brief Computes a norm of a Hermitian matrix (LAPACK xLANHE). The imaginary parts of the diagonal
 * are taken as zero. Arguments and return values are those of startile_lansy_async().
 */
int64_t startile_lanhe_async(char norm, char uplo, const startile_matrix *A, double *value,
                             startile_request *request);
/** @brief Blocking startile_lanhe_async(). */
int64_t startile_lanhe(char norm, char uplo, const startile_matrix *A, double *value);

/** @} */
/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup blas3 Tile BLAS 3
 *
 *  op(X) is X for 'N', Xᵀ for 'T', Xᴴ for 'C'. The tiles of the operands must match: op(A) has the
 *  tile height of C, op(B) the tile width of C, and the tile width of op(A) is the tile height of
 *  op(B). The matrix that is written is none of the others.
 *
 *  **Threads.** Several threads may call these functions at once, each on its own matrices and
 *  requests; startile.h has the whole rule.
 *  @{
 */

/**
 * @brief Computes C := alpha·op(A)·op(B) + beta·C (BLAS xGEMM).
 * @param transa 'N', 'T' or 'C'
 * @param transb 'N', 'T' or 'C'
 * @param alpha scalar
 * @param A op(A) is m × k; read
 * @param B op(B) is k × n; read
 * @param beta scalar; when it is 0, C need not be initialized
 * @param C m × n; updated
 * @param request request into which the tasks are submitted
 * @return 0, −1, −2, −4, −5, −7, −8
 */
int64_t startile_gemm_async(char transa, char transb, startile_complex alpha,
                            const startile_matrix *A, const startile_matrix *B,
                            startile_complex beta, startile_matrix *C, startile_request *request);
/** @brief Blocking startile_gemm_async(). */
int64_t startile_gemm(char transa, char transb, startile_complex alpha, const startile_matrix *A,
                      const startile_matrix *B, startile_complex beta, startile_matrix *C);

/**
 * @brief Computes C := alpha·op(A)·op(A)ᴴ + beta·C on one triangle (BLAS xHERK; xSYRK for real
 * types).
 * @param uplo 'L' or 'U': the triangle of C that is updated; the other is not touched
 * @param trans 'N': op(A) = A is n × k; 'C' (or 'T' for real types): op(A) = Aᴴ, A is k × n
 * @param alpha real scalar
 * @param A read
 * @param beta real scalar
 * @param C n × n with square tiles; updated
 * @param request request into which the tasks are submitted
 * @return 0, −1, −2, −4, −6, −7
 */
int64_t startile_herk_async(char uplo, char trans, double alpha, const startile_matrix *A,
                            double beta, startile_matrix *C, startile_request *request);
/** @brief Blocking startile_herk_async(). */
int64_t startile_herk(char uplo, char trans, double alpha, const startile_matrix *A, double beta,
                      startile_matrix *C);

/**
 * @brief Computes C := alpha·op(A)·op(A)ᵀ + beta·C on one triangle (BLAS xSYRK).
 * @param uplo 'L' or 'U': the triangle of C that is updated; the other is not touched
 * @param trans 'N' or 'T' (or 'C' for real types)
 * @param alpha scalar
 * @param A op(A) is n × k; read
 * @param beta scalar
 * @param C n × n with square tiles; updated
 * @param request request into which the tasks are submitted
 * @return 0, −1, −2, −4, −6, −7
 */
int64_t startile_syrk_async(char uplo, char trans, startile_complex alpha, const startile_matrix *A,
                            startile_complex beta, startile_matrix *C, startile_request *request);
/** @brief Blocking startile_syrk_async(). */
int64_t startile_syrk(char uplo, char trans, startile_complex alpha, const startile_matrix *A,
                      startile_complex beta, startile_matrix *C);

/**
 * @brief Solves op(A)·X = alpha·B or X·op(A) = alpha·B for X, which overwrites B (BLAS xTRSM).
 *
 * X has the backward error of substitution, |B − op(A)·X| ≤ c·n·eps·|op(A)|·|X| with a small
 * constant c. On GPUs a product with the inverse W of a tile T replaces the solve if W passed a
 * check that bounds ‖T‖·‖W‖; its error is ‖B − T·X‖ ≤ c·n·eps·‖T‖·‖W‖·‖B‖. b/a for a diagonal
 * element a may be computed as b·(1/a), with a relative error of up to 2·eps, where a division has
 * eps (the unit roundoff).
 * @param side 'L': op(A)·X = alpha·B; 'R': X·op(A) = alpha·B
 * @param uplo 'L' or 'U': the triangle of A that is read
 * @param transa 'N', 'T' or 'C'
 * @param diag 'N'; or 'U': A has a diagonal of ones, which is not read
 * @param alpha scalar
 * @param A triangular, m × m ('L') or n × n ('R'), with square tiles; read. The routine does not
 *        check the diagonal for zeros.
 * @param B m × n; overwritten by X
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4, −6 … −8
 */
int64_t startile_trsm_async(char side, char uplo, char transa, char diag, startile_complex alpha,
                            const startile_matrix *A, startile_matrix *B,
                            startile_request *request);
/** @brief Blocking startile_trsm_async(). */
int64_t startile_trsm(char side, char uplo, char transa, char diag, startile_complex alpha,
                      const startile_matrix *A, startile_matrix *B);

/**
 * @brief Solves op(A)·X = B for a triangular A (LAPACK xTRTRS): startile_trsm(), but a zero on A's
 * diagonal is found first.
 * @param uplo 'L' or 'U': the triangle of A that is read
 * @param trans 'N', 'T' or 'C'
 * @param diag 'N'; or 'U': A has a diagonal of ones, which is not read
 * @param A n × n with square tiles; read
 * @param B n × nrhs with A's tile height; overwritten by X
 * @param request request into which the tasks are submitted; info k > 0: A(k, k) is the first
 *        diagonal element that is exactly zero; B is then not changed
 * @return 0, −1 … −6
 */
int64_t startile_trtrs_async(char uplo, char trans, char diag, const startile_matrix *A,
                             startile_matrix *B, startile_request *request);
/** @brief Blocking startile_trtrs_async(); returns info. */
int64_t startile_trtrs(char uplo, char trans, char diag, const startile_matrix *A,
                       startile_matrix *B);

/**
 * @brief Computes B := alpha·op(A)·B or B := alpha·B·op(A) for a triangular A (BLAS xTRMM).
 *
 * Each diagonal tile needs a temporary of its size.
 * @param side 'L': op(A)·B; 'R': B·op(A)
 * @param uplo 'L' or 'U': the triangle of A that is read
 * @param transa 'N', 'T' or 'C'
 * @param diag 'N'; or 'U': A has a diagonal of ones, which is not read
 * @param alpha scalar; when it is 0, B becomes 0 and A is not read
 * @param A triangular, m × m ('L') or n × n ('R'), with square tiles; read
 * @param B m × n; updated
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4, −6 … −8
 */
int64_t startile_trmm_async(char side, char uplo, char transa, char diag, startile_complex alpha,
                            const startile_matrix *A, startile_matrix *B,
                            startile_request *request);
/** @brief Blocking startile_trmm_async(). */
int64_t startile_trmm(char side, char uplo, char transa, char diag, startile_complex alpha,
                      const startile_matrix *A, startile_matrix *B);

/**
 * @brief Computes C := alpha·A·B + beta·C or C := alpha·B·A + beta·C for a Hermitian A of which one
 * triangle is stored (BLAS xHEMM; xSYMM for real types).
 *
 * Each diagonal tile of A needs a temporary of its size.
 * @param side 'L': A·B; 'R': B·A
 * @param uplo 'L' or 'U': the triangle of A that is read, without the imaginary parts of the
 *        diagonal
 * @param alpha scalar; when it is 0, A and B are not read
 * @param A Hermitian, m × m ('L') or n × n ('R'), with square tiles; read
 * @param B shape and tiles of C; read
 * @param beta scalar; when it is 0, C need not be initialized
 * @param C m × n; updated. Its tile height ('L') or tile width ('R') is that of A
 * @param request request into which the tasks are submitted
 * @return 0, −1, −2, −4, −5, −7, −8
 */
int64_t startile_hemm_async(char side, char uplo, startile_complex alpha, const startile_matrix *A,
                            const startile_matrix *B, startile_complex beta, startile_matrix *C,
                            startile_request *request);
/** @brief Blocking startile_hemm_async(). */
int64_t startile_hemm(char side, char uplo, startile_complex alpha, const startile_matrix *A,
                      const startile_matrix *B, startile_complex beta, startile_matrix *C);

/**
 * @brief Computes C := alpha·A·B + beta·C or C := alpha·B·A + beta·C for a symmetric A of which one
 * triangle is stored (BLAS xSYMM). Arguments and return values are those of startile_hemm_async().
 */
int64_t startile_symm_async(char side, char uplo, startile_complex alpha, const startile_matrix *A,
                            const startile_matrix *B, startile_complex beta, startile_matrix *C,
                            startile_request *request);
/** @brief Blocking startile_symm_async(). */
int64_t startile_symm(char side, char uplo, startile_complex alpha, const startile_matrix *A,
                      const startile_matrix *B, startile_complex beta, startile_matrix *C);

/** @} */
/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup permutations Permutations
 *
 *  **Threads.** Several threads may call these functions at once, each on its own permutations;
 *  startile.h has the whole rule.
 *  @{
 */

/** @brief Permutation P of a QR factorization with column pivoting, or of a Cholesky factorization
 * with diagonal pivoting: one StarPU handle. */
typedef struct startile_permutation startile_permutation;

/**
 * @brief Creates the permutation for factorizations of A: the identity until a factorization writes
 * it. All columns may be pivots.
 * @param[out] P the new permutation
 * @param A m × n; only n is used. On a grid each process creates its own P, and all have the same
 *        values after a factorization
 * @return 0, −1, −2, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int64_t startile_permutation_create(startile_permutation **P, const startile_matrix *A);

/** @brief Waits for the tasks on the permutation, then frees it; NULL is allowed. */
void startile_permutation_destroy(startile_permutation *P);

/**
 * @brief Copies the permutation to LAPACK's jpvt or piv: column j of A·P is column jpvt[j − 1] of
 * A, both 1-based. Blocking: waits for the tasks that write the permutation.
 * @param P permutation of startile_geqp3() or startile_pstrf(); read
 * @param[out] jpvt n elements
 * @return 0, −1, −2 or a ::startile_error
 */
int64_t startile_permutation_to_lapack(const startile_permutation *P, int64_t *jpvt);

/**
 * @brief Chooses the columns that come first in all later QR factorizations with P: those with
 * jpvt[j − 1] ≠ 0, in LAPACK's order. P becomes the identity. startile_pstrf() ignores the choice.
 * Blocking: waits for the tasks on the permutation.
 * @param P written
 * @param jpvt n elements; read
 * @return 0, −1, −2 or a ::startile_error
 */
int64_t startile_permutation_choose(startile_permutation *P, const int64_t *jpvt);

/** @} */

/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup cholesky Cholesky
 *
 *  **Threads.** Several threads may call these functions at once, each on its own matrices and
 *  requests; startile.h has the whole rule.
 *  @{
 */

/**
 * @brief Computes the Cholesky factorization A = L·Lᴴ or A = Uᴴ·U (LAPACK xPOTRF).
 *
 * The algorithm is right-looking over tiles, with look-ahead by priorities (Volkov & Demmel 2008,
 * section 5). On a GPU a block column B is multiplied by the inverse of T, the factor of its
 * diagonal tile, if κ = ‖T⁻¹‖₁·‖T‖₁ is at most the order of T; otherwise a triangular solve
 * replaces the multiplication. The multiplication leaves a residual of the order nb·eps·κ·‖B‖ (Du
 * Croz & Higham 1992). The bound on κ keeps the backward error at the order of LAPACK's, ‖A − L·Lᴴ‖
 * ≤ c·n·eps·‖A‖ (Higham 2002, theorem 10.3).
 *
 * @param uplo 'L' or 'U': the triangle that is read and overwritten by L or U; the other is not
 *        touched
 * @param A n × n, Hermitian positive definite, square tiles
 * @param request request into which the tasks are submitted; info k > 0: the leading minor of order
 *         k is not positive definite; the leading k − 1 rows and columns of the factor are valid,
 *         the rest is undefined
 * @return 0, −1 … −3
 */
int64_t startile_potrf_async(char uplo, startile_matrix *A, startile_request *request);
/** @brief Blocking startile_potrf_async(); returns info. */
int64_t startile_potrf(char uplo, startile_matrix *A);

/**
 * @brief Computes the Cholesky factorization with diagonal pivoting Pᵀ·A·P = L·Lᴴ or Uᴴ·U of a
 * positive semidefinite matrix (LAPACK xPSTRF; Hammarling, Higham & Lucas 2007).
 *
 * In each step the largest diagonal element of the remaining matrix becomes the next pivot, of
 * equal ones the first. The factorization ends before a later pivot of at most `tol`; the number
 * of pivots before it is the rank. The diagonal of the factor decreases. Backward error: ‖Pᵀ·A·P −
 * L·Lᴴ‖ ≤ c·r·eps·‖A‖·(‖W‖ + 1)² for rank r, where ‖W‖² ≤ (n − r)·(4^r − 1)/3 is small in practice
 * (Higham 2002, theorem 10.14).
 *
 * NaN is never a pivot: the factorization ends when only NaN is left. If no diagonal element is
 * positive, or as in LAPACK the first one of a real A is NaN, the rank is 0 and A is unchanged.
 *
 * The pivot of a column depends on the whole trailing triangle, so a task works on all of it: on a
 * GPU if the triangle fits its memory, else on a CPU worker, where idle CPU workers share the work.
 *
 * @param uplo 'L' or 'U': the triangle that is read and overwritten; the other is not touched
 * @param A n × n, Hermitian positive semidefinite, at most 1024 × 1024 square tiles, not on a
 *        grid and without a journal; overwritten by the first *rank columns of L or rows of U. With
 *        *rank < n the trailing triangle of order n − *rank is no remainder: it has the
 *        interchanges, but not all updates, and its first diagonal element is the pivot that was
 *        too small.
 * @param P created for A's number of columns; overwritten
 * @param tol limit for pivots, ≥ 0; negative or NaN: n·u·max a_ii with u = 2⁻⁵³ or 2⁻²⁴
 * @param[out] rank number of pivots, valid when the request has finished with info 0 or 1
 * @param request request into which the tasks are submitted; info 1: *rank < n. Later operations of
 *        the request then do nothing.
 * @return 0, −1 … −6, without −4
 */
int64_t startile_pstrf_async(char uplo, startile_matrix *A, startile_permutation *P, double tol,
                             int64_t *rank, startile_request *request);
/** @brief Blocking startile_pstrf_async(); returns info. */
int64_t startile_pstrf(char uplo, startile_matrix *A, startile_permutation *P, double tol,
                       int64_t *rank);

/**
 * @brief Solves A·X = B with the factor of startile_potrf() in A (LAPACK xPOTRS).
 * @param uplo as given to startile_potrf()
 * @param A n × n with square tiles, the factor; read
 * @param B n × nrhs with A's tile height; overwritten by X
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4
 */
int64_t startile_potrs_async(char uplo, const startile_matrix *A, startile_matrix *B,
                             startile_request *request);
/** @brief Blocking startile_potrs_async(). */
int64_t startile_potrs(char uplo, const startile_matrix *A, startile_matrix *B);

/**
 * @brief Factors A and solves A·X = B (LAPACK xPOSV).
 * @param uplo as for startile_potrf_async()
 * @param A n × n as for startile_potrf_async(); overwritten by its factor
 * @param B n × nrhs with A's tile height; overwritten by X; not touched when A is not positive
 *        definite
 * @param request request into which the tasks are submitted; info as for startile_potrf_async()
 * @return 0, −1 … −4
 */
int64_t startile_posv_async(char uplo, startile_matrix *A, startile_matrix *B,
                            startile_request *request);
/** @brief Blocking startile_posv_async(); returns info. */
int64_t startile_posv(char uplo, startile_matrix *A, startile_matrix *B);

/**
 * @brief Refines a solution of A·X = B with the Cholesky factor of A, and bounds its errors (LAPACK
 * xPORFS).
 *
 * Two steps of iterative refinement with residuals in working precision (Higham 2002, chapter 12);
 * LAPACK takes up to five, until the backward error is eps. The bound of the forward
 * error estimates ‖ |A⁻¹|·(|r| + (n + 1)·eps·(|A|·|x| + |b|)) ‖∞ by Higham's estimator, with nrhs
 * estimates of 8 solves each; it is rarely more than a factor of 3 too small (Higham 2002,
 * chapter 15). |z| is |re| + |im|. Temporaries: one of X's size, and one of twice or four times
 * its size.
 * @param uplo 'L' or 'U': the triangle of A and of the factor
 * @param A n × n, Hermitian positive definite, square tiles, at most 1024 × 1024 of them, on no
 * grid; read
 * @param F the factor of A in tiles of A's size; read
 * @param B n × nrhs with A's tile height; read
 * @param X n × nrhs with B's tiles; refined
 * @param[out] ferr nrhs numbers: estimates of ‖x − A⁻¹·b‖∞ / ‖x‖∞ for each column
 * @param[out] berr nrhs numbers: componentwise backward errors max_i |b − A·x|_i / (|A|·|x| +
 * |b|)_i
 * @param request request into which the tasks are submitted; ferr and berr are valid when it has
 *        finished without a failure
 * @return 0, −1 … −8
 */
int64_t startile_porfs_async(char uplo, const startile_matrix *A, const startile_matrix *F,
                             const startile_matrix *B, startile_matrix *X, double *ferr,
                             double *berr, startile_request *request);
/** @brief Blocking startile_porfs_async(). */
int64_t startile_porfs(char uplo, const startile_matrix *A, const startile_matrix *F,
                       const startile_matrix *B, startile_matrix *X, double *ferr, double *berr);

/**
 * @brief Solves A·X = B by Cholesky, refines X, and returns condition number and errors (LAPACK
 * xPOSVX with FACT = 'N').
 *
 * A is not equilibrated. Scaling rows and columns by powers of two changes no rounding of a
 * Cholesky factorization or of its solves, as long as nothing overflows or underflows, and the
 * backward error does not depend on the scaling (Higham 2002, section 10.1.1). Only rcond does: it
 * is that of A. For a badly scaled A it may be below eps although X is accurate, which ferr and
 * berr then show. The rcond that xPOSVX returns with FACT = 'E' is that of the matrix with the
 * elements a_ij / sqrt(a_ii·a_jj).
 * @param uplo 'L' or 'U': the triangle of A that is read, and of the factor
 * @param A n × n as for startile_porfs_async(); read
 * @param F n × n in tiles of A's size; the triangle is overwritten by the factor
 * @param B n × nrhs with A's tile height; read
 * @param X n × nrhs with B's tiles; overwritten by the solution, and undefined if info ≤ n is
 *        positive
 * @param[out] rcond as for startile_pocon_async(); 0 if 0 < info ≤ n
 * @param[out] ferr nrhs numbers, as for startile_porfs_async()
 * @param[out] berr nrhs numbers, as for startile_porfs_async()
 * @param request request into which the tasks are submitted; info as for startile_potrf_async().
 *        rcond, ferr and berr are valid when it has finished
 * @return 0, −1 … −9
 */
int64_t startile_posvx_async(char uplo, const startile_matrix *A, startile_matrix *F,
                             const startile_matrix *B, startile_matrix *X, double *rcond,
                             double *ferr, double *berr, startile_request *request);
/**
 * @brief Blocking startile_posvx_async(). Returns info, or n + 1 if rcond < eps: A is singular to
 * working precision, and X and the errors are computed.
 */
int64_t startile_posvx(char uplo, const startile_matrix *A, startile_matrix *F,
                       const startile_matrix *B, startile_matrix *X, double *rcond, double *ferr,
                       double *berr);

/**
 * @brief Updates a Cholesky factor: the factor of A becomes that of A + V·Vᴴ (LINPACK xCHUD), in
 * 2·n²·k operations.
 *
 * The algorithm is the QR factorization of [Lᴴ; Vᴴ] by block rows. Its backward error is that of
 * Householder QR, so ‖A + V·Vᴴ − L₁·L₁ᴴ‖ ≤ c·n·(n + k)·eps·‖A + V·Vᴴ‖ (Higham 2002, theorem 19.4).
 * The diagonal of the new factor is positive. Needs temporaries for Vᴴ and a block row of the
 * factor.
 * @param uplo as given to startile_potrf()
 * @param A n × n with square tiles, the factor; overwritten by the new one
 * @param V n × k with A's tile height; read
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4
 */
int64_t startile_potrf_update_async(char uplo, startile_matrix *A, const startile_matrix *V,
                                    startile_request *request);
/** @brief Blocking startile_potrf_update_async(). */
int64_t startile_potrf_update(char uplo, startile_matrix *A, const startile_matrix *V);

/**
 * @brief Downdates a Cholesky factor: the factor of A becomes that of A − V·Vᴴ (LINPACK xCHDD), in
 * about 3·n²·k + 2·n²·nb operations.
 *
 * With P = L⁻¹·V and the Cholesky factor C of I − Pᴴ·P, unitary transformations eliminate P from
 * [P; C] and turn [Lᴴ; 0] into [L₁ᴴ; Z]. No hyperbolic transformations are used. ‖A − V·Vᴴ −
 * L₁·L₁ᴴ‖ ≤ c·n·(n + k)·eps·‖A‖ (Stewart, IMA J. Appl. Math. 23, 1979). This is relative to A: if A
 * − V·Vᴴ is much smaller than A, or nearly singular, its factor is not accurate, whatever method
 * computes it from L. Needs temporaries of twice the size of V and for a block row of the factor.
 * @param uplo as given to startile_potrf()
 * @param A n × n with square tiles, the factor; overwritten by the new one
 * @param V n × k with A's tile height; read
 * @param request request into which the tasks are submitted; info j > 0: A − V_j·V_jᴴ, where V_j
 *         has the first j columns of V, is not positive definite to working precision; A then still
 *         has the factor from before the call
 * @return 0, −1 … −4
 */
int64_t startile_potrf_downdate_async(char uplo, startile_matrix *A, const startile_matrix *V,
                                      startile_request *request);
/** @brief Blocking startile_potrf_downdate_async(); returns info. */
int64_t startile_potrf_downdate(char uplo, startile_matrix *A, const startile_matrix *V);

/**
 * @brief Computes A := A⁻¹ for a triangular matrix, in place (LAPACK xTRTRI).
 *
 * For each block column the algorithm solves with the diagonal tile from the right, updates by
 * products, and solves with the diagonal tile from the left. The inverse of a diagonal tile T is
 * the solution of T·X = I, in a temporary of the tile's size.
 * @param uplo 'L' or 'U': the triangle that is read and overwritten; the other is not touched
 * @param diag 'U': A has a diagonal of ones, which is neither read nor written; 'N': the diagonal
 *         is read and overwritten
 * @param A n × n with square tiles
 * @param request request into which the tasks are submitted; info k > 0: A(k, k) is the first
 *         diagonal element that is exactly zero; A is then not changed
 * @return 0, −1 … −4
 */
int64_t startile_trtri_async(char uplo, char diag, startile_matrix *A, startile_request *request);
/** @brief Blocking startile_trtri_async(); returns info. */
int64_t startile_trtri(char uplo, char diag, startile_matrix *A);

/**
 * @brief Computes A := Lᴴ·L or A := U·Uᴴ for the triangle of A, in place (LAPACK xLAUUM).
 *
 * The imaginary parts of the diagonal are ignored, as in LAPACK's xLAUU2. Each diagonal tile needs
 * a temporary of its size.
 * @param uplo 'L' or 'U': the triangle that is read and overwritten by this triangle of the
 *         product; the other is not touched
 * @param A n × n with square tiles
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int64_t startile_lauum_async(char uplo, startile_matrix *A, startile_request *request);
/** @brief Blocking startile_lauum_async(). */
int64_t startile_lauum(char uplo, startile_matrix *A);

/**
 * @brief Computes the inverse X of a Hermitian positive definite matrix from its Cholesky factor
 * (LAPACK xPOTRI): startile_trtri(), then startile_lauum(). ‖A·X − I‖ ≤ c·n·eps·cond(A) (Higham
 * 2002, chapter 14).
 * @param uplo 'L' or 'U': the triangle of the factor, overwritten by this triangle of the inverse
 * @param A n × n with square tiles
 * @param request request into which the tasks are submitted; info as for startile_trtri_async()
 * @return 0, −1 … −3
 */
int64_t startile_potri_async(char uplo, startile_matrix *A, startile_request *request);
/** @brief Blocking startile_potri_async(); returns info. */
int64_t startile_potri(char uplo, startile_matrix *A);

/**
 * @brief Reduces a generalized Hermitian eigenproblem to standard form C·y = λ·y with B = L·Lᴴ or
 * Uᴴ·U (LAPACK xHEGST; xSYGST for real types).
 *
 * | itype | eigenproblem | C, uplo 'L' | C, uplo 'U' | x of an eigenvector y of C |
 * |---|---|---|---|---|
 * | 1 | A·x = λ·B·x | L⁻¹·A·L⁻ᴴ | U⁻ᴴ·A·U⁻¹ | L⁻ᴴ·y or U⁻¹·y |
 * | 2 | A·B·x = λ·x | Lᴴ·A·L | U·A·Uᴴ | L⁻ᴴ·y or U⁻¹·y |
 * | 3 | B·A·x = λ·x | Lᴴ·A·L | U·A·Uᴴ | L·y or Uᴴ·y |
 *
 * n³ operations by products of tiles (Poulson, van de Geijn & Bennighof, FLAME Working Note 56,
 * 2011, variant 4), and n²·nb more. The temporaries are n·nb elements, and as many for each step
 * with unfinished tasks.
 * @param itype 1, 2 or 3
 * @param uplo 'L' or 'U': the triangle of A that is read and overwritten by this triangle of C, and
 *        the triangle of the factor in B; the others are not touched. The imaginary parts of A's
 *        diagonal are ignored
 * @param A n × n with square tiles
 * @param B the factor from startile_potrf_async(), with A's tiles; read. If that fails in the same
 *        request, A is not changed with itype 1, but may be with 2 and 3
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int64_t startile_hegst_async(int itype, char uplo, startile_matrix *A, const startile_matrix *B,
                             startile_request *request);
/** @brief Blocking startile_hegst_async(). */
int64_t startile_hegst(int itype, char uplo, startile_matrix *A, const startile_matrix *B);

/**
 * @brief Estimates the reciprocal condition number 1 / (‖A‖₁·‖A⁻¹‖₁) from a Cholesky factor (LAPACK
 * xPOCON), by the method of startile_gecon_async().
 * @param uplo 'L' or 'U': the triangle of the factor
 * @param A n × n with square tiles, at most 1024 × 1024 of them; read
 * @param anorm the 1-norm of A before the factorization, as for startile_gecon_async()
 * @param[out] rcond as for startile_gecon_async()
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int64_t startile_pocon_async(char uplo, const startile_matrix *A, const double *anorm,
                             double *rcond, startile_request *request);
/** @brief Blocking startile_pocon_async(). */
int64_t startile_pocon(char uplo, const startile_matrix *A, const double *anorm, double *rcond);

/**
 * @brief Computes log det A from the Cholesky factor of A (LINPACK xPODI).
 *
 * The method and its error are those of startile_gedet_async(). Only the factor's diagonal is read,
 * which is the same for both triangles.
 * @param A n × n with square tiles, the factor; read
 * @param[out] logdet the result, valid when the request has finished without a failure; 0 for n = 0
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int64_t startile_podet_async(const startile_matrix *A, double *logdet, startile_request *request);
/** @brief Blocking startile_podet_async(). */
int64_t startile_podet(const startile_matrix *A, double *logdet);

/** @} */

/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup lu LU
 *
 *  The factorizations divide a matrix into block columns of nb columns, the width of its tiles, and
 *  process a block column as a whole, even if several tiles hold it. **Tiles as tall as the matrix
 *  (mb = m)** are the recommended shape; startile_tile_shape() returns one. A diagonal block of nb
 *  rows must lie in one tile: mb must be a multiple of nb, or at least m. There
 *  may be at most 1024 rows and 1024 columns of tiles.
 *
 *  Row interchanges on a GPU need shared memory for 2·nb elements; they end with
 *  #STARTILE_ERROR_DEVICE if a thread block has less. In complex double this allows nb = 6500 for
 *  227 KiB (compute capability 9.0), 4500 for 163 KiB (8.0) and 2500 for 99 KiB (8.6, 8.9), in
 *  other types twice as much.
 *
 *  **Threads.** Several threads may call these functions at once, each on its own matrices, pivots
 *  and requests; startile.h has the whole rule.
 *  @{
 */

/** @brief Row interchanges of an LU factorization: one StarPU handle per panel of nb columns. */
typedef struct startile_pivots startile_pivots;

/**
 * @brief Creates the pivots for a factorization of A: min(m, n) pivots, in panels of A's tile
 * width. Until a factorization writes them they are the identity permutation. Collective on a grid.
 * @param[out] P the new pivots
 * @param A m × n, not on a symmetric grid; only its shape and its grid are used
 * @return 0, −1, −2, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU; on a grid also
 *         #STARTILE_ERROR_MPI, #STARTILE_ERROR_MISMATCH
 */
int64_t startile_pivots_create(startile_pivots **P, const startile_matrix *A);

/** @brief Waits for the tasks on the pivots, then frees them; NULL is allowed. */
void startile_pivots_destroy(startile_pivots *P);

/**
 * @brief Copies the pivots to LAPACK's ipiv: row i was interchanged with row ipiv[i − 1], both
 * 1-based. Blocking: waits for the tasks that write the pivots. Collective on a grid.
 * @param P pivots of startile_getrf() or startile_getrf_tntpiv(); read
 * @param[out] ipiv min(m, n) elements
 * @return 0, −1, −2 or a ::startile_error
 */
int64_t startile_pivots_to_lapack(startile_pivots *P, int64_t *ipiv);

/**
 * @brief Sets the pivots from LAPACK's ipiv. Blocking; collective on a grid.
 * @param P written
 * @param ipiv min(m, n) elements, each between its own 1-based index and m; read
 * @return 0, −1, −2 (also for an element out of range; P is then unchanged) or a ::startile_error
 */
int64_t startile_pivots_from_lapack(startile_pivots *P, const int64_t *ipiv);

/**
 * @brief Returns StarPU's handle of panel k, from 0, for the caller's own tasks; NULL if out of
 * range. Thread-safe.
 *
 * The handle has a matrix interface of int64_t with 5 columns and one row per pivot of the panel.
 * The first column holds the panel's elements of ipiv, as returned by startile_pivots_to_lapack();
 * the caller may read it. The other columns are internal.
 */
starpu_data_handle_t startile_pivots_handle(const startile_pivots *P, int64_t k);

/**
 * @brief Computes the LU factorization with partial pivoting, P·A = L·U (LAPACK xGETRF).
 *
 * The algorithm is right-looking over block columns, with look-ahead by priorities (Volkov & Demmel
 * 2008, section 5). A step factors a panel with row interchanges. Each block column to its
 * right then gets the row interchanges, a triangular solve and a product. The block columns of L to
 * its left get the interchanges of several panels at a time. The pivot of a column is its largest
 * element by |re| + |im|; of equal elements the topmost. On a GPU a multiplication by the inverse
 * of the panel's unit lower triangle T replaces the triangular solve if ‖T⁻¹‖₁·‖T‖₁ is at most the
 * order of T. The backward error is ‖P·A − L·U‖ ≤ c·n·eps·‖L‖·‖U‖. The growth of U's elements over
 * A's is at most 2ⁿ⁻¹ and nearly always small (Higham 2002, sections 9.3 and 9.4).
 *
 * On a grid with several process rows the processes of a column factor a panel together, each on
 * its own rows, with the pivots that one process would choose; a NaN counts as the largest element
 * there. Each process needs a CPU worker.
 *
 * @param A m × n; overwritten by L (unit diagonal not stored) and U
 * @param P created for A's shape; overwritten
 * @param request request into which the tasks are submitted; info k > 0: U(k, k) is the first
 *         diagonal element of U that is exactly zero. The factorization is complete. Tasks of
 *         operations submitted into the request after it do nothing if they have not begun when the
 *         zero is found; others run, and the results of these operations are undefined.
 *         startile_getrs(), with the factors in the same request, leaves B unchanged.
 * @return 0, −1 … −3
 */
int64_t startile_getrf_async(startile_matrix *A, startile_pivots *P, startile_request *request);
/** @brief Blocking startile_getrf_async(); returns info. */
int64_t startile_getrf(startile_matrix *A, startile_pivots *P);

/**
 * @brief Computes the LU factorization without pivoting, A = L·U, by the algorithm of
 * startile_getrf_async().
 *
 * Use it only for matrices that need no pivoting, for example diagonally dominant ones. For other
 * matrices the growth of the elements is unbounded, and a small pivot makes the result inaccurate
 * without an error code.
 *
 * @param A m × n; overwritten by L and U
 * @param request request into which the tasks are submitted; info k > 0: U(k, k) is the first
 *         diagonal element of U that is exactly zero; the leading k − 1 rows and columns of the
 *         factors are valid, the rest is undefined
 * @return 0, −1, −2
 */
int64_t startile_getrf_nopiv_async(startile_matrix *A, startile_request *request);
/** @brief Blocking startile_getrf_nopiv_async(); returns info. */
int64_t startile_getrf_nopiv(startile_matrix *A);

/**
 * @brief Computes the LU factorization with tournament pivoting, P·A = L·U: communication-avoiding
 * LU (Grigori, Demmel & Xiang, "CALU: a communication optimal LU factorization algorithm", SIAM J.
 * Matrix Anal. Appl. 32, 2011).
 *
 * A binary tree of small factorizations with partial pivoting, which run in parallel, selects the
 * pivot rows of a panel; the panel is then factored without further pivoting. Elements of L are not
 * bounded by 1. The growth of U's elements is at most 2^(n(H+1)−1), where H is ⌈log₂ l⌉ for a
 * panel's tree of l leaves; on a grid each process row counts as at least one leaf. For partial
 * pivoting the growth is at most 2^(n−1). In the paper's experiments the growth was at most a small
 * multiple of the growth with partial pivoting. Every routine that takes the factors and pivots of
 * startile_getrf() takes these too.
 *
 * @param A m × n; overwritten by L and U
 * @param P created for A's shape; overwritten
 * @param request request into which the tasks are submitted; info as for
 *         startile_getrf_nopiv_async()
 * @return 0, −1 … −3
 */
int64_t startile_getrf_tntpiv_async(startile_matrix *A, startile_pivots *P,
                                    startile_request *request);
/** @brief Blocking startile_getrf_tntpiv_async(); returns info. */
int64_t startile_getrf_tntpiv(startile_matrix *A, startile_pivots *P);

/**
 * @brief Solves op(A)·X = B with the factors of an LU factorization (LAPACK xGETRS). Rounding
 * errors are those of startile_trsm_async().
 * @param trans 'N': A·X = B; 'T': Aᵀ·X = B; 'C': Aᴴ·X = B
 * @param A n × n, the factors; read
 * @param P the pivots; read. NULL: no interchanges, as after startile_getrf_nopiv()
 * @param B n × nrhs; its tile height is a multiple of A's tile width, or at least n; overwritten
 *        by X
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int64_t startile_getrs_async(char trans, const startile_matrix *A, const startile_pivots *P,
                             startile_matrix *B, startile_request *request);
/** @brief Blocking startile_getrs_async(). */
int64_t startile_getrs(char trans, const startile_matrix *A, const startile_pivots *P,
                       startile_matrix *B);

/**
 * @brief Factors A and solves A·X = B (LAPACK xGESV), with optional iterative refinement (LAPACK
 * xGERFS: residual in working precision, Higham 2002, chapter 12).
 *
 * One step makes the solve componentwise backward stable unless A is close to singular. Refinement
 * needs copies of A and B.
 * @param A n × n; overwritten by its factors
 * @param P created for A's shape; overwritten
 * @param B n × nrhs, tiles as for startile_getrs_async(); overwritten by X; not changed if info > 0
 * @param refine steps of refinement, 0 … 10
 * @param request request into which the tasks are submitted; info as for startile_getrf_async()
 * @return 0, −1 … −5
 */
int64_t startile_gesv_async(startile_matrix *A, startile_pivots *P, startile_matrix *B, int refine,
                            startile_request *request);
/** @brief Blocking startile_gesv_async(); returns info. */
int64_t startile_gesv(startile_matrix *A, startile_pivots *P, startile_matrix *B, int refine);

/**
 * @brief Computes A⁻¹ from the factors of an LU factorization (LAPACK xGETRI).
 *
 * The algorithm solves A·X = I by independent block columns and skips the zeros of L⁻¹: 4/3·n³
 * operations, as LAPACK's. On a grid it solves A·X = I with the rows of I interchanged: 2·n³
 * operations. It needs a temporary of A's size. ‖A·X − I‖ ≤ c·n·eps·‖ |L|·|U|·|X| ‖ (Higham 2002,
 * section 14.3, method A).
 * @param A n × n, the factors; overwritten by the inverse
 * @param P the pivots; read. NULL: no interchanges
 * @param request request into which the tasks are submitted; info k > 0: U(k, k) is the first
 *         diagonal element of U that is exactly zero; A is then not changed
 * @return 0, −1 … −3
 */
int64_t startile_getri_async(startile_matrix *A, const startile_pivots *P,
                             startile_request *request);
/** @brief Blocking startile_getri_async(); returns info. */
int64_t startile_getri(startile_matrix *A, const startile_pivots *P);

/**
 * @brief Estimates the reciprocal condition number 1 / (‖A‖·‖A⁻¹‖) from the factors of an LU
 * factorization (LAPACK xGECON).
 *
 * Higham's 1-norm estimator (LAPACK xLACN2) returns a lower bound of ‖A⁻¹‖ that is rarely more than
 * a factor of 3 too small. The pivots are not needed, since they do not change the norm.
 * @param norm '1' or 'O': 1-norm; 'I': ∞-norm
 * @param A n × n, the factors; read
 * @param anorm this norm of A before the factorization. It is read when the operations submitted
 *        into the request before have ended, so it may be the result of startile_lange_async() in
 *        this request; it must stay in place until the request has finished. On a grid *anorm must
 *        be the same on all processes
 * @param[out] rcond the result, valid when the request has finished. 0 if U has a zero on its
 *         diagonal, if *anorm is 0, negative or NaN, if the estimate overflows or meets NaN, or if
 *         the request has failed; 1 for n = 0
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int64_t startile_gecon_async(char norm, const startile_matrix *A, const double *anorm,
                             double *rcond, startile_request *request);
/** @brief Blocking startile_gecon_async(). */
int64_t startile_gecon(char norm, const startile_matrix *A, const double *anorm, double *rcond);

/**
 * @brief Computes sign and logarithm of a determinant from the factors of an LU factorization:
 * det A = *sign · exp(*logabsdet).
 *
 * The diagonal of U is multiplied in double precision, with a separate exponent, as in LINPACK's
 * xGEDI: the product neither overflows nor underflows. The rounding of these products changes the
 * logarithm by at most 3·n·2⁻⁵³ and the argument of *sign by as much; the logarithm itself has a
 * relative error of a few 2⁻⁵³. The factors are exact for A + ΔA with the ΔA of the factorization,
 * which changes log |det A| by about |trace(A⁻¹·ΔA)| (Higham 2002, section 14.6).
 * @param A n × n, the factors; read
 * @param P the pivots; read. NULL: no interchanges, as after startile_getrf_nopiv()
 * @param[out] sign 1 or −1 for real types, a number of modulus 1 for complex ones; 0 if U has a
 * zero on its diagonal; 1 for n = 0; NaN if an element of the diagonal is not finite
 * @param[out] logabsdet log |det A|: −∞ if U has a zero on its diagonal; 0 for n = 0; not finite if
 *         an element of the diagonal is not finite. Both results are valid when the request has
 *         finished without a failure, or with the zero pivot of a startile_getrf_async() in the
 *         same request, which is no failure of this operation
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int64_t startile_gedet_async(const startile_matrix *A, const startile_pivots *P,
                             startile_complex *sign, double *logabsdet, startile_request *request);
/** @brief Blocking startile_gedet_async(). */
int64_t startile_gedet(const startile_matrix *A, const startile_pivots *P, startile_complex *sign,
                       double *logabsdet);

/** @} */

/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup symmetric Symmetric indefinite systems
 *
 *  A symmetric, or Hermitian, with D of diagonal blocks of order 1 and 2. The functions for
 *  Hermitian matrices (he…) are those for symmetric ones (sy…) with real elements. They ignore the
 *  imaginary parts of the diagonal. If there is no CPU worker, a GPU's worker computes the order of
 *  all interchanges, the inertia and the determinant, on data in main memory.
 *
 *  **Threads.** Several threads may call these functions at once, each on its own matrices, pivots
 *  and requests; startile.h has the whole rule.
 *  @{
 */

/** @brief Interchanges of a Bunch–Kaufman factorization, and the orders of the blocks of D: one
 * StarPU handle. */
typedef struct startile_symmetric_pivots startile_symmetric_pivots;

/**
 * @brief Creates the pivots for factorizations of A.
 * @param[out] P the new pivots, of no factorization
 * @param A n × n; only n is used
 * @return 0, −1, −2, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int64_t startile_symmetric_pivots_create(startile_symmetric_pivots **P, const startile_matrix *A);

/** @brief Waits for the tasks on the pivots, then frees them; NULL is allowed. */
void startile_symmetric_pivots_destroy(startile_symmetric_pivots *P);

/**
 * @brief Copies the pivots to the ipiv of LAPACK's xSYTRF and xHETRF, 1-based:
 * startile_sytrf_async() tells what it means. Blocking: waits for the tasks that write the pivots.
 * @param P pivots of startile_sytrf() or startile_hetrf(); read
 * @param[out] ipiv n elements
 * @return 0, −1, −2 or a ::startile_error
 */
int64_t startile_symmetric_pivots_to_lapack(const startile_symmetric_pivots *P, int64_t *ipiv);

/**
 * @brief Sets the pivots from LAPACK's ipiv. Blocking: waits for the tasks on the pivots.
 * @param P written
 * @param uplo 'L' or 'U': the triangle of the factorization
 * @param ipiv n elements that a factorization of this triangle can have; read
 * @return 0; −1; −2; −3, also for an ipiv that no factorization has (P is then unchanged); or a
 *         ::startile_error
 */
int64_t startile_symmetric_pivots_from_lapack(startile_symmetric_pivots *P, char uplo,
                                              const int64_t *ipiv);

/**
 * @brief Computes the Bunch–Kaufman factorization A = L·D·Lᵀ or A = U·D·Uᵀ of a symmetric matrix
 * (LAPACK xSYTRF; Bunch & Kaufman 1977).
 *
 * D has diagonal blocks of order 1 and 2. L = P₁·L₁·P₂·L₂·… has a factor Lₖ for each of them, in
 * the order of the blocks: unit lower triangular, with elements outside of the diagonal only in the
 * block's columns; and an interchange Pₖ. U = …·P₂·U₂·P₁·U₁ likewise, upper triangular, and
 * factored from the last column to the first. All is stored as LAPACK does, so that LAPACK's
 * xSYTRS, xSYCON and xSYTRI take it: D on the diagonal and, for a block of order 2, beside it in
 * the triangle; Lₖ below it or Uₖ above it. With ipiv of startile_symmetric_pivots_to_lapack():
 *  - ipiv[k] > 0: block of order 1 in row k; rows and columns k and ipiv[k] were interchanged;
 *  - ipiv[k] = ipiv[k + 1] < 0: block of order 2; with uplo 'L' rows and columns k + 1 and −ipiv[k]
 *    were interchanged, with 'U' k and −ipiv[k]. All rows are counted from 1, and ipiv[k] is the
 *    element for row k.
 *
 * The pivots are LAPACK's, up to rounding: for a column the largest elements of one or two columns
 * of the remaining matrix decide. The elements of the remaining matrix grow by at most 2.57 a
 * column, nearly always far less. |Lₖ| may be large; ‖A − L·D·Lᵀ‖ ≤ c·n²·ρ·eps·‖A‖ for the growth ρ
 * (Higham 2002, section 11.1). A NaN spreads to the factors and fails nothing.
 *
 * A pivot depends on the whole remaining matrix, so a task works on all of it: on a GPU if the
 * triangle fits its memory, else on a CPU worker, where idle CPU workers share the work.
 *
 * @param uplo 'L' or 'U': the triangle that is read and overwritten by D and by L or U; the other
 * is not touched
 * @param A n × n, symmetric, also with complex elements; at most 1024 × 1024 square tiles, not on a
 *        grid and without a journal
 * @param P created for A's order; overwritten
 * @param request request into which the tasks are submitted; info k > 0: D(k, k), a block of order
 *         1, is exactly zero, the first one in the order of the factorization. The factorization is
 *         complete. Tasks of operations submitted into the request after it do nothing if they have
 *         not begun when the zero is found.
 * @return 0, −1 … −4
 */
int64_t startile_sytrf_async(char uplo, startile_matrix *A, startile_symmetric_pivots *P,
                             startile_request *request);
/** @brief Blocking startile_sytrf_async(); returns info. */
int64_t startile_sytrf(char uplo, startile_matrix *A, startile_symmetric_pivots *P);

/**
 * @brief Computes the Bunch–Kaufman factorization A = L·D·Lᴴ or A = U·D·Uᴴ of a Hermitian matrix
 * (LAPACK xHETRF). Arguments and return values are those of startile_sytrf_async().
 */
int64_t startile_hetrf_async(char uplo, startile_matrix *A, startile_symmetric_pivots *P,
                             startile_request *request);
/** @brief Blocking startile_hetrf_async(); returns info. */
int64_t startile_hetrf(char uplo, startile_matrix *A, startile_symmetric_pivots *P);

/**
 * @brief Solves A·X = B with the factors of startile_sytrf() in A (LAPACK xSYTRS, xSYTRS2).
 *
 * The interchanges are applied to B and to a copy of L or U, which needs as much memory as A. The
 * solves with this triangle are those of startile_trsm(), in tiles, and that with D is LAPACK's.
 * The residual is ‖B − A·X‖ ≤ c·n·eps·‖ |L|·|D|·|Lᵀ| ‖·‖X‖ (Higham 2002, theorem 11.4).
 *
 * A zero pivot gives infinities or NaN. After a startile_sytrf_async() with a zero pivot in the
 * same request B does not change.
 * @param uplo as given to startile_sytrf()
 * @param A n × n, the factors, at most 1024 × 1024 square tiles, not on a grid; read
 * @param P their pivots; read. Pivots of no factorization, or of one of the other triangle, are
 *        wrong
 * @param B n × nrhs with A's tile height; overwritten by X
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int64_t startile_sytrs_async(char uplo, const startile_matrix *A,
                             const startile_symmetric_pivots *P, startile_matrix *B,
                             startile_request *request);
/** @brief Blocking startile_sytrs_async(). */
int64_t startile_sytrs(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                       startile_matrix *B);

/**
 * @brief Factors A and solves A·X = B for a symmetric A (LAPACK xSYSV).
 * @param uplo as for startile_sytrf_async()
 * @param A n × n as for startile_sytrf_async(); overwritten by its factors
 * @param P created for A's order; overwritten
 * @param B n × nrhs with A's tile height; overwritten by X; not changed if info > 0
 * @param request request into which the tasks are submitted; info as for startile_sytrf_async()
 * @return 0, −1 … −5
 */
int64_t startile_sysv_async(char uplo, startile_matrix *A, startile_symmetric_pivots *P,
                            startile_matrix *B, startile_request *request);
/** @brief Blocking startile_sysv_async(); returns info. */
int64_t startile_sysv(char uplo, startile_matrix *A, startile_symmetric_pivots *P,
                      startile_matrix *B);

/**
 * @brief Refines a solution of A·X = B with the factors of startile_sytrf(), and bounds its errors
 * (LAPACK xSYRFS), by the method of startile_porfs_async(). Temporaries: those of
 * startile_porfs_async(), and one of A's size. For a complex symmetric A the estimate uses products
 * with A⁻¹ in place of those with its conjugate transpose, as LAPACK does.
 *
 * A zero pivot gives infinities or NaN, as in startile_sytrs_async(). After a
 * startile_sytrf_async() with a zero pivot in the same request X does not change, and ferr and berr
 * are undefined.
 * @param uplo as given to startile_sytrf(): the triangle of A and of the factors
 * @param A n × n, symmetric, also with complex elements; at most 1024 × 1024 square tiles, not on a
 *        grid; read
 * @param F its factors in tiles of A's size; read
 * @param P their pivots, as for startile_sytrs_async(); read
 * @param B n × nrhs with A's tile height; read
 * @param X n × nrhs with B's tiles; refined
 * @param[out] ferr nrhs numbers, as for startile_porfs_async()
 * @param[out] berr nrhs numbers, as for startile_porfs_async()
 * @param request request into which the tasks are submitted; ferr and berr are valid when it has
 *        finished without a failure
 * @return 0, −1 … −9
 */
int64_t startile_syrfs_async(char uplo, const startile_matrix *A, const startile_matrix *F,
                             const startile_symmetric_pivots *P, const startile_matrix *B,
                             startile_matrix *X, double *ferr, double *berr,
                             startile_request *request);
/** @brief Blocking startile_syrfs_async(). */
int64_t startile_syrfs(char uplo, const startile_matrix *A, const startile_matrix *F,
                       const startile_symmetric_pivots *P, const startile_matrix *B,
                       startile_matrix *X, double *ferr, double *berr);

/**
 * @brief Estimates the reciprocal condition number 1 / (‖A‖₁·‖A⁻¹‖₁) from the factors of
 * startile_sytrf() (LAPACK xSYCON), by the method of startile_gecon_async(). For a complex
 * symmetric A the estimator uses products with A⁻¹ in place of those with its conjugate transpose,
 * as LAPACK does.
 * @param uplo as given to startile_sytrf()
 * @param A n × n, the factors, as for startile_sytrs_async(); read
 * @param P their pivots; read
 * @param anorm the 1-norm of A before the factorization, as for startile_gecon_async()
 * @param[out] rcond as for startile_gecon_async(); 0 for a singular D
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −6
 */
int64_t startile_sycon_async(char uplo, const startile_matrix *A,
                             const startile_symmetric_pivots *P, const double *anorm, double *rcond,
                             startile_request *request);
/** @brief Blocking startile_sycon_async(). */
int64_t startile_sycon(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                       const double *anorm, double *rcond);

/**
 * @brief Computes the inverse of a symmetric matrix from its factors (LAPACK xSYTRI), as the
 * solution of A·X = I. This takes 2·n³ multiplications and additions, in products of tiles, and
 * temporaries of twice A's size.
 * @param uplo as given to startile_sytrf()
 * @param A n × n, the factors, as for startile_sytrs_async(); the triangle is overwritten by that
 * of A⁻¹
 * @param P their pivots; read
 * @param request request into which the tasks are submitted; info k > 0: D(k, k), a block of order
 *        1, is exactly zero, the first one with uplo 'L', the last one with 'U', as in LAPACK; A is
 *        then not changed
 * @return 0, −1 … −4
 */
int64_t startile_sytri_async(char uplo, startile_matrix *A, const startile_symmetric_pivots *P,
                             startile_request *request);
/** @brief Blocking startile_sytri_async(); returns info. */
int64_t startile_sytri(char uplo, startile_matrix *A, const startile_symmetric_pivots *P);

/**
 * @brief Computes sign and logarithm of a determinant from the factors of startile_sytrf(): det A =
 * det D = *sign · exp(*logabsdet), by the method of startile_gedet_async().
 * @param uplo as given to startile_sytrf()
 * @param A n × n, the factors, as for startile_sytrs_async(); read
 * @param P their pivots; read
 * @param[out] sign as for startile_gedet_async(); 0 for a singular D
 * @param[out] logabsdet as for startile_gedet_async(); −∞ for a singular D
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −6
 */
int64_t startile_sydet_async(char uplo, const startile_matrix *A,
                             const startile_symmetric_pivots *P, startile_complex *sign,
                             double *logabsdet, startile_request *request);
/** @brief Blocking startile_sydet_async(). */
int64_t startile_sydet(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                       startile_complex *sign, double *logabsdet);

/** @brief startile_sytrs_async() for a Hermitian A, with the factors of startile_hetrf(). */
int64_t startile_hetrs_async(char uplo, const startile_matrix *A,
                             const startile_symmetric_pivots *P, startile_matrix *B,
                             startile_request *request);
/** @brief Blocking startile_hetrs_async(). */
int64_t startile_hetrs(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                       startile_matrix *B);
/** @brief startile_sysv_async() for a Hermitian A. */
int64_t startile_hesv_async(char uplo, startile_matrix *A, startile_symmetric_pivots *P,
                            startile_matrix *B, startile_request *request);
/** @brief Blocking startile_hesv_async(); returns info. */
int64_t startile_hesv(char uplo, startile_matrix *A, startile_symmetric_pivots *P,
                      startile_matrix *B);
/** @brief startile_syrfs_async() for a Hermitian A, with the factors of startile_hetrf(). */
int64_t startile_herfs_async(char uplo, const startile_matrix *A, const startile_matrix *F,
                             const startile_symmetric_pivots *P, const startile_matrix *B,
                             startile_matrix *X, double *ferr, double *berr,
                             startile_request *request);
/** @brief Blocking startile_herfs_async(). */
int64_t startile_herfs(char uplo, const startile_matrix *A, const startile_matrix *F,
                       const startile_symmetric_pivots *P, const startile_matrix *B,
                       startile_matrix *X, double *ferr, double *berr);
/** @brief startile_sycon_async() for a Hermitian A, with the factors of startile_hetrf(). */
int64_t startile_hecon_async(char uplo, const startile_matrix *A,
                             const startile_symmetric_pivots *P, const double *anorm, double *rcond,
                             startile_request *request);
/** @brief Blocking startile_hecon_async(). */
int64_t startile_hecon(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                       const double *anorm, double *rcond);
/** @brief startile_sytri_async() for a Hermitian A, with the factors of startile_hetrf(). */
int64_t startile_hetri_async(char uplo, startile_matrix *A, const startile_symmetric_pivots *P,
                             startile_request *request);
/** @brief Blocking startile_hetri_async(); returns info. */
int64_t startile_hetri(char uplo, startile_matrix *A, const startile_symmetric_pivots *P);
/** @brief startile_sydet_async() for a Hermitian A, with the factors of startile_hetrf(). The
 * determinant is real. */
int64_t startile_hedet_async(char uplo, const startile_matrix *A,
                             const startile_symmetric_pivots *P, startile_complex *sign,
                             double *logabsdet, startile_request *request);
/** @brief Blocking startile_hedet_async(). */
int64_t startile_hedet(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                       startile_complex *sign, double *logabsdet);

/**
 * @brief Computes the inertia of a Hermitian matrix, or of a real symmetric one: the numbers of its
 * positive, negative and zero eigenvalues, which are those of D by Sylvester's law of inertia
 * (Bunch & Kaufman 1977).
 *
 * The numbers are exact for a matrix within the backward error of startile_hetrf_async(). A block
 * of order 2 has an eigenvalue of each sign.
 * @param uplo as given to startile_hetrf(), or for real types startile_sytrf()
 * @param A n × n, the factors, as for startile_sytrs_async(); read
 * @param P their pivots; read
 * @param[out] inertia numbers of positive, negative and zero eigenvalues; a NaN in D counts as
 * zero. Valid when the request has finished without a failure, or with the zero pivot of a
 *        startile_hetrf_async() in the same request
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −5
 */
int64_t startile_heinertia_async(char uplo, const startile_matrix *A,
                                 const startile_symmetric_pivots *P, int64_t *inertia,
                                 startile_request *request);
/** @brief Blocking startile_heinertia_async(). */
int64_t startile_heinertia(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                           int64_t *inertia);

/** @} */

/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup aasen Symmetric indefinite systems by Aasen's method
 *
 *  P·A·Pᵀ = L·T·Lᵀ with a band matrix T, for several GPUs, and for matrices that need the memory of
 *  several processes: the panels are those of LU with partial pivoting, and all tasks run on CPUs
 *  and GPUs. The functions he… for Hermitian matrices are those for symmetric ones with real
 *  elements. They ignore the imaginary parts of the diagonal.
 *
 *  **Threads.** Several threads may call these functions at once, each on its own matrices, pivots
 *  and requests; startile.h has the whole rule.
 *  @{
 */

/**
 * @brief Computes Aasen's factorization P·A·Pᵀ = L·T·Lᵀ or P·A·Pᵀ = Uᵀ·T·U of a symmetric matrix in
 * two stages (LAPACK xSYTRF_AA_2STAGE; Ballard, Becker, Demmel, Dongarra, Druinsky, Peled,
 * Schwartz, Toledo & Yamazaki 2014).
 *
 * In tiles of order nb, L is unit lower triangular, and its first block column is that of the
 * identity; U = Lᵀ. T is a symmetric band matrix with nb diagonals on each side of the main one.
 * The second stage is its LU factorization with partial pivoting, T = Q₀ᵀ·L₀·Q₁ᵀ·L₁·…·V: V is upper
 * triangular, Lₖ differs from the identity in block column k, below the diagonal, and the
 * interchanges Qₖ move rows of blocks k and k + 1.
 *  - A: block (i, k) below the diagonal := block (i, k + 1) of L, as LAPACK stores it; block
 *    (k, i) := block (k + 1, i) of U with uplo 'U'. The triangles of the blocks L(k, k) that are
 *    stored there have their zeros and ones. The diagonal blocks of A do not change.
 *  - P: rows and columns i and ipiv[i] of startile_pivots_to_lapack() were interchanged, for i = 1,
 *    2, …; the first nb are not interchanged.
 *  - band: blocks (k, k) … (k, k + 2) := V; (k, k) below the diagonal and (k + 1, k) := Lₖ, with
 * all interchanges Qₖ applied. LAPACK stores the same V.
 *  - band_pivots: Qₖ, as those of startile_getrf_async() for block column k.
 *
 * |L| ≤ 1. ‖P·A·Pᵀ − L·T·Lᵀ‖ ≤ c·n²·eps·‖T‖ (Higham 2002, section 11.2). ‖T‖ is nearly always a
 * small multiple of ‖A‖; its bound grows exponentially with n, as that of U in LU with partial
 * pivoting. A NaN spreads to the factors and fails nothing.
 *
 * It takes n³/6 multiplications and as many additions, and 1.5·n²·nb more of both. Temporaries take
 * 2·n² + 5·n·nb elements, and n·nb more for each of several GPUs. A step updates one block column,
 * because the interchanges of its panel decide what the next block column is; several GPUs share
 * the products of this update. The second stage runs beside the first.
 *
 * On a grid P processes share the temporaries and the products in the same way: block column j of L
 * belongs to process j mod P, whatever the distribution of A is. All processes together send about
 * (P/2 + 2)·n² elements. Of several GPUs of a process only one multiplies.
 *
 * @param uplo 'L' or 'U': the triangle that is read and overwritten; the other is not touched
 * @param A n × n, symmetric, also with complex elements; at most 1024 × 1024 square tiles, not on a
 *        symmetric grid and without a journal
 * @param P created for A; overwritten
 * @param band n × n with A's type and tiles; overwritten in the blocks above. A matrix of
 *        startile_matrix_create() takes memory for these blocks only
 * @param band_pivots created for `band`; overwritten
 * @param request request into which the tasks are submitted; info k > 0: V(k, k) is exactly zero,
 *         the first one. The factorization is complete. Tasks of operations submitted into the
 *         request after it do nothing if they have not begun when the zero is found.
 * @return 0, −1 … −6
 */
int64_t startile_sytrf_aa_async(char uplo, startile_matrix *A, startile_pivots *P,
                                startile_matrix *band, startile_pivots *band_pivots,
                                startile_request *request);
/** @brief Blocking startile_sytrf_aa_async(); returns info. */
int64_t startile_sytrf_aa(char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
                          startile_pivots *band_pivots);

/**
 * @brief Solves A·X = B with the factors of startile_sytrf_aa() (LAPACK xSYTRS_AA_2STAGE).
 *
 * A zero on V's diagonal gives infinities or NaN. After a startile_sytrf_aa_async() with info > 0
 * in the same request B does not change.
 * @param uplo as given to startile_sytrf_aa()
 * @param A n × n, L or U as startile_sytrf_aa_async() stores it; read
 * @param P its interchanges; read
 * @param band the factors of T; read
 * @param band_pivots their interchanges; read
 * @param B n × nrhs with A's tile height; overwritten by X
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −7
 */
int64_t startile_sytrs_aa_async(char uplo, const startile_matrix *A, const startile_pivots *P,
                                const startile_matrix *band, const startile_pivots *band_pivots,
                                startile_matrix *B, startile_request *request);
/** @brief Blocking startile_sytrs_aa_async(). */
int64_t startile_sytrs_aa(char uplo, const startile_matrix *A, const startile_pivots *P,
                          const startile_matrix *band, const startile_pivots *band_pivots,
                          startile_matrix *B);

/**
 * @brief Factors A and solves A·X = B for a symmetric A (LAPACK xSYSV_AA_2STAGE).
 * @param uplo as for startile_sytrf_aa_async()
 * @param A n × n as for startile_sytrf_aa_async(); overwritten by L or U
 * @param P created for A; overwritten
 * @param band n × n as for startile_sytrf_aa_async(); overwritten by the factors of T
 * @param band_pivots created for `band`; overwritten
 * @param B n × nrhs with A's tile height; overwritten by X; not changed if info > 0
 * @param request request into which the tasks are submitted; info as for startile_sytrf_aa_async()
 * @return 0, −1 … −7
 */
int64_t startile_sysv_aa_async(char uplo, startile_matrix *A, startile_pivots *P,
                               startile_matrix *band, startile_pivots *band_pivots,
                               startile_matrix *B, startile_request *request);
/** @brief Blocking startile_sysv_aa_async(); returns info. */
int64_t startile_sysv_aa(char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
                         startile_pivots *band_pivots, startile_matrix *B);

/** @brief startile_sytrf_aa_async() for a Hermitian A = Pᵀ·L·T·Lᴴ·P (LAPACK xHETRF_AA_2STAGE). */
int64_t startile_hetrf_aa_async(char uplo, startile_matrix *A, startile_pivots *P,
                                startile_matrix *band, startile_pivots *band_pivots,
                                startile_request *request);
/** @brief Blocking startile_hetrf_aa_async(); returns info. */
int64_t startile_hetrf_aa(char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
                          startile_pivots *band_pivots);
/** @brief startile_sytrs_aa_async() for a Hermitian A, with the factors of startile_hetrf_aa(). */
int64_t startile_hetrs_aa_async(char uplo, const startile_matrix *A, const startile_pivots *P,
                                const startile_matrix *band, const startile_pivots *band_pivots,
                                startile_matrix *B, startile_request *request);
/** @brief Blocking startile_hetrs_aa_async(). */
int64_t startile_hetrs_aa(char uplo, const startile_matrix *A, const startile_pivots *P,
                          const startile_matrix *band, const startile_pivots *band_pivots,
                          startile_matrix *B);
/** @brief startile_sysv_aa_async() for a Hermitian A. */
int64_t startile_hesv_aa_async(char uplo, startile_matrix *A, startile_pivots *P,
                               startile_matrix *band, startile_pivots *band_pivots,
                               startile_matrix *B, startile_request *request);
/** @brief Blocking startile_hesv_aa_async(); returns info. */
int64_t startile_hesv_aa(char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
                         startile_pivots *band_pivots, startile_matrix *B);

/** @} */

/* ------------------------------------------------------------------------------------------- */
/**
 * @defgroup qr QR and least squares
 *
 *  A = Q·R with Q = H₁·H₂·…, a product of Householder reflectors Hᵢ = I − τᵢ·vᵢ·vᵢᴴ in LAPACK's
 *  form: vᵢ is stored below the diagonal of A's column i (its element on the diagonal is 1), τᵢ in
 *  tau. The reflectors of a block column form one block reflector I − V·T·Vᴴ (Schreiber & Van Loan,
 *  SIAM J. Sci. Stat. Comput. 10, 1989). The triangles T, with tau on their diagonals, are stored
 *  in an object of their own, ::startile_reflectors. Tiles are as for LU.
 *
 *  **Threads.** Several threads may call these functions at once, each on its own matrices,
 *  reflectors, trees and requests; startile.h has the whole rule.
 *  @{
 */

/**
 * @brief Triangles T of the block reflectors of a QR or LQ factorization: one StarPU handle per
 * panel of nb columns.
 */
typedef struct startile_reflectors startile_reflectors;

/**
 * @brief Creates the triangles for a factorization of A with min(m, n) reflectors. Collective on a
 * grid.
 * @param[out] T the new triangles
 * @param A m × n; only its shape, its type and its grid are used
 * @return 0, −1, −2, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU; on a grid as
 *         startile_matrix_create_distributed()
 */
int64_t startile_reflectors_create(startile_reflectors **T, const startile_matrix *A);

/**
 * @brief Uses a matrix for the triangles of k reflectors: for handles of the caller, for a file, or
 * for less than min(m, n) reflectors.
 *
 * T and M are one object, which is destroyed once, as T or as M.
 * @param[out] T the triangles
 * @param M nb × k elements in tiles of nb × nb, where nb is the tile width of the matrices that T
 *        is used with
 * @return 0, −1, −2 also for other tiles
 */
int64_t startile_reflectors_from_matrix(startile_reflectors **T, startile_matrix *M);

/** @brief Waits for the tasks on the triangles, then frees them; NULL is allowed. */
void startile_reflectors_destroy(startile_reflectors *T);

/**
 * @brief Returns the triangles as a matrix of nb × k elements in tiles of nb × nb, for
 * startile_matrix_handle(), startile_lacpy() and so on; NULL for NULL. It is T's object.
 * Thread-safe.
 */
startile_matrix *startile_reflectors_matrix(startile_reflectors *T);

/**
 * @brief Copies LAPACK's tau from the diagonals of T's tiles. Blocking: waits for the tasks that
 * write T. Collective on a grid.
 * @param T triangles of startile_geqrf() or startile_gelqf(); read
 * @param[out] tau as many elements as there are reflectors, of A's type
 * @return 0, −1, −2 or a ::startile_error
 */
int64_t startile_reflectors_to_lapack(startile_reflectors *T, void *tau);

/**
 * @brief Computes T from reflectors in A and tau, as LAPACK's xGEQRF or xGELQF returns them (LAPACK
 * xLARFT). Blocking; collective on a grid.
 * @param storev 'C': the reflectors are columns of A (QR); 'R': they are rows of A (LQ)
 * @param A m × n, the reflectors; read
 * @param tau as many elements as T has reflectors; read
 * @param T written
 * @return 0, −1 … −4 or a ::startile_error
 */
int64_t startile_reflectors_from_lapack(char storev, const startile_matrix *A, const void *tau,
                                        startile_reflectors *T);

/**
 * @brief Computes the QR factorization A = Q·R (LAPACK xGEQRF).
 *
 * The algorithm is right-looking over block columns, with look-ahead by priorities. A step factors
 * a panel and applies its block reflector to each block column to the right. Backward error: A + ΔA
 * = Q·R with ‖ΔA‖ ≤ c·m·n·eps·‖A‖ column by column, and Q orthogonal to working precision, for
 * every A (Higham 2002, theorem 19.4).
 *
 * On a grid with several process rows a panel is factored by TSQR, and LAPACK's V, T and R are
 * reconstructed with the same bounds. If a column is zero below the diagonal there, tau is 2 and
 * R's diagonal element has the other sign, while LAPACK has tau = 0. Temporaries on each process: a
 * copy of its part of the panels that are being factored.
 *
 * @param A m × n; overwritten by R on and above the diagonal and V below it
 * @param T created for A's shape; overwritten
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int64_t startile_geqrf_async(startile_matrix *A, startile_reflectors *T, startile_request *request);
/** @brief Blocking startile_geqrf_async(). */
int64_t startile_geqrf(startile_matrix *A, startile_reflectors *T);

/**
 * @brief Computes the QR factorization with column pivoting A·P = Q·R (LAPACK xGEQP3).
 *
 * In each step the column with the largest remaining 2-norm becomes the next one; of equal norms
 * the first, and a NaN counts as the largest. |R(k, k)| ≥ ‖R(k:j, j)‖₂ for j > k, up to rounding,
 * so the diagonal of R decreases and shows the numerical rank. Columns that
 * startile_permutation_choose() has chosen come first, without pivoting among them. The norms are
 * down-dated, and computed anew after cancellation (Drmač & Bujanović, ACM TOMS 35, 2008). Backward
 * error as for startile_geqrf_async().
 *
 * The pivot of a column depends on all columns right of it, so A is read once for each column, and
 * a task works on all of A: on a GPU if all of A fits its memory, else on a CPU worker, where idle
 * CPU workers share the work.
 *
 * @param A m × n, in tiles of m rows, not on a grid and without a journal; overwritten by R on and
 *        above the diagonal and V below it
 * @param P created for A's number of columns; overwritten unless m = 0
 * @param T created for A's shape; overwritten
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −4; in the request STARTILE_ERROR_NO_WORKER without a CPU worker, with
 *         startile_options::verify
 */
int64_t startile_geqp3_async(startile_matrix *A, startile_permutation *P, startile_reflectors *T,
                             startile_request *request);
/** @brief Blocking startile_geqp3_async(). */
int64_t startile_geqp3(startile_matrix *A, startile_permutation *P, startile_reflectors *T);

/**
 * @brief Computes a QR factorization with column pivoting A·P = Q·R by random sketches, at half to
 * four fifths of the speed of startile_geqrf() on an H200.
 *
 * For each panel of nb columns, LU with partial pivoting of a sketch AᴴG chooses the columns, where
 * G has nb random columns (Martinsson, Quintana-Ortí, Heavner & van de Geijn, SIAM J. Sci. Comput.
 * 39, 2017; Duersch & Gu, SIAM J. Sci. Comput. 39, 2017; Melnichenko, Murray, Killian, Demmel,
 * Mahoney & Luszczek, arXiv 2507.00976). The pivots are not LAPACK's, and the diagonal of R
 * decreases only from panel to panel: within a panel it does not show the numerical rank. The
 * backward error is that of startile_geqrf_async(). The same seed gives the same factors on the
 * same devices. Temporaries: m × nb and n × nb elements, and m × nb more if A is in several
 * memories. If A exceeds the memory, each panel transfers the columns right of it twice.
 *
 * On a grid with one process row one process chooses the columns, and sends its choice to all once
 * for each panel. All processes have G. Grids with several process rows are refused, because no
 * process has whole columns there. Every process creates P, passes the same seed and gets the same
 * P. The columns are those of one process, unless rounding errors decide between two.
 *
 * @param A m × n, in tiles of m rows, without a journal, and not on a grid with several process
 *        rows; overwritten by R on and above the diagonal and V below it
 * @param P created for A's number of columns; overwritten unless m = 0. No column may be chosen
 *        (startile_permutation_choose())
 * @param T created for A's shape; overwritten
 * @param seed of the random numbers
 * @param request request into which the tasks are submitted
 * @return 0, −1, −2, −3 or −5; in the request STARTILE_ERROR_NO_WORKER as startile_geqp3_async()
 */
int64_t startile_geqp3_random_async(startile_matrix *A, startile_permutation *P,
                                    startile_reflectors *T, uint64_t seed,
                                    startile_request *request);
/** @brief Blocking startile_geqp3_random_async(). */
int64_t startile_geqp3_random(startile_matrix *A, startile_permutation *P, startile_reflectors *T,
                              uint64_t seed);

/**
 * @brief Approximates A by r columns of A·P and r rows of R, by a QR factorization with column
 * pivoting A·P = Q·R that stops early.
 *
 * r is the smallest number of columns with ‖R(r:, r:)‖_F <= tol·‖A‖_F, where R is the factor of the
 * whole factorization, but at most max_rank: A·P ≈ Q(:, 0:r)·R(0:r, :), with that norm as the
 * error. NaN and Inf in A do not stop it. The columns are chosen by random sketches with a fixed
 * seed, as in startile_geqp3_random_async(), panel by panel. ⌈r/nb⌉·nb columns are factored, at
 * least nb, in O(m·n·r) operations. Temporaries: m × nb and n × nb elements, and
 * 2·m numbers in double precision for each panel.
 *
 * Interpolative decomposition: A ≈ A(:, jpvt(0:r))·[I R11⁻¹·R12]·Pᵀ, with R11 = R(0:r, 0:r) and
 * R12 = R(0:r, r:), by one call of startile_dtrtrs() on the elements of R11 and R12.
 *
 * @param A m × n, in tiles of m rows, not on a grid and without a journal; overwritten by R on and
 *        above the diagonal of the factored columns, V below it, the rows of R right of these, and
 *        below these rows by the trailing matrix, which is not factored
 * @param P created for A's number of columns; overwritten unless m = 0. No column may be chosen
 *        (startile_permutation_choose())
 * @param T created for A's shape; overwritten, by 0 behind the factored columns: the Q of A and T
 *        is that of A·P = Q·[R11 R12; 0 A22] with the trailing matrix A22
 * @param tol >= 0
 * @param max_rank >= 0; may exceed min(m, n)
 * @param rank r, written by a task
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −7; in the request STARTILE_ERROR_NO_WORKER without a CPU worker
 */
int64_t startile_geqp3_rank_async(startile_matrix *A, startile_permutation *P,
                                  startile_reflectors *T, double tol, int64_t max_rank,
                                  int64_t *rank, startile_request *request);
/** @brief Blocking startile_geqp3_rank_async(). */
int64_t startile_geqp3_rank(startile_matrix *A, startile_permutation *P, startile_reflectors *T,
                            double tol, int64_t max_rank, int64_t *rank);

/**
 * @brief Computes the LQ factorization A = L·Q (LAPACK xGELQF), from the QR factorization Aᴴ =
 * Qᴴ·Lᴴ in a temporary of A's size.
 * @param A m × n; overwritten by L on and below the diagonal and by the reflectors above it, in
 *        rows
 * @param T created for A's shape; overwritten
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int64_t startile_gelqf_async(startile_matrix *A, startile_reflectors *T, startile_request *request);
/** @brief Blocking startile_gelqf_async(). */
int64_t startile_gelqf(startile_matrix *A, startile_reflectors *T);

/**
 * @brief Computes C := op(Q)·C or C := C·op(Q) with the Q of startile_geqrf() (LAPACK xORMQR,
 * xUNMQR).
 * @param side 'L': op(Q)·C; 'R': C·op(Q), computed from Cᴴ in a temporary of C's size
 * @param trans 'N': op(Q) = Q; 'C' (or 'T' for real types): op(Q) = Qᴴ
 * @param A m rows, with the reflectors in as many columns as T has; read. Further columns are not
 *         read. The order of Q is m.
 * @param T read
 * @param C m × n ('L') or n × m ('R'); updated. With 'L' its tile height is a multiple of A's tile
 *         width, or at least m.
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −6
 */
int64_t startile_unmqr_async(char side, char trans, const startile_matrix *A,
                             const startile_reflectors *T, startile_matrix *C,
                             startile_request *request);
/** @brief Blocking startile_unmqr_async(). */
int64_t startile_unmqr(char side, char trans, const startile_matrix *A,
                       const startile_reflectors *T, startile_matrix *C);

/**
 * @brief Overwrites A by the first n columns of Q (LAPACK xORGQR, xUNGQR). Needs temporaries for
 * the reflectors, up to A's size.
 * @param A m × n, m ≥ n, with the reflectors in its first k columns; overwritten
 * @param T the triangles of these k ≤ n reflectors; read
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int64_t startile_ungqr_async(startile_matrix *A, const startile_reflectors *T,
                             startile_request *request);
/** @brief Blocking startile_ungqr_async(). */
int64_t startile_ungqr(startile_matrix *A, const startile_reflectors *T);

/**
 * @brief Computes C := op(Q)·C or C := C·op(Q) with the Q of startile_gelqf() (LAPACK xORMLQ,
 * xUNMLQ).
 *
 * Arguments and return values are those of startile_unmqr_async(), with two differences: the
 * reflectors are rows of A, as many as T has columns, and the order of Q is the number of A's
 * columns. Needs temporaries of A's size and, with side 'R', of C's size.
 */
int64_t startile_unmlq_async(char side, char trans, const startile_matrix *A,
                             const startile_reflectors *T, startile_matrix *C,
                             startile_request *request);
/** @brief Blocking startile_unmlq_async(). */
int64_t startile_unmlq(char side, char trans, const startile_matrix *A,
                       const startile_reflectors *T, startile_matrix *C);

/**
 * @brief Overwrites the m × n matrix A, m ≤ n, by the first m rows of the Q of startile_gelqf()
 * (LAPACK xORGLQ, xUNGLQ).
 *
 * Arguments and return values are those of startile_ungqr_async(), with the reflectors in the first
 * k ≤ m rows of A. Needs a temporary of A's size.
 */
int64_t startile_unglq_async(startile_matrix *A, const startile_reflectors *T,
                             startile_request *request);
/** @brief Blocking startile_unglq_async(). */
int64_t startile_unglq(startile_matrix *A, const startile_reflectors *T);

/**
 * @brief Solves a least-squares problem, or computes the solution of least norm, for A of full rank
 * (LAPACK xGELS).
 *
 * If op(A) has at least as many rows as columns, each column of X minimizes the 2-norm of its
 * column of B − op(A)·X. Otherwise each column of X is the solution of op(A)·X = B with the least
 * 2-norm. A matrix A with m ≥ 2·n in several rows of tiles, whose height is B's tile height, is
 * factored by startile_geqrf_tree() with the greedy tree; other matrices are factored by
 * startile_geqrf() or startile_gelqf(). startile_tile_shape() returns tiles for the faster of the
 * two. The method is normwise backward stable (Higham 2002, theorem 20.3). As in LAPACK, A or B is
 * scaled if its largest element is outside [s, 1/s], s = 2⁻⁹⁷⁰ for double, 2⁻¹⁰³ for float.
 *
 * Temporaries: one of A's size for m < n; 3·nb·n elements per row of tiles for a tree; the cleared
 * rows of B for a solution of least norm.
 *
 * @param trans 'N': op(A) = A; 'C' (or 'T' for real types): op(A) = Aᴴ
 * @param A m × n; overwritten by its factorization
 * @param B max(m, n) × nrhs. Its tile height is a multiple of A's tile width, or at least max(m,
 *         n); a tree needs A's tile height. On entry the first rows, as many as op(A) has, are the
 *         right-hand sides. On exit the first rows, as many as op(A) has columns, are X. If op(A)
 *         has more rows than columns, the squares of a column's elements below X add up to the
 *         squared 2-norm of this column's residual; otherwise the rows below X are undefined. If
 *         m = 0 or n = 0, all of B becomes 0. For A = 0, X is 0, as in LAPACK, and the rows below
 *         are undefined.
 * @param request request into which the tasks are submitted; info k > 0: R(k, k), for m < n
 *         L(k, k), is the first diagonal element of the factor that is exactly zero: A does not
 *         have full rank, and B is not changed. As in LAPACK, an infinite element scales the other
 *         elements to 0 before A is factored, so that k is often 1.
 * @return 0, −1 … −4
 */
int64_t startile_gels_async(char trans, startile_matrix *A, startile_matrix *B,
                            startile_request *request);
/** @brief Blocking startile_gels_async(); returns info. */
int64_t startile_gels(char trans, startile_matrix *A, startile_matrix *B);

/**
 * @brief Solves a least-squares problem for A of any rank (LAPACK xGELSY).
 *
 * Each column of X minimizes the 2-norm of its column of B − A·X, and of all minimizers it has the
 * least 2-norm. From A·P = Q·R (startile_geqp3()) the rank r is the order of R's largest leading
 * triangle with an estimated 1 / condition of at least rcond (incremental condition estimation,
 * LAPACK xLAIC1). The other rows of R count as 0. For r < n a QR factorization of the adjoint of
 * the r × n trapezoid, in place of LAPACK's xTZRZF, gives the solution of least norm. As in LAPACK,
 * A or B is scaled if its largest element is outside [s, 1/s], s = 2⁻⁹⁷⁰ for double, 2⁻¹⁰³ for
 * float. All of it is tasks, one of which needs a CPU worker; the host does not wait.
 *
 * Temporaries: one of A's size, and n × nrhs elements.
 *
 * @param A m × n, in tiles of m rows, not on a grid and without a journal. On exit, r = n: R, and
 *        the reflectors below it; r < n: the r × n trapezoid of R above zeros. A scaled A stays
 *        scaled.
 * @param P created for A's number of columns; overwritten by the permutation. The columns that
 *        startile_permutation_choose() has chosen come first.
 * @param B max(m, n) × nrhs, in tiles of a multiple of A's tile width or of at least max(m, n)
 *        rows. On entry the first m rows are the right-hand sides; on exit the first n rows are X.
 *        For r = n < m the squares of a column's elements below X add up to the squared 2-norm of
 *        its residual; otherwise the rows below X are undefined. If m = 0 or n = 0, all of B
 *        becomes 0.
 * @param rcond bound of the rank; < 0: the machine epsilon (2⁻⁵² or 2⁻²³) times max(m, n)
 * @param[out] rank the rank r, when the request is complete; 0 without elements or right-hand sides
 * @param[out] estimate NULL, or, when the request is complete, the quotient of the estimated
 *        smallest and largest singular values of R(0:r, 0:r); 0 for r = 0. Up to rounding it is at
 *        least 1 / condition in the 2-norm, and rarely ten times as large (Bischof 1990).
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −7, without −4 and −6
 */
int64_t startile_gelsy_async(startile_matrix *A, startile_permutation *P, startile_matrix *B,
                             double rcond, int64_t *rank, double *estimate,
                             startile_request *request);
/** @brief Blocking startile_gelsy_async(). */
int64_t startile_gelsy(startile_matrix *A, startile_permutation *P, startile_matrix *B,
                       double rcond, int64_t *rank, double *estimate);

/** @brief Order in which startile_geqrf_tree() combines the tiles of a block column in pairs. */
typedef enum startile_tree_kind {
    STARTILE_TREE_FLAT,   /**< each tile with the first one, in turn: the fewest operations */
    STARTILE_TREE_BINARY, /**< binary tree over neighbours: the fewest steps for one block column */
    STARTILE_TREE_GREEDY  /**< at each step as many pairs as possible: the fewest steps for several
                             block columns */
} startile_tree_kind;

/**
 * @brief A reduction tree for matrices of one shape, with the reflectors that a factorization
 * stores outside the matrix.
 */
typedef struct startile_tree startile_tree;

/**
 * @brief Creates the tree for factorizations of A. A's tile height mb must be a multiple of nb, or
 * at least m.
 *
 * The tree needs 3·nb·min(m, n) elements per row of tiles. On a grid with several process rows, all
 * rows of a block column that one process row owns count as one tile, for every kind. Collective on
 * a grid.
 * @param[out] tree the new tree
 * @param A m × n; only its shape, its type and its grid are used
 * @param kind order of the pairs
 * @return 0, −1 … −3, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU; on a grid also
 *         #STARTILE_ERROR_MPI, #STARTILE_ERROR_MISMATCH
 */
int64_t startile_tree_create(startile_tree **tree, const startile_matrix *A,
                             startile_tree_kind kind);

/** @brief Waits for the tasks on the tree, then frees it; NULL is allowed. */
void startile_tree_destroy(startile_tree *tree);

/**
 * @brief Computes the QR factorization with a reduction tree over the rows of tiles: TSQR for one
 * block column, communication-avoiding QR for several (Demmel, Grigori, Hoemmen & Langou, SIAM J.
 * Sci. Comput. 34, 2012; the greedy tree: Bouwmeester, Jacquelin, Langou & Robert, SC 2011).
 *
 * Each tile of a block column is factored separately, and the triangles R are combined in pairs.
 * These tasks run in parallel, while a panel over the whole column is one task: the algorithm suits
 * tall matrices. The error bound is that of startile_geqrf(). R differs from that of
 * startile_geqrf() only by the signs of its rows and by rounding. Q is stored in a form that only
 * startile_unmqr_tree() reads.
 * @param A m × n; overwritten by R on and above the diagonal and by a part of Q's reflectors below
 *         it
 * @param tree created for A's shape; overwritten
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −3
 */
int64_t startile_geqrf_tree_async(startile_matrix *A, startile_tree *tree,
                                  startile_request *request);
/** @brief Blocking startile_geqrf_tree_async(). */
int64_t startile_geqrf_tree(startile_matrix *A, startile_tree *tree);

/**
 * @brief Computes C := op(Q)·C or C := C·op(Q) with the Q of startile_geqrf_tree().
 * @param side 'L' or 'R', as for startile_unmqr_async()
 * @param trans 'N', 'C' or, for real types, 'T'
 * @param A m rows, result of startile_geqrf_tree(); read. The order of Q is m.
 * @param tree tree of that factorization; read
 * @param C m × n ('L') or n × m ('R'); updated. With 'L' it has A's tile height.
 * @param request request into which the tasks are submitted
 * @return 0, −1 … −6
 */
int64_t startile_unmqr_tree_async(char side, char trans, const startile_matrix *A,
                                  const startile_tree *tree, startile_matrix *C,
                                  startile_request *request);
/** @brief Blocking startile_unmqr_tree_async(). */
int64_t startile_unmqr_tree(char side, char trans, const startile_matrix *A,
                            const startile_tree *tree, startile_matrix *C);

/** @} */

#if defined __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
