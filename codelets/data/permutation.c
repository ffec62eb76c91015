/* Permutations of factorizations with column or diagonal pivoting: one handle with main memory as
 * home node. */
#include "data/permutation.h"

#include "data/handle.h"
#include "grid/agreement.h"
#include "library/runtime.h"
#include "task/operands.h"
#include "trace/profile.h"

#include <stdlib.h>

/* Columns of the handle: numbers of the columns, and the columns that are moved to the front
 * (kernel geqp3) */
enum { COLUMNS = 2 };

struct startile_permutation {
    int64_t n, chosen;
    starpu_data_handle_t handle;
    int64_t order[];
};

static void choose_none(startile_permutation *P)
{
    P->chosen = 0;
    for (int64_t j = 0; j < P->n; j++) {
        P->order[j] = j + 1;
        P->order[P->n + j] = j + 1;
    }
}

int64_t startile_permutation_create(startile_permutation **P, const startile_matrix *A)
{
    if (P == NULL || A == NULL)
        return P == NULL ? -1 : -2;
    if (!runtime_is_up())
        return STARTILE_ERROR_STARPU;
    int64_t n = A->shape.n;
    startile_permutation *made = malloc(sizeof *made + COLUMNS * (size_t)n * sizeof *made->order);
    if (made == NULL)
        return STARTILE_ERROR_MEMORY;
    made->n = n;
    choose_none(made);
    register_matrix(&made->handle, STARPU_MAIN_RAM, (uintptr_t)made->order, n, n, COLUMNS,
                    sizeof *made->order);
    runtime_hold();
    *P = made;
    return 0;
}

void startile_permutation_destroy(startile_permutation *P)
{
    /* at the library's end StarPU has released the handle */
    if (P == NULL || !runtime_is_up())
        return;
    profile_forget(P->handle);
    starpu_data_unregister(P->handle);
    free(P);
    runtime_release();
}

int64_t startile_permutation_to_lapack(const startile_permutation *P, int64_t *jpvt)
{
    if (P == NULL || (jpvt == NULL && P->n > 0))
        return P == NULL ? -1 : -2;
    if (handle_acquire_in_main_memory(P->handle, STARPU_R) != 0)
        return STARTILE_ERROR_STARPU;
    for (int64_t j = 0; j < P->n; j++)
        jpvt[j] = P->order[j];
    handle_release(P->handle, STARPU_MAIN_RAM);
    return 0;
}

int64_t startile_permutation_choose(startile_permutation *P, const int64_t *jpvt)
{
    if (P == NULL || (jpvt == NULL && P->n > 0))
        return P == NULL ? -1 : -2;
    if (handle_acquire_in_main_memory(P->handle, STARPU_W) != 0)
        return STARTILE_ERROR_STARPU;
    choose_none(P);
    for (int64_t j = 0; j < P->n; j++)
        if (jpvt[j] != 0)
            P->order[P->n + P->chosen++] = j + 1;
    handle_release(P->handle, STARPU_MAIN_RAM);
    return 0;
}

bool permutation_fits(const startile_permutation *P, const startile_matrix *A)
{
    return P->n == A->shape.n;
}

int64_t permutation_chosen(const startile_permutation *P)
{
    return P->chosen;
}

argument permutation_argument(const startile_permutation *P)
{
    return P == NULL ? (argument){0} : (argument){.is_operand = true, .hash = (uint64_t)P->n};
}

starpu_data_handle_t permutation_handle(const startile_permutation *P)
{
    return P->handle;
}
