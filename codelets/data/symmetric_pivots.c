/* Pivots of Bunch–Kaufman factorizations: one handle with main memory as home node. */
#include "data/symmetric_pivots.h"

#include "data/handle.h"
#include "grid/agreement.h"
#include "library/runtime.h"
#include "task/operands.h"
#include "trace/profile.h"

#include <stdlib.h>

struct startile_symmetric_pivots {
    int64_t n;
    char uplo;
    starpu_data_handle_t handle;
    int64_t ipiv[];
};

int64_t startile_symmetric_pivots_create(startile_symmetric_pivots **P, const startile_matrix *A)
{
    if (P == NULL || A == NULL)
        return P == NULL ? -1 : -2;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    int64_t n = A->shape.n;
    startile_symmetric_pivots *made = malloc(sizeof *made + (size_t)n * sizeof *made->ipiv);
    if (made == NULL)
        return STARTILE_ERROR_MEMORY;
    made->n = n;
    made->uplo = '\0';
    for (int64_t j = 0; j < n; j++)
        made->ipiv[j] = j + 1;
    register_matrix(&made->handle, STARPU_MAIN_RAM, (uintptr_t)made->ipiv, n, n, 1,
                    sizeof *made->ipiv);
    runtime_hold();
    *P = made;
    return 0;
}

void startile_symmetric_pivots_destroy(startile_symmetric_pivots *P)
{
    /* at the library's end StarPU has released the handle */
    if (P == NULL || !runtime_is_up())
        return;
    profile_forget(P->handle);
    starpu_data_unregister(P->handle);
    free(P);
    runtime_release();
}

int64_t startile_symmetric_pivots_to_lapack(const startile_symmetric_pivots *P, int64_t *ipiv)
{
    if (P == NULL || (ipiv == NULL && P->n > 0))
        return P == NULL ? -1 : -2;
    if (handle_acquire_in_main_memory(P->handle, STARPU_R) != 0)
        return STARTILE_ERROR_STARPU;
    for (int64_t j = 0; j < P->n; j++)
        ipiv[j] = P->ipiv[j];
    handle_release(P->handle, STARPU_MAIN_RAM);
    return 0;
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
    if (ipiv == NULL ? P->n > 0 : !(is_lower ? are_lower : are_upper)(P->n, ipiv))
        return -3;
    if (handle_acquire_in_main_memory(P->handle, STARPU_W) != 0)
        return STARTILE_ERROR_STARPU;
    for (int64_t j = 0; j < P->n; j++)
        P->ipiv[j] = ipiv[j];
    handle_release(P->handle, STARPU_MAIN_RAM);
    P->uplo = is_lower ? 'L' : 'U';
    return 0;
}

bool symmetric_pivots_fit(const startile_symmetric_pivots *P, const startile_matrix *A)
{
    return P->n == A->shape.n;
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
    return P == NULL ? (argument){0} : (argument){.is_operand = true, .hash = (uint64_t)P->n};
}

starpu_data_handle_t symmetric_pivots_handle(const startile_symmetric_pivots *P)
{
    return P->handle;
}
