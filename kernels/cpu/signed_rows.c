/* B := A with positive diagonal elements of a factor: a QR factorization leaves their signs open */
#include "dtype.h"

int NAME(signed_rows)(startile_exec *x, char uplo, int m, int n, const void *d, int ldd,
                      const void *a, int lda, void *b, int ldb)
{
    (void)x;
    const element *diagonal = d;
    for (int j = 0; j < n; j++)
        for (int i = first_row(uplo, m, j); i < end_row(uplo, m, j); i++) {
            const element z = ((const element *)a)[i + (ptrdiff_t)j * lda];
            const bool negative = creal(diagonal[i + (ptrdiff_t)i * ldd]) < 0;
            ((element *)b)[i + (ptrdiff_t)j * ldb] = negative ? -z : z;
        }
    return 0;
}
