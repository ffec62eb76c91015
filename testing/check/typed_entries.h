/* The library's typed entries that the table of reference.h has: ENTRY(name, function, parameters,
 * arguments), where `function` is the entry of the type in reference_type.c. gecon's *rcond has the
 * real type of the precision: float for s and c. */
ENTRY(gemm, TYPED(gemm),
      (char transa, char transb, int64_t m, int64_t n, int64_t k, startile_complex alpha,
       const void *a, int64_t lda, const void *b, int64_t ldb, startile_complex beta, void *c,
       int64_t ldc),
      (transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc))
ENTRY(syrk, TYPED(syrk),
      (char uplo, char trans, int64_t n, int64_t k, startile_complex alpha, const void *a,
       int64_t lda, startile_complex beta, void *c, int64_t ldc),
      (uplo, trans, n, k, alpha, a, lda, beta, c, ldc))
ENTRY(herk, HERK,
      (char uplo, char trans, int64_t n, int64_t k, double alpha, const void *a, int64_t lda,
       double beta, void *c, int64_t ldc),
      (uplo, trans, n, k, alpha, a, lda, beta, c, ldc))
ENTRY(trsm, TYPED(trsm),
      (char side, char uplo, char transa, char diag, int64_t m, int64_t n, startile_complex alpha,
       const void *a, int64_t lda, void *b, int64_t ldb),
      (side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb))
ENTRY(trtrs, TYPED(trtrs),
      (char uplo, char trans, char diag, int64_t n, int64_t nrhs, const void *a, int64_t lda,
       void *b, int64_t ldb),
      (uplo, trans, diag, n, nrhs, a, lda, b, ldb))
ENTRY(potrf, TYPED(potrf), (char uplo, int64_t n, void *a, int64_t lda), (uplo, n, a, lda))
ENTRY(pstrf, TYPED(pstrf),
      (char uplo, int64_t n, void *a, int64_t lda, int64_t *piv, int64_t *rank, double tol),
      (uplo, n, a, lda, piv, rank, tol))
ENTRY(potrs, TYPED(potrs),
      (char uplo, int64_t n, int64_t nrhs, const void *a, int64_t lda, void *b, int64_t ldb),
      (uplo, n, nrhs, a, lda, b, ldb))
ENTRY(posv, TYPED(posv),
      (char uplo, int64_t n, int64_t nrhs, void *a, int64_t lda, void *b, int64_t ldb),
      (uplo, n, nrhs, a, lda, b, ldb))
ENTRY(sytrf, TYPED(sytrf), (char uplo, int64_t n, void *a, int64_t lda, int64_t *ipiv),
      (uplo, n, a, lda, ipiv))
ENTRY(hetrf, HERMITIAN(trf), (char uplo, int64_t n, void *a, int64_t lda, int64_t *ipiv),
      (uplo, n, a, lda, ipiv))
ENTRY(sytrs, TYPED(sytrs),
      (char uplo, int64_t n, int64_t nrhs, const void *a, int64_t lda, const int64_t *ipiv, void *b,
       int64_t ldb),
      (uplo, n, nrhs, a, lda, ipiv, b, ldb))
ENTRY(hetrs, HERMITIAN(trs),
      (char uplo, int64_t n, int64_t nrhs, const void *a, int64_t lda, const int64_t *ipiv, void *b,
       int64_t ldb),
      (uplo, n, nrhs, a, lda, ipiv, b, ldb))
ENTRY(sysv, TYPED(sysv),
      (char uplo, int64_t n, int64_t nrhs, void *a, int64_t lda, int64_t *ipiv, void *b,
       int64_t ldb),
      (uplo, n, nrhs, a, lda, ipiv, b, ldb))
ENTRY(hesv, HERMITIAN(sv),
      (char uplo, int64_t n, int64_t nrhs, void *a, int64_t lda, int64_t *ipiv, void *b,
       int64_t ldb),
      (uplo, n, nrhs, a, lda, ipiv, b, ldb))
ENTRY(sytri, TYPED(sytri), (char uplo, int64_t n, void *a, int64_t lda, const int64_t *ipiv),
      (uplo, n, a, lda, ipiv))
ENTRY(hetri, HERMITIAN(tri), (char uplo, int64_t n, void *a, int64_t lda, const int64_t *ipiv),
      (uplo, n, a, lda, ipiv))
ENTRY(sytrf_aa, TYPED(sytrf_aa),
      (char uplo, int64_t n, void *a, int64_t lda, void *tb, int64_t ltb, int64_t *ipiv,
       int64_t *ipiv2),
      (uplo, n, a, lda, tb, ltb, ipiv, ipiv2))
ENTRY(sytrs_aa, TYPED(sytrs_aa),
      (char uplo, int64_t n, int64_t nrhs, const void *a, int64_t lda, const void *tb, int64_t ltb,
       const int64_t *ipiv, const int64_t *ipiv2, void *b, int64_t ldb),
      (uplo, n, nrhs, a, lda, tb, ltb, ipiv, ipiv2, b, ldb))
ENTRY(sysv_aa, TYPED(sysv_aa),
      (char uplo, int64_t n, int64_t nrhs, void *a, int64_t lda, void *tb, int64_t ltb,
       int64_t *ipiv, int64_t *ipiv2, void *b, int64_t ldb),
      (uplo, n, nrhs, a, lda, tb, ltb, ipiv, ipiv2, b, ldb))
ENTRY(hetrf_aa, HERMITIAN(trf_aa),
      (char uplo, int64_t n, void *a, int64_t lda, void *tb, int64_t ltb, int64_t *ipiv,
       int64_t *ipiv2),
      (uplo, n, a, lda, tb, ltb, ipiv, ipiv2))
ENTRY(hetrs_aa, HERMITIAN(trs_aa),
      (char uplo, int64_t n, int64_t nrhs, const void *a, int64_t lda, const void *tb, int64_t ltb,
       const int64_t *ipiv, const int64_t *ipiv2, void *b, int64_t ldb),
      (uplo, n, nrhs, a, lda, tb, ltb, ipiv, ipiv2, b, ldb))
ENTRY(hesv_aa, HERMITIAN(sv_aa),
      (char uplo, int64_t n, int64_t nrhs, void *a, int64_t lda, void *tb, int64_t ltb,
       int64_t *ipiv, int64_t *ipiv2, void *b, int64_t ldb),
      (uplo, n, nrhs, a, lda, tb, ltb, ipiv, ipiv2, b, ldb))
ENTRY(heinertia, INERTIA,
      (char uplo, int64_t n, const void *a, int64_t lda, const int64_t *ipiv, int64_t *inertia),
      (uplo, n, a, lda, ipiv, inertia))
ENTRY(trtri, TYPED(trtri), (char uplo, char diag, int64_t n, void *a, int64_t lda),
      (uplo, diag, n, a, lda))
ENTRY(lauum, TYPED(lauum), (char uplo, int64_t n, void *a, int64_t lda), (uplo, n, a, lda))
ENTRY(potri, TYPED(potri), (char uplo, int64_t n, void *a, int64_t lda), (uplo, n, a, lda))
ENTRY(hegst, HERMITIAN(gst),
      (int itype, char uplo, int64_t n, void *a, int64_t lda, const void *b, int64_t ldb),
      (itype, uplo, n, a, lda, b, ldb))
ENTRY(getrf, TYPED(getrf), (int64_t m, int64_t n, void *a, int64_t lda, int64_t *ipiv),
      (m, n, a, lda, ipiv))
ENTRY(getrs, TYPED(getrs),
      (char trans, int64_t n, int64_t nrhs, const void *a, int64_t lda, const int64_t *ipiv,
       void *b, int64_t ldb),
      (trans, n, nrhs, a, lda, ipiv, b, ldb))
ENTRY(gesv, TYPED(gesv),
      (int64_t n, int64_t nrhs, void *a, int64_t lda, int64_t *ipiv, void *b, int64_t ldb),
      (n, nrhs, a, lda, ipiv, b, ldb))
ENTRY(getri, TYPED(getri), (int64_t n, void *a, int64_t lda, const int64_t *ipiv),
      (n, a, lda, ipiv))
ENTRY(gecon, TYPED(gecon),
      (char norm, int64_t n, const void *a, int64_t lda, double anorm, void *rcond),
      (norm, n, a, lda, anorm, rcond))
ENTRY(geqrf, TYPED(geqrf), (int64_t m, int64_t n, void *a, int64_t lda, void *tau),
      (m, n, a, lda, tau))
ENTRY(geqp3, TYPED(geqp3), (int64_t m, int64_t n, void *a, int64_t lda, int64_t *jpvt, void *tau),
      (m, n, a, lda, jpvt, tau))
ENTRY(geqp3_random, TYPED(geqp3_random),
      (int64_t m, int64_t n, void *a, int64_t lda, int64_t *jpvt, void *tau, uint64_t seed),
      (m, n, a, lda, jpvt, tau, seed))
ENTRY(geqp3_rank, TYPED(geqp3_rank),
      (int64_t m, int64_t n, void *a, int64_t lda, int64_t *jpvt, void *tau, double tol,
       int64_t max_rank, int64_t *rank),
      (m, n, a, lda, jpvt, tau, tol, max_rank, rank))
ENTRY(gelqf, TYPED(gelqf), (int64_t m, int64_t n, void *a, int64_t lda, void *tau),
      (m, n, a, lda, tau))
ENTRY(unmqr, UNITARY(TYPED, mqr),
      (char side, char trans, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda,
       const void *tau, void *c, int64_t ldc),
      (side, trans, m, n, k, a, lda, tau, c, ldc))
ENTRY(unmlq, UNITARY(TYPED, mlq),
      (char side, char trans, int64_t m, int64_t n, int64_t k, const void *a, int64_t lda,
       const void *tau, void *c, int64_t ldc),
      (side, trans, m, n, k, a, lda, tau, c, ldc))
ENTRY(ungqr, UNITARY(TYPED, gqr),
      (int64_t m, int64_t n, int64_t k, void *a, int64_t lda, const void *tau),
      (m, n, k, a, lda, tau))
ENTRY(unglq, UNITARY(TYPED, glq),
      (int64_t m, int64_t n, int64_t k, void *a, int64_t lda, const void *tau),
      (m, n, k, a, lda, tau))
ENTRY(gels, TYPED(gels),
      (char trans, int64_t m, int64_t n, int64_t nrhs, void *a, int64_t lda, void *b, int64_t ldb),
      (trans, m, n, nrhs, a, lda, b, ldb))
ENTRY(gelsy, TYPED(gelsy),
      (int64_t m, int64_t n, int64_t nrhs, void *a, int64_t lda, void *b, int64_t ldb,
       int64_t *jpvt, double rcond, int64_t *rank),
      (m, n, nrhs, a, lda, b, ldb, jpvt, (real)rcond, rank))
