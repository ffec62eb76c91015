/* ScaLAPACK's routines PxPOTRF, PxPOTRS, PxPOTRI, PxPOSV, PxTRTRI, PxTRTRS and PxPOCON */
#include "scalapack.h"

#include <math.h>

/* Returns the problem of a matrix of order n. times: number of operations, relative to that of
 * potrf */
static struct problem square_problem(enum routine routine, startile_dtype t, integer n,
                                     double times)
{
    return (struct problem){routine, t, n, n, n, times * flops_potrf(t, n), false};
}

SYMBOLS(potrf,
        (const char *uplo, const integer *n, void *a, const integer *ia, const integer *ja,
         const integer *desca, integer *info, length uplo_length),
        (uplo, n, a, ia, ja, desca, info, uplo_length))
{
    struct call call;
    struct operand A = {*n, *n, a, ia, ja, desca, NULL, NULL};
    const char letters[] = {*uplo, '\0'};
    if (call_begin(&call, square_problem(POTRF, t, *n, 1), is_letter(uplo, "LlUu"), letters, &A,
                   NULL) &&
        call_end_if_answered(&call, startile_potrf(*uplo, A.matrix), info))
        return;
    MACHINE(POTRF, potrf)(uplo, n, a, ia, ja, desca, info, uplo_length);
    call_end(&call, *info);
}

SYMBOLS(potri,
        (const char *uplo, const integer *n, void *a, const integer *ia, const integer *ja,
         const integer *desca, integer *info, length uplo_length),
        (uplo, n, a, ia, ja, desca, info, uplo_length))
{
    struct call call;
    struct operand A = {*n, *n, a, ia, ja, desca, NULL, NULL};
    const char letters[] = {*uplo, '\0'};
    if (call_begin(&call, square_problem(POTRI, t, *n, 2), is_letter(uplo, "LlUu"), letters, &A,
                   NULL) &&
        call_end_if_answered(&call, startile_potri(*uplo, A.matrix), info))
        return;
    MACHINE(POTRI, potri)(uplo, n, a, ia, ja, desca, info, uplo_length);
    call_end(&call, *info);
}

SYMBOLS(trtri,
        (const char *uplo, const char *diag, const integer *n, void *a, const integer *ia,
         const integer *ja, const integer *desca, integer *info, length uplo_length,
         length diag_length),
        (uplo, diag, n, a, ia, ja, desca, info, uplo_length, diag_length))
{
    struct call call;
    struct operand A = {*n, *n, a, ia, ja, desca, NULL, NULL};
    const char letters[] = {*uplo, *diag, '\0'};
    bool is_valid = is_letter(uplo, "LlUu") && is_letter(diag, "NnUu");
    if (call_begin(&call, square_problem(TRTRI, t, *n, 1), is_valid, letters, &A, NULL) &&
        call_end_if_answered(&call, startile_trtri(*uplo, *diag, A.matrix), info))
        return;
    MACHINE(TRTRI, trtri)(uplo, diag, n, a, ia, ja, desca, info, uplo_length, diag_length);
    call_end(&call, *info);
}

SYMBOLS(trtrs,
        (const char *uplo, const char *trans, const char *diag, const integer *n,
         const integer *nrhs, void *a, const integer *ia, const integer *ja, const integer *desca,
         void *b, const integer *ib, const integer *jb, const integer *descb, integer *info,
         length uplo_length, length trans_length, length diag_length),
        (uplo, trans, diag, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, info, uplo_length,
         trans_length, diag_length))
{
    struct call call;
    struct operand A = {*n, *n, a, ia, ja, desca, NULL, NULL},
                   B = {*n, *nrhs, b, ib, jb, descb, NULL, NULL};
    struct problem p = {TRTRS, t, *n, *n, *nrhs, flops_trsm(t, *n, *nrhs), false};
    const char letters[] = {*uplo, *trans, *diag, '\0'};
    bool is_valid =
        is_letter(uplo, "LlUu") && is_letter(trans, "NnTtCc") && is_letter(diag, "NnUu");
    if (call_begin(&call, p, is_valid, letters, &A, &B) &&
        call_end_if_answered(&call, startile_trtrs(*uplo, *trans, *diag, A.matrix, B.matrix), info))
        return;
    MACHINE(TRTRS, trtrs)
    (uplo, trans, diag, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, info, uplo_length,
     trans_length, diag_length);
    call_end(&call, *info);
}

SYMBOLS(potrs,
        (const char *uplo, const integer *n, const integer *nrhs, void *a, const integer *ia,
         const integer *ja, const integer *desca, void *b, const integer *ib, const integer *jb,
         const integer *descb, integer *info, length uplo_length),
        (uplo, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, info, uplo_length))
{
    struct call call;
    struct operand A = {*n, *n, a, ia, ja, desca, NULL, NULL},
                   B = {*n, *nrhs, b, ib, jb, descb, NULL, NULL};
    struct problem p = {POTRS, t, *n, *n, *nrhs, flops_potrs(t, *n, *nrhs), false};
    const char letters[] = {*uplo, '\0'};
    if (call_begin(&call, p, is_letter(uplo, "LlUu"), letters, &A, &B) &&
        call_end_if_answered(&call, startile_potrs(*uplo, A.matrix, B.matrix), info))
        return;
    MACHINE(POTRS, potrs)(uplo, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, info, uplo_length);
    call_end(&call, *info);
}

SYMBOLS(posv,
        (const char *uplo, const integer *n, const integer *nrhs, void *a, const integer *ia,
         const integer *ja, const integer *desca, void *b, const integer *ib, const integer *jb,
         const integer *descb, integer *info, length uplo_length),
        (uplo, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, info, uplo_length))
{
    struct call call;
    struct operand A = {*n, *n, a, ia, ja, desca, NULL, NULL},
                   B = {*n, *nrhs, b, ib, jb, descb, NULL, NULL};
    struct problem p = square_problem(POSV, t, *n, 1);
    const char letters[] = {*uplo, '\0'};
    p.flops += flops_potrs(t, *n, *nrhs);
    if (call_begin(&call, p, is_letter(uplo, "LlUu"), letters, &A, &B) &&
        call_end_if_answered(&call, startile_posv(*uplo, A.matrix, B.matrix), info))
        return;
    MACHINE(POSV, posv)(uplo, n, nrhs, a, ia, ja, desca, b, ib, jb, descb, info, uplo_length);
    call_end(&call, *info);
}

SYMBOLS(pocon,
        (const char *uplo, const integer *n, void *a, const integer *ia, const integer *ja,
         const integer *desca, const void *anorm, void *rcond, void *work, const integer *lwork,
         void *more, const integer *lmore, integer *info, length uplo_length),
        (uplo, n, a, ia, ja, desca, anorm, rcond, work, lwork, more, lmore, info, uplo_length))
{
    struct call call;
    struct operand A = {*n, *n, a, ia, ja, desca, NULL, NULL};
    struct work w = {work, more, lwork, lmore};
    struct problem p = {POCON, t, *n, *n, 1, 0, is_query(w)};
    const char letters[] = {*uplo, '\0'};
    double reciprocal = 0, norm_of_a = real_get(t, anorm);
    /* The machine's routine gets a norm that is 0, negative, infinite or NaN. */
    bool is_valid = is_letter(uplo, "LlUu") && isfinite(norm_of_a) && norm_of_a > 0;
    if (call_begin(&call, p, is_valid, letters, &A, NULL)) {
        struct answer size = {.info = 0};
        MACHINE(POCON, pocon)
        (uplo, n, a, ia, ja, desca, anorm, &reciprocal, &size.work, &query, &size.more, &query,
         &size.info, uplo_length);
        if (check_workspace(&call, w, &size) &&
            call_end_if_answered(&call, startile_pocon(*uplo, A.matrix, &norm_of_a, &reciprocal),
                                 info)) {
            real_set(t, rcond, reciprocal);
            store_sizes(&call, w, &size);
            return;
        }
    }
    MACHINE(POCON, pocon)
    (uplo, n, a, ia, ja, desca, anorm, rcond, work, lwork, more, lmore, info, uplo_length);
    call_end(&call, *info);
}
