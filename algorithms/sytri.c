/* Inverse from Bunch–Kaufman factors (LAPACK xSYTRI, xHETRI), as the solution of A X = I. */
#include "ldl.h"

/* Submits A := X in the triangle uplo, with a real diagonal if op is 'C'; T's diagonal tiles are
 * overwritten. geadd also reads A, so that a skipped task leaves A unchanged. */
static void write_triangle(context ctx, char uplo, char op, const startile_matrix *X,
                           const startile_matrix *T, startile_matrix *A)
{
    view from = view_of(X, 'N'), to = view_of(A, 'N');
    for (int64_t j = 0; j < to.nt; j++) {
        int64_t first = uplo == 'L' ? j + 1 : 0, end = uplo == 'L' ? to.mt : j;
        tile of_t = at(view_of(T, 'N'), j, j);
        /* A(j,j) := T(j,j) := X(j,j) */
        insert_mirror(ctx, 0, uplo, op == 'C', at(from, j, j), of_t);
        insert_lacpy(ctx, uplo, of_t, at(to, j, j));
        for (int64_t i = first; i < end; i++)
            insert_geadd(ctx, 0, 1, at(from, i, j), 0, at(to, i, j)); /* A(i,j) := X(i,j) */
    }
}

static bool invert(context ctx, const plan *p)
{
    struct ldl f;
    if (startile_matrix_shape(p->A).n == 0)
        return true;
    startile_matrix *X = temporary_like(ctx, p->A);
    if (X == NULL || !convert_factors(ctx, p->op, p->A, p->symmetric_pivots, true, &f))
        return false;
    view V = view_of(X, 'N');
    for (int64_t j = 0; j < V.nt; j++)
        for (int64_t i = 0; i < V.mt; i++)
            insert_laset(ctx, 'G', 0, i == j, at(V, i, j)); /* X(i,j) := I(i,j) */
    solve_by_ldl(ctx, &f, X);                               /* X := A^-1 X */
    write_triangle(ctx, p->uplo, p->op, X, f.triangle, p->A);
    return true;
}

/* Submits sytri with op 'T', hetri with 'C'. */
static int submit(const char *name, char op, char uplo, startile_matrix *A,
                  const startile_symmetric_pivots *P, startile_request *request)
{
    uplo = capital(uplo);
    int wrong = check_ldl(uplo, A, P);
    if (wrong != 0)
        return wrong;
    if (request == NULL)
        return -4;
    plan p = {.name = name,
              .working_set = SYTRI,
              .A = A,
              .uplo = uplo,
              .V = view_of(A, 'N'),
              .submit = invert,
              .symmetric_pivots = P,
              .op = op};
    submit_plan(&p, request);
    return 0;
}

int submit_sytri(char uplo, startile_matrix *A, const startile_symmetric_pivots *P,
                 startile_request *request)
{
    return submit("sytri", 'T', uplo, A, P, request);
}

int submit_hetri(char uplo, startile_matrix *A, const startile_symmetric_pivots *P,
                 startile_request *request)
{
    return submit("hetri", 'C', uplo, A, P, request);
}
