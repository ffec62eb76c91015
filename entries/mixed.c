/* Typed entries of the solvers in mixed precision: DSGESV, ZCGESV, DSPOSV, ZCPOSV. */
#include "startile_lapack.h"
#include "startile_mixed.h"
#include "typed.h"

#include <math.h>

/* Returns options with half of LAPACK's criterion of convergence, sqrt(n) eps, as tolerance. The
 * caller may compute the residual in another order of summation, with other rounding errors; for
 * n = 2 these are as large as the criterion. */
static startile_mixed_options lapack_options(int64_t n)
{
    return (startile_mixed_options){.size = sizeof(startile_mixed_options),
                                    .tolerance = sqrt((double)n) / 2};
}

/* Wrapped matrices of an entry; `entered`: lapack_enter() succeeded. */
struct mixed {
    startile_matrix *A, *B, *X;
    startile_pivots *P;
    bool entered;
};

/* Starts the library and wraps the arrays: A in tiles for `routine`, B and X in tiles of `rows`
 * rows, or square ones if `rows` is 0. Returns 0 or an error. */
static int64_t open_all(struct mixed *s, const char *routine, startile_dtype dtype, int64_t n,
                        int64_t nrhs, void *a, int64_t lda, void *b, int64_t ldb, void *x,
                        int64_t ldx, int64_t rows)
{
    int64_t mb, nb;
    int64_t status = lapack_enter();
    s->entered = status == 0;
    if (status == 0)
        status = lapack_tiles(routine, dtype, n, n, a, &mb, &nb);
    if (status == 0)
        status = startile_matrix_wrap(&s->A, dtype, n, n, a, lda, mb, nb);
    if (status == 0)
        status = startile_matrix_wrap(&s->B, dtype, n, nrhs, b, ldb, rows == 0 ? nb : rows, nb);
    if (status == 0)
        status = startile_matrix_wrap(&s->X, dtype, n, nrhs, x, ldx, rows == 0 ? nb : rows, nb);
    /* not A, which several calls may read at the same time */
    lapack_page_lock(s->X);
    return status;
}

static int64_t close_all(struct mixed *s, int64_t info)
{
    startile_matrix_destroy(s->A);
    startile_matrix_destroy(s->B);
    startile_matrix_destroy(s->X);
    startile_pivots_destroy(s->P);
    if (s->entered)
        lapack_leave();
    return info;
}

/* Validates the arguments from b on, 6 to 10 in all entries. Returns 0 or −i. */
static int check_results(int64_t n, int64_t nrhs, const void *b, int64_t ldb, const void *x,
                         int64_t ldx, const int64_t *iter)
{
    int wrong = check_matrix(n, nrhs, b, ldb, 6);
    if (wrong == 0)
        wrong = check_matrix(n, nrhs, x, ldx, 8);
    return wrong == 0 && iter == NULL ? -10 : wrong;
}

static int64_t gesv(startile_dtype dtype, int64_t n, int64_t nrhs, void *a, int64_t lda,
                    int64_t *ipiv, const void *b, int64_t ldb, void *x, int64_t ldx, int64_t *iter)
{
    struct mixed s = {.entered = false};
    startile_mixed_result result = {.size = sizeof result, .iterations = 0};
    int64_t status = n < 0 ? -1 : nrhs < 0 ? -2 : check_matrix(n, n, a, lda, 3);
    if (status == 0)
        status = check_host_array(ipiv, n, 5);
    if (status == 0)
        status = check_results(n, nrhs, b, ldb, x, ldx, iter);
    if (status != 0)
        return status;
    *iter = 0;
    if (n == 0)
        return 0;
    startile_mixed_options options = lapack_options(n);
    /* the cast drops const: the solver only reads B */
    status = open_all(&s, "getrf", dtype, n, nrhs, a, lda, (void *)b, ldb, x, ldx, n);
    if (status == 0)
        status = startile_pivots_create(&s.P, s.A);
    if (status == 0)
        status = startile_gesv_mixed(s.A, s.P, s.B, s.X, &options, &result);
    if (status >= 0) /* also after a zero pivot */
        startile_pivots_to_lapack(s.P, ipiv);
    *iter = result.iterations;
    return close_all(&s, status);
}

static int64_t posv(startile_dtype dtype, char uplo, int64_t n, int64_t nrhs, void *a, int64_t lda,
                    const void *b, int64_t ldb, void *x, int64_t ldx, int64_t *iter)
{
    struct mixed s = {.entered = false};
    startile_mixed_result result = {.size = sizeof result, .iterations = 0};
    int64_t status = !is_letter(uplo, "LlUu") ? -1
                     : n < 0                  ? -2
                     : nrhs < 0               ? -3
                                              : check_matrix(n, n, a, lda, 4);
    if (status == 0)
        status = check_results(n, nrhs, b, ldb, x, ldx, iter);
    if (status != 0)
        return status;
    *iter = 0;
    if (n == 0)
        return 0;
    startile_mixed_options options = lapack_options(n);
    status = open_all(&s, "potrf", dtype, n, nrhs, a, lda, (void *)b, ldb, x, ldx, 0);
    if (status == 0)
        status = startile_posv_mixed(uplo, s.A, s.B, s.X, &options, &result);
    *iter = result.iterations;
    return close_all(&s, status);
}

int64_t startile_dsgesv(int64_t n, int64_t nrhs, double *a, int64_t lda, int64_t *ipiv,
                        const double *b, int64_t ldb, double *x, int64_t ldx, int64_t *iter)
{
    return gesv(STARTILE_D, n, nrhs, a, lda, ipiv, b, ldb, x, ldx, iter);
}

int64_t startile_zcgesv(int64_t n, int64_t nrhs, startile_cdouble *a, int64_t lda, int64_t *ipiv,
                        const startile_cdouble *b, int64_t ldb, startile_cdouble *x, int64_t ldx,
                        int64_t *iter)
{
    return gesv(STARTILE_Z, n, nrhs, a, lda, ipiv, b, ldb, x, ldx, iter);
}

int64_t startile_dsposv(char uplo, int64_t n, int64_t nrhs, double *a, int64_t lda, const double *b,
                        int64_t ldb, double *x, int64_t ldx, int64_t *iter)
{
    return posv(STARTILE_D, uplo, n, nrhs, a, lda, b, ldb, x, ldx, iter);
}

int64_t startile_zcposv(char uplo, int64_t n, int64_t nrhs, startile_cdouble *a, int64_t lda,
                        const startile_cdouble *b, int64_t ldb, startile_cdouble *x, int64_t ldx,
                        int64_t *iter)
{
    return posv(STARTILE_Z, uplo, n, nrhs, a, lda, b, ldb, x, ldx, iter);
}
