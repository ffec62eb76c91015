#include "checked_routines.h"
#include "check.h"
#include "lu.h"
#include "objects.h"
#include "reference.h"
#include "startile_testing.h"
#include "startile_trace.h"
#include "triangles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int number_of(const char *variable, int otherwise)
{
    const char *value = getenv(variable);
    return value != NULL ? atoi(value) : otherwise;
}

int small_bit(void)
{
    return is_single(dtype) ? 23 - 3 : 52 - 3;
}

int sign_bit(void)
{
    return is_single(dtype) ? 31 : 63;
}

startile_matrix *wrapped(struct array X)
{
    return array_wrapped(X, NB, NB);
}

/* -- routines ---------------------------------------------------------------------------------- */

static int submit_potrf_lower(struct operands *o)
{
    return startile_potrf_async('L', o->A, o->r);
}

static int submit_potrf_upper(struct operands *o)
{
    return startile_potrf_async('U', o->A, o->r);
}

static int submit_getrf(struct operands *o)
{
    return startile_getrf_async(o->A, o->P, o->r);
}

static int submit_tntpiv(struct operands *o)
{
    return startile_getrf_tntpiv_async(o->A, o->P, o->r);
}

static int submit_nopiv(struct operands *o)
{
    return startile_getrf_nopiv_async(o->A, o->r);
}

static int submit_geqrf(struct operands *o)
{
    return startile_geqrf_async(o->A, reflectors_of(o->T), o->r);
}

static int submit_geqp3(struct operands *o)
{
    return startile_geqp3_async(o->A, o->permutation, reflectors_of(o->T), o->r);
}

static int submit_geqp3_random(struct operands *o)
{
    return startile_geqp3_random_async(o->A, o->permutation, reflectors_of(o->T), 1, o->r);
}

static int submit_gemm(struct operands *o)
{
    return startile_gemm_async('C', 'N', -0.5, o->A, o->B, 2, o->C, o->r);
}

static int submit_gemm_beta_0(struct operands *o)
{
    return startile_gemm_async('N', 'T', 1, o->B, o->C, 0, o->A, o->r);
}

static int submit_trsm_left(struct operands *o)
{
    return startile_trsm_async('L', 'U', 'N', 'N', 3, o->C, o->B, o->r);
}

static int submit_trtrs(struct operands *o)
{
    return startile_trtrs_async('U', 'N', 'N', o->C, o->B, o->r);
}

static int submit_trsm_right(struct operands *o)
{
    return startile_trsm_async('R', 'L', 'T', 'U', -1, o->C, o->A, o->r);
}

static int submit_sytrf_lower(struct operands *o)
{
    return startile_sytrf_async('L', o->A, o->S, o->r);
}

static int submit_sytrf_upper(struct operands *o)
{
    return startile_sytrf_async('U', o->A, o->S, o->r);
}

static int submit_hetrf_lower(struct operands *o)
{
    return startile_hetrf_async('L', o->A, o->S, o->r);
}

static int submit_hetrf_upper(struct operands *o)
{
    return startile_hetrf_async('U', o->A, o->S, o->r);
}

static int submit_sytrf_aa_lower(struct operands *o)
{
    return startile_sytrf_aa_async('L', o->A, o->P, o->C, o->band_pivots, o->r);
}

static int submit_sytrf_aa_upper(struct operands *o)
{
    return startile_sytrf_aa_async('U', o->A, o->P, o->C, o->band_pivots, o->r);
}

static int submit_hetrf_aa_lower(struct operands *o)
{
    return startile_hetrf_aa_async('L', o->A, o->P, o->C, o->band_pivots, o->r);
}

static int submit_hetrf_aa_upper(struct operands *o)
{
    return startile_hetrf_aa_async('U', o->A, o->P, o->C, o->band_pivots, o->r);
}

/* -- residuals ----------------------------------------------------------------------------------
 */

/* Returns ‖X − Y‖₁ / (n norm eps), and frees X and Y. */
static double distance(struct array X, struct array Y, int64_t n, double norm)
{
    for (int64_t j = 0; j < X.n; j++)
        for (int64_t i = 0; i < X.m; i++)
            set(X, i, j, get(X, i, j) - get(Y, i, j));
    double found = lapack(X)->lange('1', X);
    arrays_free(X, Y);
    return found == 0 ? 0 : found / ((double)n * norm * unit_roundoff(dtype));
}

/* Returns the triangle of F with zeros, and with ones on the diagonal if `unit`. */
static struct array triangle(char uplo, bool unit, struct array F)
{
    struct array T = array_new(F.dtype, F.m, F.n, 0);
    for (int64_t j = 0; j < F.n; j++)
        for (int64_t i = 0; i < F.m; i++)
            set(T, i, j, !is_in_triangle(uplo, i, j) ? 0 : unit && i == j ? 1 : get(F, i, j));
    return T;
}

static double residual_cholesky(char uplo, struct arrays before, struct arrays after)
{
    struct array T = triangle(uplo, false, after.a);
    struct array LL = uplo == 'L' ? product('N', 'C', T, T) : product('C', 'N', T, T);
    array_free(T);
    return distance(LL, array_copy(before.a), before.a.n, lapack(before.a)->lange('1', before.a));
}

static double residual_lower(struct arrays before, struct arrays after)
{
    return residual_cholesky('L', before, after);
}

static double residual_upper(struct arrays before, struct arrays after)
{
    return residual_cholesky('U', before, after);
}

static double residual_lu(struct arrays before, struct arrays after)
{
    struct array A = array_copy(before.a), L = lower_of(after.a), U = upper_of(after.a);
    int64_t k = min(A.m, A.n);
    double norm = lapack(A)->lange('1', A);
    interchange(A, after.ipiv, k, false);
    struct array LU = product('N', 'N', L, U);
    /* growth belongs to the bound, as in check_lu() */
    norm = fmax(norm, lapack(U)->lange('1', U) < 1e3 * norm ? lapack(U)->lange('1', U) : 0);
    arrays_free(L, U);
    return distance(A, LU, max(A.m, A.n), norm);
}

/* Residual of F = Q R for the given F */
static double residual_factors(struct array F, struct arrays after)
{
    int64_t m = F.m;
    struct array X = triangle('U', false, after.a), Q = array_new_identity(dtype, m, m), QQ;
    startile_matrix *A = wrapped(after.a), *T = wrapped(after.t), *W = wrapped(X),
                    *unit = wrapped(Q);
    require_info(startile_unmqr('L', 'N', A, reflectors_of(T), W), 0);
    require_info(startile_unmqr('L', 'N', A, reflectors_of(T), unit), 0);
    matrices_destroy(A, T, W, unit);
    QQ = product('C', 'N', Q, Q);
    array_free(Q);
    double orthogonal = distance(QQ, array_new_identity(dtype, m, m), m, 1);
    double factors = distance(X, array_copy(F), max(m, F.n), lapack(F)->lange('1', F));
    return orthogonal > factors || isnan(orthogonal) ? orthogonal : factors;
}

static double residual_qr(struct arrays before, struct arrays after)
{
    return residual_factors(before.a, after);
}

static double residual_pivoted(struct arrays before, struct arrays after)
{
    struct array B = array_new(dtype, before.a.m, before.a.n, 0);
    for (int64_t j = 0; j < B.n; j++)
        array_assign(array_part(before.a, 0, after.jpvt[j] - 1, B.m, 1),
                     array_part(B, 0, j, B.m, 1));
    double residual = residual_factors(B, after);
    array_free(B);
    return residual;
}

/* Returns the residual of R := alpha op(A) op(B) + beta C. */
static double residual_product(char transa, char transb, double alpha, struct array A,
                               struct array B, double beta, struct array C, struct array R)
{
    struct array D = array_copy(C);
    double norms = fabs(alpha) * lapack(A)->lange(transa == 'N' ? '1' : 'I', A) *
                       lapack(B)->lange(transb == 'N' ? '1' : 'I', B) +
                   fabs(beta) * lapack(C)->lange('1', C);
    lapack(A)->gemm(transa, transb, alpha, A, B, beta, D);
    return distance(D, array_copy(R), transa == 'N' ? A.n : A.m, norms);
}

static double residual_gemm(struct arrays before, struct arrays after)
{
    return residual_product('C', 'N', -0.5, before.a, before.b, 2, before.c, after.c);
}

static double residual_gemm_beta_0(struct arrays before, struct arrays after)
{
    return residual_product('N', 'T', 1, before.b, before.c, 0, before.a, after.a);
}

/* Residual of U X = alpha B with the upper triangle U of C */
static double residual_of_solve(struct arrays before, struct arrays after, double alpha)
{
    struct array U = triangle('U', false, before.c), UX = product('N', 'N', U, after.b),
                 B = array_copy(before.b);
    double norm = lapack(U)->lange('1', U) * lapack(UX)->lange('1', after.b);
    for (int64_t j = 0; j < B.n; j++)
        for (int64_t i = 0; i < B.m; i++)
            set(B, i, j, alpha * get(B, i, j));
    array_free(U);
    return distance(UX, B, B.m, norm);
}

static double residual_trsm_left(struct arrays before, struct arrays after)
{
    return residual_of_solve(before, after, 3);
}

static double residual_trtrs(struct arrays before, struct arrays after)
{
    return residual_of_solve(before, after, 1);
}

static double residual_trsm_right(struct arrays before, struct arrays after)
{
    struct array L = triangle('L', true, before.c), XL = product('N', 'T', after.a, L),
                 B = array_copy(before.a);
    /* the norm of the transposed problem */
    double norm = lapack(L)->lange('1', L) * lapack(XL)->lange('I', after.a);
    for (int64_t j = 0; j < B.n; j++)
        for (int64_t i = 0; i < B.m; i++)
            set(B, i, j, -get(B, i, j));
    array_free(L);
    struct array XLt = array_new_op('T', XL), Bt = array_new_op('T', B);
    arrays_free(XL, B);
    return distance(XLt, Bt, Bt.m, norm);
}

static double residual_sytrf_lower(struct arrays before, struct arrays after)
{
    return residual_ldl('T', 'L', before, after);
}

static double residual_sytrf_upper(struct arrays before, struct arrays after)
{
    return residual_ldl('T', 'U', before, after);
}

static double residual_hetrf_lower(struct arrays before, struct arrays after)
{
    return residual_ldl('C', 'L', before, after);
}

static double residual_hetrf_upper(struct arrays before, struct arrays after)
{
    return residual_ldl('C', 'U', before, after);
}

static double residual_sytrf_aa_lower(struct arrays before, struct arrays after)
{
    return residual_aasen('T', 'L', before, after);
}

static double residual_sytrf_aa_upper(struct arrays before, struct arrays after)
{
    return residual_aasen('T', 'U', before, after);
}

static double residual_hetrf_aa_lower(struct arrays before, struct arrays after)
{
    return residual_aasen('C', 'L', before, after);
}

static double residual_hetrf_aa_upper(struct arrays before, struct arrays after)
{
    return residual_aasen('C', 'U', before, after);
}

const struct checked_routine checked_routines[ROUTINES] = {
    {"potrf L", "potrf", submit_potrf_lower, residual_lower, true, true, false, false, 0, 0},
    {"potrf U", "potrf", submit_potrf_upper, residual_upper, true, true, false, false, 0, 0},
    {"getrf", "getrf", submit_getrf, residual_lu, false, false, false, false, 0, 0},
    {"getrf_tntpiv", "getrf_tntpiv", submit_tntpiv, residual_lu, false, false, false, false, 0, 0},
    {"getrf_nopiv", "getrf_nopiv", submit_nopiv, residual_lu, false, false, true, false, 0, 0},
    {"geqrf", "geqrf", submit_geqrf, residual_qr, false, false, false, false, 0, 0},
    {"gemm CN", "gemm", submit_gemm, residual_gemm, false, false, false, false, 0, 0},
    {"gemm NT", "gemm", submit_gemm_beta_0, residual_gemm_beta_0, false, false, false, false, 0, 0},
    {"trsm L", "trsm", submit_trsm_left, residual_trsm_left, false, true, false, false, 0, 0},
    {"trsm R", "trsm", submit_trsm_right, residual_trsm_right, false, false, false, false, 0, 0},
    {"trtrs", "trtrs", submit_trtrs, residual_trtrs, false, true, false, false, 0, 0},
    {"sytrf L", "sytrf", submit_sytrf_lower, residual_sytrf_lower, false, true, false, false, 'T',
     'L'},
    {"sytrf U", "sytrf", submit_sytrf_upper, residual_sytrf_upper, false, true, false, false, 'T',
     'U'},
    {"hetrf L", "hetrf", submit_hetrf_lower, residual_hetrf_lower, false, true, false, false, 'C',
     'L'},
    {"hetrf U", "hetrf", submit_hetrf_upper, residual_hetrf_upper, false, true, false, false, 'C',
     'U'},
    {"sytrf_aa L", "sytrf_aa", submit_sytrf_aa_lower, residual_sytrf_aa_lower, false, true, false,
     false, 'T', 'L'},
    {"sytrf_aa U", "sytrf_aa", submit_sytrf_aa_upper, residual_sytrf_aa_upper, false, true, false,
     false, 'T', 'U'},
    {"hetrf_aa L", "hetrf_aa", submit_hetrf_aa_lower, residual_hetrf_aa_lower, false, true, false,
     false, 'C', 'L'},
    {"hetrf_aa U", "hetrf_aa", submit_hetrf_aa_upper, residual_hetrf_aa_upper, false, true, false,
     false, 'C', 'U'},
    {"geqp3", "geqp3", submit_geqp3, residual_pivoted, false, false, false, true, 0, 0},
    {"geqp3_random", "geqp3_random", submit_geqp3_random, residual_pivoted, false, false, false,
     true, 0, 0},
};

int runnable_routines(void)
{
    return startile_cpu_workers() > 0 ? ROUTINES : PIVOTED;
}

/* -- runs ---------------------------------------------------------------------------------------
 */

static void end_local_operand(startile_matrix *A, struct array X)
{
    (void)X;
    startile_matrix_destroy(A);
}

startile_matrix *(*make_operand)(struct array X) = wrapped;
void (*end_operand)(startile_matrix *A, struct array X) = end_local_operand;

int64_t run_checked(const struct checked_routine *routine, struct arrays x, int level,
                    startile_corruption *found)
{
    bool whole = routine->has_whole_columns;
    bool by_aasen = routine >= &checked_routines[AASEN] && routine < &checked_routines[PIVOTED];
    bool by_ldl = routine->symmetry != 0 && !by_aasen;
    struct operands o = {.A = whole ? array_wrapped(x.a, max(x.a.m, 1), NB) : make_operand(x.a),
                         .B = make_operand(x.b),
                         .C = make_operand(x.c),
                         .T = make_operand(x.t),
                         .P = NULL};
    o.P = pivots_created(o.A);
    o.band_pivots = pivots_created(o.C);
    if (whole)
        require_info(startile_permutation_create(&o.permutation, o.A), 0);
    if (by_ldl)
        require_info(startile_symmetric_pivots_create(&o.S, o.A), 0);
    o.r = request_created();
    require_info(startile_request_set_verify(o.r, level), 0);
    require_info(routine->submit(&o), 0);
    int64_t code = startile_request_wait(o.r);
    require_info(startile_request_corruption(o.r, found), code == STARTILE_ERROR_CORRUPTION);
    startile_request_destroy(o.r);
    if (by_ldl)
        require_info(startile_symmetric_pivots_to_lapack(o.S, x.ipiv), 0);
    else
        require_info(startile_pivots_to_lapack(o.P, x.ipiv), 0);
    if (whole)
        require_info(startile_permutation_to_lapack(o.permutation, x.jpvt), 0);
    if (by_aasen)
        require_info(startile_pivots_to_lapack(o.band_pivots, x.jpvt), 0);
    startile_pivots_destroy(o.P);
    startile_pivots_destroy(o.band_pivots);
    startile_permutation_destroy(o.permutation);
    startile_symmetric_pivots_destroy(o.S);
    end_operand(o.A, x.a);
    end_operand(o.B, x.b);
    end_operand(o.C, x.c);
    end_operand(o.T, x.t);
    return code;
}

struct arrays operands_for(struct array A)
{
    struct arrays x = {.a = A,
                       .b = array_new_random(dtype, A.m, A.n, 1),
                       .c = array_new_random(dtype, A.n, A.n, 2),
                       .t = array_new(dtype, NB, min(A.m, A.n), 0),
                       .ipiv = calloc((size_t)min(A.m, A.n) + 1, sizeof(int64_t)),
                       .jpvt = calloc((size_t)A.n + 1, sizeof(int64_t))};
    array_fill(x.t, 0);
    /* triangles of C have no growing solutions */
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.n; i++)
            set(x.c, i, j, i == j ? get(x.c, i, j) + 2 : get(x.c, i, j) / (double)A.n);
    return x;
}

bool is_same_result(struct arrays x, struct arrays y)
{
    return memcmp(x.a.memory, y.a.memory, array_bytes(x.a)) == 0 &&
           memcmp(x.b.memory, y.b.memory, array_bytes(x.b)) == 0 &&
           memcmp(x.c.memory, y.c.memory, array_bytes(x.c)) == 0 &&
           memcmp(x.t.memory, y.t.memory, array_bytes(x.t)) == 0;
}

struct arrays arrays_copy(struct arrays x)
{
    int64_t k = min(x.a.m, x.a.n);
    struct arrays y = {array_copy(x.a),
                       array_copy(x.b),
                       array_copy(x.c),
                       array_copy(x.t),
                       calloc((size_t)k + 1, sizeof(int64_t)),
                       calloc((size_t)x.a.n + 1, sizeof(int64_t))};
    return y;
}

void arrays_end(struct arrays x)
{
    arrays_free(x.a, x.b, x.c, x.t);
    free(x.ipiv);
    free(x.jpvt);
}

/* -- flips --------------------------------------------------------------------------------------
 */

startile_profile *profile_of(const struct checked_routine *routine, struct arrays x)
{
    startile_profile *profile;
    startile_corruption found;
    struct arrays y = arrays_copy(x);
    require_info(startile_profile_start(), 0);
    require_info(run_checked(routine, y, 1, &found), 0);
    require_info(startile_profile_stop(&profile), 0);
    arrays_end(y);
    return profile;
}

/* Returns whether the task computes checksums, or copies operands of a grid before or after the
 * call.
 */
static bool is_of_verification(const char *operation)
{
    static const char *const names[] = {
        "weights", "spread_weights", "checksum",     "compare_checksums", "geadd",
        "lacpy",   "ldl_diagonal",   "ldl_checksum", "ldl_column",        "ldl_order"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(operation, names[i]) == 0)
            return true;
    return false;
}

/* Returns a random integer in 0 … n − 1. */
static int64_t random_integer(int64_t n)
{
    return min((int64_t)(fabs(random_real()) * (double)n), n - 1);
}

startile_flip random_flip(const startile_profile *profile)
{
    startile_flip flip = {.tile = random_integer(4),
                          .row = random_integer(NB),
                          .column = random_integer(NB),
                          .bit = random_integer(8 * (int64_t)element_size(dtype))};
    do
        flip.operation = profile->task[random_integer(profile->count)].codelet + 1;
    while (is_of_verification(flip.operation));
    int64_t tasks = 0;
    for (int64_t i = 0; i < profile->count; i++)
        tasks += strcmp(profile->task[i].codelet + 1, flip.operation) == 0;
    flip.task = random_integer(tasks);
    return flip;
}
