/* B := alpha A + beta B (PBLAS xGEADD). */
#include "dtype.h"

int NAME(geadd)(startile_exec *x, int m, int n, startile_scalar alpha, const void *a, int lda,
                startile_scalar beta, void *b, int ldb)
{
    (void)x;
    const element *from = a, scale_a = to_element(alpha), scale_b = to_element(beta);
    element *to = b;
    /* as in BLAS, a zero scalar gives 0 even for NaN */
    for (int j = 0; j < n; j++, from += lda, to += ldb)
        for (int i = 0; i < m; i++)
            to[i] = (scale_a == 0 ? 0 : scale_a * from[i]) + (scale_b == 0 ? 0 : scale_b * to[i]);
    return 0;
}
