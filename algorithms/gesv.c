/* Factorization and solution by LU, with iterative refinement (LAPACK xGESV, xGERFS; Higham 2002,
 * section 12.1). */
#include "algorithms.h"

enum { MOST_STEPS = 10 };

static startile_matrix *temporary_like(startile_request *r, const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    return temporary(r, A, s.m, s.n, s.mb, s.nb);
}

static startile_matrix *copy_of(startile_request *r, const startile_matrix *A)
{
    startile_matrix *copy = temporary_like(r, A);
    if (copy != NULL)
        startile_lacpy_async('G', A, copy, r);
    return copy;
}

/* Submits R := B − A X. */
static void residual(startile_request *r, const startile_matrix *A, const startile_matrix *X,
                     const startile_matrix *B, startile_matrix *R)
{
    startile_shape a = startile_matrix_shape(A), x = startile_matrix_shape(X);
    startile_lacpy_async('G', B, R, r);
    for (int64_t j = 0; j < x.nt; j++)
        for (int64_t k = 0; k < a.nt; k++)
            /* R(:,j) -= A(:,k) * X(k,j) */
            insert_gemm_column(r, a.nt - k, below(A, k, 0),
                               rows_of(X, j, k * a.nb, pivots_in_panel(A, k)), below(R, j, 0));
}

/* Submits X := X + D. */
static void add(startile_request *r, const startile_matrix *D, const startile_matrix *X)
{
    view to = view_of(X, 'N'), from = view_of(D, 'N');
    for (int64_t j = 0; j < to.nt; j++)
        for (int64_t i = 0; i < to.mt; i++)
            insert_geadd(r, 1, at(from, i, j), 1, at(to, i, j)); /* X(i,j) += D(i,j) */
}

static void refine_solution(startile_request *r, int steps, const startile_matrix *A,
                            const startile_matrix *factors, const startile_pivots *P,
                            const startile_matrix *B, startile_matrix *X)
{
    startile_matrix *R = temporary_like(r, B);
    for (int step = 0; step < steps && R != NULL; step++) {
        residual(r, A, X, B, R);
        solve_by_lu(r, 'N', factors, P, R);
        add(r, R, X);
    }
    forget_matrix(R);
}

int startile_gesv_async(startile_matrix *A, startile_pivots *P, startile_matrix *B, int refine,
                        startile_request *request)
{
    int wrong = check_factors(A, P);
    if (wrong != 0 || P == NULL)
        return wrong != 0 ? wrong : -2;
    if (!is_right_side(B, A))
        return -3;
    if (refine < 0 || refine > MOST_STEPS)
        return -4;
    if (request == NULL)
        return -5;
    if (!has_capacity_for_columns(request, A) || !has_capacity_for_columns(request, B))
        return 0;
    int64_t columns = startile_matrix_shape(A).n + startile_matrix_shape(B).n;
    if (refine > 0 && !has_capacity_for_copy(request, A, columns))
        return 0;
    startile_matrix *A0 = refine > 0 ? copy_of(request, A) : NULL;
    startile_matrix *B0 = refine > 0 ? copy_of(request, B) : NULL;
    startile_getrf_async(A, P, request);
    solve_by_lu(request, 'N', A, P, B);
    if (A0 != NULL && B0 != NULL)
        refine_solution(request, refine, A0, A, P, B0, B);
    send_home(request, B);
    forget_matrix(A0);
    forget_matrix(B0);
    return 0;
}

int64_t startile_gesv(startile_matrix *A, startile_pivots *P, startile_matrix *B, int refine)
{
    startile_request *r = request_start();
    return request_finish(r, startile_gesv_async(A, P, B, refine, r));
}
