/* LAPACK's symbols xSYTRF, xSYTRS, xSYTRS2, xSYTRI, xSYSV and xSYCON, and xHETRF, … for Hermitian
 * matrices. If startile has solved a problem, the machine's xSYTRF and xSYSV are still called, only
 * to ask for the best size of the workspace: work[0] is an output. */
#include "pivots.h"

/* -- factorization ---------------------------------------------------------------------------- */

typedef void factorize(const char *uplo, const integer *n, element *a, const integer *lda,
                       integer *ipiv, element *work, const integer *lwork, integer *info,
                       length uplo_length);
typedef int64_t typed_factorize(char uplo, int64_t n, element *a, int64_t lda, int64_t *ipiv);

static void factor(enum routine routine, const char *uplo, const integer *n, element *a,
                   const integer *lda, integer *ipiv, element *work, const integer *lwork,
                   integer *info, length uplo_length)
{
    struct call call;
    integer query_info; /* INFO of the query below, which is not used */
    struct problem p = {routine, DTYPE, *n, *n, *n, flops_potrf(DTYPE, *n), is_query(lwork)};
    factorize *machine = (factorize *)machine_function(routine, DTYPE);
    bool is_done = false;
    int wrong = !is_letter(uplo, "LlUu")   ? 1
                : *n < 0                   ? 2
                : is_short(*lda, *n)       ? 4
                : is_short_work(*lwork, 1) ? 7
                                           : 0;
    if (reject_argument(wrong, &p, info))
        return;
    if (call_begin(&call, p)) {
        typed_factorize *typed = (typed_factorize *)startile_function(routine, DTYPE);
        int64_t *wide = new_wide_pivots(*n);
        int64_t status = wide == NULL ? NOT_CALLED : typed(*uplo, *n, a, *lda, wide);
        if (status >= 0)
            narrow(*n, wide, ipiv);
        free(wide);
        is_done = call_end_if_answered(&call, status, info);
    }
    if (machine != NULL)
        machine(uplo, n, a, lda, ipiv, work, is_done ? &query : lwork, is_done ? &query_info : info,
                uplo_length);
    else
        work[0] = as_work(larger(1, *n));
    if (!is_done)
        call_end(&call, *info);
}

/* -- solutions -------------------------------------------------------------------------------- */

/* Returns the position of the first wrong argument of a routine with right-hand sides B, or 0. */
static int check_solve(const char *uplo, integer n, integer nrhs, integer lda, integer ldb)
{
    return !is_letter(uplo, "LlUu") ? 1
           : n < 0                  ? 2
           : nrhs < 0               ? 3
           : is_short(lda, n)       ? 5
           : is_short(ldb, n)       ? 8
                                    : 0;
}

typedef int64_t typed_solve(char uplo, int64_t n, int64_t nrhs, const element *a, int64_t lda,
                            const int64_t *ipiv, element *b, int64_t ldb);

/* Solves by startile if it shall. Returns true if the call has ended; otherwise call the machine's
 * routine, then call_end(). */
static bool solved(struct call *call, enum routine routine, const char *uplo, const integer *n,
                   const integer *nrhs, const element *a, const integer *lda, const integer *ipiv,
                   element *b, const integer *ldb, integer *info)
{
    struct problem p = {routine, DTYPE, *n, *n, *nrhs, flops_potrs(DTYPE, *n, *nrhs), false};
    if (reject_argument(check_solve(uplo, *n, *nrhs, *lda, *ldb), &p, info))
        return true;
    if (!call_begin(call, p))
        return false;
    typed_solve *typed = (typed_solve *)startile_function(routine, DTYPE);
    int64_t *wide = widened(*n, ipiv);
    int64_t status = wide == NULL ? NOT_CALLED : typed(*uplo, *n, *nrhs, a, *lda, wide, b, *ldb);
    free(wide);
    return call_end_if_answered(call, status, info);
}

typedef void factor_and_solve(const char *uplo, const integer *n, const integer *nrhs, element *a,
                              const integer *lda, integer *ipiv, element *b, const integer *ldb,
                              element *work, const integer *lwork, integer *info,
                              length uplo_length);
typedef int64_t typed_factor_and_solve(char uplo, int64_t n, int64_t nrhs, element *a, int64_t lda,
                                       int64_t *ipiv, element *b, int64_t ldb);

static void factor_with_solution(enum routine routine, const char *uplo, const integer *n,
                                 const integer *nrhs, element *a, const integer *lda, integer *ipiv,
                                 element *b, const integer *ldb, element *work,
                                 const integer *lwork, integer *info, length uplo_length)
{
    struct call call;
    integer query_info;
    struct problem p = {
        routine,        DTYPE, *n, *n, *n, flops_potrf(DTYPE, *n) + flops_potrs(DTYPE, *n, *nrhs),
        is_query(lwork)};
    factor_and_solve *machine = (factor_and_solve *)machine_function(routine, DTYPE);
    bool is_done = false;
    int wrong = check_solve(uplo, *n, *nrhs, *lda, *ldb);
    if (reject_argument(wrong != 0 ? wrong : is_short_work(*lwork, 1) ? 10 : 0, &p, info))
        return;
    if (call_begin(&call, p)) {
        typed_factor_and_solve *typed = (typed_factor_and_solve *)startile_function(routine, DTYPE);
        int64_t *wide = new_wide_pivots(*n);
        int64_t status =
            wide == NULL ? NOT_CALLED : typed(*uplo, *n, *nrhs, a, *lda, wide, b, *ldb);
        if (status >= 0)
            narrow(*n, wide, ipiv);
        free(wide);
        is_done = call_end_if_answered(&call, status, info);
    }
    if (machine != NULL)
        machine(uplo, n, nrhs, a, lda, ipiv, b, ldb, work, is_done ? &query : lwork,
                is_done ? &query_info : info, uplo_length);
    else
        work[0] = as_work(larger(1, *n));
    if (!is_done)
        call_end(&call, *info);
}

/* -- inverse, condition ----------------------------------------------------------------------- */

/* Returns the position of the first wrong argument of a routine with factors in A, or 0. */
static int check_factors(const char *uplo, integer n, integer lda)
{
    return !is_letter(uplo, "LlUu") ? 1 : n < 0 ? 2 : is_short(lda, n) ? 4 : 0;
}

typedef int64_t typed_invert(char uplo, int64_t n, element *a, int64_t lda, const int64_t *ipiv);

/* Inverts by startile if it shall; returns as solved(). */
static bool inverted(struct call *call, enum routine routine, const char *uplo, const integer *n,
                     element *a, const integer *lda, const integer *ipiv, integer *info)
{
    struct problem p = {routine, DTYPE, *n, *n, *n, flops_potri(DTYPE, *n), false};
    if (reject_argument(check_factors(uplo, *n, *lda), &p, info))
        return true;
    if (!call_begin(call, p))
        return false;
    typed_invert *typed = (typed_invert *)startile_function(routine, DTYPE);
    int64_t *wide = widened(*n, ipiv);
    int64_t status = wide == NULL ? NOT_CALLED : typed(*uplo, *n, a, *lda, wide);
    free(wide);
    return call_end_if_answered(call, status, info);
}

typedef int64_t typed_estimate(char uplo, int64_t n, const element *a, int64_t lda,
                               const int64_t *ipiv, real anorm, real *rcond);

/* Estimates the condition by startile if it shall; returns as solved(). */
static bool estimated(struct call *call, enum routine routine, const char *uplo, const integer *n,
                      const element *a, const integer *lda, const integer *ipiv, const real *anorm,
                      real *rcond, integer *info)
{
    /* k = 0 if the norm is NaN or infinite: the machine's LAPACK then gets the problem, because the
     * result depends on LAPACK's version. */
    struct problem p = {routine, DTYPE, *n, *n, isfinite(*anorm), 0, false};
    int wrong = check_factors(uplo, *n, *lda);
    if (reject_argument(wrong != 0 ? wrong : *anorm < 0 ? 6 : 0, &p, info))
        return true;
    if (!call_begin(call, p))
        return false;
    typed_estimate *typed = (typed_estimate *)startile_function(routine, DTYPE);
    int64_t *wide = widened(*n, ipiv);
    int64_t status = wide == NULL ? NOT_CALLED : typed(*uplo, *n, a, *lda, wide, *anorm, rcond);
    free(wide);
    return call_end_if_answered(call, status, info);
}

/* -- symbols ---------------------------------------------------------------------------------- */

/* IWORK, which xSYCON has for real types only */
#if defined STARTILE_TYPE_S || defined STARTILE_TYPE_D
#define IWORK_PARAMETER integer *iwork,
#define IWORK iwork,
#else
#define IWORK_PARAMETER
#define IWORK
#endif

/* Defines the symbols of symmetric (SY, sy) or Hermitian (HE, he) matrices. */
#define SYMBOLS(KIND, kind)                                                                        \
    EXPORTED void SYMBOL(kind##trf)(const char *uplo, const integer *n, element *a,                \
                                    const integer *lda, integer *ipiv, element *work,              \
                                    const integer *lwork, integer *info, length uplo_length)       \
    {                                                                                              \
        factor(KIND##TRF, uplo, n, a, lda, ipiv, work, lwork, info, uplo_length);                  \
    }                                                                                              \
                                                                                                   \
    EXPORTED void SYMBOL(kind##sv)(const char *uplo, const integer *n, const integer *nrhs,        \
                                   element *a, const integer *lda, integer *ipiv, element *b,      \
                                   const integer *ldb, element *work, const integer *lwork,        \
                                   integer *info, length uplo_length)                              \
    {                                                                                              \
        factor_with_solution(KIND##SV, uplo, n, nrhs, a, lda, ipiv, b, ldb, work, lwork, info,     \
                             uplo_length);                                                         \
    }                                                                                              \
                                                                                                   \
    EXPORTED void SYMBOL(kind##trs)(const char *uplo, const integer *n, const integer *nrhs,       \
                                    const element *a, const integer *lda, const integer *ipiv,     \
                                    element *b, const integer *ldb, integer *info,                 \
                                    length uplo_length)                                            \
    {                                                                                              \
        struct call call;                                                                          \
        if (solved(&call, KIND##TRS, uplo, n, nrhs, a, lda, ipiv, b, ldb, info))                   \
            return;                                                                                \
        MACHINE(KIND##TRS, kind##trs)(uplo, n, nrhs, a, lda, ipiv, b, ldb, info, uplo_length);     \
        call_end(&call, *info);                                                                    \
    }                                                                                              \
                                                                                                   \
    EXPORTED void SYMBOL(kind##trs2)(const char *uplo, const integer *n, const integer *nrhs,      \
                                     element *a, const integer *lda, const integer *ipiv,          \
                                     element *b, const integer *ldb, element *work, integer *info, \
                                     length uplo_length)                                           \
    {                                                                                              \
        struct call call;                                                                          \
        if (solved(&call, KIND##TRS2, uplo, n, nrhs, a, lda, ipiv, b, ldb, info))                  \
            return;                                                                                \
        MACHINE(KIND##TRS2, kind##trs2)                                                            \
        (uplo, n, nrhs, a, lda, ipiv, b, ldb, work, info, uplo_length);                            \
        call_end(&call, *info);                                                                    \
    }                                                                                              \
                                                                                                   \
    EXPORTED void SYMBOL(kind##tri)(const char *uplo, const integer *n, element *a,                \
                                    const integer *lda, const integer *ipiv, element *work,        \
                                    integer *info, length uplo_length)                             \
    {                                                                                              \
        struct call call;                                                                          \
        if (inverted(&call, KIND##TRI, uplo, n, a, lda, ipiv, info))                               \
            return;                                                                                \
        MACHINE(KIND##TRI, kind##tri)(uplo, n, a, lda, ipiv, work, info, uplo_length);             \
        call_end(&call, *info);                                                                    \
    }

SYMBOLS(SY, sy)

EXPORTED void SYMBOL(sycon)(const char *uplo, const integer *n, const element *a,
                            const integer *lda, const integer *ipiv, const real *anorm, real *rcond,
                            element *work, IWORK_PARAMETER integer *info, length uplo_length)
{
    struct call call;
    if (estimated(&call, SYCON, uplo, n, a, lda, ipiv, anorm, rcond, info))
        return;
    MACHINE(SYCON, sycon)(uplo, n, a, lda, ipiv, anorm, rcond, work, IWORK info, uplo_length);
    call_end(&call, *info);
}

#if defined STARTILE_TYPE_C || defined STARTILE_TYPE_Z
SYMBOLS(HE, he)

EXPORTED void SYMBOL(hecon)(const char *uplo, const integer *n, const element *a,
                            const integer *lda, const integer *ipiv, const real *anorm, real *rcond,
                            element *work, integer *info, length uplo_length)
{
    struct call call;
    if (estimated(&call, HECON, uplo, n, a, lda, ipiv, anorm, rcond, info))
        return;
    MACHINE(HECON, hecon)(uplo, n, a, lda, ipiv, anorm, rcond, work, info, uplo_length);
    call_end(&call, *info);
}
#endif
