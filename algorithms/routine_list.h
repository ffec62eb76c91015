/*
 * The routines on matrices that the library exports: name, parameters, arguments. An algorithm file
 * defines submit_NAME(), whose last parameter is a request. submit_NAME() validates the arguments,
 * the request last, before it changes anything, and submits the tasks. blocking.c defines
 * startile_NAME_async() and startile_NAME().
 */

ROUTINE(potrf, (char uplo, startile_matrix *A), uplo, A)
ROUTINE(pstrf,
        (char uplo, startile_matrix *A, startile_permutation *permutation, double tol,
         int64_t *rank),
        uplo, A, permutation, tol, rank)
ROUTINE(potrs, (char uplo, const startile_matrix *A, startile_matrix *B), uplo, A, B)
ROUTINE(posv, (char uplo, startile_matrix *A, startile_matrix *B), uplo, A, B)
ROUTINE(lauum, (char uplo, startile_matrix *A), uplo, A)
ROUTINE(potri, (char uplo, startile_matrix *A), uplo, A)
ROUTINE(trtri, (char uplo, char diag, startile_matrix *A), uplo, diag, A)
ROUTINE(hegst, (int itype, char uplo, startile_matrix *A, const startile_matrix *B), itype, uplo, A,
        B)
ROUTINE(porfs,
        (char uplo, const startile_matrix *A, const startile_matrix *F, const startile_matrix *B,
         startile_matrix *X, double *ferr, double *berr),
        uplo, A, F, B, X, ferr, berr)
ROUTINE(potrf_update, (char uplo, startile_matrix *A, const startile_matrix *B), uplo, A, B)
ROUTINE(potrf_downdate, (char uplo, startile_matrix *A, const startile_matrix *B), uplo, A, B)
ROUTINE(getrf, (startile_matrix * A, startile_pivots *P), A, P)
ROUTINE(getrf_nopiv, (startile_matrix * A), A)
ROUTINE(getrf_tntpiv, (startile_matrix * A, startile_pivots *P), A, P)
ROUTINE(getrs, (char trans, const startile_matrix *A, const startile_pivots *P, startile_matrix *B),
        trans, A, P, B)
ROUTINE(gesv, (startile_matrix * A, startile_pivots *P, startile_matrix *B, int refine), A, P, B,
        refine)
ROUTINE(gesv_mixed,
        (startile_matrix * A, startile_pivots *P, const startile_matrix *B, startile_matrix *X,
         const startile_mixed_options *options, startile_mixed_result *result),
        A, P, B, X, options, result)
ROUTINE(posv_mixed,
        (char uplo, startile_matrix *A, const startile_matrix *B, startile_matrix *X,
         const startile_mixed_options *options, startile_mixed_result *result),
        uplo, A, B, X, options, result)
ROUTINE(gels_mixed,
        (startile_matrix * A, const startile_matrix *B, startile_matrix *X,
         const startile_mixed_options *options, startile_mixed_result *result),
        A, B, X, options, result)
ROUTINE(getri, (startile_matrix * A, const startile_pivots *P), A, P)
ROUTINE(gecon, (char norm, const startile_matrix *A, const double *anorm, double *rcond), norm, A,
        anorm, rcond)
ROUTINE(pocon, (char uplo, const startile_matrix *A, const double *anorm, double *rcond), uplo, A,
        anorm, rcond)
ROUTINE(gedet,
        (const startile_matrix *A, const startile_pivots *P, startile_complex *sign,
         double *logabsdet),
        A, P, sign, logabsdet)
ROUTINE(podet, (const startile_matrix *A, double *logdet), A, logdet)
ROUTINE(sytrf, (char uplo, startile_matrix *A, startile_symmetric_pivots *symmetric_pivots), uplo,
        A, symmetric_pivots)
ROUTINE(hetrf, (char uplo, startile_matrix *A, startile_symmetric_pivots *symmetric_pivots), uplo,
        A, symmetric_pivots)
ROUTINE(sytrs,
        (char uplo, const startile_matrix *A, const startile_symmetric_pivots *symmetric_pivots,
         startile_matrix *B),
        uplo, A, symmetric_pivots, B)
ROUTINE(sysv,
        (char uplo, startile_matrix *A, startile_symmetric_pivots *symmetric_pivots,
         startile_matrix *B),
        uplo, A, symmetric_pivots, B)
ROUTINE(syrfs,
        (char uplo, const startile_matrix *A, const startile_matrix *F,
         const startile_symmetric_pivots *symmetric_pivots, const startile_matrix *B,
         startile_matrix *X, double *ferr, double *berr),
        uplo, A, F, symmetric_pivots, B, X, ferr, berr)
ROUTINE(sycon,
        (char uplo, const startile_matrix *A, const startile_symmetric_pivots *symmetric_pivots,
         const double *anorm, double *rcond),
        uplo, A, symmetric_pivots, anorm, rcond)
ROUTINE(sytri, (char uplo, startile_matrix *A, const startile_symmetric_pivots *symmetric_pivots),
        uplo, A, symmetric_pivots)
ROUTINE(sydet,
        (char uplo, const startile_matrix *A, const startile_symmetric_pivots *symmetric_pivots,
         startile_complex *sign, double *logabsdet),
        uplo, A, symmetric_pivots, sign, logabsdet)
ROUTINE(hetrs,
        (char uplo, const startile_matrix *A, const startile_symmetric_pivots *symmetric_pivots,
         startile_matrix *B),
        uplo, A, symmetric_pivots, B)
ROUTINE(hesv,
        (char uplo, startile_matrix *A, startile_symmetric_pivots *symmetric_pivots,
         startile_matrix *B),
        uplo, A, symmetric_pivots, B)
ROUTINE(herfs,
        (char uplo, const startile_matrix *A, const startile_matrix *F,
         const startile_symmetric_pivots *symmetric_pivots, const startile_matrix *B,
         startile_matrix *X, double *ferr, double *berr),
        uplo, A, F, symmetric_pivots, B, X, ferr, berr)
ROUTINE(hecon,
        (char uplo, const startile_matrix *A, const startile_symmetric_pivots *symmetric_pivots,
         const double *anorm, double *rcond),
        uplo, A, symmetric_pivots, anorm, rcond)
ROUTINE(hetri, (char uplo, startile_matrix *A, const startile_symmetric_pivots *symmetric_pivots),
        uplo, A, symmetric_pivots)
ROUTINE(hedet,
        (char uplo, const startile_matrix *A, const startile_symmetric_pivots *symmetric_pivots,
         startile_complex *sign, double *logabsdet),
        uplo, A, symmetric_pivots, sign, logabsdet)
ROUTINE(heinertia,
        (char uplo, const startile_matrix *A, const startile_symmetric_pivots *symmetric_pivots,
         int64_t *inertia),
        uplo, A, symmetric_pivots, inertia)
ROUTINE(sytrf_aa,
        (char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
         startile_pivots *band_pivots),
        uplo, A, P, band, band_pivots)
ROUTINE(sytrs_aa,
        (char uplo, const startile_matrix *A, const startile_pivots *P, const startile_matrix *band,
         const startile_pivots *band_pivots, startile_matrix *B),
        uplo, A, P, band, band_pivots, B)
ROUTINE(sysv_aa,
        (char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
         startile_pivots *band_pivots, startile_matrix *B),
        uplo, A, P, band, band_pivots, B)
ROUTINE(hetrf_aa,
        (char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
         startile_pivots *band_pivots),
        uplo, A, P, band, band_pivots)
ROUTINE(hetrs_aa,
        (char uplo, const startile_matrix *A, const startile_pivots *P, const startile_matrix *band,
         const startile_pivots *band_pivots, startile_matrix *B),
        uplo, A, P, band, band_pivots, B)
ROUTINE(hesv_aa,
        (char uplo, startile_matrix *A, startile_pivots *P, startile_matrix *band,
         startile_pivots *band_pivots, startile_matrix *B),
        uplo, A, P, band, band_pivots, B)
ROUTINE(geqrf, (startile_matrix * A, startile_reflectors *T), A, T)
ROUTINE(geqp3, (startile_matrix * A, startile_permutation *permutation, startile_reflectors *T), A,
        permutation, T)
ROUTINE(geqp3_random,
        (startile_matrix * A, startile_permutation *permutation, startile_reflectors *T,
         uint64_t seed),
        A, permutation, T, seed)
ROUTINE(geqp3_rank,
        (startile_matrix * A, startile_permutation *permutation, startile_reflectors *T, double tol,
         int64_t max_rank, int64_t *rank),
        A, permutation, T, tol, max_rank, rank)
ROUTINE(geqrf_tree, (startile_matrix * A, startile_tree *tree), A, tree)
ROUTINE(unmqr_tree,
        (char side, char trans, const startile_matrix *A, const startile_tree *tree,
         startile_matrix *C),
        side, trans, A, tree, C)
ROUTINE(unmqr,
        (char side, char trans, const startile_matrix *A, const startile_reflectors *T,
         startile_matrix *C),
        side, trans, A, T, C)
ROUTINE(ungqr, (startile_matrix * A, const startile_reflectors *T), A, T)
ROUTINE(unglq, (startile_matrix * A, const startile_reflectors *T), A, T)
ROUTINE(gelqf, (startile_matrix * A, startile_reflectors *T), A, T)
ROUTINE(unmlq,
        (char side, char trans, const startile_matrix *A, const startile_reflectors *T,
         startile_matrix *C),
        side, trans, A, T, C)
ROUTINE(gelsy,
        (startile_matrix * A, startile_permutation *permutation, startile_matrix *B,
         double least_rcond, int64_t *rank, double *estimate),
        A, permutation, B, least_rcond, rank, estimate)
ROUTINE(gels, (char trans, startile_matrix *A, startile_matrix *B), trans, A, B)
ROUTINE(gemm,
        (char transa, char transb, startile_complex alpha, const startile_matrix *A,
         const startile_matrix *B, startile_complex beta, startile_matrix *C),
        transa, transb, alpha, A, B, beta, C)
ROUTINE(herk,
        (char uplo, char trans, double alpha, const startile_matrix *A, double beta,
         startile_matrix *C),
        uplo, trans, alpha, A, beta, C)
ROUTINE(syrk,
        (char uplo, char trans, startile_complex alpha, const startile_matrix *A,
         startile_complex beta, startile_matrix *C),
        uplo, trans, alpha, A, beta, C)
ROUTINE(trtrs, (char uplo, char trans, char diag, const startile_matrix *A, startile_matrix *B),
        uplo, trans, diag, A, B)
ROUTINE(trsm,
        (char side, char uplo, char transa, char diag, startile_complex alpha,
         const startile_matrix *A, startile_matrix *B),
        side, uplo, transa, diag, alpha, A, B)
ROUTINE(trmm,
        (char side, char uplo, char transa, char diag, startile_complex alpha,
         const startile_matrix *A, startile_matrix *B),
        side, uplo, transa, diag, alpha, A, B)
ROUTINE(hemm,
        (char side, char uplo, startile_complex alpha, const startile_matrix *A,
         const startile_matrix *B, startile_complex beta, startile_matrix *C),
        side, uplo, alpha, A, B, beta, C)
ROUTINE(symm,
        (char side, char uplo, startile_complex alpha, const startile_matrix *A,
         const startile_matrix *B, startile_complex beta, startile_matrix *C),
        side, uplo, alpha, A, B, beta, C)
ROUTINE(lange, (char norm, const startile_matrix *A, double *value), norm, A, value)
ROUTINE(lansy, (char norm, char uplo, const startile_matrix *A, double *value), norm, uplo, A,
        value)
ROUTINE(lanhe, (char norm, char uplo, const startile_matrix *A, double *value), norm, uplo, A,
        value)
ROUTINE(laset, (char uplo, startile_complex offdiag, startile_complex diag, startile_matrix *A),
        uplo, offdiag, diag, A)
ROUTINE(lacpy, (char uplo, const startile_matrix *A, startile_matrix *B), uplo, A, B)
ROUTINE(random, (char kind, uint64_t seed, double bump, startile_matrix *A), kind, seed, bump, A)
