/* Permutations of factorizations with column or diagonal pivoting. */
#include "data/permutation.h"

#include "data/handle.h"
#include "data/index_array.h"
#include "grid/agreement.h"
#include "task/operands.h"

#include <stdlib.h>

/* Columns of the handle: numbers of the columns, and the columns that are moved to the front
 * (kernel geqp3) */
enum { COLUMNS = 2 };

struct startile_permutation {
    int64_t chosen;
    index_array order;
};

int64_t startile_permutation_create(startile_permutation **P, const startile_matrix *A)
{
    if (P == NULL || A == NULL)
        return P == NULL ? -1 : -2;
    startile_permutation *made = malloc(sizeof *made);
    if (made == NULL)
        return STARTILE_ERROR_MEMORY;
    int error = index_array_create(&made->order, A->shape.n, COLUMNS);
    if (error != 0) {
        free(made);
        return error;
    }
    made->chosen = 0;
    *P = made;
    return 0;
}

void startile_permutation_destroy(startile_permutation *P)
{
    if (P == NULL)
        return;
    index_array_destroy(&P->order);
    free(P);
}

int64_t startile_permutation_to_lapack(const startile_permutation *P, int64_t *jpvt)
{
    return P == NULL ? -1 : index_array_get(&P->order, jpvt);
}

int64_t startile_permutation_choose(startile_permutation *P, const int64_t *jpvt)
{
    if (P == NULL || (jpvt == NULL && P->order.n > 0))
        return P == NULL ? -1 : -2;
    if (handle_acquire_in_main_memory(P->order.handle, STARPU_W) != 0)
        return STARTILE_ERROR_STARPU;
    int64_t n = P->order.n, *order = P->order.of, *chosen = order + n;
    P->chosen = 0;
    for (int64_t j = 0; j < n; j++)
        order[j] = chosen[j] = j + 1;
    for (int64_t j = 0; j < n; j++)
        if (jpvt[j] != 0)
            chosen[P->chosen++] = j + 1;
    handle_release(P->order.handle, STARPU_MAIN_RAM);
    return 0;
}

bool permutation_fits(const startile_permutation *P, const startile_matrix *A)
{
    return P->order.n == A->shape.n;
}

int64_t permutation_chosen(const startile_permutation *P)
{
    return P->chosen;
}

argument permutation_argument(const startile_permutation *P)
{
    return P == NULL ? (argument){0} : (argument){.is_operand = true, .hash = (uint64_t)P->order.n};
}

starpu_data_handle_t permutation_handle(const startile_permutation *P)
{
    return P->order.handle;
}
