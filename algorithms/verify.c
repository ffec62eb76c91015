/* Detection of silent corruption: what the routines share. */
#include "verify.h"

#include "journal/journal.h"
#include "operations/insert_checksum.h"
#include "request/corruption.h"
#include "request/decision.h"
#include "request/request.h"

#include <math.h>
#include <stdlib.h>

/* Terms that are added to those of an inner product, for the roundings of the checksums and of
 * small matrices */
enum { MORE_TERMS = 32 };

/* What the decision needs, a temporary of the request */
struct report {
    temporary owned;
    startile_request *request;
    values *found;
    values *diagonal; /* of a triangle that may be singular, or NULL */
    const char *routine;
    int64_t m, n, mb, nb, steps;
    enum last_step last_step;
    bool is_transposed;
};

static void release_report(temporary *owned)
{
    free(owned);
}

/* Returns the index of the row in which the only wrong element of the column is, from the
 * quotient of the two differences, or −1. */
static int64_t row_of(const struct report *r, double first, double second)
{
    const double tolerance = 0.05;
    double m = (double)r->m, row = 2 * m * second / first - m;
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

/* Returns whether the comparison has found a wrong column. Without a solution, or with operands
 * that are not finite, every result is right. */
static bool is_wrong(const struct report *r)
{
    const double *found = values_read(r->found);
    return found[0] != 0 && found[4] == 0 && !is_singular(r->diagonal, r->m);
}

/* Returns the step that computed tile (i, j) last; i = −1: the row is not known. */
static int64_t step_of(const struct report *r, int64_t i, int64_t j)
{
    if (r->last_step == BY_PRODUCTS)
        return r->steps - 1;
    if (i < 0)
        return -1;
    return r->last_step == DOWNWARD ? i : r->last_step == UPWARD ? r->steps - 1 - i : i < j ? i : j;
}

/* Returns the place of the wrong element. */
static startile_corruption place_of(const struct report *r)
{
    const double *found = values_read(r->found);
    int64_t column = (int64_t)found[0] - 1, row = row_of(r, found[1], found[2]);
    int64_t i = row < 0 ? -1 : row / r->mb, j = column / r->nb;
    if (column >= r->n) /* QR: the reflectors are not those of a unitary matrix */
        i = j = -1;
    startile_corruption place = {.routine = r->routine, .step = step_of(r, i, j)};
    place.row = r->is_transposed ? j : i;
    place.column = r->is_transposed ? i : j;
    return place;
}

/* Decision on the comparison */
static void judge(void *arg)
{
    struct report *r = arg;
    bool wrong = is_wrong(r);
    startile_corruption place = wrong ? place_of(r) : (startile_corruption){0};
    struct attempts *a = request_attempts(r->request);
    if (a != NULL)
        judge_attempt(a, wrong ? &place : NULL);
    else if (wrong)
        request_note_corruption(r->request, &place);
}

static double unit_roundoff(const startile_matrix *A)
{
    startile_dtype dtype = startile_matrix_shape(A).dtype;
    return dtype == STARTILE_S || dtype == STARTILE_C ? 0x1p-24 : 0x1p-53;
}

/* Returns a temporary of the given type and tile size, or NULL. */
static startile_matrix *new_matrix(context ctx, startile_dtype dtype, int64_t m, int64_t n,
                                   int64_t mb, int64_t nb)
{
    startile_shape s = {.dtype = dtype, .m = m, .n = n, .mb = mb, .nb = nb};
    return temporary_of_type(ctx, dtype, s);
}

verification verify_begin(context ctx, const char *routine, view stored, int64_t m, int64_t n,
                          int64_t nb, int64_t k, int64_t kb, int64_t sums, bool has_diagonal)
{
    const startile_matrix *A = stored.A;
    startile_shape s = startile_matrix_shape(A);
    int64_t columns = checksum_columns(A);
    verification v = {.A = A,
                      .rows = m,
                      .columns = n,
                      .terms = k,
                      .threshold = 1,
                      .is_transposed = stored.op != 'N'};
    if (request_verify(ctx.request) == 0 || startile_matrix_grid(A) != NULL || has_journal(A) ||
        m == 0 || n == 0)
        return v;
    v.mb = v.is_transposed ? s.nb : s.mb;
    v.nb = v.is_transposed ? s.mb : s.nb;
    v.found = values_begin(ctx, 5);
    v.diagonal = has_diagonal ? values_begin(ctx, m) : NULL;
    v.before = newest_temporary(ctx);
    v.E = new_matrix(ctx, s.dtype, m, 2, m, 2);
    v.W = new_matrix(ctx, STARTILE_D, m, columns, m, columns);
    v.C = new_matrix(ctx, STARTILE_D, n, columns, nb, columns);
    v.D = new_matrix(ctx, STARTILE_D, n, columns, nb, columns);
    v.Y = new_matrix(ctx, STARTILE_D, k, sums * columns, kb, columns);
    v.G = new_matrix(ctx, STARTILE_D, 2, columns, 2, columns);
    v.H = new_matrix(ctx, STARTILE_D, 2, columns, 2, columns);
    if (v.found == NULL || (has_diagonal && v.diagonal == NULL) || v.E == NULL || v.W == NULL ||
        v.C == NULL || v.D == NULL || v.Y == NULL || v.G == NULL || v.H == NULL)
        return v; /* the request has failed */
    v.routine = routine;
    insert_weights(ctx, critical(0), at(view_of(v.E, 'N'), 0, 0), NULL);
    verify_spread(ctx, &v, critical(0));
    return v;
}

void verify_restart(context ctx, const verification *v, const tile *last)
{
    insert_weights(ctx, 0, at(view_of(v->E, 'N'), 0, 0), last);
}

void verify_spread(context ctx, const verification *v, int64_t priority)
{
    insert_spread_weights(ctx, priority, at(view_of(v->E, 'N'), 0, 0),
                          at(view_of(v->W, 'N'), 0, 0));
}

void verify_sums(context ctx, int64_t priority, char uplo, char diag, startile_complex alpha,
                 view A, int64_t first, int64_t end, int64_t j, column W, column S,
                 const tile *after)
{
    startile_shape s = startile_matrix_shape(A.A);
    int64_t height = A.op == 'N' ? s.mb : s.nb;
    tile_range r;
    for (int64_t i = first; i < end; i += r.count) {
        int64_t row = (i - first) * height;
        r = tiles_from(A, i, j);
        r.count = r.count < end - i ? r.count : end - i;
        bool has_triangle = uplo == 'L' ? i == first : i + r.count == end;
        int64_t rows = i + r.count == end ? W.rows - row : r.count * height;
        insert_checksum(ctx, priority, has_triangle ? uplo : 'G', has_triangle ? diag : 'N', alpha,
                        r, rows_within(W, row, rows), S, after);
    }
}

void verify_pair(context ctx, const verification *v, double bound, int64_t before,
                 const startile_matrix *input, const startile_matrix *output)
{
    insert_compare_checksums(ctx, startile_matrix_shape(v->A).dtype, bound * unit_roundoff(v->A),
                             before, below(input, 0, 0), below(output, 0, 0), v->found);
}

void verify_compare(context ctx, const verification *v, const startile_matrix *input,
                    const startile_matrix *output)
{
    double rows = (double)startile_matrix_shape(v->E).m;
    double bound = v->threshold * ((double)(v->terms + MORE_TERMS) + sqrt(rows));
    verify_pair(ctx, v, bound, 0, input, output);
}

void verify_end(context ctx, const verification *v)
{
    struct report *r = malloc(sizeof *r);
    release_temporaries(ctx, v->before);
    if (r == NULL) {
        request_fail(ctx.request, STARTILE_ERROR_MEMORY);
        return;
    }
    *r = (struct report){.request = ctx.request,
                         .found = v->found,
                         .diagonal = v->diagonal,
                         .routine = v->routine,
                         .m = v->rows,
                         .n = v->columns,
                         .mb = v->mb,
                         .nb = v->nb,
                         .steps = v->steps,
                         .last_step = v->last_step,
                         .is_transposed = v->is_transposed};
    own_temporary(ctx, &r->owned, release_report);
    if (request_attempts(ctx.request) != NULL)
        attempt_begins_decision(request_attempts(ctx.request));
    insert_decision(ctx, v->diagonal == NULL ? 1 : 2, (values *[]){v->found, v->diagonal}, judge,
                    r);
}
