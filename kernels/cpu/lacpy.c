/* B := A, or only one triangle of B := that of A (LAPACK xLACPY). */
#include "dtype.h"

#include <string.h>

int NAME(lacpy)(startile_exec *x, char uplo, int m, int n, const void *a, int lda, void *b, int ldb)
{
    (void)x;
    for (int j = 0; j < n; j++) {
        int first = first_row(uplo, m, j), last = end_row(uplo, m, j);
        if (first < last)
            memcpy((element *)b + (ptrdiff_t)j * ldb + first,
                   (const element *)a + (ptrdiff_t)j * lda + first,
                   (size_t)(last - first) * sizeof(element));
    }
    return 0;
}
