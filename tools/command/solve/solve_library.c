/*
 * Calls of the library in `startile solve`: Cholesky, LDL and LU of a square A, QR of any A, with
 * or without column pivoting.
 */
#include "dense.h"
#include "measure.h"
#include "models.h"
#include "progress.h"
#include "residual.h"
#include "scalar.h"
#include "solve.h"
#include "startile_mixed.h"
#include "startile_trace.h"

#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Page-locks memory (on), or undoes that. Ignores failures, because not every system allows it. */
static void pin(bool on, void *memory, int64_t count, startile_dtype dtype)
{
    size_t bytes = (size_t)count * dtype_size(dtype);
    if (memory && bytes)
        (void)(on ? startile_pin(memory, bytes) : startile_unpin(memory, bytes));
}

/* Copies A, and b if A is square, to the memory that the library will overwrite. */
static void copy_inputs(struct linear_system *p)
{
    size_t size = dtype_size(p->dtype);
    if (p->m && p->n)
        memcpy(p->factors, p->a, (size_t)(p->m * p->n) * size);
    if (p->m == p->n && p->n && p->nrhs)
        memcpy(p->x, p->b, (size_t)(p->n * p->nrhs) * size);
}

/* Sets the tile shape. With --nb: square tiles for Cholesky and LDL, tiles of all rows for LU and
 * QR. Without --nb the library chooses the shape; factors in a file are not in main memory. Returns
 * 0 or a startile_error. */
static int64_t choose_tiles(const struct solve_settings *s, const struct linear_system *p,
                            struct solution *solution)
{
    static const char *const routines[] = {[METHOD_CHOLESKY] = "posv",
                                           [METHOD_LDL] = "sysv",
                                           [METHOD_LU] = "gesv",
                                           [METHOD_QR] = "gels",
                                           [METHOD_QRCP] = "gelsy"};
    solution->mb = solution->method <= METHOD_LDL ? s->nb : at_least_1(p->m);
    solution->nb = s->nb;
    if (s->nb)
        return 0;
    return (s->resume.file ? startile_tile_shape : startile_tile_shape_in_host)(
        routines[solution->method], p->dtype, p->m, p->n, &solution->mb, &solution->nb);
}

/* -- Cholesky, LDL and LU ------------------------------------------------------------------- */

/* Wraps the memory or the file for the factors. A new file gets A's elements. */
static int64_t wrap_factors(const struct solve_settings *s, const struct linear_system *p,
                            const struct solution *solution, startile_matrix **A)
{
    int64_t ld = at_least_1(p->n);
    if (!s->resume.file)
        return startile_matrix_wrap(A, p->dtype, p->n, p->n, p->factors, ld, solution->mb,
                                    solution->nb);
    int64_t status = resume_wrap(&s->resume, A, p->dtype, p->n, p->n, solution->mb, solution->nb);
    if (status || s->resume.continues)
        return status;
    status = startile_matrix_from_lapack(*A, p->a, ld);
    return status ? status : resume_filled(&s->resume, *A);
}

/* Estimates the condition number from the factors. S: pivots of LDL; norm: ‖A‖₁ */
static int64_t estimate_from_factors(const struct solve_settings *s, const startile_matrix *factors,
                                     const startile_symmetric_pivots *S, double norm,
                                     struct solution *solution)
{
    switch (solution->method) {
    case METHOD_LU:
        return startile_gecon('1', factors, &norm, &solution->rcond);
    case METHOD_LDL:
        return (solution->is_hermitian ? startile_hecon : startile_sycon)(s->uplo, factors, S,
                                                                          &norm, &solution->rcond);
    default:
        return startile_pocon(s->uplo, factors, &norm, &solution->rcond);
    }
}

/* Refines X, which has the tiles of its factors F, by porfs, syrfs or herfs: two steps each time
 * until there are at least s->refine. S: pivots of LDL */
static int64_t refine(const struct solve_settings *s, const struct linear_system *p,
                      struct solution *solution, const startile_matrix *F,
                      const startile_symmetric_pivots *S, startile_matrix *X)
{
    startile_matrix *A = NULL, *B = NULL;
    int64_t ld = at_least_1(p->n), mb = solution->mb, nb = solution->nb, outcome;
    double *errors = calloc((size_t)at_least_1(2 * p->nrhs), sizeof *errors);
    if (!errors)
        return STARTILE_ERROR_MEMORY;
    (void)((outcome = startile_matrix_wrap(&A, p->dtype, p->n, p->n, p->a, ld, mb, nb)) ||
           (outcome = startile_matrix_wrap(&B, p->dtype, p->n, p->nrhs, p->b, ld, mb, nb)));
    for (; !outcome && solution->steps < s->refine; solution->steps += 2)
        outcome = solution->method == METHOD_CHOLESKY
                      ? startile_porfs(s->uplo, A, F, B, X, errors, errors + p->nrhs)
                      : (solution->is_hermitian ? startile_herfs : startile_syrfs)(
                            s->uplo, A, F, S, B, X, errors, errors + p->nrhs);
    solution->estimated_error = 0;
    for (int64_t j = 0; j < p->nrhs; j++)
        solution->estimated_error = worse(errors[j], solution->estimated_error);
    free(errors);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
    return outcome;
}

/* Factors A and solves. P: pivots of LU; S: those of LDL */
static int64_t factor_and_solve(const struct solve_settings *s, const struct solution *solution,
                                startile_matrix *A, startile_pivots *P,
                                startile_symmetric_pivots *S, startile_matrix *X)
{
    switch (solution->method) {
    case METHOD_LU:
        return startile_gesv(A, P, X, (int)s->refine);
    case METHOD_LDL:
        return (solution->is_hermitian ? startile_hesv : startile_sysv)(s->uplo, A, S, X);
    default:
        return startile_posv(s->uplo, A, X);
    }
}

/* Solves by Cholesky, LDL or LU, refines, then estimates the condition number. The time includes
 * the transfer of the results to main memory, but not the estimate. A failed step stops the
 * sequence; `outcome` is its status or info. */
static int64_t solve_square(const struct solve_settings *s, struct linear_system *p,
                            struct solution *solution)
{
    startile_matrix *A = NULL, *X = NULL;
    startile_pivots *P = NULL;
    startile_symmetric_pivots *S = NULL;
    bool is_lu = solution->method == METHOD_LU, is_ldl = solution->method == METHOD_LDL;
    int64_t ld = at_least_1(p->n), mb = solution->mb, nb = solution->nb, outcome;
    double norm = dense_norm1(p->dtype, p->n, p->n, p->a), start = now_seconds();
    (void)((outcome = wrap_factors(s, p, solution, &A)) ||
           (outcome = startile_matrix_wrap(&X, p->dtype, p->n, p->nrhs, p->x, ld, mb, nb)) ||
           (is_lu && (outcome = startile_pivots_create(&P, A))) ||
           (is_ldl && (outcome = startile_symmetric_pivots_create(&S, A))) ||
           (outcome = factor_and_solve(s, solution, A, P, S, X)) ||
           (s->refine && !is_lu && (outcome = refine(s, p, solution, A, S, X))) ||
           (outcome = startile_matrix_gather(A)) || (outcome = startile_matrix_gather(X)));
    solution->seconds = now_seconds() - start;
    if (!outcome)
        outcome = estimate_from_factors(s, A, S, norm, solution);
    startile_pivots_destroy(P);
    startile_symmetric_pivots_destroy(S);
    startile_matrix_destroy(A);
    startile_matrix_destroy(X);
    return outcome;
}

/* -- mixed precision -------------------------------------------------------------------------- */

/* Calls the solver. P is for LU. */
static int64_t call_mixed_solver(const struct solve_settings *s, enum solve_method method,
                                 startile_matrix *A, startile_pivots *P, const startile_matrix *B,
                                 startile_matrix *X, startile_mixed_result *result)
{
    const startile_mixed_options options = {.size = sizeof options, .certificate = 1};
    switch (method) {
    case METHOD_QR:
        return startile_gels_mixed(A, B, X, &options, result);
    case METHOD_LU:
        return startile_gesv_mixed(A, P, B, X, &options, result);
    default:
        return startile_posv_mixed(s->uplo, A, B, X, &options, result);
    }
}

/* Solves in mixed precision. The time includes the transfer of x to main memory. */
static int64_t solve_mixed(const struct solve_settings *s, struct linear_system *p,
                           struct solution *solution)
{
    startile_matrix *A = NULL, *B = NULL, *X = NULL;
    startile_pivots *P = NULL;
    bool is_lu = solution->method == METHOD_LU;
    int64_t lda = at_least_1(p->m), ldx = at_least_1(p->n), mb = solution->mb, nb = solution->nb,
            mbx = mb < p->m ? mb : ldx, outcome; /* X has tiles of all rows if A has */
    double start = now_seconds();
    (void)((outcome = startile_matrix_wrap(&A, p->dtype, p->m, p->n, p->factors, lda, mb, nb)) ||
           (outcome = startile_matrix_wrap(&B, p->dtype, p->m, p->nrhs, p->b, lda, mb, nb)) ||
           (outcome = startile_matrix_wrap(&X, p->dtype, p->n, p->nrhs, p->x, ldx, mbx, nb)) ||
           (is_lu && (outcome = startile_pivots_create(&P, A))) ||
           (outcome = call_mixed_solver(s, solution->method, A, P, B, X, &solution->mixed)) ||
           (outcome = startile_matrix_gather(A)) || (outcome = startile_matrix_gather(X)));
    solution->seconds = now_seconds() - start;
    if (!outcome && solution->mixed.iterations < 0 && solution->method != METHOD_QR)
        outcome =
            estimate_from_factors(s, A, NULL, dense_norm1(p->dtype, p->m, p->n, p->a), solution);
    startile_pivots_destroy(P);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
    startile_matrix_destroy(X);
    return outcome;
}

/* -- QR ------------------------------------------------------------------------------------- */

/* Copies p->nrhs columns between matrices of from_rows and to_rows rows, which are also their
 * leading dimensions. Copies the first min(from_rows, to_rows) elements of each column. */
static void copy_columns(const struct linear_system *p, const void *from, int64_t from_rows,
                         void *to, int64_t to_rows)
{
    size_t size = dtype_size(p->dtype);
    size_t bytes = (size_t)(from_rows < to_rows ? from_rows : to_rows) * size;
    if (bytes)
        for (int64_t k = 0; k < p->nrhs; k++)
            memcpy((char *)to + (size_t)(k * to_rows) * size,
                   (const char *)from + (size_t)(k * from_rows) * size, bytes);
}

/* Solves by QR or QRCP. X has b on entry. */
static int64_t call_qr(startile_matrix *A, startile_matrix *X, struct solution *solution)
{
    startile_permutation *P = NULL;
    const double limit_of_rank = -1; /* the library's */
    int64_t outcome;
    if (solution->method == METHOD_QR)
        return startile_gels('N', A, X);
    (void)((outcome = startile_permutation_create(&P, A)) ||
           (outcome = startile_gelsy(A, P, X, limit_of_rank, &solution->rank, NULL)));
    startile_permutation_destroy(P);
    return outcome;
}

/* Solves by QR or QRCP, in an array of max(m, n) rows that contains b, then x. The time includes
 * the transfer of the results to main memory. A failed step stops the sequence; `outcome` is its
 * status or info. */
static int64_t solve_by_qr(struct linear_system *p, struct solution *solution)
{
    startile_matrix *A = NULL, *X = NULL;
    int64_t rows = p->m > p->n ? p->m : p->n, count = rows * p->nrhs, outcome;
    int64_t lda = at_least_1(p->m), ldx = at_least_1(rows), mb = solution->mb, nb = solution->nb;
    int64_t mbx = mb < p->m ? mb : ldx; /* X has tiles of all rows if A has */
    void *x = calloc((size_t)at_least_1(count), dtype_size(p->dtype)); /* b, then the solution */
    if (!x)
        return STARTILE_ERROR_MEMORY;
    copy_columns(p, p->b, p->m, x, rows);
    pin(true, x, count, p->dtype);
    double start = now_seconds();
    (void)((outcome = startile_matrix_wrap(&A, p->dtype, p->m, p->n, p->factors, lda, mb, nb)) ||
           (outcome = startile_matrix_wrap(&X, p->dtype, rows, p->nrhs, x, ldx, mbx, nb)) ||
           (outcome = call_qr(A, X, solution)));
    startile_matrix_destroy(A);
    startile_matrix_destroy(X);
    solution->seconds = now_seconds() - start;
    pin(false, x, count, p->dtype);
    copy_columns(p, x, rows, p->x, p->n);
    free(x);
    return outcome;
}

/* Estimates the condition number of R, of R's leading triangle whose order is the rank, or of Lᴴ if
 * A = L Q. Passes R to gecon, which takes the factors L and U of an LU factorization in one square
 * matrix: L = I, U = R. */
static int64_t estimate_condition(struct linear_system *p, struct solution *solution)
{
    bool has_l = solution->method == METHOD_QR && p->m < p->n;
    int64_t k = solution->rank, outcome;
    void *r = malloc((size_t)at_least_1(k * k) * dtype_size(p->dtype));
    startile_matrix *R = NULL;
    if (!r)
        return STARTILE_ERROR_MEMORY;
    dense_upper_triangle(p->dtype, k, p->factors, p->m, has_l, r);
    double norm = dense_norm1(p->dtype, k, k, r);
    /* If R contains NaN or infinity, rcond stays NaN. The residual will then show the failure. */
    (void)((outcome = startile_matrix_wrap_for(&R, "gecon", p->dtype, k, k, r, at_least_1(k))) ||
           (isfinite(norm) && (outcome = startile_gecon('1', R, &norm, &solution->rcond))));
    startile_matrix_destroy(R);
    free(r);
    return outcome;
}

/* Limit of rcond in units of the unit roundoff: a linearly dependent column makes a diagonal
 * element of R as small as a few roundoffs of ‖A‖. */
enum { ROUNDOFFS = 4 };

bool is_rank_deficient(const struct linear_system *p, const struct solution *solution)
{
    return solution->method == METHOD_QR &&
           solution->rcond < ROUNDOFFS * dtype_unit_roundoff(p->dtype);
}

bool is_least_squares(const struct linear_system *p, const struct solution *solution)
{
    return p->m > solution->rank;
}

/* -- all methods ---------------------------------------------------------------------------- */

/* Returns whether A is Hermitian, as solve_system.c checks it. */
static bool is_hermitian_to_roundoff(const struct linear_system *p)
{
    int64_t i, j;
    return dense_is_symmetric(p->dtype, p->n, p->a, true, ROUNDOFFS_OF_SYMMETRY, &i, &j);
}

/* Solves by one method, not METHOD_AUTO. Returns the same values as run_library(). */
static int64_t run_method(const struct solve_settings *s, struct linear_system *p,
                          struct solution *solution, enum solve_method method)
{
    solution->method = method;
    solution->rcond = solution->estimated_error = NAN;
    solution->steps = method == METHOD_LU ? s->refine : 0; /* gesv takes their number */
    if (method == METHOD_LDL)
        solution->is_hermitian = is_hermitian_to_roundoff(p);
    copy_inputs(p);
    int64_t outcome = choose_tiles(s, p, solution);
    if (!outcome)
        outcome = s->mixed              ? solve_mixed(s, p, solution)
                  : method >= METHOD_QR ? solve_by_qr(p, solution)
                                        : solve_square(s, p, solution);
    /* a refined solution has no factor of A in double precision */
    bool has_r = method >= METHOD_QR && !(s->mixed && solution->mixed.iterations >= 0);
    return outcome || !has_r ? outcome : estimate_condition(p, solution);
}

/* Returns whether A's diagonal is positive. If not, stores the reason. */
static bool has_positive_diagonal(const struct linear_system *p, struct solution *solution)
{
    for (int64_t i = 0; i < p->n; i++)
        if (!(creal(element_get(p->dtype, p->a, (size_t)(i + i * p->n))) > 0)) {
            snprintf(solution->reason, sizeof solution->reason,
                     "A's diagonal is not positive at %" PRId64, i + 1);
            return false;
        }
    return true;
}

static bool is_equal_to_transpose(const struct linear_system *p, bool conjugated)
{
    int64_t i, j;
    return dense_is_symmetric(p->dtype, p->n, p->a, conjugated, 0, &i, &j);
}

/* Solves by Cholesky if the Hermitian A may be definite, else, and if it is not, by LDL. */
static int64_t run_for_hermitian(const struct solve_settings *s, struct linear_system *p,
                                 struct solution *solution)
{
    if (has_positive_diagonal(p, solution)) {
        int64_t outcome = run_method(s, p, solution, METHOD_CHOLESKY);
        if (outcome <= 0)
            return outcome;
        snprintf(solution->reason, sizeof solution->reason,
                 "A is not positive definite (leading minor of order %" PRId64 ")", outcome);
    }
    return run_method(s, p, solution, s->mixed ? METHOD_LU : METHOD_LDL);
}

/* Solves by the method that A's shape and elements suggest. Returns the same values as
 * run_library(). */
static int64_t run_likely_method(const struct solve_settings *s, struct linear_system *p,
                                 struct solution *solution)
{
    if (p->m != p->n) {
        snprintf(solution->reason, sizeof solution->reason, "A is not square");
        return run_method(s, p, solution, METHOD_QR);
    }
    if (is_equal_to_transpose(p, true))
        return run_for_hermitian(s, p, solution);
    bool is_complex = dtype_is_complex(p->dtype), is_symmetric = is_equal_to_transpose(p, false);
    snprintf(solution->reason, sizeof solution->reason, "A is %s",
             is_symmetric ? "symmetric, not Hermitian"
             : is_complex ? "not Hermitian"
                          : "not symmetric");
    return run_method(s, p, solution, is_symmetric && !s->mixed ? METHOD_LDL : METHOD_LU);
}

/* Solves by the method that METHOD_AUTO chooses. Returns the same values as run_library(). */
static int64_t run_auto(const struct solve_settings *s, struct linear_system *p,
                        struct solution *solution)
{
    int64_t outcome = run_likely_method(s, p, solution);
    if (s->mixed || outcome < 0 || (outcome == 0 && !is_rank_deficient(p, solution)))
        return outcome;
    if (outcome == 0)
        snprintf(solution->reason, sizeof solution->reason,
                 "A is rank-deficient (QR: 1/cond(R) = %.2g)", solution->rcond);
    else
        snprintf(solution->reason, sizeof solution->reason,
                 "A is rank-deficient (%s: diagonal element %" PRId64 " is zero)",
                 solution->method == METHOD_LU    ? "LU"
                 : solution->method == METHOD_LDL ? "LDL"
                                                  : "QR",
                 outcome);
    return run_method(s, p, solution, METHOD_QRCP);
}

int64_t run_library(const struct solve_settings *s, startile_options *o, struct linear_system *p,
                    struct solution *solution)
{
    o->pause_when_idle = 1;
    progress_bar_begin("solving", o);
    *solution = (struct solution){.method = s->method,
                                  .rank = p->m < p->n ? p->m : p->n,
                                  .rcond = NAN,
                                  .mixed = {.size = sizeof solution->mixed}};
    int64_t outcome = startile_init(o);
    if (outcome)
        return outcome;
    if (o->trace)
        (void)startile_trace_start();
    warn_of_models();
    pin(true, p->factors, p->m * p->n, p->dtype);
    pin(true, p->x, p->n * p->nrhs, p->dtype);
    outcome =
        s->method == METHOD_AUTO ? run_auto(s, p, solution) : run_method(s, p, solution, s->method);
    progress_bar_end();
    pin(false, p->x, p->n * p->nrhs, p->dtype);
    pin(false, p->factors, p->m * p->n, p->dtype);
    startile_finalize();
    return outcome;
}
