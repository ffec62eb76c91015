/* Argument checks that the operations on batches share. */
#include "operands.h"

#include "batch/insert_batch.h"
#include "checks.h"
#include "library/library.h"

int64_t matrices_to_compare(const startile_batch *a, const startile_batch *b)
{
    int64_t matrices = batch_matrices(a);
    return batch_varies(a) || batch_varies(b) || matrices == 0 ? matrices : 1;
}

bool same_dimension(const startile_batch *a, batch_dimension *of_a, const startile_batch *b,
                    batch_dimension *of_b)
{
    for (int64_t i = 0; i < matrices_to_compare(a, b); i++)
        if (of_a(a, i) != of_b(b, i))
            return false;
    return true;
}

bool has_matrices(const startile_batch *A)
{
    return A != NULL && !batch_has_integers(A);
}

bool has_squares(const startile_batch *A)
{
    return same_dimension(A, batch_rows, A, batch_columns);
}

/* A batch_dimension that is 1 for every matrix. */
static int64_t one(const startile_batch *b, int64_t i)
{
    (void)b;
    (void)i;
    return 1;
}

bool has_one_column_each(const startile_batch *b)
{
    return same_dimension(b, batch_columns, b, one);
}

bool has_vectors(const startile_batch *X)
{
    return has_matrices(X) && same_dimension(X, batch_rows, X, one);
}

bool matches_batch(const startile_batch *b, const startile_batch *A)
{
    return b != NULL && batch_has_elements(b, batch_dtype(A)) && same_partition(b, A);
}

bool is_writable(const startile_batch *b)
{
    return !batch_is_shared(b);
}

bool matches_and_is_writable(const startile_batch *b, const startile_batch *A)
{
    return matches_batch(b, A) && b != A && is_writable(b);
}

bool is_info_of(const startile_batch *info, const startile_batch *A)
{
    return info != NULL && batch_has_integers(info) && batch_has_numbers(info) &&
           is_writable(info) && same_partition(info, A);
}

int64_t smaller_dimension(const startile_batch *A, int64_t i)
{
    int64_t m = batch_rows(A, i), n = batch_columns(A, i);
    return m < n ? m : n;
}

int64_t larger_dimension(const startile_batch *A, int64_t i)
{
    int64_t m = batch_rows(A, i), n = batch_columns(A, i);
    return m > n ? m : n;
}

bool is_ipiv_of(const startile_batch *P, const startile_batch *A)
{
    if (P == NULL || !batch_has_integers(P) || !same_partition(P, A))
        return false;
    for (int64_t i = 0; i < matrices_to_compare(P, A); i++)
        if (batch_rows(P, i) < smaller_dimension(A, i) || batch_columns(P, i) > 1)
            return false;
    return true;
}

bool are_right_hand_sides(const startile_batch *B, const startile_batch *A)
{
    return matches_and_is_writable(B, A) && same_dimension(B, batch_rows, A, batch_rows);
}

char conjugating_letter(char trans, startile_dtype dtype)
{
    bool is_real = dtype == STARTILE_S || dtype == STARTILE_D;
    trans = capital(trans);
    if (trans == 'T' && is_real)
        return 'C';
    return is_one_of(trans, "NC") ? trans : '\0';
}

startile_dtype real_of(startile_dtype dtype)
{
    return dtype == STARTILE_C ? STARTILE_S : dtype == STARTILE_Z ? STARTILE_D : dtype;
}

bool is_result(const startile_batch *b, const startile_batch *X, startile_dtype dtype)
{
    return b != NULL && b != X && batch_has_elements(b, dtype) && batch_has_numbers(b) &&
           is_writable(b) && same_partition(b, X);
}

int check_request(const startile_request *request, int at)
{
    if (request == NULL)
        return -at;
    return library_unusable_after_fork() ? STARTILE_ERROR_STARPU : 0;
}
