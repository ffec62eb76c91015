/* Least squares and least-norm solutions for matrices of any rank, by QR with column pivoting and a
 * complete orthogonal factorization (LAPACK xGELSY; Quintana-Ortí, Sun & Bischof 1998). */
#include "algorithms.h"
#include "operations/insert_norms.h"
#include "operations/insert_pivoted.h"

/* Submits B := Q^H B for the first rows of B, as many as A has. */
static void apply_adjoint(context ctx, const startile_matrix *A, const startile_matrix *T,
                          const startile_matrix *B)
{
    startile_shape a = startile_matrix_shape(A), b = startile_matrix_shape(B),
                   t = startile_matrix_shape(T);
    for (int64_t k = 0; k < t.nt; k++)
        for (int64_t j = 0; j < b.nt; j++) {
            int64_t row = k * a.nb;
            /* B(k:,j) := (I − V T V^H)^H B(k:,j), V = A(k:,k) */
            insert_larfb(ctx, t.nt - k, 'C', rows_from(A, k, row), at(view_of(T, 'N'), 0, k),
                         rows_of(B, j, row, a.m - row));
        }
}

/* Submits X := the solution of least norm of [R11 R12] X = C for the first r rows C of X, which are
 * followed by zeros. The rows of A from r on are zero. W = Aᴴ = Z [L; 0] with zeros in the columns
 * of L from r on, where the identity takes their place, and X = Z [L⁻ᴴ C; 0]. */
static void solve_deficient(context ctx, const startile_matrix *A, const triangle_rank *r,
                            startile_matrix *X)
{
    startile_shape a = startile_matrix_shape(A);
    int64_t k = a.m < a.n ? a.m : a.n;
    startile_matrix *W = temporary_matrix(ctx, A, a.n, k, a.n, a.nb),
                    *T = W == NULL ? NULL : temporary_matrix(ctx, A, a.nb, k, a.nb, a.nb);
    if (T == NULL)
        return;
    transpose(ctx, A, W);             /* W := A(0:k,:)^H */
    if (!factor_by_panels(ctx, W, T)) /* W = Z L */
        return;
    for (int64_t j = 0; j < startile_matrix_shape(W).nt; j++)
        insert_unit_diagonal(ctx, r, W, j);   /* L(r:,r:) := I */
    substitute_all(ctx, 'U', 'C', 'N', W, X); /* X := L^-H X */
    apply_reflectors(ctx, 'N', W, T, X);      /* X := Z X */
}

static bool factor_and_solve(context ctx, const plan *p)
{
    startile_matrix *A = p->A, *B = p->B;
    startile_shape a = startile_matrix_shape(A), b = startile_matrix_shape(B);
    startile_matrix *T = temporary_matrix(ctx, A, a.nb, a.m < a.n ? a.m : a.n, a.nb, a.nb),
                    *X = T == NULL ? NULL : temporary_matrix(ctx, A, a.n, b.n, a.n, b.nb);
    if (X == NULL)
        return false;
    magnitude *max_a = largest_of(ctx, A, a.m), *max_b = largest_of(ctx, B, a.m);
    rescale(ctx, max_a, NULL, A, 0, a.m);
    rescale(ctx, max_b, NULL, B, 0, a.m);
    if (!factor_with_pivoting(ctx, A, p->permutation, T)) /* A P = Q R */
        return false;
    apply_adjoint(ctx, A, T, B);
    triangle_rank *r = insert_trank(ctx, A, p->rcond, p->rank, p->estimate);
    if (r == NULL)
        return false;
    for (int64_t j = 0; j < b.nt; j++) {
        insert_copy(ctx, 0, 'G', rows_of(B, j, 0, a.n), rows_from(X, j, 0)); /* X := B(0:n,:) */
        insert_clear_below(ctx, r, rows_from(X, j, 0));                      /* X(r:,:) := 0 */
    }
    if (a.m >= a.n)
        substitute_all(if_rank(ctx, r, true), 'U', 'N', 'N', A, X); /* X := R^-1 X */
    solve_deficient(if_rank(ctx, r, false), A, r, X);
    rescale(ctx, max_a, max_b, X, 0, a.n);
    rescale(ctx, NULL, max_b, B, a.n, b.m - a.n);
    for (int64_t j = 0; j < b.nt; j++) {
        insert_lapmr(ctx, p->permutation, false, at(view_of(X, 'N'), 0, j)); /* X := P X */
        insert_copy(ctx, 0, 'G', rows_from(X, j, 0), rows_of(B, j, 0, a.n)); /* B(0:n,:) := X */
    }
    return true;
}

static int check(const startile_matrix *A, const startile_permutation *P, const startile_matrix *B,
                 const int64_t *rank, const startile_request *request)
{
    int wrong = check_column_pivoting(A, P);
    if (wrong != 0)
        return wrong;
    if (check_gels_arguments('N', A, B, request) == -3)
        return -3;
    return rank == NULL ? -5 : request == NULL ? -7 : 0;
}

int submit_gelsy(startile_matrix *A, startile_permutation *P, startile_matrix *B, double rcond,
                 int64_t *rank, double *estimate, startile_request *request)
{
    int wrong = check(A, P, B, rank, request);
    if (wrong != 0)
        return wrong;
    startile_shape a = startile_matrix_shape(A);
    if (a.m == 0 || a.n == 0 || startile_matrix_shape(B).n == 0) {
        *rank = 0;
        if (estimate != NULL)
            *estimate = 0;
        return submit_laset('G', 0, 0, B, request);
    }
    plan p = {.name = "gelsy",
              .working_set = GELSY,
              .A = A,
              .uplo = 'G',
              .V = view_of(A, 'N'),
              .B = B,
              .submit = factor_and_solve,
              .permutation = P,
              .rcond = rcond,
              .estimate = estimate,
              .rank = rank};
    submit_plan(&p, request);
    return 0;
}
