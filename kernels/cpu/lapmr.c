/* Permutation of rows by the column permutation of a QR factorization (LAPACK xLAPMR). */
#include "dtype.h"

#include <stdlib.h>
#include <string.h>

int NAME(lapmr)(int m, int n, const int64_t *order, void *a, int lda)
{
    element *moved = malloc((size_t)m * sizeof *moved + 1);
    if (moved == NULL)
        return STARTILE_ERROR_MEMORY;
    for (int j = 0; j < n; j++) {
        element *column = (element *)a + (ptrdiff_t)j * lda;
        for (int i = 0; i < m; i++)
            moved[order[i] - 1] = column[i];
        memcpy(column, moved, (size_t)m * sizeof *moved);
    }
    free(moved);
    return 0;
}
