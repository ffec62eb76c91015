/* B := alpha A + beta B (PBLAS xGEADD). */
#include "dtype.h"

int NAME(geadd)(startile_exec *x, int m, int n, startile_scalar alpha, const void *a, int lda,
                startile_scalar beta, void *b, int ldb)
{
    (void)x;
    const element *from = a, factor = to_element(alpha), keep = to_element(beta);
    element *to = b;
    for (int j = 0; j < n; j++, from += lda, to += ldb)
        for (int i = 0; i < m; i++)
            to[i] = (factor == 0 ? 0 : factor * from[i]) + (keep == 0 ? 0 : keep * to[i]);
    return 0;
}
