/* B := the Hermitian or symmetric matrix of which A has one triangle */
#include "dtype.h"

/* Returns the element of B opposite the element z of A. */
static element opposite(int hermitian, element z)
{
#ifdef STARTILE_COMPLEX
    return hermitian ? (element)conj(z) : z;
#else
    (void)hermitian;
    return z;
#endif
}

int NAME(mirror)(startile_exec *x, char uplo, int hermitian, int n, const void *a, int lda, void *b,
                 int ldb)
{
    (void)x;
    element *to = b;
    for (int j = 0; j < n; j++) {
        const element *column = (const element *)a + (ptrdiff_t)j * lda;
        for (int i = first_row(uplo, n, j); i < end_row(uplo, n, j); i++) {
            to[j + (ptrdiff_t)i * ldb] = opposite(hermitian, column[i]);
            to[i + (ptrdiff_t)j * ldb] = i == j && hermitian ? creal(column[i]) : column[i];
        }
    }
    return 0;
}
