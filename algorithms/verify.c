/* Detection of silent corruption: the part common to all routines (verify.h) */
#include "verify.h"

#include "grid/owner.h"
#include "grid/partial_sums.h"
#include "operations/insert_checksum.h"
#include "request/corruption.h"
#include "request/decision.h"
#include "request/request.h"

#include <math.h>
#include <stdlib.h>

/* Results of the kernel compare_checksums. A row of a checksum belongs to a column of A. */
enum found {
    WRONG_COLUMN, /* number of the first one, counted from 1, or 0 */
    DIFFERENCE_1, /* |c_j − d_j| of this column, for the first sum, … */
    DIFFERENCE_2, /* … and for the second */
    LARGEST_RATIO,
    OUT_OF_RANGE, /* 1 if operands are not finite or may overflow */
    RESULTS
};

static void release_report(temporary *owned)
{
    free(owned);
}

/* Returns the row of the only wrong element of a column, from the quotient of the differences of
 * its two sums; −1 if the quotient is not that of one wrong element. */
static int64_t row_of_wrong_element(const struct report *r, double first, double second)
{
    const double tolerance = 0.05;
    double m = (double)r->rows, row = 2 * m * second / first - m;
    if (!(row > 0.5 && row < m + 0.5) || fabs(row - nearbyint(row)) > tolerance)
        return -1;
    return (int64_t)nearbyint(row) - 1;
}

/* Returns whether the diagonal has a zero or NaN. */
static bool is_singular(const values *diagonal, int64_t n)
{
    if (diagonal == NULL)
        return false;
    for (int64_t i = 0; i < n; i++)
        if (!(values_read(diagonal)[i] > 0))
            return true;
    return false;
}

/* Returns whether the comparison has found a wrong column. A result with a singular triangle, or
 * with operands that are not finite, is not wrong. */
static bool is_wrong(const struct report *r)
{
    const double *found = values_read(r->found);
    return found[WRONG_COLUMN] != 0 && found[OUT_OF_RANGE] == 0 &&
           !is_singular(r->diagonal, r->rows);
}

/* Returns the step that computed tile (i, j) last; i = −1: the row is not known. */
static int64_t step_of(const struct report *r, int64_t i, int64_t j)
{
    if (r->last_step == BY_PRODUCTS)
        return r->steps - 1;
    if (i < 0 || r->last_step == UNKNOWN)
        return -1;
    return r->last_step == DOWNWARD ? i : r->last_step == UPWARD ? r->steps - 1 - i : i < j ? i : j;
}

/* Returns the place of the wrong element. */
static startile_corruption place_of(const struct report *r)
{
    const double *found = values_read(r->found);
    int64_t column = (int64_t)found[WRONG_COLUMN] - 1,
            row = row_of_wrong_element(r, found[DIFFERENCE_1], found[DIFFERENCE_2]);
    int64_t i = row < 0 ? -1 : row / r->mb, j = column / r->nb;
    if (column >= r->columns) /* QR: the reflectors are not those of a unitary matrix */
        i = j = -1;
    startile_corruption place = {.routine = r->routine, .step = step_of(r, i, j)};
    place.row = r->is_transposed ? j : i;
    place.column = r->is_transposed ? i : j;
    return place;
}

/* Decision on the comparison. On a grid the processes have the same numbers, but one of them may
 * have failed. */
static void decide_on_comparison(void *arg)
{
    struct report *r = arg;
    bool wrong = is_wrong(r);
    startile_corruption place = wrong ? place_of(r) : (startile_corruption){0};
    struct attempts *a = request_attempts(r->request);
    int64_t failure = agreed_outcome(r->request, r->A);
    if (a != NULL)
        decide_on_attempt(a, wrong && failure == 0 ? &place : NULL);
    else if (wrong && (failure == 0 || (r->is_complete && failure > 0)))
        request_note_corruption(r->request, &place);
}

static double unit_roundoff(const startile_matrix *A)
{
    startile_dtype dtype = startile_matrix_shape(A).dtype;
    return dtype == STARTILE_S || dtype == STARTILE_C ? 0x1p-24 : 0x1p-53;
}

/* Returns the data of the decision; NULL, and the request fails, without memory. */
static struct report *new_report(context ctx, const char *routine, view stored, int64_t m,
                                 int64_t n, bool has_diagonal)
{
    startile_shape s = startile_matrix_shape(stored.A);
    bool is_transposed = stored.op != 'N';
    struct report *r = malloc(sizeof *r);
    if (r == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return NULL;
    }
    *r = (struct report){.request = ctx.request,
                         .A = stored.A,
                         .routine = routine,
                         .rows = m,
                         .columns = n,
                         .mb = is_transposed ? s.nb : s.mb,
                         .nb = is_transposed ? s.mb : s.nb,
                         .is_transposed = is_transposed,
                         .found = values_on_grid(ctx, stored.A, RESULTS),
                         .diagonal = has_diagonal ? values_on_grid(ctx, stored.A, m) : NULL};
    own_temporary(ctx, &r->owned, release_report);
    return r->found != NULL && (!has_diagonal || r->diagonal != NULL) ? r : NULL;
}

/* Allocates the checksums, C and D in tiles of nb rows, Y with k rows in tiles of kb. Returns false
 * if the request has failed. */
static bool allocate(context ctx, verification *v, int64_t mb, int64_t nb, int64_t k, int64_t kb)
{
    const startile_matrix *A = v->A;
    int64_t m = v->report->rows, n = v->report->columns, sums = checksum_columns(A);
    v->E = temporary_matrix(ctx, A, m, 2, mb, 2);
    v->W = partial_sums(ctx, A, m, sums, mb);
    v->X = partial_sums(ctx, A, m, sums, mb);
    v->C = partial_sums(ctx, A, n, sums, nb);
    v->D = partial_sums(ctx, A, n, sums, nb);
    v->Y = partial_sums(ctx, A, k, sums, kb);
    v->gram_before = partial_sums(ctx, A, 2, sums, 2);
    v->gram_after = partial_sums(ctx, A, 2, sums, 2);
    return v->E != NULL && v->W != NULL && v->X != NULL && v->C != NULL && v->D != NULL &&
           v->Y != NULL && v->gram_before != NULL && v->gram_after != NULL;
}

verification new_verification(context ctx, const char *routine, view stored, int64_t m, int64_t mb,
                              int64_t n, int64_t nb, int64_t k, int64_t kb, bool has_diagonal)
{
    const verification none = {0};
    verification v = {.A = stored.A, .terms = k, .threshold = 1};
    if (request_verify(ctx.request) == 0 || m == 0 || n == 0)
        return none;
    v.report = new_report(ctx, routine, stored, m, n, has_diagonal);
    v.step = begin_step(ctx, v.A, ctx.step);
    bool complete = v.report != NULL && allocate(v.step, &v, mb, nb, k, kb);
    /* a process of a grid must not wait for one without memory */
    if (agreed_outcome(ctx.request, v.A) < 0 || !complete) {
        end_step(v.step);
        return none;
    }
    submit_weights(ctx, &v, NULL);
    submit_checksum_of_weights(ctx, &v, critical(0), v.W);
    return v;
}

void submit_weights(context ctx, const verification *v, const tile *last)
{
    view E = view_of(v->E, 'N');
    bool waits = startile_matrix_grid(v->A) == NULL;
    ctx = begin_step(ctx, v->A, ctx.step);
    for_own_tiles_in_column(i, E, 0, 0, E.mt)
        insert_weights(ctx, last == NULL ? critical(0) : 0, at(E, i, 0), waits ? last : NULL);
    end_step(ctx);
}

void submit_checksum_of_weights(context ctx, const verification *v, int64_t priority,
                                const startile_matrix *W)
{
    view E = view_of(v->E, 'N');
    ctx = begin_step(ctx, v->A, ctx.step);
    for_own_tiles_in_column(i, E, 0, 0, E.mt)
        insert_spread_weights(ctx, priority, at(E, i, 0), at(view_of(W, 'N'), i, 0));
    end_step(ctx);
    join_partial_sums(ctx, v->A, W);
}

void add_column_checksum(context ctx, int64_t priority, char uplo, char diag,
                         startile_complex alpha, view A, int64_t first, int64_t end, int64_t j,
                         const startile_matrix *W, column S, const tile *after)
{
    int64_t height = startile_matrix_shape(W).mb, rows = startile_matrix_shape(W).m;
    for_own_ranges(r, A, j, first, NO_INDEX) {
        if (r.i >= end)
            return;
        r.count = r.count < end - r.i ? r.count : end - r.i;
        bool has_triangle = uplo == 'L' ? r.i == first : r.i + r.count == end;
        int64_t row = r.i * height, below = row + r.count * height;
        insert_checksum(ctx, priority, 'C', has_triangle ? uplo : 'G', has_triangle ? diag : 'N',
                        alpha, r, rows_of(W, 0, row, (below < rows ? below : rows) - row), S,
                        after);
    }
}

void compare_within(context ctx, const verification *v, double bound, int64_t before,
                    const startile_matrix *input, const startile_matrix *output)
{
    insert_compare_checksums(ctx, startile_matrix_shape(v->A).dtype, bound * unit_roundoff(v->A),
                             before, rows_from(input, 0, 0), rows_from(output, 0, 0),
                             v->report->found);
}

void compare_checksums(context ctx, const verification *v, const startile_matrix *input,
                       const startile_matrix *output)
{
    join_partial_sums(ctx, v->A, input);
    join_partial_sums(ctx, v->A, output);
    double bound = v->threshold * ((double)(v->terms + MORE_TERMS) + sqrt((double)v->report->rows));
    compare_within(ctx, v, bound, 0, input, output);
}

static const struct {
    verify_before *before;
    verify_after *after;
} equations[] = {
    [LLH] = {verify_before_hermitian, verify_after_potrf},
    [LU] = {verify_before_lu_or_qr, verify_after_lu},
    [QR] = {verify_before_lu_or_qr, verify_after_qr},
    [LDL] = {verify_before_symmetric, verify_after_ldl},
    [LTL] = {verify_before_symmetric, verify_after_ltl},
    [PRODUCT] = {verify_before_gemm, verify_after_gemm},
    [SOLUTION] = {verify_before_trsm, verify_after_trsm},
};

verification begin_verification(context ctx, const plan *p)
{
    const verification none = {0};
    return p->equation == UNCHECKED ? none : equations[p->equation].before(ctx, p);
}

/* Submits decide_on_comparison(), after the processes of a grid have combined their results. */
static void submit_decision(context ctx, struct report *r)
{
    values *needed[] = {r->found, r->diagonal};
    values_join(ctx, r->found, JOIN_BY_LARGEST);
    values_join(ctx, r->diagonal, JOIN_BY_LARGEST);
    if (request_attempts(ctx.request) != NULL)
        expect_decision(request_attempts(ctx.request));
    insert_decision(ctx, r->diagonal == NULL ? 1 : 2, needed, decide_on_comparison, r);
}

void end_verification(context ctx, verification *v, const plan *p, bool is_submitted)
{
    if (v->report == NULL)
        return;
    /* a process of a grid must not wait for one that has failed */
    bool is_possible = agreed_outcome(ctx.request, v->A) >= 0 && is_submitted;
    if (is_possible)
        equations[p->equation].after(ctx, v, p);
    end_step(v->step);
    if (is_possible)
        submit_decision(ctx, v->report);
}
