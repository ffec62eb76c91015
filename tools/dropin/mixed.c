/* LAPACK's symbols DSGESV, ZCGESV, DSPOSV and ZCPOSV. Compiled for d and z. */
#include "type.h"

#include <stdlib.h>

#if defined STARTILE_TYPE_D
#define MIXED(what, op) what(s##op)
typedef float single_element;
#define RWORK_PARAMETER
#define RWORK
#else
#define MIXED(what, op) what(c##op)
typedef startile_cfloat single_element;
#define RWORK_PARAMETER double *rwork,
#define RWORK rwork,
#endif

#define MIXED_STARTILE(routine, op)                                                                \
    ((__typeof__(MIXED(ENTRY, op)) *)startile_function(routine, DTYPE))
#define MIXED_MACHINE(routine, op)                                                                 \
    ((__typeof__(MIXED(SYMBOL, op)) *)machine_function(routine, DTYPE))

EXPORTED void MIXED(SYMBOL, gesv)(const integer *n, const integer *nrhs, element *a,
                                  const integer *lda, integer *ipiv, const element *b,
                                  const integer *ldb, element *x, const integer *ldx, element *work,
                                  single_element *swork, RWORK_PARAMETER integer *iter,
                                  integer *info)
{
    struct call call;
    struct problem p = {SGESV, DTYPE, *n,
                        *n,    *n,    flops_getrf(DTYPE, *n, *n) + flops_getrs(DTYPE, *n, *nrhs),
                        false};
    int wrong = *n < 0               ? 1
                : *nrhs < 0          ? 2
                : is_short(*lda, *n) ? 4
                : is_short(*ldb, *n) ? 7
                : is_short(*ldx, *n) ? 9
                                     : 0;
    *iter = 0;
    if (reject_argument(wrong, &p, info))
        return;
    if (call_begin(&call, p)) {
        int64_t *wide = malloc((size_t)larger(1, *n) * sizeof *wide);
        int64_t steps = 0;
        int64_t status = wide == NULL ? NOT_CALLED
                                      : MIXED_STARTILE(SGESV, gesv)(*n, *nrhs, a, *lda, wide, b,
                                                                    *ldb, x, *ldx, &steps);
        for (integer k = 0; k < *n && status >= 0; k++)
            ipiv[k] = (integer)wide[k];
        free(wide);
        *iter = (integer)steps;
        if (call_end_if_answered(&call, status, info))
            return;
    }
    MIXED_MACHINE(SGESV, gesv)
    (n, nrhs, a, lda, ipiv, b, ldb, x, ldx, work, swork, RWORK iter, info);
    call_end(&call, *info);
}

EXPORTED void MIXED(SYMBOL, posv)(const char *uplo, const integer *n, const integer *nrhs,
                                  element *a, const integer *lda, const element *b,
                                  const integer *ldb, element *x, const integer *ldx, element *work,
                                  single_element *swork, RWORK_PARAMETER integer *iter,
                                  integer *info, length uplo_length)
{
    struct call call;
    struct problem p = {
        SPOSV, DTYPE, *n, *n, *n, flops_potrf(DTYPE, *n) + flops_potrs(DTYPE, *n, *nrhs), false};
    int wrong = !is_letter(uplo, "LlUu") ? 1
                : *n < 0                 ? 2
                : *nrhs < 0              ? 3
                : is_short(*lda, *n)     ? 5
                : is_short(*ldb, *n)     ? 7
                : is_short(*ldx, *n)     ? 9
                                         : 0;
    *iter = 0;
    if (reject_argument(wrong, &p, info))
        return;
    if (call_begin(&call, p)) {
        int64_t steps = 0;
        int64_t status =
            MIXED_STARTILE(SPOSV, posv)(*uplo, *n, *nrhs, a, *lda, b, *ldb, x, *ldx, &steps);
        *iter = (integer)steps;
        if (call_end_if_answered(&call, status, info))
            return;
    }
    MIXED_MACHINE(SPOSV, posv)
    (uplo, n, nrhs, a, lda, b, ldb, x, ldx, work, swork, RWORK iter, info, uplo_length);
    call_end(&call, *info);
}
