/* B := Aᴴ by blocks of at most ORDER × ORDER elements; a block of A and a block of B fit in the L1
 * cache. */
#include "dtype.h"

enum { ORDER = 32 };

static element conjugate(element z)
{
#ifdef STARTILE_COMPLEX
    return (element)conj(z);
#else
    return z;
#endif
}

/* B := Aᴴ for an m × n block */
static void write_adjoint(int m, int n, const element *a, int lda, element *b, int ldb)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            b[j + (ptrdiff_t)i * ldb] = conjugate(a[i + (ptrdiff_t)j * lda]);
}

int NAME(transpose)(startile_exec *x, int m, int n, const void *a, int lda, void *b, int ldb)
{
    (void)x;
    const element *from = a;
    element *to = b;
    for (int j = 0; j < n; j += ORDER)
        for (int i = 0; i < m; i += ORDER)
            write_adjoint(m - i < ORDER ? m - i : ORDER, n - j < ORDER ? n - j : ORDER,
                          from + i + (ptrdiff_t)j * lda, lda, to + j + (ptrdiff_t)i * ldb, ldb);
    return 0;
}
