/* Initialization and copies of matrices (LAPACK xLASET, xLACPY), and random matrices. */
#include "algorithms.h"

/* Returns whether tile (i, j) has elements of the triangle uplo. */
static bool is_inside(char uplo, startile_shape s, int64_t i, int64_t j)
{
    int64_t first_row = i * s.mb, last_row = first_row + s.mb - 1;
    int64_t first_column = j * s.nb, last_column = first_column + s.nb - 1;
    return uplo == 'G' || (uplo == 'L' ? last_row >= first_column : first_row <= last_column);
}

/* Returns the part of tile (i, j) in the triangle uplo: the triangle for a diagonal tile, all of it
 * for others. Tiles must be square for 'L' and 'U'. */
static char part(char uplo, int64_t i, int64_t j)
{
    return i == j ? uplo : 'G';
}

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
    prepare_own_loops(context_of(request), A);
    for (int64_t j = own_column(V, 0); j < s.nt; j = own_column(V, j + 1))
        for (int64_t i = own_row(V, 0); i < s.mt; i = own_row(V, i + 1))
            if (is_inside(uplo, s, i, j))
                /* A(i,j) := offdiag, its diagonal := diag */
                insert_laset(context_of(request), part(uplo, i, j), offdiag, diag, at(V, i, j));
    return 0;
}

int submit_lacpy(char uplo, const startile_matrix *A, startile_matrix *B, startile_request *request)
{
    uplo = capital(uplo);
    if (!is_one_of(uplo, "LUG"))
        return -1;
    startile_shape a = startile_matrix_shape(A), b = startile_matrix_shape(B);
    if (A == NULL || (uplo != 'G' && a.mb != a.nb))
        return -2;
    if (B == NULL || A == B || !may_copy(A, B) || a.m != b.m || a.n != b.n ||
        !same_tiles(a.m, a.mb, b.mb) || !same_tiles(a.n, a.nb, b.nb))
        return -3;
    if (request == NULL)
        return -4;
    prepare_own_loops(context_of(request), B);
    for (int64_t j = 0; j < a.nt; j++)
        for (int64_t i = 0; i < a.mt; i++) {
            tile from = at(view_of(A, 'N'), i, j), to = at(view_of(B, 'N'), i, j);
            if (is_inside(uplo, a, i, j) && (is_own_tile(from) || is_own_tile(to))) {
                /* B(i,j) := A(i,j) */
                insert_lacpy(context_of(request), part(uplo, i, j), from, to);
                return_to_host(context_of(request), to);
            }
            drop_copies(from);
        }
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
    prepare_own_loops(context_of(request), A);
    for (int64_t j = own_column(V, 0); j < s.nt; j = own_column(V, j + 1))
        for (int64_t i = own_row(V, 0); i < s.mt; i = own_row(V, i + 1))
            /* A(i,j) := random elements, bump added on the diagonal */
            insert_random(context_of(request), kind, seed, bump, at(V, i, j));
    return 0;
}
