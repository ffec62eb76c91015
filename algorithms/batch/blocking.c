/* The blocking routines on batches. */
#include "blocking.h"

BLOCKING_WITH_INFO(potrf_batch, (char uplo, startile_batch *A, startile_batch *info), uplo, A, info)
BLOCKING(potrs_batch, (char uplo, const startile_batch *A, startile_batch *B), uplo, A, B)
BLOCKING_WITH_INFO(posv_batch,
                   (char uplo, startile_batch *A, startile_batch *B, startile_batch *info), uplo, A,
                   B, info)
BLOCKING_WITH_INFO(getrf_batch, (startile_batch * A, startile_batch *ipiv, startile_batch *info), A,
                   ipiv, info)
BLOCKING_WITH_INFO(getrf_nopiv_batch, (startile_batch * A, startile_batch *info), A, info)
BLOCKING(getrs_batch,
         (char trans, const startile_batch *A, const startile_batch *ipiv, startile_batch *B),
         trans, A, ipiv, B)
BLOCKING_WITH_INFO(gesv_batch,
                   (startile_batch * A, startile_batch *ipiv, startile_batch *B,
                    startile_batch *info),
                   A, ipiv, B, info)
BLOCKING_WITH_INFO(getri_batch,
                   (startile_batch * A, const startile_batch *ipiv, startile_batch *info), A, ipiv,
                   info)
BLOCKING(gedet_batch,
         (const startile_batch *A, const startile_batch *ipiv, startile_batch *sign,
          startile_batch *logabsdet),
         A, ipiv, sign, logabsdet)
BLOCKING(podet_batch, (const startile_batch *A, startile_batch *logdet), A, logdet)
BLOCKING(geqrf_batch, (startile_batch * A, startile_batch *tau), A, tau)
BLOCKING(geqp3_batch, (startile_batch * A, startile_batch *jpvt, startile_batch *tau), A, jpvt, tau)
BLOCKING(gelsy_batch, (startile_batch * A, startile_batch *B, double rcond, startile_batch *rank),
         A, B, rcond, rank)
BLOCKING(unmqr_batch,
         (char side, char trans, const startile_batch *A, const startile_batch *tau,
          startile_batch *C),
         side, trans, A, tau, C)
BLOCKING_WITH_INFO(gels_batch,
                   (char trans, startile_batch *A, startile_batch *B, startile_batch *info), trans,
                   A, B, info)
BLOCKING(gemm_batch,
         (char transa, char transb, startile_complex alpha, const startile_batch *A,
          const startile_batch *B, startile_complex beta, startile_batch *C),
         transa, transb, alpha, A, B, beta, C)
BLOCKING(trsm_batch,
         (char side, char uplo, char trans, char diag, startile_complex alpha,
          const startile_batch *A, startile_batch *B),
         side, uplo, trans, diag, alpha, A, B)
BLOCKING(nrm2_batch, (const startile_batch *X, startile_batch *result), X, result)
BLOCKING(asum_batch, (const startile_batch *X, startile_batch *result), X, result)
BLOCKING(iamax_batch, (const startile_batch *X, startile_batch *result), X, result)
BLOCKING(dot_batch, (const startile_batch *X, const startile_batch *Y, startile_batch *result), X,
         Y, result)
BLOCKING(dotc_batch, (const startile_batch *X, const startile_batch *Y, startile_batch *result), X,
         Y, result)
BLOCKING(scal_batch, (const startile_batch *alpha, startile_batch *X), alpha, X)
BLOCKING(axpy_batch, (const startile_batch *alpha, const startile_batch *X, startile_batch *Y),
         alpha, X, Y)
