/* Solution with Bunch–Kaufman factors (LAPACK xSYTRS2, xHETRS2); factorization and solution (LAPACK
 * xSYSV, xHESV). The interchanges of the later pivots are applied to a copy of L or U first, so
 * that the solves are those of a triangular matrix, by tiles. */
#include "data/pivots.h"
#include "data/symmetric_pivots.h"
#include "data/temporary.h"
#include "ldl.h"

bool convert_factors(context ctx, char op, const startile_matrix *A,
                     const startile_symmetric_pivots *P, bool fails, struct ldl *f)
{
    startile_shape s = startile_matrix_shape(A);
    startile_matrix *triangle = temporary_like(ctx, A),
                    *D = triangle == NULL ? NULL : temporary_matrix(ctx, A, s.n, 2, s.n, 2);
    startile_pivots *order = D == NULL ? NULL : temporary_pivots(ctx, A);
    if (order == NULL)
        return false;
    *f = (struct ldl){symmetric_pivots_triangle(P), op, triangle, D, order};
    insert_ldl_diagonal(ctx, op, A, P, fails, at(view_of(D, 'N'), 0, 0));
    insert_ldl_order(ctx, P, order, s.n);
    for (int64_t k = 0; k < s.nt; k++) {
        /* the solve begins with the first block column of L, or with the last one of U */
        int64_t steps_before = f->uplo == 'L' ? k : s.nt - 1 - k;
        insert_ldl_column(ctx, 3 * s.nt - steps_before, A, k, P, triangle, k);
    }
    return true;
}

void solve_without_interchanges(context ctx, const struct ldl *f, startile_matrix *B)
{
    bool is_lower = f->uplo == 'L';
    view L = view_of(f->triangle, 'N'), transposed = view_of(f->triangle, f->op),
         X = view_of(B, 'N');
    /* B := L^-1 B, or U^-1 B */
    solve_triangle(ctx, is_lower, f->uplo, 'U', 1, L, X, L.nt, false);
    for (int64_t j = 0; j < X.nt; j++)
        /* B(:,j) := D^-1 B(:,j) */
        insert_ldl_solve(ctx, L.nt, f->op, at(view_of(f->D, 'N'), 0, 0), rows_from(B, j, 0));
    /* B := op(L)^-1 B, or op(U)^-1 B */
    solve_triangle(ctx, !is_lower, f->uplo, 'U', 1, transposed, X, 1, false);
}

void solve_by_ldl(context ctx, const struct ldl *f, startile_matrix *B)
{
    int64_t steps = startile_matrix_shape(f->triangle).nt;
    interchange_rows(ctx, 2 * steps + 1, f->P, false, B, NULL); /* B := P B */
    solve_without_interchanges(ctx, f, B);
    interchange_rows(ctx, 0, f->P, true, B, NULL); /* B := P^T B */
}

static bool solve(context ctx, const plan *p)
{
    struct ldl f;
    if (startile_matrix_shape(p->A).n == 0 || startile_matrix_shape(p->A).m == 0)
        return true;
    if (!convert_factors(ctx, p->op, p->left.A, p->symmetric_pivots, false, &f))
        return false;
    solve_by_ldl(ctx, &f, p->A);
    return true;
}

int check_ldl(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P)
{
    if (!is_one_of(uplo, "LU"))
        return -1;
    if (A == NULL || !has_square_tiles(A) || startile_matrix_shape(A).nt > MOST_TILES ||
        startile_matrix_grid(A) != NULL)
        return -2;
    return P == NULL || !symmetric_pivots_fit(P, A) || symmetric_pivots_triangle(P) != uplo ? -3
                                                                                            : 0;
}

/* Submits sytrs with op 'T', hetrs with 'C'. */
static int submit_solve(const char *name, char op, char uplo, const startile_matrix *A,
                        const startile_symmetric_pivots *P, startile_matrix *B,
                        startile_request *request)
{
    int wrong = check_ldl(capital(uplo), A, P);
    if (wrong != 0)
        return wrong;
    if (B == NULL || !is_cholesky_right_hand_side(B, A))
        return -4;
    if (request == NULL)
        return -5;
    plan p = {.name = name,
              .working_set = SYTRS,
              .A = B,
              .uplo = 'G',
              .V = view_of(B, 'N'),
              .submit = solve,
              .left = view_of(A, 'N'),
              .symmetric_pivots = P,
              .op = op};
    submit_plan(&p, request);
    return 0;
}

int submit_sytrs(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                 startile_matrix *B, startile_request *request)
{
    return submit_solve("sytrs", 'T', uplo, A, P, B, request);
}

int submit_hetrs(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                 startile_matrix *B, startile_request *request)
{
    return submit_solve("hetrs", 'C', uplo, A, P, B, request);
}

/* -- factorization and solution -----------------------------------------------------------------
 */

typedef int factorization(char uplo, startile_matrix *A, startile_symmetric_pivots *P,
                          startile_request *request);
typedef int solution(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P,
                     startile_matrix *B, startile_request *request);

static int factor_and_solve(factorization *factor, solution *solve_with, char uplo,
                            startile_matrix *A, startile_symmetric_pivots *P, startile_matrix *B,
                            startile_request *request)
{
    int wrong = factor(uplo, A, P, NULL);
    if (wrong != -4) /* that of the request */
        return wrong;
    if (B == NULL || !is_cholesky_right_hand_side(B, A))
        return -4;
    if (request == NULL)
        return -5;
    factor(uplo, A, P, request);
    return solve_with(uplo, A, P, B, request); /* does nothing after a zero pivot */
}

int submit_sysv(char uplo, startile_matrix *A, startile_symmetric_pivots *P, startile_matrix *B,
                startile_request *request)
{
    return factor_and_solve(submit_sytrf, submit_sytrs, uplo, A, P, B, request);
}

int submit_hesv(char uplo, startile_matrix *A, startile_symmetric_pivots *P, startile_matrix *B,
                startile_request *request)
{
    return factor_and_solve(submit_hetrf, submit_hetrs, uplo, A, P, B, request);
}
