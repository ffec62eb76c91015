/* Detection of silent corruption in Cholesky, LU and QR factorizations (verify.h) */
#include "grid/owner.h"
#include "grid/partial_sums.h"
#include "operations/insert_checksum.h"
#include "operations/insert_pivoted.h"
#include "verify.h"

#include <math.h>

/* Returns rows `row` … row + rows − 1 of a checksum. */
static column rows_in(const startile_matrix *W, int64_t row, int64_t rows)
{
    return rows_of(W, 0, row, rows);
}

/* Returns the rows `own` of a checksum that has tiles as high as those of own.A. */
static column same_rows_in(const startile_matrix *W, column own)
{
    own.A = W;
    own.j = 0;
    return own;
}

/* Returns the number of columns of block column j. */
static int64_t width(const startile_matrix *A, int64_t j)
{
    startile_shape s = startile_matrix_shape(A);
    return s.n - j * s.nb < s.nb ? s.n - j * s.nb : s.nb;
}

/* Returns tile j of the checksums C or D of A. */
static column sums_of_column(const startile_matrix *S, const startile_matrix *A, int64_t j)
{
    return rows_in(S, j * startile_matrix_shape(A).nb, width(A, j));
}

/* -- symmetric matrices, Cholesky ---------------------------------------------------------------
 */

/* The stored triangle gives both halves of A: C(j) += op(A(i,j)) E(i) and C(i) += A(i,j) E(j). The
 * first diagonal tile has tasks of its own, because its factorization waits for them. */
void add_symmetric_checksum(context ctx, const verification *v, char op, view L)
{
    startile_shape s = startile_matrix_shape(L.A);
    ctx = begin_step(ctx, L.A, ctx.step);
    for_own_columns(j, L, 0, L.nt)
        for_own_ranges(r, L, j, j, j == 0 ? 0 : NO_INDEX) {
            int64_t row = r.i * s.nb, below = row + r.count * s.nb;
            int64_t rows = (below < s.n ? below : s.n) - row;
            int64_t priority = r.i == 0 ? critical(0) : 2 * (L.nt - j);
            char uplo = r.i == j ? 'L' : 'G';
            insert_checksum(ctx, priority, op, uplo, op == 'C' ? 'R' : 'N', 1, r,
                            rows_in(v->W, row, rows), sums_of_column(v->C, L.A, j), NULL);
            insert_checksum(ctx, priority, 'N', uplo, 'Z', 1, r, sums_of_column(v->W, L.A, j),
                            rows_in(v->C, row, rows), NULL);
        }
    end_step(ctx);
}

verification verify_before_hermitian(context ctx, const plan *p)
{
    startile_shape s = startile_matrix_shape(p->A);
    verification v = new_verification(ctx, p->name, p->V, s.n, s.nb, s.n, s.nb, s.n, s.nb, false);
    if (v.report != NULL)
        add_symmetric_checksum(ctx, &v, 'C', p->V);
    return v;
}

/* The tasks of Y run as soon as their block columns are factored, on workers that the factorization
 * leaves idle. The tasks of D wait for the last tile of Y and read all tiles of L again, so that
 * they also find a bit that flips after the tasks of Y. */
void verify_after_potrf(context ctx, verification *v, const plan *p)
{
    view L = p->V, U = view_of(L.A, L.op == 'N' ? 'C' : 'N'); /* U = L^H */
    bool is_on_grid = startile_matrix_grid(L.A) != NULL;
    tile last = at(view_of(v->Y, 'N'), L.nt - 1, 0);
    ctx = begin_step(ctx, L.A, ctx.step);
    for_own_columns(k, L, 0, L.nt) /* Y(k) := L(:,k)^H E */
        add_column_checksum(ctx, 0, 'L', 'N', 1, L, k, L.nt, k, v->W, sums_of_column(v->Y, L.A, k),
                            NULL);
    end_step(ctx);
    join_partial_sums(ctx, L.A, v->Y);
    ctx = begin_step(ctx, L.A, ctx.step);
    for_own_columns(j, U, 0, L.nt) /* D(j) := U(:,j)^H Y */
        add_column_checksum(ctx, 0, 'U', 'N', 1, U, 0, j + 1, j, v->Y, sums_of_column(v->D, L.A, j),
                            is_on_grid ? NULL : &last);
    end_step(ctx);
    compare_checksums(ctx, v, v->C, v->D);
}

/* -- LU and QR --------------------------------------------------------------------------------- */

verification verify_before_lu_or_qr(context ctx, const plan *p)
{
    const startile_matrix *A = p->A;
    startile_shape s = startile_matrix_shape(A);
    int64_t k = s.m < s.n ? s.m : s.n;
    /* a process has the rows of Y that it has of A */
    int64_t kb = process_rows(A) > 1 ? s.mb : s.nb;
    /* a permutation of the sums needs them in one tile */
    int64_t nb = p->permutation != NULL ? s.n : s.nb;
    verification v = new_verification(ctx, p->name, p->V, s.m, s.mb, s.n, nb, k, kb, false);
    if (v.report == NULL)
        return v;
    ctx = begin_step(ctx, A, ctx.step);
    for_own_columns(j, p->V, 0, s.nt) { /* C(j) := A(:,j)^H E */
        column own = own_rows(rows_from(A, j, 0));
        if (own.rows > 0)
            insert_column_checksum(ctx, 2 * (s.nt - j), 'G', 'N', 0, own, width(A, j),
                                   same_rows_in(v.W, own), sums_of_column(v.C, A, j));
    }
    end_step(ctx);
    return v;
}

/* Submits D(j) := U(:,j)^H Y for the upper trapezoid U of A, and the comparison. */
static void check_trapezoid(context ctx, verification *v, const startile_matrix *Y)
{
    const startile_matrix *A = v->A;
    startile_shape s = startile_matrix_shape(A);
    int64_t panels = panels_of(A), rows = s.m < s.n ? s.m : s.n;
    ctx = begin_step(ctx, A, ctx.step);
    for_own_columns(j, view_of(A, 'N'), 0, s.nt) {
        int64_t order = j < panels ? pivots_in_panel(A, j) : 0;
        int64_t end = j < panels ? first_row(A, j) + order : rows;
        column own = own_rows(rows_of(A, j, 0, end));
        bool has_triangle = order > 0 && own_rows(rows_of(A, j, end - 1, 1)).rows > 0;
        if (own.rows > 0)
            insert_column_checksum(ctx, 0, has_triangle ? 'U' : 'G', 'N', has_triangle ? order : 0,
                                   own, width(A, j), same_rows_in(Y, own),
                                   sums_of_column(v->D, A, j));
    }
    end_step(ctx);
    compare_checksums(ctx, v, v->C, v->D);
}

void verify_after_lu(context ctx, verification *v, const plan *p)
{
    const startile_matrix *A = v->A;
    tile last = at(p->V, first_row(A, p->panels - 1) / startile_matrix_shape(A).mb, p->panels - 1);
    submit_weights(ctx, v, &last);
    interchange_rows(ctx, 0, p->P, false, v->E, NULL); /* E := P E */
    submit_checksum_of_weights(ctx, v, 0, v->X);
    ctx = begin_step(ctx, A, ctx.step);
    for_own_columns(k, p->V, 0, p->panels) {
        int64_t row = first_row(A, k), n = pivots_in_panel(A, k);
        column own = own_rows(rows_from(A, k, row));
        bool has_triangle = own.row == row;
        if (own.rows > 0) /* Y(k) := L(:,k)^H P E */
            insert_column_checksum(ctx, 0, has_triangle ? 'L' : 'G', 'U', has_triangle ? n : 0, own,
                                   n, same_rows_in(v->X, own), rows_in(v->Y, row, n));
    }
    end_step(ctx);
    join_partial_sums(ctx, A, v->Y);
    check_trapezoid(ctx, v, v->Y);
}

/* λ for QR, and for the Gram matrix of Q^H E, whose error grows with the square root of the number
 * of reflectors. In runs without flips of the tests verify and geqrf on CPU cores, the largest
 * differences were those of λ = 0.8 and 3.9. */
static const double qr_threshold = 5, gram_threshold = 12;

/* Submits S := E^H W, a Gram matrix if W is E as a checksum, on all processes. */
static void find_gram(context ctx, const verification *v, const startile_matrix *W,
                      const startile_matrix *S)
{
    ctx = begin_step(ctx, v->A, ctx.step);
    column own = own_rows(rows_from(v->E, 0, 0));
    if (own.rows > 0)
        insert_column_checksum(ctx, 0, 'G', 'N', 0, own, 2, same_rows_in(W, own),
                               rows_from(S, 0, 0));
    end_step(ctx);
    join_partial_sums(ctx, v->A, S);
}

/* With column pivoting C := P^T C. The comparison of A P = Q R does not depend on all elements of
 * Q. So E^H E = (Q^H E)^H Q^H E, which holds for a unitary Q, is checked, too. */
void verify_after_qr(context ctx, verification *v, const plan *p)
{
    view triangles = view_of(p->T, 'N');
    tile last = at(triangles, 0, triangles.nt - 1);
    v->threshold = qr_threshold;
    find_gram(ctx, v, v->W, v->gram_before); /* E^H E */
    submit_weights(ctx, v, &last);
    if (p->permutation != NULL)
        insert_lapmr(ctx, p->permutation, true, at(view_of(v->C, 'N'), 0, 0));
    apply_reflectors(ctx, 'C', p->A, p->T, v->E); /* E := Q^H E */
    submit_checksum_of_weights(ctx, v, 0, v->X);
    check_trapezoid(ctx, v, v->X);
    find_gram(ctx, v, v->X, v->gram_after); /* (Q^H E)^H Q^H E */
    /* The sum of m squares near 1 has a rounding error of at most m² u / 2, which in units of u √v
     * with v = 2 m is m √(m / 8). Squares of equal elements come near it, because their roundings
     * do not cancel: with ±1 in 700 rows an eighth of it was seen. */
    double m = (double)v->report->rows;
    double bound = gram_threshold * sqrt((double)v->terms + MORE_TERMS) + m * sqrt(m / 8);
    compare_within(ctx, v, bound, v->report->columns, v->gram_before, v->gram_after);
}
