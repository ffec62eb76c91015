/* Random elements as functions of seed, row and column (random.h). */
#include "random.h"
#include "dtype.h"

/* Returns element (i, j). Above the diagonal, unless kind is general, it is the element of the
 * mirrored position, conjugated if kind is Hermitian. */
static element random_element(startile_symmetry kind, uint64_t seed, double bump, int64_t i,
                              int64_t j)
{
    int above = i < j && kind != STARTILE_GENERAL;
    int64_t row = above ? j : i, column = above ? i : j;
    double re = startile_uniform(seed, row, column, 0) + (i == j ? bump : 0);
    startile_scalar s = {re, 0};
#ifdef STARTILE_COMPLEX
    s.im = startile_uniform(seed, row, column, 1);
    if (kind == STARTILE_HERMITIAN)
        s.im = i == j ? 0 : above ? -s.im : s.im;
#endif
    return to_element(s);
}

int NAME(random)(startile_exec *x, startile_symmetry kind, uint64_t seed, double bump, int64_t i0,
                 int64_t j0, int m, int n, void *a, int lda)
{
    (void)x;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            ((element *)a)[i + (ptrdiff_t)j * lda] =
                random_element(kind, seed, bump, i0 + i, j0 + j);
    return 0;
}
