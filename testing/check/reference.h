/*
 * The system's BLAS and LAPACK, and the library's typed entries, as one table for each type.
 * Arguments are in BLAS order; shapes come from the arrays.
 */
#ifndef TESTING_REFERENCE_H
#define TESTING_REFERENCE_H

#include "array.h"

struct reference {
    void (*gemm)(char transa, char transb, startile_complex alpha, struct array A, struct array B,
                 startile_complex beta, struct array C);
    void (*herk)(char uplo, char trans, double alpha, struct array A, double beta, struct array C);
    void (*syrk)(char uplo, char trans, startile_complex alpha, struct array A,
                 startile_complex beta, struct array C);
    void (*trsm)(char side, char uplo, char trans, char diag, startile_complex alpha,
                 struct array A, struct array B);
    void (*trmm)(char side, char uplo, char trans, char diag, startile_complex alpha,
                 struct array A, struct array B);
    int (*potrf)(char uplo, struct array A);
    /* piv: n elements, 1-based. Returns info. */
    int (*pstrf)(char uplo, struct array A, double tol, int64_t *piv, int64_t *rank);
    /* op 'T': xSYTRF, 'C': xHETRF or, for real types, xSYTRF; ipiv: n elements. Returns info. */
    int (*sytrf)(char op, char uplo, struct array A, int64_t *ipiv);
    void (*sytrs)(char op, char uplo, struct array A, const int64_t *ipiv, struct array B);
    /* op as for sytrf. Aasen's factors in two stages; tb: ltb elements. sytrf_aa returns info. */
    int (*sytrf_aa)(char op, char uplo, struct array A, void *tb, int64_t ltb, int64_t *ipiv,
                    int64_t *ipiv2);
    void (*sytrs_aa)(char op, char uplo, struct array A, const void *tb, int64_t ltb,
                     const int64_t *ipiv, const int64_t *ipiv2, struct array B);
    /* Returns rcond. */
    double (*sycon)(char op, char uplo, struct array A, const int64_t *ipiv, double anorm);
    /* Refines X; ferr and berr have an element for each column. */
    void (*syrfs)(char op, char uplo, struct array A, struct array F, const int64_t *ipiv,
                  struct array B, struct array X, double *ferr, double *berr);
    int (*potrs)(char uplo, struct array A, struct array B);
    int (*trtri)(char uplo, struct array A);
    double (*lange)(char norm, struct array A);
    double (*lansy)(char norm, char uplo, struct array A);
    double (*lanhe)(char norm, char uplo, struct array A);
    /* ipiv: min(m, n) elements, 1-based */
    int (*getrf)(struct array A, int64_t *ipiv);
    void (*getrs)(char trans, struct array A, const int64_t *ipiv, struct array B);
    int (*getri)(struct array A, const int64_t *ipiv);
    /* Returns rcond. */
    double (*gecon)(char norm, struct array A, double anorm);
    /* Factors A into F, solves A X = B, refines X; ferr and berr have an element for each column.
     * Returns info. */
    int (*posvx)(char uplo, struct array A, struct array F, struct array B, struct array X,
                 double *rcond, double *ferr, double *berr);
    /* Refines the solution X of op(A) X = B with the factors F of A; returns the largest
     * componentwise backward error after it. */
    double (*gerfs)(char trans, struct array A, struct array F, const int64_t *ipiv, struct array B,
                    struct array X);
    /* tau is a column of min(m, n) elements. Routines that apply or form Q use as many reflectors
     * as tau has elements. trans is 'N' or 'C', also for real types. */
    void (*geqrf)(struct array A, struct array tau);
    void (*gelqf)(struct array A, struct array tau);
    /* jpvt: n elements, 1-based; in and out */
    void (*geqp3)(struct array A, int64_t *jpvt, struct array tau);
    void (*unmqr)(char side, char trans, struct array A, struct array tau, struct array C);
    void (*unmlq)(char side, char trans, struct array A, struct array tau, struct array C);
    void (*ungqr)(struct array A, struct array tau);
    void (*unglq)(struct array A, struct array tau);
    int (*gels)(char trans, struct array A, struct array B);
    /* jpvt: n elements, 1-based; returns the rank */
    int64_t (*gelsy)(struct array A, struct array B, int64_t *jpvt, double rcond);

    /* the library's typed entries, with LAPACK's arguments: startile_spotrf() and so on */
#define ENTRY(name, function, parameters, arguments) int64_t(*typed_##name) parameters;
#include "typed_entries.h"
#undef ENTRY
    double (*typed_pocon)(char uplo, int64_t n, const void *a, int64_t lda,
                          double anorm); /* returns rcond, or −7 if info is not 0 */
    /* op 'T': sycon, 'C': hecon; returns as typed_pocon */
    double (*typed_sycon)(char op, char uplo, int64_t n, const void *a, int64_t lda,
                          const int64_t *ipiv, double anorm);
};

/* Indexed by startile_dtype. */
extern const struct reference *const reference[4];

static inline const struct reference *lapack(struct array A)
{
    return reference[A.dtype];
}

/* Returns op(A) op(B). */
struct array product(char transa, char transb, struct array A, struct array B);

#endif
