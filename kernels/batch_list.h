/*
 * The list of kernels on batches: BATCH_KERNEL(name, parameters) for each kernel. A file defines
 * BATCH_KERNEL and includes this list to declare the functions or to fill in a table. batch.h gives
 * the conventions.
 */
/* A := Cholesky factor in the triangle uplo. The other triangle is not accessed. (xPOTRF) */
BATCH_KERNEL(potrf,
             (startile_exec * x, char uplo, int count, const startile_matrices *A, int64_t *info))
/* B := A⁻¹ B with the factor of potrf (xPOTRS) */
BATCH_KERNEL(potrs, (startile_exec * x, char uplo, int count, const startile_matrices *A,
                     const startile_matrices *B, const int64_t *factor_info))

/* A := L and U. P: columns of min(m, n) int64_t, LAPACK's 1-based ipiv. The pivot is the element of
 * its column with the largest |re| + |im|; of equal elements the topmost. P = NULL: no pivoting.
 * info > 0: 1-based index of the first zero pivot; the factorization continues after it. (xGETRF)
 */
BATCH_KERNEL(getrf, (startile_exec * x, int count, const startile_matrices *A,
                     const startile_matrices *P, int64_t *info))
/* B := op(A)⁻¹ B with the factors of getrf (xGETRS); P may be NULL */
BATCH_KERNEL(getrs,
             (startile_exec * x, char trans, int count, const startile_matrices *A,
              const startile_matrices *P, const startile_matrices *B, const int64_t *factor_info))
/* A := A⁻¹ from the factors of getrf; P may be NULL. If U has a zero on its diagonal, info > 0 and
 * A does not change. (xGETRI) */
BATCH_KERNEL(getri, (startile_exec * x, int count, const startile_matrices *A,
                     const startile_matrices *P, int64_t *info))

/* sign[q] := the sign of det A_q, of the matrices' type, logabsdet[q] := log |det A_q|, of the real
 * type, from the factors of getrf; P may be NULL. sign NULL: logabsdet[q] := log det A_q from the
 * factors of potrf (xGEDI, xPODI of LINPACK) */
BATCH_KERNEL(det, (startile_exec * x, int count, const startile_matrices *A,
                   const startile_matrices *P, void *sign, void *logabsdet))

/* A := R and the reflectors; tau: columns of min(m, n) elements (xGEQRF) */
BATCH_KERNEL(geqrf, (startile_exec * x, int count, const startile_matrices *A,
                     const startile_matrices *tau))
/* A := R and the reflectors of A P = Q R, with column pivoting and without columns that come first.
 * P: columns of n int64_t, LAPACK's 1-based jpvt, written. tau as in geqrf (xGEQP3) */
BATCH_KERNEL(geqp3, (startile_exec * x, int count, const startile_matrices *A,
                     const startile_matrices *P, const startile_matrices *tau))
/* C := op(Q) C (side L) or C op(Q) (side R), op 'N' or 'C'. The reflectors are in A's first
 * columns; their number is the length of tau. (xORMQR, xUNMQR) */
BATCH_KERNEL(ormqr,
             (startile_exec * x, char side, char trans, int count, const startile_matrices *A,
              const startile_matrices *tau, const startile_matrices *C))
/* Solves op(A) X = B by least squares or least norm, op 'N' or 'C', for A of any shape and full
 * rank. B has max(m, n) rows. X overwrites the first rows of B; the rows below X get the values
 * that xGELS stores there. A is undefined afterwards. info > 0: R or L has a zero on its diagonal,
 * and B does not change. (xGELS without its scaling) */
BATCH_KERNEL(gels, (startile_exec * x, char trans, int count, const startile_matrices *A,
                    const startile_matrices *B, int64_t *info))
/* Solves A X = B by least squares for A of any shape and rank: of all minimizers, X has the least
 * norm. B has max(m, n) rows. X overwrites the first n rows of B. rank[q] := the order of the
 * largest leading triangle of R in A P = Q R with an estimated 1 / condition of at least rcond;
 * rcond < 0: the machine epsilon times max(m, n). A is undefined afterwards. Without elements in A,
 * B := 0. (xGELSY) */
BATCH_KERNEL(gelsy, (startile_exec * x, double rcond, int count, const startile_matrices *A,
                     const startile_matrices *B, int64_t *rank))

/* C := alpha op(A) op(B) + beta C */
BATCH_KERNEL(gemm, (startile_exec * x, char transa, char transb, int count, startile_scalar alpha,
                    const startile_matrices *A, const startile_matrices *B, startile_scalar beta,
                    const startile_matrices *C))
/* B := alpha op(A)⁻¹ B (side L) or alpha B op(A)⁻¹ (side R) */
BATCH_KERNEL(trsm, (startile_exec * x, char side, char uplo, char trans, char diag, int count,
                    startile_scalar alpha, const startile_matrices *A, const startile_matrices *B))

/* status->info := 1-based index of the first element of info that is not 0, or 0. status->info is 0
 * before. */
BATCH_KERNEL(first_failure,
             (startile_exec * x, int count, const int64_t *info, startile_tile_status *status))

/* result[q] := ‖x_q‖₂, of the real type, without intermediate overflow or underflow */
BATCH_KERNEL(nrm2, (startile_exec * x, int count, const startile_matrices *X, void *result))
/* result[q] := Σ (|re| + |im|) over the elements of x_q, of the real type */
BATCH_KERNEL(asum, (startile_exec * x, int count, const startile_matrices *X, void *result))
/* result[q] := Σ x y over the elements of x_q and y_q; Σ x̄ y if conjugate ≠ 0 */
BATCH_KERNEL(dot, (startile_exec * x, int conjugate, int count, const startile_matrices *X,
                   const startile_matrices *Y, void *result))
/* result[q] := 1-based index of the first element with the largest |re| + |im|; 0 for an empty
 * vector. NaN counts as larger than any number. */
BATCH_KERNEL(iamax, (startile_exec * x, int count, const startile_matrices *X, int64_t *result))
/* x_q := alpha[q step] x_q; step 0: one alpha for all vectors */
BATCH_KERNEL(scal, (startile_exec * x, int count, const void *alpha, int step,
                    const startile_matrices *X))
/* y_q := alpha[q step] x_q + y_q */
BATCH_KERNEL(axpy, (startile_exec * x, int count, const void *alpha, int step,
                    const startile_matrices *X, const startile_matrices *Y))

#undef BATCH_KERNEL
