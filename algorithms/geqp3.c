/* QR factorization with column pivoting A P = Q R (LAPACK xGEQP3; Quintana-Ortí, Sun & Bischof
 * 1998). */
#include "algorithms.h"
#include "data/permutation.h"
#include "data/reflectors.h"
#include "journal/journal.h"
#include "operations/insert_pivoted.h"

/* Submits A := R and V, P := the permutation, T := the triangles of the block reflectors. The pivot
 * of a column depends on all columns right of it, so the panels run one after the other, and a
 * panel's task updates all these columns itself. */
static bool factor(context ctx, const plan *p)
{
    const startile_matrix *A = p->A;
    view triangles = view_of(p->T, 'N');
    values *norms = values_begin(ctx, 2 * startile_matrix_shape(A).n);
    if (norms == NULL)
        return false;
    /* Before step k, block columns 0 … k − 1 hold R and V, and the others Q_{k−1}^H … Q_0^H A P. */
    for (int64_t k = 0; k < p->panels; k++) {
        context step = begin_step(ctx, A, k);
        tile T_k = at(triangles, 0, k);
        /* A(:,k:) P_k := R and V of block column k, Q_k^H A(:,k+1:) P_k */
        insert_geqp3(step, critical(p->panels - k), A, k, p->permutation, norms, T_k);
        /* T_k := T with I − V T V^H = H_1 H_2 … */
        insert_larft(step, rows_from(A, k, first_row(A, k)), T_k);
        end_step(step);
    }
    return true;
}

int check_panels_of_columns(const startile_matrix *A, const startile_permutation *P)
{
    /* a journal could not continue the factorization, whose panels change all of A */
    if (A == NULL || !has_panels(A) || startile_matrix_shape(A).mt > 1 || has_journal(A))
        return -1;
    return P == NULL || !permutation_fits(P, A) ? -2 : 0;
}

int check_column_pivoting(const startile_matrix *A, const startile_permutation *P)
{
    return A != NULL && startile_matrix_grid(A) != NULL ? -1 : check_panels_of_columns(A, P);
}

int check_geqp3(const startile_matrix *A, const startile_permutation *P, const startile_matrix *T)
{
    int wrong = check_column_pivoting(A, P);
    return wrong != 0 ? wrong : check_geqrf(A, T, NULL) == -2 ? -3 : 0;
}

plan plan_of_geqp3(const char *name, startile_matrix *A, startile_permutation *P,
                   const startile_matrix *T)
{
    return (plan){.name = name,
                  .working_set = WHOLE,
                  .equation = QR,
                  .A = A,
                  .uplo = 'G',
                  .V = view_of(A, 'N'),
                  .submit = factor,
                  .panels = startile_matrix_shape(T).nt,
                  .permutation = P,
                  .T = T};
}

bool factor_with_pivoting(context ctx, startile_matrix *A, startile_permutation *P,
                          const startile_matrix *T)
{
    plan p = plan_of_geqp3("geqp3", A, P, T);
    return factor(ctx, &p);
}

int submit_geqp3(startile_matrix *A, startile_permutation *P, startile_reflectors *T,
                 startile_request *request)
{
    int wrong = check_geqp3(A, P, triangles_of(T));
    if (wrong != 0 || request == NULL)
        return wrong != 0 ? wrong : -4;
    plan p = plan_of_geqp3("geqp3", A, P, triangles_of(T));
    submit_plan(&p, request);
    return 0;
}
