/* Norms (LAPACK xLANGE, xLANSY, xLANHE): each tile adds to the partial norm of its block column or
 * block row. */
#include "codelets.h"

/* Maps LAPACK's synonyms 'O' and 'E' to '1' and 'F'. */
static char canonical(char norm)
{
    return norm == 'O' ? '1' : norm == 'E' ? 'F' : norm;
}

int startile_lange_async(char norm, const startile_matrix *A, double *value,
                         startile_request *request)
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
    norm_parts *parts = norm_begin(request, norm, A);
    for (int64_t j = 0; j < s.nt; j++)
        for (int64_t i = 0; i < s.mt; i++)
            insert_lange(request, norm, 1, at(view_of(A, 'N'), i, j), parts, norm == 'I' ? i : j);
    insert_norm_end(request, parts, value);
    return 0;
}

int64_t startile_lange(char norm, const startile_matrix *A, double *value)
{
    startile_request *r = request_start();
    return request_finish(r, startile_lange_async(norm, A, value, r));
}

/* Submits the partial norms of a stored add_triangle; L is the view in which it is lower. A tile
 * below the diagonal also represents its mirror image: for '1' its column sums go to block column j
 * and its row sums to block column i. */
static void add_triangle(startile_request *r, char norm, char uplo, bool hermitian, view L,
                         norm_parts *parts)
{
    char along = L.op == 'N' ? '1' : 'I', across = L.op == 'N' ? 'I' : '1';
    for (int64_t j = 0; j < L.nt; j++) {
        insert_lansy(r, norm, uplo, hermitian, at(L, j, j), parts, j); /* parts(j) += ‖A(j,j)‖ */
        for (int64_t i = j + 1; i < L.nt; i++) {
            if (norm == '1') {
                insert_lange(r, along, 1, at(L, i, j), parts, j);  /* column sums of A(i,j) */
                insert_lange(r, across, 1, at(L, i, j), parts, i); /* row sums of A(i,j) */
            } else {
                insert_lange(r, norm, 2, at(L, i, j), parts, j); /* 'F': counted twice */
            }
        }
    }
}

static int submit(char norm, char uplo, bool hermitian, const startile_matrix *A, double *value,
                  startile_request *request)
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
    norm = canonical(norm) == 'I' ? '1' : canonical(norm);
    norm_parts *parts = norm_begin(request, norm, A);
    add_triangle(request, norm, uplo, hermitian, view_of(A, uplo == 'L' ? 'N' : 'T'), parts);
    insert_norm_end(request, parts, value);
    return 0;
}

int startile_lansy_async(char norm, char uplo, const startile_matrix *A, double *value,
                         startile_request *request)
{
    return submit(norm, uplo, false, A, value, request);
}

int64_t startile_lansy(char norm, char uplo, const startile_matrix *A, double *value)
{
    startile_request *r = request_start();
    return request_finish(r, startile_lansy_async(norm, uplo, A, value, r));
}

int startile_lanhe_async(char norm, char uplo, const startile_matrix *A, double *value,
                         startile_request *request)
{
    return submit(norm, uplo, true, A, value, request);
}

int64_t startile_lanhe(char norm, char uplo, const startile_matrix *A, double *value)
{
    startile_request *r = request_start();
    return request_finish(r, startile_lanhe_async(norm, uplo, A, value, r));
}
