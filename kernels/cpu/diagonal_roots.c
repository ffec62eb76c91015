/* Square roots of the diagonal of a Hermitian matrix, which bound its elements if it is positive
 * definite: |a_ij|² ≤ a_ii a_jj */
#include "dtype.h"

int NAME(diagonal_roots)(startile_exec *x, int n, const void *a, int lda, double *d)
{
    (void)x;
    for (int i = 0; i < n; i++)
        d[i] = sqrt(fabs((double)creal(((const element *)a)[i + (ptrdiff_t)i * lda])));
    return 0;
}
