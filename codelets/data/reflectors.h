/* Triangles of block reflectors. A startile_reflectors is a matrix under another name, so that the
 * compiler refuses other matrices in its place. */
#ifndef STARTILE_REFLECTORS_H
#define STARTILE_REFLECTORS_H

#include "startile.h"

#include <stdbool.h>

static inline startile_matrix *triangles_of(const startile_reflectors *T)
{
    return (startile_matrix *)T;
}

static inline startile_reflectors *reflectors_in(const startile_matrix *M)
{
    return (startile_reflectors *)M;
}

/* Returns whether T can hold the triangles of reflectors in the first columns of A, as many columns
 * as T has. */
bool reflectors_fit(const startile_matrix *T, const startile_matrix *A);
/* Copies tau to the diagonals of T. Blocking; returns 0 or a startile_error. */
int reflectors_set_tau(startile_matrix *T, const void *tau);

#endif
