/* The table of one type. Compiled four times, with one of STARTILE_TYPE_S, _D, _C, _Z defined. */
#include "reference.h"
#include "startile_lapack.h"

#include <cblas.h>
#include <complex.h>
#include <lapacke.h>

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

/* CBLAS takes complex scalars by address and real ones by value. */
#ifdef IS_COMPLEX
#define SCALAR(x) (&(element){(element)(x)})
#else
#define SCALAR(x) ((element)creal(x))
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

enum { WORK = 4096 };

static double lange(char norm, struct array A)
{
    real work[WORK];
    return A.m > WORK
               ? -1
               : LAPACK(lange)(LAPACK_COL_MAJOR, norm, (int)A.m, (int)A.n, A.a, (int)A.ld, work);
}

static double lansy(char norm, char uplo, struct array A)
{
    real work[WORK];
    return A.n > WORK ? -1
                      : LAPACK(lansy)(LAPACK_COL_MAJOR, norm, uplo, (int)A.n, A.a, (int)A.ld, work);
}

static double lanhe(char norm, char uplo, struct array A)
{
#ifdef IS_COMPLEX
    real work[WORK];
    return A.n > WORK ? -1
                      : LAPACK(lanhe)(LAPACK_COL_MAJOR, norm, uplo, (int)A.n, A.a, (int)A.ld, work);
#else
    return lansy(norm, uplo, A);
#endif
}

static int64_t typed_potrf(char uplo, int64_t n, void *a, int64_t lda)
{
    return TYPED(potrf)(uplo, n, a, lda);
}

static int64_t typed_potrs(char uplo, int64_t n, int64_t nrhs, const void *a, int64_t lda, void *b,
                           int64_t ldb)
{
    return TYPED(potrs)(uplo, n, nrhs, a, lda, b, ldb);
}

static int64_t typed_posv(char uplo, int64_t n, int64_t nrhs, void *a, int64_t lda, void *b,
                          int64_t ldb)
{
    return TYPED(posv)(uplo, n, nrhs, a, lda, b, ldb);
}

extern const struct reference TABLE;

const struct reference TABLE = {
    .gemm = gemm,
    .herk = herk,
    .syrk = syrk,
    .trsm = trsm,
    .trmm = trmm,
    .potrf = potrf,
    .potrs = potrs,
    .trtri = trtri,
    .lange = lange,
    .lansy = lansy,
    .lanhe = lanhe,
    .typed_potrf = typed_potrf,
    .typed_potrs = typed_potrs,
    .typed_posv = typed_posv,
};
