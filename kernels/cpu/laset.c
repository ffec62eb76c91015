/* A := offdiag off the diagonal and diag on it (LAPACK xLASET). The diagonal is that of the whole
 * matrix and may lie outside the tile. */
#include "dtype.h"

int NAME(laset)(startile_exec *x, char uplo, int m, int n, int64_t shift, startile_scalar offdiag,
                startile_scalar diag, void *a, int lda)
{
    (void)x;
    element off = to_element(offdiag), on = to_element(diag);
    for (int j = 0; j < n; j++) {
        element *column = (element *)a + (ptrdiff_t)j * lda;
        for (int i = first_row(uplo, m, j); i < end_row(uplo, m, j); i++)
            column[i] = i + shift == j ? on : off;
    }
    return 0;
}
