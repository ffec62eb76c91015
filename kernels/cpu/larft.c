/* Triangle T of a block reflector from its vectors V and tau, by LAPACK xLARFT. */
#include "tile_column.h"

#include <stdlib.h>

int NAME(larft)(startile_exec *x, int pieces, const startile_piece *v, int k, void *t, int ldt)
{
    (void)x;
    int m = (int)tile_column_rows(pieces, v), ldv = pieces == 1 ? v->ld : m > 0 ? m : 1;
    /* workspace: a copy of V if it has several pieces, then tau */
    size_t copied = pieces == 1 ? 0 : (size_t)ldv * (size_t)k;
    element *triangle = t, *copy = malloc((copied + (size_t)k) * sizeof *copy + 1);
    const startile_scalar zero = {0, 0};
    if (copy == NULL)
        return STARTILE_ERROR_MEMORY;
    element *tau = copy + copied;
    for (int j = 0; j < k; j++)
        tau[j] = triangle[j + (ptrdiff_t)j * ldt];
    NAME(laset)(NULL, 'G', k, k, 0, zero, zero, t, ldt);
    if (pieces > 1)
        gather_tile_column(pieces, v, k, copy, ldv);
    if (k > 0)
        LAPACK(larft)("F", "C", &m, &k, pieces == 1 ? v->p : copy, &ldv, tau, triangle, &ldt);
    free(copy);
    return 0;
}
