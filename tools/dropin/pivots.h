/* Pivots and permutations of the typed entries, which have 64-bit integers. */
#ifndef DROPIN_PIVOTS_H
#define DROPIN_PIVOTS_H

#include "type.h"

#include <stdlib.h>

/* Allocates n pivots for the typed entries, whose pivots have 64 bits. Returns NULL if memory does
 * not suffice. */
static inline int64_t *new_wide_pivots(integer n)
{
    return malloc((size_t)larger(1, n) * sizeof(int64_t));
}

/* Returns a copy of ipiv for the typed entries, or NULL if memory does not suffice. */
static inline int64_t *widened(integer n, const integer *ipiv)
{
    int64_t *wide = new_wide_pivots(n);
    if (wide == NULL)
        return NULL;
    for (integer k = 0; k < n; k++)
        wide[k] = ipiv[k];
    return wide;
}

/* ipiv := the pivots of a typed entry */
static inline void narrow(integer n, const int64_t *wide, integer *ipiv)
{
    for (integer k = 0; k < n; k++)
        ipiv[k] = (integer)wide[k];
}

#endif
