/* Checks of arguments that several routines share. */
#include "checks.h"
#include "data/pivots.h"
#include "data/reflectors.h"
#include "data/view.h"
#include "grid/owner.h"
#include "journal/journal.h"

char capital(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

bool is_one_of(char c, const char *letters)
{
    while (*letters != '\0')
        if (*letters++ == c)
            return true;
    return false;
}

bool has_whole_blocks(const startile_matrix *A, int64_t nb)
{
    startile_shape s = startile_matrix_shape(A);
    return (s.mb % nb == 0 || s.mb >= s.m) && s.mt <= MOST_TILES;
}

bool has_square_tiles(const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    return s.m == s.n && same_tiles(s.m, s.mb, s.nb);
}

bool have_same_type_and_grid(const startile_matrix *A, const startile_matrix *B)
{
    return startile_matrix_shape(A).dtype == startile_matrix_shape(B).dtype &&
           startile_matrix_grid(A) == startile_matrix_grid(B);
}

bool has_panels(const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    return s.nt <= MOST_TILES && has_whole_blocks(A, s.nb) && !is_on_symmetric_grid(A);
}

int check_getrf(const startile_matrix *A, const startile_pivots *P, const startile_request *request)
{
    if (A == NULL || !has_panels(A))
        return -1;
    if (P == NULL || !pivots_fit(P, A))
        return -2;
    return request == NULL ? -3 : 0;
}

int check_factors(const startile_matrix *A, const startile_pivots *P)
{
    startile_shape a = startile_matrix_shape(A);
    if (A == NULL || a.m != a.n || !has_panels(A))
        return -1;
    return P != NULL && !pivots_fit(P, A) ? -2 : 0;
}

bool is_right_hand_side(const startile_matrix *B, const startile_matrix *A)
{
    startile_shape a = startile_matrix_shape(A), b = startile_matrix_shape(B);
    return B != NULL && B != A && have_same_type_and_grid(A, B) && a.m == b.m &&
           has_whole_blocks(B, a.nb);
}

int check_hermitian(char uplo, const startile_matrix *A, const startile_request *request)
{
    if (!is_one_of(uplo, "LU"))
        return -1;
    if (A == NULL || !has_square_tiles(A))
        return -2;
    return request == NULL ? -3 : 0;
}

bool is_cholesky_right_hand_side(const startile_matrix *B, const startile_matrix *A)
{
    startile_shape a = startile_matrix_shape(A), b = startile_matrix_shape(B);
    return A != B && have_same_type_and_grid(A, B) && a.m == b.m && same_tiles(a.m, a.mb, b.mb);
}

int check_hermitian_system(char uplo, const startile_matrix *A, const startile_matrix *B,
                           const startile_request *request)
{
    int wrong = check_hermitian(uplo, A, request);
    if (wrong == -1 || wrong == -2)
        return wrong;
    if (B == NULL || !is_cholesky_right_hand_side(B, A))
        return -3;
    return request == NULL ? -4 : 0;
}

int check_geqrf(const startile_matrix *A, const startile_matrix *T, const startile_request *request)
{
    if (A == NULL || !has_panels(A))
        return -1;
    startile_shape s = startile_matrix_shape(A);
    if (T == NULL || !reflectors_fit(T, A) || startile_matrix_shape(T).n != (s.m < s.n ? s.m : s.n))
        return -2;
    return request == NULL ? -3 : 0;
}

char conjugating_trans(char trans, const startile_matrix *A)
{
    trans = capital(trans);
    if (trans == 'T' && (A == NULL || !is_complex(A)))
        return 'C';
    return is_one_of(trans, "NC") ? trans : '\0';
}

char other_trans(char trans)
{
    return trans == 'N' ? 'C' : 'N';
}

int check_product_with_q(char side, char trans, const startile_matrix *A)
{
    if (!is_one_of(side, "LR"))
        return -1;
    if (conjugating_trans(trans, A) == '\0')
        return -2;
    return A == NULL || !has_panels(A) ? -3 : 0;
}

bool fits_q(char side, const startile_matrix *C, const startile_matrix *A, int64_t order)
{
    startile_shape c = startile_matrix_shape(C);
    return C != NULL && C != A && have_same_type_and_grid(A, C) &&
           (side == 'L' ? c.m : c.n) == order;
}

int check_unmqr(char side, char trans, const startile_matrix *A, const startile_matrix *T,
                const startile_matrix *C, int64_t order, const startile_request *request)
{
    int wrong = check_product_with_q(side, trans, A);
    if (wrong != 0)
        return wrong;
    if (T == NULL || !reflectors_fit(T, A))
        return -4;
    if (!fits_q(side, C, A, order) || C == T ||
        (side == 'L' && !has_whole_blocks(C, startile_matrix_shape(A).nb)))
        return -5;
    return request == NULL ? -6 : 0;
}

int check_gels_arguments(char trans, const startile_matrix *A, const startile_matrix *B,
                         const startile_request *request)
{
    if (conjugating_trans(trans, A) == '\0')
        return -1;
    /* tasks scale A before the factorization, so that a journal could not continue it */
    if (A == NULL || !has_panels(A) || has_journal(A))
        return -2;
    startile_shape a = startile_matrix_shape(A), b = startile_matrix_shape(B);
    if (B == NULL || B == A || !have_same_type_and_grid(A, B) || b.m != (a.m > a.n ? a.m : a.n) ||
        !has_whole_blocks(B, a.nb))
        return -3;
    return request == NULL ? -4 : 0;
}

char transposition_for(char side, char transa)
{
    return side == 'L' ? 'N' : transa == 'T' ? 'T' : 'C';
}

bool fits_on_side(char side, const startile_matrix *A, const startile_matrix *B)
{
    startile_shape a = startile_matrix_shape(A), b = startile_matrix_shape(B);
    return have_same_type_and_grid(A, B) && a.m == (side == 'L' ? b.m : b.n) &&
           same_tiles(a.m, a.mb, side == 'L' ? b.mb : b.nb);
}

int check_triangle(char side, char uplo, char transa, char diag, const startile_matrix *A,
                   const startile_matrix *B, const startile_request *request)
{
    side = capital(side);
    if (!is_one_of(side, "LR"))
        return -1;
    if (!is_one_of(capital(uplo), "LU"))
        return -2;
    if (!is_one_of(capital(transa), "NTC"))
        return -3;
    if (!is_one_of(capital(diag), "NU"))
        return -4;
    if (A == NULL || !has_square_tiles(A))
        return -6;
    if (B == NULL || A == B || !fits_on_side(side, A, B))
        return -7;
    return request == NULL ? -8 : 0;
}
