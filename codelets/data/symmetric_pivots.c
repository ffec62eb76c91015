/* Pivots of Bunch–Kaufman factorizations. */
#include "data/symmetric_pivots.h"

#include "data/handle.h"
#include "data/index_array.h"
#include "grid/agreement.h"
#include "task/operands.h"

#include <stdlib.h>

struct startile_symmetric_pivots {
    char uplo;
    index_array ipiv;
};

int64_t startile_symmetric_pivots_create(startile_symmetric_pivots **P, const startile_matrix *A)
{
    if (P == NULL || A == NULL)
        return P == NULL ? -1 : -2;
    startile_symmetric_pivots *made = malloc(sizeof *made);
    if (made == NULL)
        return STARTILE_ERROR_MEMORY;
    int error = index_array_create(&made->ipiv, A->shape.n, 1);
    if (error != 0) {
        free(made);
        return error;
    }
    made->uplo = '\0';
    *P = made;
    return 0;
}

void startile_symmetric_pivots_destroy(startile_symmetric_pivots *P)
{
    if (P == NULL)
        return;
    index_array_destroy(&P->ipiv);
    free(P);
}

int64_t startile_symmetric_pivots_to_lapack(const startile_symmetric_pivots *P, int64_t *ipiv)
{
    return P == NULL ? -1 : index_array_get(&P->ipiv, ipiv);
}

/* Returns whether a factorization with uplo 'L' can have these pivots: row j is interchanged with
 * row j or a later one, and for a pivot of order 2 row j + 1 with row j + 1 or a later one. */
static bool are_lower(int64_t n, const int64_t *ipiv)
{
    int64_t j = 0;
    while (j < n)
        if (ipiv[j] > j && ipiv[j] <= n)
            j++;
        else if (j + 1 < n && ipiv[j] == ipiv[j + 1] && ipiv[j] < -(j + 1) && ipiv[j] >= -n)
            j += 2;
        else
            return false;
    return true;
}

/* As are_lower(), with uplo 'U': an earlier row, and row j − 1 for a pivot of order 2. */
static bool are_upper(int64_t n, const int64_t *ipiv)
{
    int64_t j = n - 1;
    while (j >= 0)
        if (ipiv[j] >= 1 && ipiv[j] <= j + 1)
            j--;
        else if (j > 0 && ipiv[j] == ipiv[j - 1] && ipiv[j] <= -1 && ipiv[j] >= -j)
            j -= 2;
        else
            return false;
    return true;
}

int64_t startile_symmetric_pivots_from_lapack(startile_symmetric_pivots *P, char uplo,
                                              const int64_t *ipiv)
{
    bool is_lower = uplo == 'L' || uplo == 'l';
    if (P == NULL)
        return -1;
    if (!is_lower && uplo != 'U' && uplo != 'u')
        return -2;
    if (ipiv == NULL ? P->ipiv.n > 0 : !(is_lower ? are_lower : are_upper)(P->ipiv.n, ipiv))
        return -3;
    if (handle_acquire_in_main_memory(P->ipiv.handle, STARPU_W) != 0)
        return STARTILE_ERROR_STARPU;
    for (int64_t j = 0; j < P->ipiv.n; j++)
        P->ipiv.of[j] = ipiv[j];
    handle_release(P->ipiv.handle, STARPU_MAIN_RAM);
    P->uplo = is_lower ? 'L' : 'U';
    return 0;
}

bool symmetric_pivots_fit(const startile_symmetric_pivots *P, const startile_matrix *A)
{
    return P->ipiv.n == A->shape.n;
}

void symmetric_pivots_set_triangle(startile_symmetric_pivots *P, char uplo)
{
    P->uplo = uplo;
}

char symmetric_pivots_triangle(const startile_symmetric_pivots *P)
{
    return P->uplo;
}

argument symmetric_pivots_argument(const startile_symmetric_pivots *P)
{
    return P == NULL ? (argument){0} : (argument){.is_operand = true, .hash = (uint64_t)P->ipiv.n};
}

starpu_data_handle_t symmetric_pivots_handle(const startile_symmetric_pivots *P)
{
    return P->ipiv.handle;
}
