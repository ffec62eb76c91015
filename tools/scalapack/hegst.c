/* ScaLAPACK's routines PxSYGST, PxHEGST, PxSYNGST and PxHENGST. The last two have the same results
 * by other operations, and a workspace. The factor of B is the first operand of a call: it is only
 * read. */
#include "scalapack.h"

/* Begins a call; the reduced matrix is A. Returns whether startile shall solve the problem. */
static bool begin(struct call *call, enum routine routine, startile_dtype t, integer itype,
                  const char *uplo, bool is_query, struct operand *B, struct operand *A)
{
    double n = (double)A->n;
    struct problem p = {routine, t, n, n, n, flops_sygst(t, n), is_query};
    const char letters[] = {(char)('0' + itype), *uplo, '\0'};
    bool is_valid = itype >= 1 && itype <= 3 && is_letter(uplo, "LlUu");
    return call_begin(call, p, is_valid, is_valid ? letters : "", B, A);
}

HERMITIAN_SYMBOLS(gst,
                  (const integer *itype, const char *uplo, const integer *n, void *a,
                   const integer *ia, const integer *ja, const integer *desca, void *b,
                   const integer *ib, const integer *jb, const integer *descb, void *scale,
                   integer *info, length uplo_length),
                  (itype, uplo, n, a, ia, ja, desca, b, ib, jb, descb, scale, info, uplo_length))
{
    struct call call;
    struct operand A = {*n, *n, a, ia, ja, desca, NULL, NULL},
                   B = {*n, *n, b, ib, jb, descb, NULL, NULL};
    if (begin(&call, SYGST, t, *itype, uplo, false, &B, &A) &&
        call_end_if_answered(&call, startile_hegst((int)*itype, *uplo, A.matrix, B.matrix), info)) {
        real_set(t, scale, 1);
        return;
    }
    MACHINE(SYGST, gst)
    (itype, uplo, n, a, ia, ja, desca, b, ib, jb, descb, scale, info, uplo_length);
    call_end(&call, *info);
}

HERMITIAN_SYMBOLS(ngst,
                  (const integer *itype, const char *uplo, const integer *n, void *a,
                   const integer *ia, const integer *ja, const integer *desca, void *b,
                   const integer *ib, const integer *jb, const integer *descb, void *scale,
                   void *work, const integer *lwork, integer *info, length uplo_length),
                  (itype, uplo, n, a, ia, ja, desca, b, ib, jb, descb, scale, work, lwork, info,
                   uplo_length))
{
    struct call call;
    struct operand A = {*n, *n, a, ia, ja, desca, NULL, NULL},
                   B = {*n, *n, b, ib, jb, descb, NULL, NULL};
    struct work w = {.work = work, .lwork = lwork};
    if (begin(&call, SYNGST, t, *itype, uplo, is_query(w), &B, &A)) {
        struct answer size = {.info = 0};
        double unused_scale;
        MACHINE(SYNGST, ngst)
        (itype, uplo, n, a, ia, ja, desca, b, ib, jb, descb, &unused_scale, &size.work, &query,
         &size.info, uplo_length);
        if (check_workspace(&call, w, &size) &&
            call_end_if_answered(&call, startile_hegst((int)*itype, *uplo, A.matrix, B.matrix),
                                 info)) {
            real_set(t, scale, 1);
            store_sizes(&call, w, &size);
            return;
        }
    }
    MACHINE(SYNGST, ngst)
    (itype, uplo, n, a, ia, ja, desca, b, ib, jb, descb, scale, work, lwork, info, uplo_length);
    call_end(&call, *info);
}
