/* Inverse from the factors of LU (LAPACK xGETRI): A⁻¹ = U⁻¹ L⁻¹ P (Higham 2002, section 14.3,
 * method A). */
#include "algorithms.h"
#include "data/pivots.h"

/* Submits X(:,j) := I(:,j). */
static void set_identity(context ctx, const startile_matrix *X, int64_t j)
{
    view V = view_of(X, 'N');
    for (int64_t i = 0; i < V.mt; i++)
        /* X(i,j) := I(i,j) */
        insert_laset(ctx, 'G', 0, 1, at(V, i, j));
}

/* Submits X := U⁻¹ L⁻¹. The blocks of L⁻¹ above the diagonal are zero and are skipped. */
static void solve_identity(context ctx, const startile_matrix *A, startile_matrix *X)
{
    for (int64_t j = 0; j < startile_matrix_shape(X).nt; j++) {
        set_identity(ctx, X, j);
        substitute(ctx, 'L', 'N', 'U', A, NULL, X, j, j); /* X(j:,j) := L(j:,j:)^-1 X(j:,j) */
        substitute(ctx, 'U', 'N', 'N', A, NULL, X, j, 0); /* X(:,j) := U^-1 X(:,j) */
    }
}

/* Submits X := A⁻¹ on a grid. The interchanges are applied to the rows of the identity, as getrs
 * does: tasks that interchange columns of A⁻¹ would need whole rows of it in one process. Which
 * blocks of P are zero is not known at submission, so no block is skipped, and this takes 2 n³
 * multiplications and additions instead of 4/3 n³. */
static void solve_permutation(context ctx, const startile_matrix *A, const startile_pivots *P,
                              startile_matrix *X)
{
    for (int64_t j = 0; j < startile_matrix_shape(X).nt; j++)
        set_identity(ctx, X, j);
    solve_by_lu(ctx, 'N', A, P, X); /* X := U^-1 L^-1 P X */
}

/* Submits A := X P; P may be NULL. */
static void write_inverse(context ctx, const startile_matrix *X, const startile_pivots *P,
                          startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t panels = P == NULL ? 0 : pivots_panels(P);
    /* Uses geadd, because geadd also reads A: if the request fails, the skipped task leaves A
     * unchanged. A skipped copy would leave A undefined. */
    for (int64_t j = 0; j < s.nt; j++)
        for (int64_t i = 0; i < s.mt; i++)
            /* A(i,j) := X(i,j) */
            insert_geadd(ctx, 0, 1, at(view_of(X, 'N'), i, j), 0, at(view_of(A, 'N'), i, j));
    for (int64_t k = panels - 1; k >= 0; k--)
        for (int64_t i = 0; i < s.mt; i++)
            insert_lapmt(ctx, k, P, k, true, A, i); /* A(i,:) := A(i,:) P_k */
}

static bool invert(context ctx, const plan *p)
{
    startile_matrix *A = p->A, *X = temporary_like(ctx, A);
    if (X == NULL)
        return false;
    ctx = after_zero_check(ctx, A, NULL);
    if (startile_matrix_grid(A) != NULL) {
        solve_permutation(ctx, A, p->interchanges, X);
        write_inverse(ctx, X, NULL, A);
    } else {
        solve_identity(ctx, A, X);
        write_inverse(ctx, X, p->interchanges, A);
    }
    return true;
}

int submit_getri(startile_matrix *A, const startile_pivots *P, startile_request *request)
{
    int wrong = check_factors(A, P);
    if (wrong != 0)
        return wrong;
    if (request == NULL)
        return -3;
    plan p = {.name = "getri",
              .working_set = GETRI,
              .A = A,
              .uplo = 'G',
              .V = view_of(A, 'N'),
              .submit = invert,
              .interchanges = P};
    submit_plan(&p, request);
    return 0;
}
