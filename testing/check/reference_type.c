/* The reference table of one type. Compiled four times, with one of STARTILE_TYPE_S, _D, _C, _Z
 * defined. */
#include "reference.h"
#include "startile_lapack.h"

#include <cblas.h>
#include <complex.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#if defined STARTILE_TYPE_S
typedef float element;
typedef float real;
#define TABLE reference_s
#define BLAS(op) cblas_s##op
#define LAPACK(op) LAPACKE_s##op##_work
#define TYPED(op) startile_s##op
#elif defined STARTILE_TYPE_D
typedef double element;
typedef double real;
#define TABLE reference_d
#define BLAS(op) cblas_d##op
#define LAPACK(op) LAPACKE_d##op##_work
#define TYPED(op) startile_d##op
#elif defined STARTILE_TYPE_C
typedef float _Complex element;
typedef float real;
#define TABLE reference_c
#define BLAS(op) cblas_c##op
#define LAPACK(op) LAPACKE_c##op##_work
#define TYPED(op) startile_c##op
#define IS_COMPLEX
#elif defined STARTILE_TYPE_Z
typedef double _Complex element;
typedef double real;
#define TABLE reference_z
#define BLAS(op) cblas_z##op
#define LAPACK(op) LAPACKE_z##op##_work
#define TYPED(op) startile_z##op
#define IS_COMPLEX
#endif

/* CBLAS takes complex scalars by address and real scalars by value. Routines for Q are named un…
 * for complex types and or… for real types; real types have trans 'T' in place of 'C'. */
#ifdef IS_COMPLEX
#define SCALAR(x) (&(element){(element)(x)})
#define UNITARY(prefix, op) prefix(un##op)
#define CONJUGATE 'C'
#define HERK TYPED(herk)
#define HERMITIAN(op) TYPED(he##op)
#define INERTIA TYPED(heinertia)
#define LAPACK_HERMITIAN(op) LAPACK(he##op)
#else
#define SCALAR(x) ((element)creal(x))
#define UNITARY(prefix, op) prefix(or ##op)
#define CONJUGATE 'T'
#define HERK TYPED(syrk)
#define HERMITIAN(op) TYPED(sy##op)
#define INERTIA TYPED(syinertia)
#define LAPACK_HERMITIAN(op) LAPACK(sy##op)
#endif

static enum CBLAS_TRANSPOSE trans_of(char trans)
{
    return trans == 'N' ? CblasNoTrans : trans == 'T' ? CblasTrans : CblasConjTrans;
}

static enum CBLAS_UPLO uplo_of(char uplo)
{
    return uplo == 'L' ? CblasLower : CblasUpper;
}

static enum CBLAS_SIDE side_of(char side)
{
    return side == 'L' ? CblasLeft : CblasRight;
}

static enum CBLAS_DIAG diag_of(char diag)
{
    return diag == 'N' ? CblasNonUnit : CblasUnit;
}

static void gemm(char transa, char transb, startile_complex alpha, struct array A, struct array B,
                 startile_complex beta, struct array C)
{
    BLAS(gemm)
    (CblasColMajor, trans_of(transa), trans_of(transb), (int)C.m, (int)C.n,
     (int)(transa == 'N' ? A.n : A.m), SCALAR(alpha), A.a, (int)A.ld, B.a, (int)B.ld, SCALAR(beta),
     C.a, (int)C.ld);
}

static void syrk(char uplo, char trans, startile_complex alpha, struct array A,
                 startile_complex beta, struct array C)
{
    BLAS(syrk)
    (CblasColMajor, uplo_of(uplo), trans_of(trans), (int)C.n, (int)(trans == 'N' ? A.n : A.m),
     SCALAR(alpha), A.a, (int)A.ld, SCALAR(beta), C.a, (int)C.ld);
}

static void herk(char uplo, char trans, double alpha, struct array A, double beta, struct array C)
{
#ifdef IS_COMPLEX
    BLAS(herk)
    (CblasColMajor, uplo_of(uplo), trans_of(trans), (int)C.n, (int)(trans == 'N' ? A.n : A.m),
     (real)alpha, A.a, (int)A.ld, (real)beta, C.a, (int)C.ld);
#else
    syrk(uplo, trans, alpha, A, beta, C);
#endif
}

static void trsm(char side, char uplo, char trans, char diag, startile_complex alpha,
                 struct array A, struct array B)
{
    BLAS(trsm)
    (CblasColMajor, side_of(side), uplo_of(uplo), trans_of(trans), diag_of(diag), (int)B.m,
     (int)B.n, SCALAR(alpha), A.a, (int)A.ld, B.a, (int)B.ld);
}

static void trmm(char side, char uplo, char trans, char diag, startile_complex alpha,
                 struct array A, struct array B)
{
    BLAS(trmm)
    (CblasColMajor, side_of(side), uplo_of(uplo), trans_of(trans), diag_of(diag), (int)B.m,
     (int)B.n, SCALAR(alpha), A.a, (int)A.ld, B.a, (int)B.ld);
}

static int potrf(char uplo, struct array A)
{
    return LAPACK(potrf)(LAPACK_COL_MAJOR, uplo, (int)A.n, A.a, (int)A.ld);
}

static int potrs(char uplo, struct array A, struct array B)
{
    return LAPACK(potrs)(LAPACK_COL_MAJOR, uplo, (int)A.n, (int)B.n, A.a, (int)A.ld, B.a,
                         (int)B.ld);
}

static int trtri(char uplo, struct array A)
{
    return LAPACK(trtri)(LAPACK_COL_MAJOR, uplo, 'N', (int)A.n, A.a, (int)A.ld);
}

/* Returns memory for `count` elements of this size. The caller frees it. */
static void *workspace(int64_t count, size_t size)
{
    void *work = malloc((size_t)(count + 1) * size);
    if (work == NULL)
        abort();
    return work;
}

static double lange(char norm, struct array A)
{
    real *work = workspace(A.m, sizeof *work);
    double value = LAPACK(lange)(LAPACK_COL_MAJOR, norm, (int)A.m, (int)A.n, A.a, (int)A.ld, work);
    free(work);
    return value;
}

static double lansy(char norm, char uplo, struct array A)
{
    real *work = workspace(A.n, sizeof *work);
    double value = LAPACK(lansy)(LAPACK_COL_MAJOR, norm, uplo, (int)A.n, A.a, (int)A.ld, work);
    free(work);
    return value;
}

static double lanhe(char norm, char uplo, struct array A)
{
#ifdef IS_COMPLEX
    real *work = workspace(A.n, sizeof *work);
    double value = LAPACK(lanhe)(LAPACK_COL_MAJOR, norm, uplo, (int)A.n, A.a, (int)A.ld, work);
    free(work);
    return value;
#else
    return lansy(norm, uplo, A);
#endif
}

/* Converts k pivots to LAPACKE's integers. The caller frees the result. */
static lapack_int *narrow(const int64_t *ipiv, int64_t k)
{
    lapack_int *narrowed = workspace(k, sizeof *narrowed);
    for (int64_t i = 0; i < k; i++)
        narrowed[i] = (lapack_int)ipiv[i];
    return narrowed;
}

static int getrf(struct array A, int64_t *ipiv)
{
    int64_t k = A.m < A.n ? A.m : A.n;
    lapack_int *p = workspace(k, sizeof *p);
    int info = LAPACK(getrf)(LAPACK_COL_MAJOR, (int)A.m, (int)A.n, A.a, (int)A.ld, p);
    for (int64_t i = 0; i < k; i++)
        ipiv[i] = p[i];
    free(p);
    return info;
}

static void getrs(char trans, struct array A, const int64_t *ipiv, struct array B)
{
    lapack_int *p = narrow(ipiv, A.n);
    LAPACK(getrs)
    (LAPACK_COL_MAJOR, trans, (int)A.n, (int)B.n, A.a, (int)A.ld, p, B.a, (int)B.ld);
    free(p);
}

static int getri(struct array A, const int64_t *ipiv)
{
    lapack_int *p = narrow(ipiv, A.n);
    element *work = workspace(A.n, sizeof *work);
    int info =
        LAPACK(getri)(LAPACK_COL_MAJOR, (int)A.n, A.a, (int)A.ld, p, work, A.n > 0 ? (int)A.n : 1);
    free(work);
    free(p);
    return info;
}

/* Workspace of the condition estimators: 4 n elements, and 2 n reals (complex types) or integers
 * (real types). */
struct estimator {
    element *work;
#ifdef IS_COMPLEX
    real *more;
#else
    lapack_int *more;
#endif
};

static struct estimator estimator_new(int64_t n)
{
    struct estimator e;
    e.work = workspace(4 * n, sizeof *e.work);
    e.more = workspace(2 * n, sizeof *e.more);
    return e;
}

static void estimator_free(struct estimator e)
{
    free(e.work);
    free(e.more);
}

static double gecon(char norm, struct array A, double anorm)
{
    struct estimator e = estimator_new(A.n);
    real rcond = -1;
    LAPACK(gecon)
    (LAPACK_COL_MAJOR, norm, (int)A.n, A.a, (int)A.ld, (real)anorm, &rcond, e.work, e.more);
    estimator_free(e);
    return rcond;
}

static int posvx(char uplo, struct array A, struct array F, struct array B, struct array X,
                 double *rcond, double *ferr, double *berr)
{
    struct estimator e = estimator_new(A.n);
    real *forward = workspace(B.n, sizeof *forward), *backward = workspace(B.n, sizeof *backward),
         *scale = workspace(A.n, sizeof *scale), r = -1;
    char equed = 'N';
    int info = LAPACK(posvx)(LAPACK_COL_MAJOR, 'N', uplo, (int)A.n, (int)B.n, A.a, (int)A.ld, F.a,
                             (int)F.ld, &equed, scale, B.a, (int)B.ld, X.a, (int)X.ld, &r, forward,
                             backward, e.work, e.more);
    *rcond = r;
    for (int64_t j = 0; j < B.n; j++) {
        ferr[j] = forward[j];
        berr[j] = backward[j];
    }
    free(forward);
    free(backward);
    free(scale);
    estimator_free(e);
    return info;
}

static double gerfs(char trans, struct array A, struct array F, const int64_t *ipiv, struct array B,
                    struct array X)
{
    struct estimator e = estimator_new(A.n);
    real *forward = workspace(B.n, sizeof *forward), *backward = workspace(B.n, sizeof *backward);
    lapack_int *p = narrow(ipiv, A.n);
    double largest = 0;
    LAPACK(gerfs)
    (LAPACK_COL_MAJOR, trans, (int)A.n, (int)B.n, A.a, (int)A.ld, F.a, (int)F.ld, p, B.a, (int)B.ld,
     X.a, (int)X.ld, forward, backward, e.work, e.more);
    for (int64_t j = 0; j < B.n; j++)
        largest = fmax(largest, backward[j]);
    free(p);
    free(forward);
    free(backward);
    estimator_free(e);
    return largest;
}

/* -- QR and LQ ------------------------------------------------------------------------------- */

/* Returns *size elements for routines on A and C with blocks of up to 64 columns or rows: xORMQR
 * needs 64 for each row or column, and 64 · 65 for a triangle T. */
static element *blocked_workspace(struct array A, struct array C, lapack_int *size)
{
    int64_t most = A.m > A.n ? A.m : A.n;
    most = C.m > most ? C.m : most;
    most = C.n > most ? C.n : most;
    *size = (lapack_int)(64 * (most + 65));
    return workspace(*size, sizeof(element));
}

#define FACTOR(name, function)                                                                     \
    static void name(struct array A, struct array tau)                                             \
    {                                                                                              \
        lapack_int size;                                                                           \
        element *work = blocked_workspace(A, A, &size);                                            \
        function(LAPACK_COL_MAJOR, (int)A.m, (int)A.n, A.a, (int)A.ld, tau.a, work, size);         \
        free(work);                                                                                \
    }
FACTOR(geqrf, LAPACK(geqrf))
FACTOR(gelqf, LAPACK(gelqf))

static void geqp3(struct array A, int64_t *jpvt, struct array tau)
{
    lapack_int size, *pivots = workspace(A.n, sizeof *pivots);
    element *work = blocked_workspace(A, A, &size);
    for (int64_t j = 0; j < A.n; j++)
        pivots[j] = (lapack_int)jpvt[j];
#ifdef IS_COMPLEX
    real *norms = workspace(2 * A.n, sizeof *norms);
    LAPACK(geqp3)
    (LAPACK_COL_MAJOR, (int)A.m, (int)A.n, A.a, (int)A.ld, pivots, tau.a, work, size, norms);
    free(norms);
#else
    LAPACK(geqp3)
    (LAPACK_COL_MAJOR, (int)A.m, (int)A.n, A.a, (int)A.ld, pivots, tau.a, work, size);
#endif
    for (int64_t j = 0; j < A.n; j++)
        jpvt[j] = pivots[j];
    free(pivots);
    free(work);
}

static int pstrf(char uplo, struct array A, double tol, int64_t *piv, int64_t *rank)
{
    lapack_int found = 0, *pivots = workspace(A.n, sizeof *pivots);
    real *work = workspace(2 * A.n, sizeof *work);
    int info = LAPACK(pstrf)(LAPACK_COL_MAJOR, uplo, (int)A.n, A.a, (int)A.ld, pivots, &found,
                             (real)tol, work);
    for (int64_t j = 0; j < A.n; j++)
        piv[j] = pivots[j];
    *rank = found;
    free(pivots);
    free(work);
    return info;
}

static int sytrf(char op, char uplo, struct array A, int64_t *ipiv)
{
    lapack_int *pivots = workspace(A.n, sizeof *pivots), size = (lapack_int)(64 * A.n + 1);
    element *work = workspace(size, sizeof *work);
    int info = (op == 'T' ? LAPACK(sytrf) : LAPACK_HERMITIAN(trf))(
        LAPACK_COL_MAJOR, uplo, (int)A.n, A.a, (int)A.ld, pivots, work, size);
    for (int64_t j = 0; j < A.n; j++)
        ipiv[j] = pivots[j];
    free(pivots);
    free(work);
    return info;
}

static void sytrs(char op, char uplo, struct array A, const int64_t *ipiv, struct array B)
{
    lapack_int *pivots = narrow(ipiv, A.n);
    (op == 'T' ? LAPACK(sytrs) : LAPACK_HERMITIAN(trs))(LAPACK_COL_MAJOR, uplo, (int)A.n, (int)B.n,
                                                        A.a, (int)A.ld, pivots, B.a, (int)B.ld);
    free(pivots);
}

static int sytrf_aa(char op, char uplo, struct array A, void *tb, int64_t ltb, int64_t *ipiv,
                    int64_t *ipiv2)
{
    lapack_int *p = workspace(A.n, sizeof *p), *p2 = workspace(A.n, sizeof *p2),
               size = (lapack_int)(64 * A.n + 1);
    element *work = workspace(size, sizeof *work);
    int info = (op == 'T' ? LAPACK(sytrf_aa_2stage) : LAPACK_HERMITIAN(trf_aa_2stage))(
        LAPACK_COL_MAJOR, uplo, (int)A.n, A.a, (int)A.ld, tb, (int)ltb, p, p2, work, size);
    for (int64_t j = 0; j < A.n; j++) {
        ipiv[j] = p[j];
        ipiv2[j] = p2[j];
    }
    free(p);
    free(p2);
    free(work);
    return info;
}

static void sytrs_aa(char op, char uplo, struct array A, const void *tb, int64_t ltb,
                     const int64_t *ipiv, const int64_t *ipiv2, struct array B)
{
    lapack_int *p = narrow(ipiv, A.n), *p2 = narrow(ipiv2, A.n);
    (op == 'T' ? LAPACK(sytrs_aa_2stage) : LAPACK_HERMITIAN(trs_aa_2stage))(
        LAPACK_COL_MAJOR, uplo, (int)A.n, (int)B.n, A.a, (int)A.ld, (void *)tb, (int)ltb, p, p2,
        B.a, (int)B.ld);
    free(p);
    free(p2);
}

static double sycon(char op, char uplo, struct array A, const int64_t *ipiv, double anorm)
{
    lapack_int *pivots = narrow(ipiv, A.n);
    element *work = workspace(2 * A.n, sizeof *work);
    real rcond = -1;
#ifdef IS_COMPLEX
    (op == 'T' ? LAPACK(sycon) : LAPACK(hecon))(LAPACK_COL_MAJOR, uplo, (int)A.n, A.a, (int)A.ld,
                                                pivots, (real)anorm, &rcond, work);
#else
    lapack_int *other_work = workspace(A.n, sizeof *other_work);
    (void)op;
    LAPACK(sycon)
    (LAPACK_COL_MAJOR, uplo, (int)A.n, A.a, (int)A.ld, pivots, (real)anorm, &rcond, work,
     other_work);
    free(other_work);
#endif
    free(work);
    free(pivots);
    return rcond;
}

static void syrfs(char op, char uplo, struct array A, struct array F, const int64_t *ipiv,
                  struct array B, struct array X, double *ferr, double *berr)
{
    struct estimator e = estimator_new(A.n);
    real *forward = workspace(B.n, sizeof *forward), *backward = workspace(B.n, sizeof *backward);
    lapack_int *p = narrow(ipiv, A.n);
    (op == 'T' ? LAPACK(syrfs) : LAPACK_HERMITIAN(rfs))(
        LAPACK_COL_MAJOR, uplo, (int)A.n, (int)B.n, A.a, (int)A.ld, F.a, (int)F.ld, p, B.a,
        (int)B.ld, X.a, (int)X.ld, forward, backward, e.work, e.more);
    for (int64_t j = 0; j < B.n; j++) {
        ferr[j] = forward[j];
        berr[j] = backward[j];
    }
    free(p);
    free(forward);
    free(backward);
    estimator_free(e);
}

#define APPLY_Q(name, function)                                                                    \
    static void name(char side, char trans, struct array A, struct array tau, struct array C)      \
    {                                                                                              \
        lapack_int size;                                                                           \
        element *work = blocked_workspace(A, C, &size);                                            \
        function(LAPACK_COL_MAJOR, side, trans == 'N' ? 'N' : CONJUGATE, (int)C.m, (int)C.n,       \
                 (int)tau.m, A.a, (int)A.ld, tau.a, C.a, (int)C.ld, work, size);                   \
        free(work);                                                                                \
    }
APPLY_Q(unmqr, UNITARY(LAPACK, mqr))
APPLY_Q(unmlq, UNITARY(LAPACK, mlq))

#define FORM_Q(name, function)                                                                     \
    static void name(struct array A, struct array tau)                                             \
    {                                                                                              \
        lapack_int size;                                                                           \
        element *work = blocked_workspace(A, A, &size);                                            \
        function(LAPACK_COL_MAJOR, (int)A.m, (int)A.n, (int)tau.m, A.a, (int)A.ld, tau.a, work,    \
                 size);                                                                            \
        free(work);                                                                                \
    }
FORM_Q(ungqr, UNITARY(LAPACK, gqr))
FORM_Q(unglq, UNITARY(LAPACK, glq))

static int gels(char trans, struct array A, struct array B)
{
    lapack_int size;
    element *work = blocked_workspace(A, B, &size);
    int info = LAPACK(gels)(LAPACK_COL_MAJOR, trans == 'N' ? 'N' : CONJUGATE, (int)A.m, (int)A.n,
                            (int)B.n, A.a, (int)A.ld, B.a, (int)B.ld, work, size);
    free(work);
    return info;
}

static int64_t gelsy(struct array A, struct array B, int64_t *jpvt, double rcond)
{
    lapack_int size, rank = -1, *pivots = narrow(jpvt, A.n);
    element *work = blocked_workspace(A, B, &size);
#ifdef IS_COMPLEX
    real *norms = workspace(2 * A.n, sizeof *norms);
    LAPACK(gelsy)
    (LAPACK_COL_MAJOR, (int)A.m, (int)A.n, (int)B.n, A.a, (int)A.ld, B.a, (int)B.ld, pivots,
     (real)rcond, &rank, work, size, norms);
    free(norms);
#else
    LAPACK(gelsy)
    (LAPACK_COL_MAJOR, (int)A.m, (int)A.n, (int)B.n, A.a, (int)A.ld, B.a, (int)B.ld, pivots,
     (real)rcond, &rank, work, size);
#endif
    for (int64_t j = 0; j < A.n; j++)
        jpvt[j] = pivots[j];
    free(pivots);
    free(work);
    return rank;
}

static double typed_pocon(char uplo, int64_t n, const void *a, int64_t lda, double anorm)
{
    real rcond = -7;
    int64_t info = TYPED(pocon)(uplo, n, a, lda, (real)anorm, &rcond);
    return info == 0 ? rcond : -7;
}

static double typed_sycon(char op, char uplo, int64_t n, const void *a, int64_t lda,
                          const int64_t *ipiv, double anorm)
{
    real rcond = -7;
    int64_t info =
        (op == 'T' ? TYPED(sycon) : HERMITIAN(con))(uplo, n, a, lda, ipiv, (real)anorm, &rcond);
    return info == 0 ? rcond : -7;
}

#define ENTRY(name, function, parameters, arguments)                                               \
    static int64_t typed_##name parameters                                                         \
    {                                                                                              \
        return function arguments;                                                                 \
    }
#include "typed_entries.h"
#undef ENTRY

extern const struct reference TABLE;

const struct reference TABLE = {
    .gemm = gemm,
    .herk = herk,
    .syrk = syrk,
    .trsm = trsm,
    .trmm = trmm,
    .potrf = potrf,
    .pstrf = pstrf,
    .sytrf = sytrf,
    .sytrs = sytrs,
    .sytrf_aa = sytrf_aa,
    .sytrs_aa = sytrs_aa,
    .sycon = sycon,
    .syrfs = syrfs,
    .typed_sycon = typed_sycon,
    .potrs = potrs,
    .trtri = trtri,
    .lange = lange,
    .lansy = lansy,
    .lanhe = lanhe,
    .typed_pocon = typed_pocon,
#define ENTRY(name, function, parameters, arguments) .typed_##name = typed_##name,
#include "typed_entries.h"
#undef ENTRY
    .getrf = getrf,
    .getrs = getrs,
    .getri = getri,
    .gecon = gecon,
    .posvx = posvx,
    .gerfs = gerfs,
    .geqrf = geqrf,
    .gelqf = gelqf,
    .geqp3 = geqp3,
    .unmqr = unmqr,
    .unmlq = unmlq,
    .ungqr = ungqr,
    .unglq = unglq,
    .gels = gels,
    .gelsy = gelsy,
};
