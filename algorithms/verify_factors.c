/* Detection of silent corruption in Cholesky, LU and QR factorizations (verify.h) */
#include "operations/insert_checksum.h"
#include "verify.h"

#include <math.h>

/* Returns rows `row` … row + rows − 1 of a matrix with one block column. */
static column rows_in(const startile_matrix *W, int64_t row, int64_t rows)
{
    return rows_of(W, 0, row, rows);
}

/* Returns the number of columns of block column j. */
static int64_t width(const startile_matrix *A, int64_t j)
{
    startile_shape s = startile_matrix_shape(A);
    return s.n - j * s.nb < s.nb ? s.n - j * s.nb : s.nb;
}

/* Returns rows `row` … of the sums of the tiles (i,k), k ≤ i, of Cholesky's factor. */
static column sums_from(const verification *v, int64_t i, int64_t row, int64_t rows)
{
    return rows_of(v->Y, i, row, rows);
}

/* C(j) is a sum over tile rows j … nt−1 only: what the view stores, and the upper triangle of the
 * tile (j,j). The first diagonal tile has a task of its own, because its factorization waits for
 * it. */
verification verify_potrf(context ctx, view L)
{
    startile_shape s = startile_matrix_shape(L.A);
    verification v = verify_begin(ctx, "potrf", L, s.n, s.n, s.nb, s.n, s.nb, L.nt, false);
    if (v.routine == NULL)
        return v;
    for (int64_t j = 0; j < L.nt; j++) { /* C(j) := A(j:,j)^H E(j:) */
        tile_range first = j == 0 ? (tile_range){L, 0, 0, 1} : tiles_from(L, j, j);
        int64_t row = j * s.nb, next = j + first.count, below = next * s.nb;
        int64_t end = below < s.n ? below : s.n, priority = 2 * (L.nt - j);
        column C = rows_in(v.C, row, width(L.A, j));
        insert_hermitian_checksum(ctx, j == 0 ? critical(0) : priority, first,
                                  rows_in(v.W, row, end - row), C);
        verify_sums(ctx, priority, 'G', 'N', 1, L, next, L.nt, j, rows_in(v.W, end, s.n - end), C,
                    NULL);
    }
    return v;
}

/* The tasks of Y run as soon as their block columns are factored, where the factorization leaves
 * workers idle. Those of D read all tiles again and wait for the last tile, of which Y(nt−1,nt−1)
 * is a sum: they find a bit that flips in between, too. */
void verify_potrf_end(context ctx, verification *v, view L)
{
    if (v->routine == NULL)
        return;
    startile_shape s = startile_matrix_shape(L.A);
    view G = view_of(L.A, L.op == 'N' ? 'C' : 'N'), Y = view_of(v->Y, 'N'); /* G: L^H */
    tile last = at(Y, L.nt - 1, L.nt - 1);
    for (int64_t k = 0; k < L.nt; k++)
        for (int64_t end = L.nt, i; end > k; end = i) {
            int64_t most = tiles_from(L, k, k).count, row;
            i = end - most > k ? end - most : k;
            row = i * s.nb;
            /* Y(k,i) := L(i,k)^H E(i) + Y(k,i+1) = L(i:,k)^H E(i:), …, Y(k,end−1) */
            insert_suffix_checksums(ctx, 0, i == k ? 'L' : 'G', (tile_range){L, i, k, end - i},
                                    rows_in(v->W, row, (end * s.nb < s.n ? end * s.nb : s.n) - row),
                                    at(Y, k, i));
        }
    for (int64_t j = 0; j < L.nt; j++) /* D(j) := G(:,j)^H Y(:,j) */
        verify_sums(ctx, 0, 'U', 'N', 1, G, 0, j + 1, j,
                    sums_from(v, j, 0, j * s.nb + width(L.A, j)),
                    rows_in(v->D, j * s.nb, width(L.A, j)), &last);
    verify_compare(ctx, v, v->C, v->D);
    verify_end(ctx, v);
}

verification verify_columns(context ctx, const char *name, const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t k = s.m < s.n ? s.m : s.n;
    verification v = verify_begin(ctx, name, view_of(A, 'N'), s.m, s.n, s.nb, k, s.nb, 1, false);
    if (v.routine == NULL)
        return v;
    for (int64_t j = 0; j < s.nt; j++) /* C(j) := A(:,j)^H E */
        insert_column_checksum(ctx, 2 * (s.nt - j), 'G', 'N', 0, below(A, j, 0), width(A, j),
                               rows_in(v.W, 0, s.m), rows_in(v.C, j * s.nb, width(A, j)));
    return v;
}

/* Submits D(j) := U(:,j)^H Y for the upper trapezoid U of A, and the comparison. */
static void check_trapezoid(context ctx, verification *v, const startile_matrix *Y)
{
    const startile_matrix *A = v->A;
    startile_shape s = startile_matrix_shape(A);
    int64_t panels = panels_of(A), rows = s.m < s.n ? s.m : s.n;
    for (int64_t j = 0; j < s.nt; j++) {
        int64_t order = j < panels ? pivots_in_panel(A, j) : 0;
        int64_t end = j < panels ? first_row(A, j) + order : rows;
        insert_column_checksum(ctx, 0, order > 0 ? 'U' : 'G', 'N', order, rows_of(A, j, 0, end),
                               width(A, j), rows_in(Y, 0, end),
                               rows_in(v->D, j * s.nb, width(A, j)));
    }
    verify_compare(ctx, v, v->C, v->D);
}

void verify_lu_end(context ctx, verification *v, const startile_pivots *P)
{
    if (v->routine == NULL)
        return;
    const startile_matrix *A = v->A;
    startile_shape s = startile_matrix_shape(A);
    int64_t panels = panels_of(A);
    tile last = at(view_of(A, 'N'), first_row(A, panels - 1) / s.mb, panels - 1);
    verify_restart(ctx, v, &last);
    if (P != NULL) /* E := P E */
        insert_laswp(ctx, 0, P, 0, panels, false, below(v->E, 0, 0), NULL);
    verify_spread(ctx, v, 0);
    for (int64_t k = 0; k < panels; k++) {
        int64_t row = first_row(A, k), n = pivots_in_panel(A, k);
        /* Y(k) := L(:,k)^H E */
        insert_column_checksum(ctx, 0, 'L', 'U', n, below(A, k, row), n,
                               rows_in(v->W, row, s.m - row), rows_in(v->Y, row, n));
    }
    check_trapezoid(ctx, v, v->Y);
    verify_end(ctx, v);
}

/* λ for QR, and for the products of Q^H E, whose error grows with the square root of the number of
 * reflectors. Largest values in runs without flips of the tests verify and geqrf, on CPU cores: 0.8
 * and 3.9. */
static const double qr_threshold = 5, gram_threshold = 12;

/* Submits S += E^H W. */
static void add_gram(context ctx, const verification *v, const startile_matrix *S)
{
    insert_column_checksum(ctx, 0, 'G', 'N', 0, below(v->E, 0, 0), 2, rows_in(v->W, 0, v->rows),
                           rows_in(S, 0, 2));
}

/* The equation A = Q R does not see all elements of Q, so E is also treated as columns of A: E^H E
 * = (Q^H E)^H Q^H E for a unitary Q. */
void verify_qr_end(context ctx, verification *v, const startile_matrix *T)
{
    if (v->routine == NULL)
        return;
    const startile_matrix *A = v->A;
    view triangles = view_of(T, 'N');
    tile last = at(triangles, 0, triangles.nt - 1);
    v->threshold = qr_threshold;
    add_gram(ctx, v, v->G); /* G := E^H E */
    verify_restart(ctx, v, &last);
    for (int64_t k = 0; k < triangles.nt; k++) {
        int64_t row = first_row(A, k);
        /* E(k:) := (I − V T V^H)^H E(k:) with V = A(k:,k), T = T(k) */
        insert_larfb(ctx, 0, 'C', below(A, k, row), at(triangles, 0, k), below(v->E, 0, row));
    }
    verify_spread(ctx, v, 0);
    check_trapezoid(ctx, v, v->W);
    add_gram(ctx, v, v->H); /* H := (Q^H E)^H Q^H E */
    /* + m: the sums of m squares have rounding errors of √m u m, and √v is √(2 m) */
    double bound = gram_threshold * sqrt((double)v->terms + 32) + (double)v->rows;
    verify_pair(ctx, v, bound, v->columns, v->G, v->H);
    verify_end(ctx, v);
}
