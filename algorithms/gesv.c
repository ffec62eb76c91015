/* Factorization and solution by LU, with iterative refinement (LAPACK xGESV, xGERFS; Higham 2002,
 * section 12.1). */
#include "algorithms.h"
#include "journal/journal.h"
#include "memory/capacity.h"

/* Largest number of refinement steps that a caller may ask for */
enum { MOST_STEPS = 10 };

/* Submits X := X + D. */
static void add_correction(context ctx, const startile_matrix *D, const startile_matrix *X)
{
    view to = view_of(X, 'N'), from = view_of(D, 'N');
    for (int64_t j = 0; j < to.nt; j++)
        for (int64_t i = 0; i < to.mt; i++)
            insert_geadd(ctx, 0, 1, at(from, i, j), 1, at(to, i, j)); /* X(i,j) += D(i,j) */
}

/* Submits `steps` steps of iterative refinement, R := B − A X, X := X + A⁻¹ R. A and B are the
 * matrices before the solution; `factors` and P are A's LU factorization. */
static void refine_solution(context ctx, int steps, const startile_matrix *A,
                            const startile_matrix *factors, const startile_pivots *P,
                            const startile_matrix *B, startile_matrix *X)
{
    startile_matrix *R = temporary_like(ctx, B);
    if (R == NULL)
        return;
    for (int step = 0; step < steps; step++) {
        find_residual(ctx, A, X, B, R);
        solve_by_lu(ctx, 'N', factors, P, R);
        add_correction(ctx, R, X);
    }
}

static bool factor_and_solve(context ctx, const plan *p)
{
    startile_request *request = ctx.request;
    startile_matrix *A = p->A, *B = p->B;
    bool refines = p->refinements > 0;
    if (refines &&
        !has_capacity_for_copy(request, A, startile_matrix_shape(A).n + startile_matrix_shape(B).n))
        return false;
    startile_matrix *A0 = refines ? copy_of(ctx, A) : NULL, *B0 = refines ? copy_of(ctx, B) : NULL;
    submit_getrf(A, p->P, request);
    ctx = context_of(request); /* context of tasks that do nothing after a zero pivot */
    solve_by_lu(ctx, 'N', A, p->P, B);
    if (A0 != NULL && B0 != NULL)
        refine_solution(ctx, p->refinements, A0, A, p->P, B0, B);
    return true;
}

int submit_gesv(startile_matrix *A, startile_pivots *P, startile_matrix *B, int refine,
                startile_request *request)
{
    int wrong = check_factors(A, P);
    if (wrong != 0 || P == NULL)
        return wrong != 0 ? wrong : -2;
    if (!is_right_hand_side(B, A))
        return -3;
    /* a factorization that continues from a journal has no elements of A for the residual */
    if (refine < 0 || refine > MOST_STEPS || (refine > 0 && has_journal(A)))
        return -4;
    if (request == NULL)
        return -5;
    plan p = {.name = "gesv",
              .working_set = COLUMN_PRODUCTS,
              .A = A,
              .uplo = 'G',
              .V = view_of(A, 'N'),
              .B = B,
              .returns_tiles = true, /* getrf has returned those of A */
              .submit = factor_and_solve,
              .P = P,
              .refinements = refine};
    submit_plan(&p, request);
    return 0;
}
