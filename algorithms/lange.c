/* Norms (LAPACK xLANGE, xLANSY, xLANHE): each tile adds to the partial norm of its block column or
 * block row. */
#include "checks.h"
#include "operations/insert_norms.h"

/* Maps LAPACK's synonyms 'O' and 'E' to '1' and 'F'. */
static char canonical(char norm)
{
    return norm == 'O' ? '1' : norm == 'E' ? 'F' : norm;
}

int submit_lange(char norm, const startile_matrix *A, double *value, startile_request *request)
{
    norm = capital(norm);
    if (!is_one_of(norm, "M1OIFE"))
        return -1;
    if (A == NULL)
        return -2;
    if (value == NULL)
        return -3;
    if (request == NULL)
        return -4;
    norm = canonical(norm);
    startile_shape s = startile_matrix_shape(A);
    context ctx = context_of(request);
    norm_parts *parts = norm_begin(ctx, norm, A);
    for (int64_t j = 0; j < s.nt; j++)
        for (int64_t i = 0; i < s.mt; i++)
            /* parts(j) += ‖A(i,j)‖; for the norm 'I', parts(i) */
            insert_lange(ctx, norm, 1, at(view_of(A, 'N'), i, j), parts, norm == 'I' ? i : j);
    insert_norm_end(ctx, parts, value); /* value := ‖A‖, from parts */
    return 0;
}

/* Submits the partial norms of a matrix of which one triangle is stored; L is the view in which the
 * triangle is lower. A tile (i,j) below the diagonal also stands for its mirror image: for '1' its
 * column sums go to block column j, and its row sums to block column i. */
static void add_triangle(context ctx, char norm, char uplo, bool hermitian, view L,
                         norm_parts *parts)
{
    char along = L.op == 'N' ? '1' : 'I', across = L.op == 'N' ? 'I' : '1';
    for (int64_t j = 0; j < L.nt; j++) {
        insert_lansy(ctx, norm, uplo, hermitian, at(L, j, j), parts, j); /* parts(j) += ‖A(j,j)‖ */
        for (int64_t i = j + 1; i < L.nt; i++) {
            if (norm == '1') {
                insert_lange(ctx, along, 1, at(L, i, j), parts, j);  /* column sums of A(i,j) */
                insert_lange(ctx, across, 1, at(L, i, j), parts, i); /* row sums of A(i,j) */
            } else {
                /* A(i,j) and its mirror image */
                insert_lange(ctx, norm, 2, at(L, i, j), parts, j);
            }
        }
    }
}

/* Validates the arguments of lansy and lanhe, and submits the tasks; returns 0 or −i. */
static int submit_norm_of_triangle(char norm, char uplo, bool hermitian, const startile_matrix *A,
                                   double *value, startile_request *request)
{
    norm = capital(norm), uplo = capital(uplo);
    if (!is_one_of(norm, "M1OIFE"))
        return -1;
    if (!is_one_of(uplo, "LU"))
        return -2;
    if (A == NULL || !has_square_tiles(A))
        return -3;
    if (value == NULL)
        return -4;
    if (request == NULL)
        return -5;
    norm = canonical(norm) == 'I' ? '1' : canonical(norm); /* equal, because |A| is symmetric */
    context ctx = context_of(request);
    norm_parts *parts = norm_begin(ctx, norm, A);
    /* 'T' serves a Hermitian A, too, because norms use only |a_ij| */
    add_triangle(ctx, norm, uplo, hermitian, view_of(A, uplo == 'L' ? 'N' : 'T'), parts);
    insert_norm_end(ctx, parts, value); /* value := ‖A‖, from parts */
    return 0;
}

int submit_lansy(char norm, char uplo, const startile_matrix *A, double *value,
                 startile_request *request)
{
    return submit_norm_of_triangle(norm, uplo, false, A, value, request);
}

int submit_lanhe(char norm, char uplo, const startile_matrix *A, double *value,
                 startile_request *request)
{
    return submit_norm_of_triangle(norm, uplo, true, A, value, request);
}
