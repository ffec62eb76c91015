/* The blocking routines on matrices. */
#include "blocking.h"

BLOCKING(potrf, (char uplo, startile_matrix *A), uplo, A)
BLOCKING(potrs, (char uplo, const startile_matrix *A, startile_matrix *B), uplo, A, B)
BLOCKING(posv, (char uplo, startile_matrix *A, startile_matrix *B), uplo, A, B)
BLOCKING(lauum, (char uplo, startile_matrix *A), uplo, A)
BLOCKING(potri, (char uplo, startile_matrix *A), uplo, A)
BLOCKING(trtri, (char uplo, char diag, startile_matrix *A), uplo, diag, A)
BLOCKING(getrf, (startile_matrix * A, startile_pivots *P), A, P)
BLOCKING(getrf_nopiv, (startile_matrix * A), A)
BLOCKING(getrf_tntpiv, (startile_matrix * A, startile_pivots *P), A, P)
BLOCKING(getrs,
         (char trans, const startile_matrix *A, const startile_pivots *P, startile_matrix *B),
         trans, A, P, B)
BLOCKING(gesv, (startile_matrix * A, startile_pivots *P, startile_matrix *B, int refine), A, P, B,
         refine)
BLOCKING(getri, (startile_matrix * A, const startile_pivots *P), A, P)
BLOCKING(gecon, (char norm, const startile_matrix *A, double anorm, double *rcond), norm, A, anorm,
         rcond)
BLOCKING(pocon, (char uplo, const startile_matrix *A, double anorm, double *rcond), uplo, A, anorm,
         rcond)
BLOCKING(geqrf, (startile_matrix * A, startile_matrix *T), A, T)
BLOCKING(geqrf_tree, (startile_matrix * A, startile_tree *tree), A, tree)
BLOCKING(unmqr_tree,
         (char side, char trans, const startile_matrix *A, const startile_tree *tree,
          startile_matrix *C),
         side, trans, A, tree, C)
BLOCKING(unmqr,
         (char side, char trans, const startile_matrix *A, const startile_matrix *T,
          startile_matrix *C),
         side, trans, A, T, C)
BLOCKING(ungqr, (startile_matrix * A, const startile_matrix *T), A, T)
BLOCKING(unglq, (startile_matrix * A, const startile_matrix *T), A, T)
BLOCKING(gelqf, (startile_matrix * A, startile_matrix *T), A, T)
BLOCKING(unmlq,
         (char side, char trans, const startile_matrix *A, const startile_matrix *T,
          startile_matrix *C),
         side, trans, A, T, C)
BLOCKING(gels, (char trans, startile_matrix *A, startile_matrix *B), trans, A, B)
BLOCKING(gemm,
         (char transa, char transb, startile_complex alpha, const startile_matrix *A,
          const startile_matrix *B, startile_complex beta, startile_matrix *C),
         transa, transb, alpha, A, B, beta, C)
BLOCKING(herk,
         (char uplo, char trans, double alpha, const startile_matrix *A, double beta,
          startile_matrix *C),
         uplo, trans, alpha, A, beta, C)
BLOCKING(syrk,
         (char uplo, char trans, startile_complex alpha, const startile_matrix *A,
          startile_complex beta, startile_matrix *C),
         uplo, trans, alpha, A, beta, C)
BLOCKING(trsm,
         (char side, char uplo, char transa, char diag, startile_complex alpha,
          const startile_matrix *A, startile_matrix *B),
         side, uplo, transa, diag, alpha, A, B)
BLOCKING(lange, (char norm, const startile_matrix *A, double *value), norm, A, value)
BLOCKING(lansy, (char norm, char uplo, const startile_matrix *A, double *value), norm, uplo, A,
         value)
BLOCKING(lanhe, (char norm, char uplo, const startile_matrix *A, double *value), norm, uplo, A,
         value)
BLOCKING(laset, (char uplo, startile_complex offdiag, startile_complex diag, startile_matrix *A),
         uplo, offdiag, diag, A)
BLOCKING(lacpy, (char uplo, const startile_matrix *A, startile_matrix *B), uplo, A, B)
BLOCKING(random, (char kind, uint64_t seed, double bump, startile_matrix *A), kind, seed, bump, A)
