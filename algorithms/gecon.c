/* Condition number from the factors of LU, Cholesky, or Bunch and Kaufman (LAPACK xGECON, xPOCON,
 * xSYCON, xHECON), by Higham's estimator of ‖A⁻¹‖₁ (LAPACK xLACN2). */
#include "algorithms.h"
#include "ldl.h"
#include "null_vector.h"
#include "operations/insert_norms.h"
#include "operations/insert_refinement.h"
#include "request/request.h"

/* Largest number of rounds. LAPACK stops when the estimate no longer grows, usually after 2 or 3 of
 * at most 5 rounds. Here all rounds are submitted at once. A round that would repeat the one before
 * it changes nothing; the tasks of such rounds do nothing on CPU cores (without_repetition()). */
enum { ROUNDS = 3 };

struct estimate;
/* Function that submits v := A⁻¹ v or v := A⁻ᴴ v without the row interchanges, which do not change
 * the norm. */
typedef void solver(context ctx, char trans, const struct estimate *s);

/* Data of an estimate. The estimator's steps work on the vector x, which is one tile. The solves
 * work on v: x itself, or a vector with A's tiles. */
struct estimate {
    solver *apply_inverse;
    const startile_matrix *A; /* the factors, or a matrix of their shape with ldl */
    const struct ldl *ldl;    /* Bunch–Kaufman factors, or NULL */
    startile_matrix *x, *v;
    /* W not NULL: the matrix is D A⁻¹, where D is the diagonal matrix of W's column j */
    const startile_matrix *W;
    int64_t j;
    const double *anorm; /* norm of A, which scales the estimate: see estimate_begin(); or NULL */
    const startile_matrix *best; /* see insert_keep(); or NULL */
};

static void solve_by_factors(context ctx, char trans, const struct estimate *s)
{
    solve_by_lu(ctx, trans, s->A, NULL, s->v); /* v := U⁻¹ L⁻¹ v, or L⁻ᴴ U⁻ᴴ v */
}

/* Returns whether the solves work on tiles, so that processes or cores share them; else on block
 * columns. */
static bool solves_by_tiles(const startile_matrix *A)
{
    return startile_matrix_grid(A) != NULL || is_on_cores(A);
}

/* Submits v := L⁻ᴴ L⁻¹ v for a factor L, or v := U⁻¹ U⁻ᴴ v for a factor U. */
static void solve_by_cholesky_factor(context ctx, char uplo, const startile_matrix *A,
                                     startile_matrix *v)
{
    if (solves_by_tiles(A)) {
        solve_by_cholesky(ctx, uplo, A, view_of(v, 'N'), false);
        return;
    }
    substitute(ctx, uplo, uplo == 'L' ? 'N' : 'C', 'N', A, NULL, v, 0, 0);
    substitute(ctx, uplo, uplo == 'L' ? 'C' : 'N', 'N', A, NULL, v, 0, 0);
}

/* Solves with Cholesky's factor. `trans` is ignored: A is Hermitian, so A⁻¹ = A⁻ᴴ. */
static void solve_by_lower(context ctx, char trans, const struct estimate *s)
{
    (void)trans;
    solve_by_cholesky_factor(ctx, 'L', s->A, s->v);
}

static void solve_by_upper(context ctx, char trans, const struct estimate *s)
{
    (void)trans;
    solve_by_cholesky_factor(ctx, 'U', s->A, s->v);
}

/* Solves with Bunch–Kaufman factors. `trans` is ignored: ‖A⁻¹‖₁ of a complex symmetric A is
 * estimated as LAPACK's xSYCON does. */
static void solve_by_symmetric_factors(context ctx, char trans, const struct estimate *s)
{
    (void)trans;
    solve_without_interchanges(ctx, s->ldl, s->v);
}

/* Does the same with the interchanges, which weights need. */
static void solve_with_interchanges(context ctx, char trans, const struct estimate *s)
{
    (void)trans;
    solve_by_ldl(ctx, s->ldl, s->v);
}

/* Submits x := D A⁻¹ x or x := A⁻ᴴ D x, where D = I without weights. */
static void solve(context ctx, const struct estimate *s, char trans)
{
    if (s->W != NULL && trans == 'C')
        insert_weight_rows(ctx, s->W, s->j, at(view_of(s->x, 'N'), 0, 0)); /* x := D x */
    if (s->v != s->x)                                                      /* v := x */
        insert_copy(ctx, 0, 'G', rows_from(s->x, 0, 0), rows_from(s->v, 0, 0));
    s->apply_inverse(ctx, trans, s);
    if (s->v != s->x) /* x := v */
        insert_copy(ctx, 0, 'G', rows_from(s->v, 0, 0), rows_from(s->x, 0, 0));
    if (s->W != NULL && trans == 'N')
        insert_weight_rows(ctx, s->W, s->j, at(view_of(s->x, 'N'), 0, 0)); /* x := D x */
}

/* Submits the estimate of the 1-norm of the matrix in s, for trans 'C' of its conjugate transpose;
 * the caller submits the last step, which reads the estimate. */
static norm_estimate *estimate(context ctx, const struct estimate *s, char trans)
{
    char adjoint = trans == 'C' ? 'N' : 'C';
    tile x = at(view_of(s->x, 'N'), 0, 0);
    norm_estimate *e = estimate_begin(ctx, s->anorm, x);
    solve(ctx, s, trans);
    for (int round = 0; round < ROUNDS; round++) {
        insert_sign(ctx, e, x); /* estimate := max(estimate, ‖x‖₁), x := sign(x) */
        solve(ctx, s, adjoint);
        insert_unit(ctx, e, x); /* x := e_j for the largest |x_j| */
        ctx = without_repetition(ctx, e);
        solve(ctx, s, trans);
        if (round == 0 && s->best != NULL)
            insert_keep(ctx, e, s->x, s->best);
    }
    ctx.superfluous = NULL;
    insert_alternating(ctx, e, x); /* x_i := (−1)^i (1 + i/(n−1)) */
    solve(ctx, s, trans);
    return e;
}

/* Submits *rcond := 1 / (*anorm ‖A⁻¹‖) with an estimate of ‖A⁻¹‖, in the 1-norm or, for norm 'I',
 * in the ∞-norm. apply_inverse() submits the products with A⁻¹ and A⁻ᴴ. best: NULL, or
 * the vector v of gecon_vector(). Submits nothing if the request has failed for lack of memory. */
static void estimate_rcond(context ctx, solver *apply_inverse, char norm, const startile_matrix *A,
                           const struct ldl *ldl, const double *anorm, double *rcond,
                           const startile_matrix *best)
{
    startile_shape a = startile_matrix_shape(A);
    struct estimate s = {.apply_inverse = apply_inverse,
                         .A = A,
                         .ldl = ldl,
                         .x = temporary_matrix(ctx, A, a.n, 1, a.n, 1),
                         .anorm = anorm,
                         .best = best};
    s.v = ldl != NULL || solves_by_tiles(A) ? temporary_matrix(ctx, A, a.n, 1, a.mb, 1) : s.x;
    if (s.x == NULL || s.v == NULL)
        return;
    /* the ∞-norm is the 1-norm of the conjugate transpose: ‖A⁻¹‖∞ = ‖A⁻ᴴ‖₁ */
    norm_estimate *e = estimate(ctx, &s, norm == 'I' ? 'C' : 'N');
    /* rcond := s / (anorm · estimate) */
    insert_rcond(ctx, e, at(view_of(s.x, 'N'), 0, 0), rcond);
}

void estimate_weighted_inverse(context ctx, char uplo, const startile_matrix *F,
                               const struct ldl *ldl, const startile_matrix *W, int64_t j,
                               double *norm)
{
    startile_shape f = startile_matrix_shape(F);
    startile_matrix *x = temporary_matrix(ctx, F, f.n, 1, f.n, 1);
    struct estimate s = {.apply_inverse = ldl != NULL   ? solve_with_interchanges
                                          : uplo == 'L' ? solve_by_lower
                                                        : solve_by_upper,
                         .A = F,
                         .ldl = ldl,
                         .x = x,
                         .v = ldl != NULL ? temporary_matrix(ctx, F, f.n, 1, f.mb, 1) : x,
                         .W = W,
                         .j = j};
    if (x != NULL && s.v != NULL)
        /* ‖A⁻¹ D‖∞ = ‖(A⁻¹ D)ᴴ‖₁ = ‖D A⁻ᴴ‖₁ = ‖D A⁻¹‖₁, because D is real, and A Hermitian or
         * |A⁻¹| symmetric */
        insert_estimate_end(ctx, estimate(ctx, &s, 'N'), at(view_of(x, 'N'), 0, 0), norm);
}

/* Submits gecon. best: NULL, or the vector v of gecon_vector() */
static int submit_gecon_with_vector(char norm, const startile_matrix *A, const double *anorm,
                                    double *rcond, const startile_matrix *best,
                                    startile_request *request)
{
    norm = capital(norm);
    if (!is_one_of(norm, "1OI"))
        return -1;
    if (check_factors(A, NULL) != 0)
        return -2;
    if (anorm == NULL)
        return -3;
    if (rcond == NULL)
        return -4;
    if (request == NULL)
        return -5;
    *rcond =
        startile_matrix_shape(A).n == 0; /* 1 for an empty matrix; 0 until the tasks have run */
    if (*rcond == 0 && has_capacity_for_working_set(context_of(request), COLUMN_PRODUCTS, A, NULL))
        estimate_rcond(context_of(request), solve_by_factors, norm, A, NULL, anorm, rcond, best);
    return 0;
}

int submit_gecon(char norm, const startile_matrix *A, const double *anorm, double *rcond,
                 startile_request *request)
{
    return submit_gecon_with_vector(norm, A, anorm, rcond, NULL, request);
}

int64_t gecon_vector(char norm, const startile_matrix *A, const double *anorm, double *rcond,
                     startile_matrix *v)
{
    startile_request *r = request_start();
    return request_finish(r, submit_gecon_with_vector(norm, A, anorm, rcond, v, r));
}

void estimate_rcond_by_cholesky(context ctx, char uplo, const startile_matrix *F,
                                const double *anorm, double *rcond, const startile_matrix *best)
{
    solver *apply_inverse = capital(uplo) == 'L' ? solve_by_lower : solve_by_upper;
    if (startile_matrix_shape(F).n == 0)
        *rcond = 1;
    else if (has_capacity_for_working_set(ctx, TILE_PRODUCTS, F, NULL))
        estimate_rcond(ctx, apply_inverse, '1', F, NULL, anorm, rcond, best);
}

/* Submits pocon. best: NULL, or the vector v of pocon_vector() */
static int submit_pocon_with_vector(char uplo, const startile_matrix *A, const double *anorm,
                                    double *rcond, const startile_matrix *best,
                                    startile_request *request)
{
    uplo = capital(uplo);
    if (!is_one_of(uplo, "LU"))
        return -1;
    if (A == NULL || !has_square_tiles(A) || startile_matrix_shape(A).nt > MOST_TILES)
        return -2;
    if (anorm == NULL)
        return -3;
    if (rcond == NULL)
        return -4;
    if (request == NULL)
        return -5;
    *rcond = 0;
    estimate_rcond_by_cholesky(context_of(request), uplo, A, anorm, rcond, best);
    return 0;
}

int submit_pocon(char uplo, const startile_matrix *A, const double *anorm, double *rcond,
                 startile_request *request)
{
    return submit_pocon_with_vector(uplo, A, anorm, rcond, NULL, request);
}

int64_t pocon_vector(char uplo, const startile_matrix *A, const double *anorm, double *rcond,
                     startile_matrix *v)
{
    startile_request *r = request_start();
    return request_finish(r, submit_pocon_with_vector(uplo, A, anorm, rcond, v, r));
}

/* Submits sycon with op 'T', hecon with 'C'. */
static int submit_symmetric(char op, char uplo, const startile_matrix *A,
                            const startile_symmetric_pivots *P, const double *anorm, double *rcond,
                            startile_request *request)
{
    struct ldl f;
    int wrong = check_ldl(capital(uplo), A, P);
    if (wrong != 0)
        return wrong;
    if (anorm == NULL)
        return -4;
    if (rcond == NULL)
        return -5;
    if (request == NULL)
        return -6;
    context ctx = context_of(request);
    *rcond = startile_matrix_shape(A).n == 0;
    if (*rcond == 0 && has_capacity_for_working_set(ctx, SYTRS, A, NULL) &&
        convert_factors(ctx, op, A, P, false, &f))
        estimate_rcond(ctx, solve_by_symmetric_factors, '1', f.triangle, &f, anorm, rcond, NULL);
    return 0;
}

int submit_sycon(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                 const double *anorm, double *rcond, startile_request *request)
{
    return submit_symmetric('T', uplo, A, P, anorm, rcond, request);
}

int submit_hecon(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                 const double *anorm, double *rcond, startile_request *request)
{
    return submit_symmetric('C', uplo, A, P, anorm, rcond, request);
}
