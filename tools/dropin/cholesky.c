/* LAPACK's symbols xPOTRF, xPSTRF, xPOTRS, xPOTRI, xPOSV, xTRTRI, xTRTRS, xLAUUM, xSYGST, xHEGST
 * and xPOCON */
#include "pivots.h"

/* Check the arguments of a routine; check_solve() is for routines with right-hand sides B. Return
 * the position of the first wrong argument, or 0. */
static int check_triangle(const char *uplo, integer n, integer lda)
{
    return !is_letter(uplo, "LlUu") ? 1 : n < 0 ? 2 : is_short(lda, n) ? 4 : 0;
}

static int check_solve(const char *uplo, integer n, integer nrhs, integer lda, integer ldb)
{
    return !is_letter(uplo, "LlUu") ? 1
           : n < 0                  ? 2
           : nrhs < 0               ? 3
           : is_short(lda, n)       ? 5
           : is_short(ldb, n)       ? 7
                                    : 0;
}

/* Returns the problem of a matrix of order n. times: number of operations, relative to that of
 * potrf */
static struct problem square_problem(enum routine routine, integer n, double times)
{
    return (struct problem){routine, DTYPE, n, n, n, times * flops_potrf(DTYPE, n), false};
}

EXPORTED void SYMBOL(potrf)(const char *uplo, const integer *n, element *a, const integer *lda,
                            integer *info, length uplo_length)
{
    struct call call;
    struct problem p = square_problem(POTRF, *n, 1);
    if (reject_argument(check_triangle(uplo, *n, *lda), &p, info))
        return;
    if (call_begin(&call, p) &&
        call_end_if_answered(&call, STARTILE(POTRF, potrf)(*uplo, *n, a, *lda), info))
        return;
    MACHINE(POTRF, potrf)(uplo, n, a, lda, info, uplo_length);
    call_end(&call, *info);
}

EXPORTED void SYMBOL(pstrf)(const char *uplo, const integer *n, element *a, const integer *lda,
                            integer *piv, integer *rank, const real *tol, real *work, integer *info,
                            length uplo_length)
{
    struct call call;
    struct problem p = square_problem(PSTRF, *n, 1);
    if (reject_argument(check_triangle(uplo, *n, *lda), &p, info))
        return;
    if (call_begin(&call, p)) {
        int64_t *wide = new_wide_pivots(*n), wide_rank = 0;
        int64_t status = wide == NULL
                             ? NOT_CALLED
                             : STARTILE(PSTRF, pstrf)(*uplo, *n, a, *lda, wide, &wide_rank, *tol);
        if (status >= 0) {
            narrow(*n, wide, piv);
            *rank = (integer)wide_rank;
        }
        free(wide);
        if (call_end_if_answered(&call, status, info))
            return;
    }
    MACHINE(PSTRF, pstrf)(uplo, n, a, lda, piv, rank, tol, work, info, uplo_length);
    call_end(&call, *info);
}

EXPORTED void SYMBOL(potri)(const char *uplo, const integer *n, element *a, const integer *lda,
                            integer *info, length uplo_length)
{
    struct call call;
    struct problem p = square_problem(POTRI, *n, 2);
    if (reject_argument(check_triangle(uplo, *n, *lda), &p, info))
        return;
    if (call_begin(&call, p) &&
        call_end_if_answered(&call, STARTILE(POTRI, potri)(*uplo, *n, a, *lda), info))
        return;
    MACHINE(POTRI, potri)(uplo, n, a, lda, info, uplo_length);
    call_end(&call, *info);
}

EXPORTED void SYMBOL(lauum)(const char *uplo, const integer *n, element *a, const integer *lda,
                            integer *info, length uplo_length)
{
    struct call call;
    struct problem p = square_problem(LAUUM, *n, 1);
    if (reject_argument(check_triangle(uplo, *n, *lda), &p, info))
        return;
    if (call_begin(&call, p) &&
        call_end_if_answered(&call, STARTILE(LAUUM, lauum)(*uplo, *n, a, *lda), info))
        return;
    MACHINE(LAUUM, lauum)(uplo, n, a, lda, info, uplo_length);
    call_end(&call, *info);
}

EXPORTED void HERMITIAN(SYMBOL, gst)(const integer *itype, const char *uplo, const integer *n,
                                     element *a, const integer *lda, const element *b,
                                     const integer *ldb, integer *info, length uplo_length)
{
    struct call call;
    struct problem p = {SYGST, DTYPE, *n, *n, *n, flops_sygst(DTYPE, *n), false};
    int wrong = *itype < 1 || *itype > 3   ? 1
                : !is_letter(uplo, "LlUu") ? 2
                : *n < 0                   ? 3
                : is_short(*lda, *n)       ? 5
                : is_short(*ldb, *n)       ? 7
                                           : 0;
    if (reject_argument(wrong, &p, info))
        return;
    if (call_begin(&call, p)) {
        __typeof__(HERMITIAN(ENTRY, gst)) *reduce =
            (__typeof__(reduce))startile_function(SYGST, DTYPE);
        if (call_end_if_answered(&call, reduce((int)*itype, *uplo, *n, a, *lda, b, *ldb), info))
            return;
    }
    __typeof__(HERMITIAN(SYMBOL, gst)) *machine =
        (__typeof__(machine))machine_function(SYGST, DTYPE);
    machine(itype, uplo, n, a, lda, b, ldb, info, uplo_length);
    call_end(&call, *info);
}

EXPORTED void SYMBOL(trtri)(const char *uplo, const char *diag, const integer *n, element *a,
                            const integer *lda, integer *info, length uplo_length,
                            length diag_length)
{
    struct call call;
    struct problem p = square_problem(TRTRI, *n, 1);
    int wrong = !is_letter(uplo, "LlUu")   ? 1
                : !is_letter(diag, "NnUu") ? 2
                : *n < 0                   ? 3
                : is_short(*lda, *n)       ? 5
                                           : 0;
    if (reject_argument(wrong, &p, info))
        return;
    if (call_begin(&call, p) &&
        call_end_if_answered(&call, STARTILE(TRTRI, trtri)(*uplo, *diag, *n, a, *lda), info))
        return;
    MACHINE(TRTRI, trtri)(uplo, diag, n, a, lda, info, uplo_length, diag_length);
    call_end(&call, *info);
}

EXPORTED void SYMBOL(trtrs)(const char *uplo, const char *trans, const char *diag, const integer *n,
                            const integer *nrhs, const element *a, const integer *lda, element *b,
                            const integer *ldb, integer *info, length uplo_length,
                            length trans_length, length diag_length)
{
    struct call call;
    struct problem p = {TRTRS, DTYPE, *n, *n, *nrhs, flops_trsm(DTYPE, *n, *nrhs), false};
    int wrong = !is_letter(uplo, "LlUu")      ? 1
                : !is_letter(trans, "NnTtCc") ? 2
                : !is_letter(diag, "NnUu")    ? 3
                : *n < 0                      ? 4
                : *nrhs < 0                   ? 5
                : is_short(*lda, *n)          ? 7
                : is_short(*ldb, *n)          ? 9
                                              : 0;
    if (reject_argument(wrong, &p, info))
        return;
    if (call_begin(&call, p) &&
        call_end_if_answered(
            &call, STARTILE(TRTRS, trtrs)(*uplo, *trans, *diag, *n, *nrhs, a, *lda, b, *ldb), info))
        return;
    MACHINE(TRTRS, trtrs)
    (uplo, trans, diag, n, nrhs, a, lda, b, ldb, info, uplo_length, trans_length, diag_length);
    call_end(&call, *info);
}

EXPORTED void SYMBOL(potrs)(const char *uplo, const integer *n, const integer *nrhs,
                            const element *a, const integer *lda, element *b, const integer *ldb,
                            integer *info, length uplo_length)
{
    struct call call;
    struct problem p = {POTRS, DTYPE, *n, *n, *nrhs, flops_potrs(DTYPE, *n, *nrhs), false};
    if (reject_argument(check_solve(uplo, *n, *nrhs, *lda, *ldb), &p, info))
        return;
    if (call_begin(&call, p) &&
        call_end_if_answered(&call, STARTILE(POTRS, potrs)(*uplo, *n, *nrhs, a, *lda, b, *ldb),
                             info))
        return;
    MACHINE(POTRS, potrs)(uplo, n, nrhs, a, lda, b, ldb, info, uplo_length);
    call_end(&call, *info);
}

EXPORTED void SYMBOL(posv)(const char *uplo, const integer *n, const integer *nrhs, element *a,
                           const integer *lda, element *b, const integer *ldb, integer *info,
                           length uplo_length)
{
    struct call call;
    struct problem p = square_problem(POSV, *n, 1);
    p.flops += flops_potrs(DTYPE, *n, *nrhs);
    if (reject_argument(check_solve(uplo, *n, *nrhs, *lda, *ldb), &p, info))
        return;
    if (call_begin(&call, p) &&
        call_end_if_answered(&call, STARTILE(POSV, posv)(*uplo, *n, *nrhs, a, *lda, b, *ldb), info))
        return;
    MACHINE(POSV, posv)(uplo, n, nrhs, a, lda, b, ldb, info, uplo_length);
    call_end(&call, *info);
}

EXPORTED void SYMBOL(pocon)(const char *uplo, const integer *n, const element *a,
                            const integer *lda, const real *anorm, real *rcond, element *work,
                            estimator_work *more_work, integer *info, length uplo_length)
{
    struct call call;
    /* k = 0 if the norm is NaN or infinite: the machine's LAPACK then gets the problem, because the
     * result depends on LAPACK's version. */
    struct problem p = {POCON, DTYPE, *n, *n, isfinite(*anorm), 0, false};
    int wrong = check_triangle(uplo, *n, *lda);
    if (reject_argument(wrong != 0 ? wrong : *anorm < 0 ? 5 : 0, &p, info))
        return;
    if (call_begin(&call, p) &&
        call_end_if_answered(
            &call, STARTILE(POCON, pocon_vector)(*uplo, *n, a, *lda, *anorm, rcond, work + *n),
            info))
        return;
    MACHINE(POCON, pocon)(uplo, n, a, lda, anorm, rcond, work, more_work, info, uplo_length);
    call_end(&call, *info);
}
