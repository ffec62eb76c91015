/* Initialization of matrices (LAPACK xLASET), and random matrices. */
#include "algorithms.h"
#include "grid/owner.h"

int submit_laset(char uplo, startile_complex offdiag, startile_complex diag, startile_matrix *A,
                 startile_request *request)
{
    uplo = capital(uplo);
    if (!is_one_of(uplo, "LUG"))
        return -1;
    startile_shape s = startile_matrix_shape(A);
    if (A == NULL || (uplo != 'G' && s.mb != s.nb))
        return -4;
    if (request == NULL)
        return -5;
    view V = view_of(A, 'N');
    context ctx = begin_step(context_of(request), A, NO_STEP);
    for_own_columns(j, V, 0, s.nt)
        for_own_tiles_in_column(i, V, j, 0, s.mt)
            if (uplo == 'G' || (uplo == 'L' ? i >= j : i <= j))
                /* A(i,j) := offdiag, and diag on A's diagonal */
                insert_laset(ctx, i == j ? uplo : 'G', offdiag, diag, at(V, i, j));
    end_step(ctx);
    return 0;
}

int submit_random(char kind, uint64_t seed, double bump, startile_matrix *A,
                  startile_request *request)
{
    kind = capital(kind);
    if (!is_one_of(kind, "GSH"))
        return -1;
    startile_shape s = startile_matrix_shape(A);
    if (A == NULL || (kind != 'G' && s.m != s.n))
        return -4;
    if (request == NULL)
        return -5;
    view V = view_of(A, 'N');
    context ctx = begin_step(context_of(request), A, NO_STEP);
    for_own_columns(j, V, 0, s.nt)
        for_own_tiles_in_column(i, V, j, 0, s.mt)
            /* A(i,j) := random elements, bump added on the diagonal */
            insert_random(ctx, kind, seed, bump, at(V, i, j));
    end_step(ctx);
    return 0;
}
