/* Index of the first zero on a diagonal. LAPACK's xTRTRI, which xGETRI calls, begins with this
 * check. */
#include "dtype.h"

int NAME(first_zero)(startile_exec *x, int n, const void *a, int lda, int64_t before,
                     const double *largest, startile_tile_status *status)
{
    (void)x;
    const element *diagonal = a;
    if (largest != NULL && *largest == 0)
        return 0;
    for (int i = 0; i < n && status->info == 0; i++)
        if (diagonal[i + (ptrdiff_t)i * lda] == 0)
            status->info = before + i + 1;
    return 0;
}
