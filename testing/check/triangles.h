/* Triangles T of block reflectors as a matrix, which most tests handle them as. */
#ifndef TESTING_TRIANGLES_H
#define TESTING_TRIANGLES_H

#include "startile.h"

#include <stddef.h>

/* Returns what startile_reflectors_create() does. */
static inline int64_t new_triangles(startile_matrix **T, const startile_matrix *A)
{
    startile_reflectors *created = NULL;
    int64_t status = startile_reflectors_create(T == NULL ? NULL : &created, A);
    if (status == 0)
        *T = startile_reflectors_matrix(created);
    return status;
}

/* Returns the matrix T as triangles; NULL if it has another shape, or is NULL. */
static inline startile_reflectors *reflectors_of(startile_matrix *T)
{
    startile_reflectors *same = NULL;
    startile_reflectors_from_matrix(&same, T);
    return same;
}

#endif
